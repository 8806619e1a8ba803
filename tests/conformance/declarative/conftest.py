"""Worlds to schedule in: on SQLite where the store does not matter, on both where it does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conformance.declarative.harness import SchedulerHarness
from tests.postgres_server import server


@pytest.fixture
def harness(tmp_path: Path) -> SchedulerHarness:
    return SchedulerHarness(str(tmp_path / "duly.db"))


@pytest.fixture
def postgres_harness() -> Iterator[SchedulerHarness]:
    with server().database() as url:
        yield SchedulerHarness(url)


@pytest.fixture(params=("sqlite", "postgres"))
def durable_harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SchedulerHarness]:
    """For what must survive: on both stores."""
    with ExitStack() as stack:
        sqlite = request.param == "sqlite"
        yield SchedulerHarness(str(tmp_path / "duly.db") if sqlite else stack.enter_context(server().database()))
