"""The kinds of store a simulation can run on: the one in memory, and SQLite in the caller's thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw

from duly.ports.records import RunFilter, ScheduleFilter
from duly.ports.store import Store
from duly.stores.sqlite.store import SqliteStore
from duly.testing.clock import VirtualClock
from tests.sim.simulator import MakeBackend, MemoryBackend
from tests.sim.witness import Rows

_ALL = 1_000_000


class SqliteBackend:
    """A file, and everything in it by way of the port."""

    def __init__(self, folder: Path, clock: VirtualClock) -> None:
        self._path = folder / "simulated.db"
        self._clock = clock
        self._looking: SqliteStore | None = None

    def make(self) -> Store:
        return SqliteStore(self._path, self._clock, inline=True)

    async def view(self) -> Rows:
        if self._looking is None:
            self._looking = SqliteStore(self._path, self._clock, inline=True)
            await self._looking.open()
        runs = await self._looking.runs(RunFilter(limit=_ALL))
        there = await self._looking.schedules(ScheduleFilter(limit=_ALL))
        deleted = await self._looking.schedules(ScheduleFilter(deleted=True, limit=_ALL))
        return {run.id: run for run in runs}, {row.id: row for row in [*there, *deleted]}

    async def steps(self) -> list[str]:
        connection = apsw.Connection(str(self._path))
        try:
            return [data for (data,) in connection.execute("SELECT data FROM undos")]
        finally:
            connection.close()


def _memory(_folder: Path) -> MakeBackend:
    return MemoryBackend


def _sqlite(folder: Path) -> MakeBackend:
    return lambda clock: SqliteBackend(folder, clock)


BACKENDS: dict[str, Callable[[Path], MakeBackend]] = {"memory": _memory, "sqlite": _sqlite}
