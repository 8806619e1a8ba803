"""What becomes of schedules and runs that a wall clock which was ahead has planned, once it is right again. Pure.

In two minutes an engine whose clock is a month ahead accounts for the fires of a month. When the clock is set right,
what was decided about times that are still to come is undone: schedules go on from the corrected time, fires that were
only recorded as missed or skipped are due again, and fires that were carried out stay carried out.

Every store keeps the latest time at which anything was decided. If that time is still to come, the clock was wrong:
this holds over restarts, and for all processes that share the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from duly.errors import InvalidRecurrenceError
from duly.model.policy import Policy, Retry
from duly.model.run import Status
from duly.model.trigger import Trigger
from duly.planning.fire import dispatch_at
from duly.planning.retry import longest_wait
from duly.recurrence import first_run

_TICK = timedelta(microseconds=1)
TOLERANCE = timedelta(seconds=5)
"""By so much the clocks of processes that share a store may differ. A smaller step back needs no correction: a poll
takes as long, and by then the clock shows the old time again."""
AGREES = timedelta(seconds=2)
"""A machine's clock that differs from the database's by no more is right. Two such clocks are within `TOLERANCE` of
each other, so that no node takes the plans of another one for those of a wrong clock."""
JUMPED = timedelta(seconds=1)
"""If wall time and time since boot have drifted apart by more between two looks, the wall clock was set."""
LEFT_TO_ITS_TIME = "recorded while the clock was ahead: it fires when its time comes"
"""Why a record of a fire that was not carried out has another origin than the fire will have."""
FAR_AHEAD = timedelta(hours=1)
"""After a jump so far forward nothing is pruned for its age until the clock has had time to be corrected."""


class ClockMarks(NamedTuple):
    """The times by which a store has decided."""

    decided_until: datetime | None = None
    """The latest time at which anything was decided."""
    correcting: datetime | None = None
    """What that was when the correction under way began."""
    ahead_until: datetime | None = None
    """Up to here there may be runs of fires whose time is still to come."""

    def forbids_planning(self, now: datetime) -> bool:
        """Whether a correction is under way, or due: something was decided at a time that is still to come."""
        return self.correcting is not None or is_ahead(self.decided_until, now)


class Correction(NamedTuple):
    """A correction under way."""

    decided_until: datetime
    """The latest time at which anything was decided while the clock was ahead."""
    now: datetime
    """The corrected time."""

    @property
    def ahead_seconds(self) -> float:
        """How far ahead of the right time things were decided; none if the clock is that far ahead again."""
        return max(0.0, (self.decided_until - self.now).total_seconds())


@dataclass(frozen=True, slots=True)
class Corrected:
    """What a correction came to."""

    at: datetime
    ahead_seconds: float
    """How far ahead of the right time things had been decided."""
    schedules: int
    """How many schedules fire earlier than they stood."""
    runs: int
    """How many runs are due earlier than they stood."""


def is_ahead(decided_until: datetime | None, now: datetime) -> bool:
    """Whether something was decided at a time that is still to come, so that the clock has been wrong."""
    return decided_until is not None and decided_until - now > TOLERANCE


def jump_between(earlier: tuple[datetime, float], later: tuple[datetime, float]) -> timedelta:
    """How far the wall clock was set between two looks at the wall clock and the time since boot."""
    return later[0] - earlier[0] - timedelta(seconds=later[1] - earlier[1])


def ahead_of(there: datetime, asked: datetime, answered: datetime) -> timedelta:
    """How far a clock that read `asked` and `answered` around a question is ahead of the clock that answered `there`.

    Zero as long as the time that the question took explains the difference.
    """
    return asked - there if asked > there else min(answered - there, timedelta(0))


def correction_for(ahead: timedelta) -> timedelta:
    """What to add to a clock that is so far ahead of the database's; nothing to one that agrees."""
    return timedelta(0) if abs(ahead) <= AGREES else -ahead


class FireAhead(NamedTuple):
    """A fire of a schedule that is on record although its time is still to come."""

    run_id: str
    fire_at: datetime
    status: Status
    fence: int
    """How often an engine claimed the run, or took it back: zero as long as it was never begun."""
    finished_at: datetime | None
    first_skipped_at: datetime | None = None
    """Of a record that stands for several fires: the first of them."""


class Position(NamedTuple):
    """Where a schedule stands according to a clock that was ahead."""

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


class Placement(NamedTuple):
    """Where it goes on from."""

    enabled: bool
    disabled_by: str | None
    next_fire_at: datetime | None
    next_run_at: datetime | None
    watermark: datetime | None
    fires: int
    updated_at: datetime
    released: tuple[str, ...]
    """Records of fires that were not carried out: they stay, under another origin, so that the fires can still come."""
    taken_back: tuple[str, ...]
    """Runs without a first attempt: they become such records."""
    moved: bool
    """Whether it fires earlier than it stood."""


def place_again(trigger: Trigger, policy: Policy, now: datetime, at: Position) -> Placement | None:
    """Let a schedule go on from the corrected time; None when no wrong clock has touched it."""
    if at.updated_at <= now and at.ahead and all(_was_asked_for(each, now) for each in at.ahead):
        return None  # a person had a fire to come left out, and that stays so
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
    """When a series that goes on from now fires next: its first run if that is still to come, else an occurrence."""
    if fires == 0:
        with suppress(InvalidRecurrenceError):  # there is no first run any more
            if (first := first_run(trigger, now)) >= now:
                return first
    return trigger.get_next_occurrence(now)


def due_again(due_at: datetime, now: datetime, retry: Retry, attempt: int, *, failed: bool) -> datetime:
    """When a run is due that was to wait until `due_at`, which a wrong clock may have said.

    One that failed waits no longer from now than its policy lets it wait. Any other one begins now: if it has to wait,
    as a reminder may, its handler says so again.
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
    """`undone` is the first of the fires that the wrong clock wrote down and that come after all."""
    if at.max_runs is not None and fires >= at.max_runs:
        return None
    stood = at.next_fire_at
    if stood is not None and stood <= now:
        return stood  # it is due, whatever the clock said
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
    """The last time accounted for: it lies before the next fire, and not after now."""
    if at.watermark is None:
        return None
    return min(at.watermark, now if fire_at is None else min(now, fire_at - _TICK))


def _is_unbegun(each: FireAhead) -> bool:
    return each.status in (Status.PENDING, Status.WAITING) and each.fence == 0


def _is_only_a_record(each: FireAhead) -> bool:
    """Whether it was not carried out, and was recorded when its time seemed to have come."""
    left_out = each.status in (Status.MISSED, Status.SKIPPED) and each.fence == 0
    return left_out and each.finished_at is not None and each.finished_at >= each.fire_at


def _was_asked_for(each: FireAhead, now: datetime) -> bool:
    """Whether a person had the fire left out before its time came, while the clock was right."""
    left_out = each.status is Status.SKIPPED and each.fence == 0
    return left_out and each.finished_at is not None and each.finished_at <= now
