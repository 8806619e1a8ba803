"""Any sequence of calls leaves a real store and the one in memory in the same state."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

from hypothesis import HealthCheck, settings

from tests.conformance.stores.harness import StoreHarness, make_harness
from tests.conformance.stores.machine import StoreMachine
from tests.support import tries

_IN_MEMORY = Path("/dev/shm")  # noqa: S108  where there is one, no test waits for the disk


class SqliteMachine(StoreMachine):
    def make(self) -> StoreHarness:
        self.folder = tempfile.TemporaryDirectory(prefix="duly-", dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None)
        with make_harness("sqlite-inline", Path(self.folder.name)) as harness:
            return harness

    def teardown(self) -> None:
        super().teardown()
        self.folder.cleanup()


class PostgresMachine(StoreMachine):
    def make(self) -> StoreHarness:
        self.database = ExitStack()
        return self.database.enter_context(make_harness("postgres", Path()))

    def teardown(self) -> None:
        super().teardown()
        self.database.close()


bounded = settings(deadline=None, suppress_health_check=list(HealthCheck), report_multiple_bugs=False)

TestSqlite = SqliteMachine.TestCase
TestSqlite.settings = settings(bounded, max_examples=tries(40), stateful_step_count=40)
TestPostgres = PostgresMachine.TestCase
TestPostgres.settings = settings(bounded, max_examples=tries(20), stateful_step_count=30)
