"""The harnesses of the suite, one per kind of store: each makes a store, shares it and lets leases expire."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any, Self

import apsw
import psycopg
import psycopg.sql

from duly.model.events import Event
from duly.model.run import Run, Status
from duly.ports.records import (
    Claimed,
    Cycle,
    CycleResult,
    NewRun,
    NodeRecord,
    Plan,
    Settlement,
    Standing,
    StoredSchedule,
)
from duly.ports.store import Reconciliation, Store
from duly.processes import pid_space, pid_started
from duly.stores.postgres.store import PostgresStore
from duly.stores.sqlite.store import SqliteStore
from duly.testing.clock import VirtualClock
from tests.conformance.stores.builders import JOB, START, Script
from tests.memory_store.store import MemoryData, MemoryStore
from tests.pgbouncer import pooled
from tests.postgres_server import server
from tests.sqlite_template import prepare

LEASE = 15.0


class StoreHarness(ABC):
    """One store under test on virtual time, with the few moves most tests make."""

    store: Store
    lease = LEASE

    def __init__(self) -> None:
        self.clock = VirtualClock(START)
        self._opened = AsyncExitStack()

    @abstractmethod
    def make(self) -> Store:
        """Another handle on the same data, not yet open."""

    @property
    def address(self) -> str:
        """Where another process finds the same data."""
        raise NotImplementedError

    @abstractmethod
    async def silence(self, node_id: str) -> None:
        """Let the lease of a node run out."""

    @abstractmethod
    def disown(self, run_id: str) -> None:
        """Take the owner off a run behind the back of the store."""

    async def another(self) -> Store:
        """Another handle on the same data, as another process would have."""
        store = self.make()
        await store.open()
        self._opened.push_async_callback(store.close)
        return store

    async def __aenter__(self) -> Self:
        self.store = await self.another()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._opened.aclose()

    @property
    def now(self) -> datetime:
        return self.clock.now()

    def node(self, node_id: str = "node_a", handlers: Sequence[str] = (JOB,)) -> NodeRecord:
        """A node that runs in this very process."""
        pid = os.getpid()
        return NodeRecord(
            node_id, "here", pid, pid_started(pid) or "", pid_space(), self.lease, tuple(handlers), self.now
        )

    async def join(self, *node_ids: str) -> None:
        for node_id in node_ids:
            await self.store.register(self.node(node_id))

    async def add(self, *rows: StoredSchedule) -> None:
        await self.store.save(rows, lambda _before, row: row)

    async def put(self, *runs: NewRun) -> None:
        """Record runs as they are."""
        await self.store.plan({each.schedule_id for each in runs}, Script(Plan(runs=list(runs))))

    async def turn(self, *settlements: Settlement, **fields: Any) -> CycleResult:
        """A turn of node_a that settles, and plans and claims what it is told to."""
        values: dict[str, Any] = {"node_id": "node_a", "now": self.now, "handlers": (JOB,), "settlements": settlements}
        return await self.store.cycle(Cycle(**{**values, **fields}))

    async def claim(self, node_id: str = "node_a", limit: int = 100) -> list[Claimed]:
        return (await self.turn(node_id=node_id, claim_limit=limit)).claimed

    async def started(self, *runs: NewRun, node_id: str = "node_a") -> list[Claimed]:
        """Record runs and claim them."""
        await self.put(*runs)
        claimed = {each.run_id: each for each in await self.claim(node_id)}
        return [claimed[each.id] for each in runs]

    async def saved(self, schedule_id: str) -> StoredSchedule:
        row = await self.store.get(schedule_id)
        assert row is not None
        return row

    async def seen(self, run_id: str) -> Run:
        found = await self.store.get_run(run_id)
        assert found is not None
        return found

    async def standings(self, namespace: str) -> list[Standing]:
        """Return how a namespace stands, from a decision that changes nothing."""
        told: list[Standing] = []

        def decide(standings: Sequence[Standing], _living: Collection[str]) -> Reconciliation:
            told[:] = standings
            return Reconciliation(rows=[], merge=lambda _, row: row, events=[], call_off=[], at=self.now, reason="")

        await self.store.reconcile(namespace, decide)
        return told

    async def statuses(self, *runs: NewRun) -> list[Status]:
        return [(await self.seen(each.id)).status for each in runs]

    async def journal(self) -> list[Event]:
        return [event for _, event in await self.store.journal(0, 1000)]

    async def told(self) -> list[str]:
        return [event.kind.name for event in await self.journal()]


class MemoryHarness(StoreHarness):
    def __init__(self) -> None:
        super().__init__()
        self._data = MemoryData()

    def make(self) -> Store:
        return MemoryStore(self.clock, shared=self._data)

    async def silence(self, node_id: str) -> None:
        assert isinstance(self.store, MemoryStore)
        if node_id in self._data.tables.nodes:
            self.store.crash(node_id)

    def disown(self, run_id: str) -> None:
        runs = self._data.tables.runs
        runs[run_id] = replace(runs[run_id], owner=None)


class SqliteHarness(StoreHarness):
    inline = False

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    @property
    def address(self) -> str:
        return str(self.path)

    def make(self) -> Store:
        return SqliteStore(self.path, self.clock, inline=self.inline)

    async def silence(self, node_id: str) -> None:
        """As a process that is gone: another one has its pid now."""
        with apsw.Connection(str(self.path)) as connection:
            connection.execute("UPDATE nodes SET pid_started = 'another' WHERE id = ?", (node_id,))

    def disown(self, run_id: str) -> None:
        with apsw.Connection(str(self.path)) as connection:
            connection.execute("UPDATE runs SET owner = NULL WHERE id = ?", (run_id,))


class InlineSqliteHarness(SqliteHarness):
    inline = True


class PostgresHarness(StoreHarness):
    lease = 3600.0  # it runs out by the clock of the server, which no test can turn

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url

    @property
    def address(self) -> str:
        return self.url

    def make(self) -> Store:
        return PostgresStore(pooled(self.url), self.clock)

    async def silence(self, node_id: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("UPDATE nodes SET beat_at = '-infinity' WHERE id = %s", (node_id,))

    def disown(self, run_id: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("UPDATE runs SET owner = NULL WHERE id = %s", (run_id,))


def full(store: Store) -> SqliteStore | PostgresStore:
    """A store that also keeps tokens, targets, people and reminders."""
    assert isinstance(store, SqliteStore | PostgresStore)
    return store


@contextmanager
def make_harness(kind: str, folder: Path) -> Iterator[StoreHarness]:
    """Make a harness with an empty store of a kind."""
    if kind == "memory":
        yield MemoryHarness()
    elif kind == "postgres":
        with server().database() as url:
            yield PostgresHarness(url)
    else:
        path = folder / "duly.db"
        prepare(path)
        yield (SqliteHarness if kind == "sqlite" else InlineSqliteHarness)(path)


def conformant(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., Coroutine[Any, Any, None]]:
    """Open the store of the harness for a test, and close it afterwards."""

    @wraps(test)
    async def inside(**fixtures: Any) -> None:
        harness = next(value for value in fixtures.values() if isinstance(value, StoreHarness))
        async with harness:
            await test(**fixtures)

    return inside
