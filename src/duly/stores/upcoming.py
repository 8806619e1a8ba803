"""What is due and what will be due, as a store finds it before a claim. Times are in the form the store keeps them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from duly.planning.places import Pool, lane_of
from duly.ports.records import Claimed, Cycle

REACH = 4
"""How many times more runs a store looks at than it may claim: other nodes take some, and some lanes are full."""


class PendingOfHandler(NamedTuple):
    """When the first pending runs of a handler are due."""

    handler: str | None
    shared_at: Any
    """The first run in the shared lane."""
    owners_at: Any
    """The first run in the lanes of owners."""
    owners_next: Any
    """The first run in the lanes of owners that is not due yet."""


class Upcoming(NamedTuple):
    """The next schedule and the next runs of each handler, read in one statement."""

    schedule_at: Any
    """When the next schedule is due."""
    runs: Mapping[str, PendingOfHandler]
    """By handler."""

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any]]) -> Upcoming:
        """Read the rows of `waiting`: the one without a handler is about schedules."""
        found = [PendingOfHandler(*row) for row in rows]
        [schedules] = [each for each in found if each.handler is None]
        return cls(schedules.shared_at, {each.handler: each for each in found if each.handler is not None})

    def shared(self, pool: Pool, now: Any) -> list[str]:
        """Find handlers of a pool that have runs due in the shared lane."""
        return [handler for handler, each in self._of(pool) if each.shared_at is not None and each.shared_at <= now]

    def owners(self, pool: Pool, now: Any) -> list[str]:
        """Find handlers of a pool that have runs due in the lanes of owners."""
        return [handler for handler, each in self._of(pool) if each.owners_at is not None and each.owners_at <= now]

    def _of(self, pool: Pool) -> list[tuple[str, PendingOfHandler]]:
        return [(handler, each) for handler, each in self.runs.items() if handler in pool.handlers]

    def next_wake(self, full: Iterable[Pool]) -> Any:
        """Say when to look again; runs of full pools are left out, because the end of a run wakes the engine."""
        closed = {handler for pool in full for handler in pool.handlers}
        times = [self.schedule_at]
        for handler, each in self.runs.items():
            if handler not in closed:
                times += [each.shared_at, each.owners_next]
        return min((at for at in times if at is not None), default=None)

    def waiting(self, now: Any) -> dict[str, Any]:
        """Say since when the shared lane of a handler waits, by handler."""
        due = ((handler, each.shared_at) for handler, each in self.runs.items())
        return {handler: at for handler, at in due if at is not None and at <= now}


def after_births(pools: Sequence[Pool], born: Sequence[Claimed]) -> list[Pool]:
    """Return the pools with the places taken that went to runs claimed when they were recorded."""
    if not born:
        return list(pools)
    return [pool.with_held([lane_of(run.namespace) for run in born if run.handler in pool.handlers]) for pool in pools]


def room(pool: Pool, owners: Collection[str]) -> int:
    """Say how many runs may be claimed, given the handlers of which runs of owners are due."""
    return pool.free if owners else pool.free_or_ahead


def is_full(pool: Pool, turn: Cycle, owners: Collection[str]) -> bool:
    """Tell whether only the end of a run lets another of this pool begin, so that looking again is of no use.

    The places of a turn without pools say how many runs it may take, not how many there are.
    """
    return bool(turn.pools) and not room(pool, owners)
