"""Clock correction: undo what an engine planned while its wall clock was ahead, once the clock is right again. Pure.

In two minutes an engine whose clock is a month ahead accounts for the fires of a month. When the clock is right again,
its decisions about times still to come are undone: schedules go on from the corrected time, fires that were only
recorded as missed or skipped are due again, and fires that were carried out stay carried out.

Every store keeps the latest time at which an engine decided anything. If that time is still to come, the clock was
wrong: this holds over restarts, and for all processes that share the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from duly.errors import InvalidRecurrenceError
from duly.model.policy import Policy, Retry
from duly.model.run import Status
from duly.model.trigger import Trigger
from duly.planning.clock_marks import FireAhead, Placement
from duly.planning.fire import dispatch_at
from duly.planning.retry import longest_wait
from duly.recurrence import first_run

_TICK = timedelta(microseconds=1)


class Position(NamedTuple):
    """The state of a schedule as a clock that was ahead left it."""

    enabled: bool
    disabled_by: str | None
    next_fire_at: datetime | None
    next_run_at: datetime | None
    watermark: datetime | None
    until_at: datetime | None
    max_runs: int | None
    fires: int
    updated_at: datetime
    ahead: Sequence[FireAhead]


def place_again(trigger: Trigger, policy: Policy, now: datetime, at: Position) -> Placement | None:
    """Let a schedule go on from the corrected time; None when no wrong clock changed it."""
    if at.updated_at <= now and at.ahead and all(_was_asked_for(each, now) for each in at.ahead):
        return None  # a person skipped a fire that is still to come, and that stays so
    taken_back = tuple(each.run_id for each in at.ahead if _is_unbegun(each))
    released = tuple(each.run_id for each in at.ahead if _is_only_a_record(each))
    gone = {*taken_back, *released}
    taken = frozenset(each.fire_at for each in at.ahead if each.run_id not in gone)
    fires = max(0, at.fires - len(taken_back))
    finished = at.disabled_by == "finished" and at.watermark is not None and at.watermark > now
    fire_at = at.next_fire_at
    if at.enabled or finished:
        undone = [each.first_skipped_at or each.fire_at for each in at.ahead if each.run_id in gone]
        fire_at = _next_fire(trigger, now, at, fires, taken, min(undone, default=None))
    goes_on = fire_at is not None
    rests = at.enabled and at.next_run_at is None
    moved = fire_at is not None and (at.next_fire_at is None or fire_at < at.next_fire_at)
    return Placement(
        enabled=goes_on if at.enabled or finished else False,
        disabled_by=(None if goes_on else "finished") if at.enabled or finished else at.disabled_by,
        next_fire_at=fire_at,
        next_run_at=_next_run(trigger, policy, at, fire_at) if not rests else None,
        watermark=_watermark(at, now, fire_at),
        fires=fires,
        updated_at=min(at.updated_at, now),
        released=released,
        taken_back=taken_back,
        moved=moved,
    )


def next_from(trigger: Trigger, now: datetime, fires: int) -> datetime | None:
    """Give the next fire of a series that goes on from now: its first run if that is to come, else an occurrence."""
    if fires == 0:
        with suppress(InvalidRecurrenceError):  # there is no first run any more
            if (first := first_run(trigger, now)) >= now:
                return first
    return trigger.get_next_occurrence(now)


def due_again(due_at: datetime, now: datetime, retry: Retry, attempt: int, *, failed: bool) -> datetime:
    """Give the time at which a run is due whose `due_at` a wrong clock may have set.

    A failed run waits no longer from now than its policy allows. Any other run begins now: if it has to wait, as a
    reminder may, its handler says so again.
    """
    if not failed:
        return now
    with suppress(OverflowError):
        return min(due_at, now + longest_wait(retry, attempt))
    return due_at


def _next_fire(
    trigger: Trigger,
    now: datetime,
    at: Position,
    fires: int,
    taken: frozenset[datetime],
    undone: datetime | None,
) -> datetime | None:
    """Give the next fire. `undone` is the first fire that the wrong clock recorded and that comes after all."""
    if at.max_runs is not None and fires >= at.max_runs:
        return None
    stood = at.next_fire_at
    if stood is not None and stood <= now:
        return stood  # it is due by the right clock, too
    # A fire whose time came while the clock was wrong is due now, and the catch-up policy decides about it. A series
    # that counts from its last fire is put off neither by the correction nor by a clock that was wrong twice: it fires
    # no later than it stood, and no later than if it began now.
    candidates = [stood, next_from(trigger, now, fires)]
    if at.updated_at <= now:  # else `undone` may have been a fire of another trigger
        candidates.append(undone)
    fire_at = min((each for each in candidates if each is not None), default=None)
    while fire_at is not None and fire_at in taken:
        fire_at = trigger.get_next_occurrence(fire_at)
    if fire_at is not None and at.until_at is not None and fire_at > at.until_at:
        return None
    return fire_at


def _next_run(trigger: Trigger, policy: Policy, at: Position, fire_at: datetime | None) -> datetime | None:
    return at.next_run_at if fire_at == at.next_fire_at else dispatch_at(trigger, policy, fire_at)


def _watermark(at: Position, now: datetime, fire_at: datetime | None) -> datetime | None:
    """Give the watermark: before the next fire, and not after now."""
    if at.watermark is None:
        return None
    return min(at.watermark, now if fire_at is None else min(now, fire_at - _TICK))


def _is_unbegun(each: FireAhead) -> bool:
    return each.status in (Status.PENDING, Status.WAITING) and each.fence == 0


def _is_only_a_record(each: FireAhead) -> bool:
    """Say whether a fire was not carried out, and was recorded when its time seemed to have come."""
    left_out = each.status in (Status.MISSED, Status.SKIPPED) and each.fence == 0
    return left_out and each.finished_at is not None and each.finished_at >= each.fire_at


def _was_asked_for(each: FireAhead, now: datetime) -> bool:
    """Say whether a person skipped the fire before its time came, while the clock was right."""
    left_out = each.status is Status.SKIPPED and each.fence == 0
    return left_out and each.finished_at is not None and each.finished_at <= now
