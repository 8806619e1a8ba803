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
"""The clocks of processes that share a store may differ by so much. A smaller step back needs no correction: a poll
takes as long, and by then the clock shows the old time again."""
AGREES = timedelta(seconds=2)
"""A machine's clock is right if it differs from the database's by no more. Two such clocks are within `TOLERANCE` of
each other, so that no node takes the plans of another node for those of a wrong clock."""
JUMPED = timedelta(seconds=1)
"""If wall time and time since boot have drifted apart by more between two checks, the wall clock was set."""
LEFT_TO_ITS_TIME = "recorded while the clock was ahead: it fires when its time comes"
"""The reason on a record that gave up its fire: the record gets the origin `clock`, and the fire can come again."""
FAR_AHEAD = timedelta(hours=1)
"""After a jump so far forward nothing is pruned until the clock has had time to be corrected."""


class ClockMarks(NamedTuple):
    """The times that a store keeps in order to notice a clock that was ahead."""

    decided_until: datetime | None = None
    """The latest time at which an engine decided anything."""
    correcting: datetime | None = None
    """The value of `decided_until` when the correction under way began; None without a correction."""
    ahead_until: datetime | None = None
    """Up to here there may be runs of fires whose time is still to come."""

    def forbids_planning(self, now: datetime) -> bool:
        """Say whether a correction is under way, or due because an engine decided at a time that is still to come."""
        return self.correcting is not None or is_ahead(self.decided_until, now)


class Correction(NamedTuple):
    """A correction under way."""

    decided_until: datetime
    """The latest time at which an engine decided while its clock was ahead."""
    now: datetime
    """The corrected time."""

    @property
    def ahead_seconds(self) -> float:
        """How far ahead of the right time the decisions were; zero if the clock is that far ahead again."""
        return max(0.0, (self.decided_until - self.now).total_seconds())


@dataclass(frozen=True, slots=True)
class Corrected:
    """The result of a correction."""

    at: datetime
    ahead_seconds: float
    """How far ahead of the right time the decisions were."""
    schedules: int
    """How many schedules fire earlier than the wrong clock had planned."""
    runs: int
    """How many runs are due earlier than the wrong clock had planned."""


def is_ahead(decided_until: datetime | None, now: datetime) -> bool:
    """Say whether an engine decided at a time that is still to come, so that its clock was wrong."""
    return decided_until is not None and decided_until - now > TOLERANCE


def jump_between(earlier: tuple[datetime, float], later: tuple[datetime, float]) -> timedelta:
    """Give how far the wall clock was set between two readings of the wall clock and the time since boot."""
    return later[0] - earlier[0] - timedelta(seconds=later[1] - earlier[1])


def ahead_of(there: datetime, asked: datetime, answered: datetime) -> timedelta:
    """Give how far a clock that read `asked` and `answered` around a question is ahead of the one that said `there`.

    Zero as long as the time that the question took explains the difference.
    """
    return asked - there if asked > there else min(answered - there, timedelta(0))


def correction_for(ahead: timedelta) -> timedelta:
    """Give what to add to a clock that is so far ahead of the database's; zero if the two agree."""
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


class Placement(NamedTuple):
    """The corrected state of a schedule."""

    enabled: bool
    disabled_by: str | None
    next_fire_at: datetime | None
    next_run_at: datetime | None
    watermark: datetime | None
    fires: int
    updated_at: datetime
    released: tuple[str, ...]
    """Records of fires that were not carried out: they get the origin `clock`, so that the fires can still come."""
    taken_back: tuple[str, ...]
    """Runs without a first attempt: they become such records, too."""
    moved: bool
    """Whether it fires earlier than the wrong clock had planned."""


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
