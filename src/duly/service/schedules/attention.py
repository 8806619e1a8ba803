"""What a person or an agent should know about the schedules they may see: who serves them, and which need attention.

Every face asks here, so that a warning on the command line and one in the answer of a tool are the same words.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime

from duly.clock import Clock
from duly.engine.health import LOOKED_AT, EngineStatus, Health, examine
from duly.engine.settings import EngineSettings
from duly.planning.attention import LONG_OVER, Concern, concerns, unserved_reason, unserved_remedy
from duly.ports.codec import subject_of
from duly.ports.records import StoredSchedule
from duly.ports.store import Store

NOTHING_RUNS = "nothing runs here at the moment: start it with duly up"
_AT_REST = EngineStatus(since_turn=0.0, store_error=None, in_flight=0, stuck=0)


def _nothing(*_: object) -> None:
    return None


class Attention:
    """Judges schedules by what the store says about them and about the living nodes."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        missing_program: Callable[[str], str | None] = _nothing,
        fault: Callable[[], str | None] = _nothing,
        health: Callable[[], Awaitable[Health]] | None = None,
    ) -> None:
        """`missing_program` names the program of a handler that is not on this machine, `fault` says why the engine of
        this process cannot work, and `health` is the judgement of that engine, where there is one.
        """
        self._store = store
        self._clock = clock
        self._missing_program = missing_program
        self._fault = fault
        self._health = health

    async def nothing_runs(self) -> str | None:
        """A warning for every answer while nothing carries out what is due; None when an engine does."""
        return self._nothing_runs(await self._store.serving())

    def _nothing_runs(self, living: Collection[str]) -> str | None:
        if (fault := self._fault()) is not None:
            return f"the engine here cannot work at the moment: {fault}"
        return None if living else NOTHING_RUNS

    async def warning(self, handler: str) -> str | None:
        """A warning for whoever makes or fires a schedule that would not be carried out as things stand."""
        living = await self._store.serving()
        if (nothing := self._nothing_runs(living)) is not None:
            return nothing
        if not any(handler in handlers for handlers in living.values()):
            return f"{unserved_reason(handler)}: {unserved_remedy(handler)}"
        if (program := self._missing_program(handler)) is not None:
            spawner = handler.partition(":")[2]
            return (
                f"the program {program} of spawner {spawner} is not on the PATH here: install it, or name its place "
                f"in [spawners.{spawner}] of duly.toml (a daemon that was started elsewhere may have another PATH)"
            )
        return None

    async def judge(self) -> Callable[[StoredSchedule], list[Concern]]:
        """Judges schedules as they are read, by what is known now."""
        now, living = self._clock.now(), await self._store.serving()
        served = frozenset[str]().union(*living.values())
        waiting = await self._store.troubled(now, served, ended_after=now - LONG_OVER, limit=LOOKED_AT)
        return lambda row: concerns(subject_of(row, waiting), now=now, served=served, engine_runs=bool(living))

    async def of(self, rows: Sequence[StoredSchedule]) -> dict[str, list[Concern]]:
        """What is the matter with some schedules, by id; those with which all is well are left out."""
        if not rows:
            return {}
        judge = await self.judge()
        return {row.id: known for row in rows if (known := judge(row))}

    async def health(self) -> Health:
        """The judgement of the engine in this process; without one, of the store."""
        if self._health is not None:
            return await self._health()
        now: datetime = self._clock.now()
        return await examine(self._store, _AT_REST, now, EngineSettings().poll)
