"""What is to be done next for a reminder: send, ask, wait, tell an admin, or stop.

One function from where a reminder stands to one step. It reads no clock and touches nothing, so every rule of
delivery, acknowledgement and escalation can be tested as a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from duly.model.action import Message, Priority
from duly.model.reminder import ReminderStatus

BASE_WAIT = {Priority.CRITICAL: 10, Priority.HIGH: 30, Priority.NORMAL: 60, Priority.LOW: 300}
"""Seconds between the first failed round and the next."""
LONGEST_WAIT = 3600
JITTER = 0.1
ACK_SILENCE = timedelta(minutes=10)
"""How long nobody answers before the reminder is delivered again."""
LATE = timedelta(minutes=60)
"""A reminder that comes later than this says so."""
_TELLINGS = 3  # as often as a run may take its process down before it is given up
_MANY = 100_000  # asked or tried more often than this is as good as forever


class Debt(NamedTuple):
    """What a reminder owes the admins: since when nobody answers it or nothing brings it, and whether they know.

    A run that the next one replaces hands it on. Otherwise a series that is quicker than its patience would begin anew
    with every run, and never tell anybody.
    """

    silent_since: datetime | None = None
    """The first delivery since somebody last answered."""
    silence_told: bool = False
    failing_since: datetime | None = None
    """The first round that failed since it last arrived."""
    failure_told: bool = False


class Standing(NamedTuple):
    """Where a reminder stands."""

    status: ReminderStatus
    rounds: int = 0
    nags: int = 0
    debt: Debt = Debt()
    begun_at: datetime | None = None
    """When its run began; what it owes since before that, it owes for others."""
    last_sent_at: datetime | None = None
    wake_at: datetime | None = None
    prompted: bool = False
    """The question was sent after the latest delivery."""
    exhausted: bool = False
    """No channel is left that could take it."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing until then."""

    until: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Deliver:
    """Try every channel once."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Ask whether it is done."""


@dataclass(frozen=True, slots=True)
class Again:
    """Begin anew: a snooze is over, or nobody answered."""

    nags: int


@dataclass(frozen=True, slots=True)
class Escalate:
    """Tell the admins, and then be in this status."""

    then: ReminderStatus
    of_silence: bool = False
    """That nobody answers; otherwise that it cannot be delivered."""


@dataclass(frozen=True, slots=True)
class Finish:
    """It is over."""

    status: ReminderStatus


_ANSWERED = frozenset({ReminderStatus.ACKED, ReminderStatus.SNOOZED, ReminderStatus.DISMISSED})
Step = Wait | Deliver | Prompt | Again | Escalate | Finish


def next_step(message: Message, at: Standing, now: datetime, quiet: datetime | None = None) -> Step:
    """The next step; `quiet` is when the person's quiet hours end, if it is quiet now."""
    if at.status is ReminderStatus.SNOOZED:
        if at.wake_at is not None and at.wake_at > now:
            return Wait(at.wake_at, "snoozed")
        return Again(0)
    if at.status is ReminderStatus.SENDING:
        return _while_sending(message, at, now, quiet)
    if at.status is ReminderStatus.AWAITING_ACK:
        return _while_waiting(message, at, now)
    return Finish(at.status)


def _while_sending(message: Message, at: Standing, now: datetime, quiet: datetime | None) -> Step:
    over = at.rounds > message.max_retries or (at.rounds > 0 and at.exhausted)
    failure_due, silence_due = _failure_due(message, at), _silence_due(message, at)
    overdue = over or (failure_due is not None and failure_due <= now)
    urgent = message.priority is Priority.CRITICAL or (overdue and message.priority is Priority.HIGH)
    if over:
        told = at.debt.failure_told and not _is_inherited(at, at.debt.failing_since)
        return Escalate(ReminderStatus.FAILED) if urgent and not told else Finish(ReminderStatus.FAILED)
    if at.rounds > 0 and urgent and not at.debt.failure_told:
        return Escalate(ReminderStatus.SENDING)
    if at.wake_at is not None and at.wake_at > now:
        if silence_due is not None and silence_due <= now:
            return Escalate(ReminderStatus.SENDING, of_silence=True)
        told_at = failure_due if at.rounds > 0 else None
        until = min(each for each in (at.wake_at, told_at, silence_due) if each is not None)
        return Wait(until, f"no channel took it, round {at.rounds} of {message.max_retries + 1}")
    if quiet is not None and message.priority is not Priority.CRITICAL:
        return Wait(quiet, "quiet hours")
    return Deliver()


def _while_waiting(message: Message, at: Standing, now: datetime) -> Step:
    answer_by = (at.last_sent_at or now) + ACK_SILENCE
    silence_due = _silence_due(message, at)
    if silence_due is not None and silence_due <= now:
        return Escalate(ReminderStatus.AWAITING_ACK, of_silence=True)
    wait_until = answer_by if silence_due is None else min(answer_by, silence_due)
    if message.ack_prompt is not None and not at.prompted:
        if at.wake_at is None or at.wake_at <= now:
            return Prompt()
        if now < answer_by:
            return Wait(min(at.wake_at, wait_until), "the question was not taken")
    if now < answer_by:
        return Wait(wait_until, "waiting for an answer")
    if at.nags < message.max_ack_reminders:
        return Again(at.nags + 1)
    told = at.debt.silence_told and not _is_inherited(at, at.debt.silent_since)
    if message.priority is Priority.CRITICAL and not told:
        return Escalate(ReminderStatus.UNACKED, of_silence=True)
    return Finish(ReminderStatus.UNACKED)


