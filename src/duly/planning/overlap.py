"""Overlap: how many runs of a schedule may be under way at once, and the status of a fire that comes in between.

In every count, a run that waits for its next attempt is under way: it keeps its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duly.model.policy import Overlap
from duly.model.run import Status

if TYPE_CHECKING:
    from duly.model.policy import Policy


class OverlapDecision(NamedTuple):
    """The status of the new run: pending, waiting, or skipped for a reason."""

    status: Status
    reason: str | None = None


_RUN = OverlapDecision(Status.PENDING)
_WAIT = OverlapDecision(Status.WAITING)


def decide_overlap(policy: Policy, running: int, waiting: int) -> OverlapDecision:
    """Decide about a fire while `running` runs of its schedule are under way or pending and `waiting` ones queue.

    A fire never overtakes a queued one: it runs only if the queued ones have places, too.
    """
    if running + waiting < places(policy):
        return _RUN
    if policy.overlap is Overlap.SKIP:
        return OverlapDecision(Status.SKIPPED, "overlap: the previous run is not finished")
    if waiting < policy.queue_limit:
        return _WAIT
    return OverlapDecision(Status.SKIPPED, f"overlap: the queue is full ({waiting} waiting)")


def places_for_past(policy: Policy, running: int, waiting: int) -> int:
    """Count the fires of a backfill that may begin at once; the others queue behind them.

    Where any number may run, a backfill still runs one fire after the other: it may have thousands.
    """
    most = places(policy)
    return int(waiting == 0) if most == float("inf") else max(0, int(most) - running - waiting)


def coming_forward(policy: Policy, placed: int, in_line: int, waiting: int) -> int:
    """Count the queued runs that may begin now.

    `placed` counts all runs that are under way or pending, `in_line` those of them that came through the queue. Where
    any number may run, only a backfill queues; its runs begin one by one beside all others.
    """
    most = places(policy)
    free = 1 - in_line if most == float("inf") else int(most) - placed
    return min(waiting, max(0, free))


def places(policy: Policy) -> float:
    """Give how many runs of a schedule may be under way at once."""
    if policy.overlap is not Overlap.PARALLEL:
        return 1
    return float("inf") if policy.max_parallel is None else policy.max_parallel


def stands_in_line(policy: Policy) -> bool:
    """Say whether runs of a schedule queue, so that the end of one lets the next begin."""
    return policy.overlap is Overlap.QUEUE or (policy.overlap is Overlap.PARALLEL and policy.max_parallel is not None)
