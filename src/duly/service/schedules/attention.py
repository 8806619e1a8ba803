"""Attention: the schedules that a person or agent should look at, and warnings.

Every face asks here, so that a warning has the same words on the command line and in the answer of a tool.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from duly.planning.attention import LONG_OVER, LOOKED_AT, Concern, concerns, unserved_reason, unserved_remedy
from duly.ports.codec import subject_of
from duly.zones import iso

if TYPE_CHECKING:
    from duly.engine.health import Health
    from duly.ports.process import Process
    from duly.ports.records import StoredSchedule

NOTHING_RUNS = "nothing runs here at the moment: start it with duly up"


def starting(since: datetime) -> str:
    """Say that a daemon starts, as it says itself."""
    return f"duly is starting, since {iso(since)}"


class Attention:
    """Judges schedules by the store: their rows, and the nodes whose lease has not expired."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._store = process.store
        self._clock = process.clock

    async def nothing_runs(self) -> str | None:
        """Give the warning for every answer while no engine runs; None while one does."""
        return self._nothing_runs(await self._store.serving())

    def _nothing_runs(self, living: Collection[str]) -> str | None:
        if (fault := self._process.engine_fault()) is not None:
            return f"the engine here cannot work at the moment: {fault}"
        if living:
            return None
        since = self._process.starting_since()
        return NOTHING_RUNS if since is None else starting(since)

    async def warning(self, handler: str) -> str | None:
        """Give the warning for a caller who makes or fires a schedule that no engine would carry out at present."""
        return self._warning(handler, await self._store.serving())

    def _warning(self, handler: str, living: Mapping[str, Collection[str]]) -> str | None:
        if (nothing := self._nothing_runs(living)) is not None:
            return nothing
        if not any(handler in handlers for handlers in living.values()):
            return f"{unserved_reason(handler)}: {unserved_remedy(handler)}"
        if (program := self._process.missing_program(handler)) is not None:
            spawner = handler.partition(":")[2]
            return (
                f"the program {program} of spawner {spawner} is not on the PATH here: install it, or name its place "
                f"in [spawners.{spawner}] of duly.toml (a daemon that was started elsewhere may have another PATH)"
            )
        return None

    async def needing(self) -> list[StoredSchedule]:
        """Give the schedules that need attention, a bounded number of each kind, by name."""
        now = self._clock.now()
        living = await self._store.serving()
        served = frozenset[str]().union(*living.values())
        found = await self._store.troubled(now, served, ended_after=now - LONG_OVER, limit=LOOKED_AT)

        def has_concerns(row: StoredSchedule) -> bool:
            return bool(concerns(subject_of(row, found), now=now, served=served, engine_runs=bool(living)))

        return sorted(filter(has_concerns, found.rows), key=lambda row: (row.namespace, row.name))

    async def judge(self) -> Callable[[StoredSchedule], list[Concern]]:
        """Make a function that gives the concerns about a row, by the nodes and runs of this moment."""
        return await self._judge(await self._store.serving())

    async def about(self, row: StoredSchedule) -> tuple[list[Concern], str | None]:
        """Give the concerns about one schedule, and the warning if it is enabled."""
        living = await self._store.serving()
        judge = await self._judge(living)
        return judge(row), self._warning(row.handler, living) if row.enabled else None

    async def _judge(self, living: Mapping[str, frozenset[str]]) -> Callable[[StoredSchedule], list[Concern]]:
        now = self._clock.now()
        served = frozenset[str]().union(*living.values())
        waiting = await self._store.hindered(now, limit=LOOKED_AT)
        return lambda row: concerns(subject_of(row, waiting), now=now, served=served, engine_runs=bool(living))

    async def of(self, rows: Sequence[StoredSchedule]) -> dict[str, list[Concern]]:
        """Give the concerns about some schedules, by id; schedules without concerns are left out."""
        if not rows:
            return {}
        judge = await self.judge()
        return {row.id: known for row in rows if (known := judge(row))}

    async def health(self) -> Health:
        """Give the health of the engine in this process; without one, the health that the store shows."""
        return await self._process.health()


async def health_of_store(process: Process) -> Health:
    """Give the health that the store shows of every node, for a process without an engine."""
    from duly.engine.health import EngineStatus, examine  # late: most commands show no health
    from duly.engine.settings import EngineSettings

    at_rest = EngineStatus(since_turn=0.0, store_error=None, in_flight=0, stuck=0)
    now: datetime = process.clock.now()
    since = process.starting_since()
    said = None if since is None else starting(since)
    return await examine(process.store, at_rest, now, EngineSettings().poll, starting=said)