def after_death(message: Message, at: Standing, unheard: int) -> Escalate | Finish:
    """What is left to do for a reminder whose run is over without having ended it: it has failed, and who must know is
    told. `unheard` counts the tellings that took their process down; after some of them nobody is told.
    """
    told = at.debt.failure_told and not _is_inherited(at, at.debt.failing_since)
    urgent = message.priority in (Priority.HIGH, Priority.CRITICAL)
    if urgent and not told and unheard < _TELLINGS:
        return Escalate(ReminderStatus.FAILED)
    return Finish(ReminderStatus.FAILED)


# what one run owes for those before it


def inherit(before: Standing) -> Debt:
    """What a run owes for the one whose place it takes: nothing if somebody answered that.

    What the admins know already goes on too, so they hear of a silence or an outage once, not from each of its runs. A
    run that comes to its own end tells them whatever the ones before it have told.
    """
    if before.status in _ANSWERED:
        return Debt()
    owed = before.debt
    return Debt(
        silent_since=owed.silent_since,
        silence_told=owed.silence_told and owed.silent_since is not None,
        failing_since=owed.failing_since,
        failure_told=owed.failure_told and owed.failing_since is not None,
    )


def after_arrival(at: Standing, now: datetime, *, asks: bool) -> Debt:
    """What is owed once it has arrived: nothing fails any more, and from now on an answer is missing.

    Within one run that it could not be delivered is told once; what others told counts until it arrives.
    """
    owed = at.debt
    return Debt(
        silent_since=(owed.silent_since or now) if asks else None,
        silence_told=owed.silence_told,
        failing_since=None,
        failure_told=owed.failure_told and not _is_inherited(at, owed.failing_since),
    )


def after_telling(at: Standing, *, of_silence: bool) -> Debt:
    """What is owed once the admins know: this run has told them itself, and need not do so again at its end."""
    owed, begun_at = at.debt, at.begun_at
    if of_silence:
        since = begun_at if _is_inherited(at, owed.silent_since) else owed.silent_since
        return owed._replace(silent_since=since, silence_told=True)
    since = begun_at if _is_inherited(at, owed.failing_since) else owed.failing_since
    return owed._replace(failing_since=since, failure_told=True)


def after_failure(at: Standing, now: datetime) -> Debt:
    """What is owed once a round over all channels has failed."""
    return at.debt._replace(failing_since=at.debt.failing_since or now)


def _silence_due(message: Message, at: Standing) -> datetime | None:
    """When the admins are to hear that nobody has answered the runs before this one; None when they need not.

    It is the time at which the first of them would have told them, had it been the only one. If that passed while
    nothing was running, the person has the usual time to answer first.
    """
    since, begun_at = at.debt.silent_since, at.begun_at
    if message.priority is not Priority.CRITICAL or at.debt.silence_told or not _is_inherited(at, since):
        return None
    assert since is not None and begun_at is not None  # noqa: S101, PT018  it is inherited
    due = since + ACK_SILENCE * (min(message.max_ack_reminders, _MANY) + 1)
    return due if due >= begun_at else begun_at + ACK_SILENCE


def _failure_due(message: Message, at: Standing) -> datetime | None:
    """The same for rounds that failed: when a single run would have been given up, at the earliest."""
    since = at.debt.failing_since
    if message.priority is not Priority.HIGH or at.debt.failure_told or not _is_inherited(at, since):
        return None
    assert since is not None  # noqa: S101  it is inherited
    return since + shortest_course(message)


def _is_inherited(at: Standing, since: datetime | None) -> bool:
    return since is not None and at.begun_at is not None and since < at.begun_at


def shortest_course(message: Message) -> timedelta:
    """How long a run that cannot be delivered takes at least from its first round to its last."""
    rounds = min(message.max_retries, _MANY)
    doubling = min(rounds, LONGEST_WAIT.bit_length())  # by then every wait is the longest
    waits = [wait_after(message.priority, number, 0.0) for number in range(1, doubling + 1)]
    return sum(waits, timedelta()) + (rounds - doubling) * timedelta(seconds=LONGEST_WAIT)


def wait_after(priority: Priority, rounds: int, chance: float) -> timedelta:
    """How long to wait after so many failed rounds; `chance` in [0, 1) spreads the jitter."""
    seconds = min(BASE_WAIT[priority] * (1 << min(rounds - 1, 20)), LONGEST_WAIT)
    return timedelta(seconds=seconds * (1 + JITTER * chance))


def next_round(
    priority: Priority, rounds: int, floors: Sequence[datetime | None], now: datetime, chance: float
) -> datetime:
    """When to try again: after the wait, and not before a vendor takes messages again, if every one of them said when.

    `floors` has what each channel that is left said.
    """
    opens = min((floor or now for floor in floors), default=now)
    return max(now + wait_after(priority, rounds, chance), opens)


def late_prefix(due: datetime, now: datetime) -> str:
    """What a reminder begins with when it comes more than an hour late."""
    late = now - due
    return f"[Late {int(late.total_seconds() // 60)}m] " if late > LATE else ""
