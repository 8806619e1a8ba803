"""What waits for a place, as a store finds it, and what follows for a claim. Times are as the store keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from duly.planning.places import Pool, lane_of
from duly.ports.records import Claimed, Cycle

REACH = 4
"""So many times more runs are looked at than claimed: other nodes take some of them, and full lanes have others."""


class Waiting(NamedTuple):
    """When the pending runs of a handler are due: the first of each kind."""

    handler: str | None
    shared_at: Any
    """The first run in the shared lane."""
    owners_at: Any
    """The first run of all owners."""
    owners_next: Any
    """The first run of all owners that is not due yet."""


class Look(NamedTuple):
    """One look at everything that will be due."""

    schedule_at: Any
    """When the next schedule is due."""
    runs: Mapping[str, Waiting]
    """By handler."""

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any]]) -> Look:
        """From the rows of `waiting`: the one without a handler is about schedules."""
        found = [Waiting(*row) for row in rows]
        [schedules] = [each for each in found if each.handler is None]
        return cls(schedules.shared_at, {each.handler: each for each in found if each.handler is not None})

    def shared(self, pool: Pool, now: Any) -> list[str]:
        """Handlers of a pool that have runs due in the shared lane."""
        return [handler for handler, each in self._of(pool) if each.shared_at is not None and each.shared_at <= now]

    def owners(self, pool: Pool, now: Any) -> list[str]:
        """Handlers of a pool that have runs of owners due."""
        return [handler for handler, each in self._of(pool) if each.owners_at is not None and each.owners_at <= now]

    def _of(self, pool: Pool) -> list[tuple[str, Waiting]]:
        return [(handler, each) for handler, each in self.runs.items() if handler in pool.handlers]

    def next_wake(self, full: Iterable[Pool]) -> Any:
        """When to look again. What is due and was not claimed waits for a place, and the end of a run tells of that."""
        closed = {handler for pool in full for handler in pool.handlers}
        times = [self.schedule_at]
        for handler, each in self.runs.items():
            if handler not in closed:
                times += [each.shared_at, each.owners_next]
        return min((at for at in times if at is not None), default=None)

    def waiting(self, now: Any) -> dict[str, Any]:
        """Since when the shared lane of a handler waits, by handler."""
        due = ((handler, each.shared_at) for handler, each in self.runs.items())
        return {handler: at for handler, at in due if at is not None and at <= now}


def after_births(pools: Sequence[Pool], born: Sequence[Claimed]) -> list[Pool]:
    """The pools after the runs that were claimed when they were recorded took their places."""
    if not born:
        return list(pools)
    return [pool.with_held([lane_of(run.namespace) for run in born if run.handler in pool.handlers]) for pool in pools]


def is_full(pool: Pool, turn: Cycle) -> bool:
    """Whether only the end of a run lets another of this pool begin, so that what waits for it needs no look.

    The places of a turn without pools say how many runs it may take, and not how many there are.
    """
    return bool(turn.pools) and not pool.free
