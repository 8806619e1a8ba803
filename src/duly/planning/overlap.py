"""What a due fire does when earlier runs of its schedule are not finished."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from duly.model.policy import Overlap

if TYPE_CHECKING:
    from duly.model.policy import Policy


class Verdict(Enum):
    """Run it, let it wait for its turn, or leave it out."""

    RUN = "run"
    WAIT = "wait"
    SKIP = "skip"


class OverlapDecision(NamedTuple):
    verdict: Verdict
    reason: str | None = None


_RUN = OverlapDecision(Verdict.RUN)
_WAIT = OverlapDecision(Verdict.WAIT)


def decide_overlap(policy: Policy, running: int, waiting: int) -> OverlapDecision:
    """`running` counts what runs or is about to (also between two attempts), `waiting` what stands in line."""
    if running + waiting < places(policy):
        return _RUN
    if policy.overlap is Overlap.SKIP:
        return OverlapDecision(Verdict.SKIP, "overlap: the previous run is not finished")
    if waiting < policy.queue_limit:
        return _WAIT
    return OverlapDecision(Verdict.SKIP, f"overlap: the queue is full ({waiting} waiting)")


def places_for_past(policy: Policy, running: int, waiting: int) -> int:
    """How many fires of the past may begin at once; the others stand in line behind them.

    Where any number may run, fires of the past still come one after the other: there may be thousands.
    """
    most = places(policy)
    return int(waiting == 0) if most == float("inf") else max(0, int(most) - running - waiting)


def coming_forward(policy: Policy, placed: int, in_line: int, waiting: int) -> int:
    """How many of those who wait may begin: `placed` counts all that run or are about to, `in_line` those in the line.

    Where any number may run only the past has a line, and it moves one by one beside whatever else runs.
    """
    most = places(policy)
    free = 1 - in_line if most == float("inf") else int(most) - placed
    return min(waiting, max(0, free))


def places(policy: Policy) -> float:
    """How many runs of a schedule may be under way at once."""
    if policy.overlap is not Overlap.PARALLEL:
        return 1
    return float("inf") if policy.max_parallel is None else policy.max_parallel
