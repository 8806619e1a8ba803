"""Decide the next step for a reminder: deliver it, ask for an answer, wait, tell the admins, or finish.

`next_step` is one pure function from the state of a reminder to one step, so that every rule of delivery, answers and
escalation can be tested as a table.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from duly.model.action import AnsweredBy, Message, Priority
from duly.model.reminder import ReminderStatus, Response

BASE_WAIT = {Priority.CRITICAL: 10, Priority.HIGH: 30, Priority.NORMAL: 60, Priority.LOW: 300}
"""Seconds between the first failed round and the next."""
LONGEST_WAIT = 3600
JITTER = 0.1
TAKEN_LATE = timedelta(hours=24)
"""For how long a reminder that was given up without an answer can still be answered, unless the next one comes."""
_ESCALATIONS_LOST = 3  # as often as a run may take its process down before it is given up
_MANY = 100_000  # more nags or retries than this count as this many, so that the sums stay within a timedelta


class EscalationState(NamedTuple):
    """Since when a reminder has had no answer or could not be delivered, and whether the admins got a message.

    A run hands it on to the run that replaces it. Otherwise a series that fires more often than its time for an answer
    would begin anew with every run, and never tell the admins.
    """

    silent_since: datetime | None = None
    """The first delivery since the person last answered."""
    silence_told: bool = False
    failing_since: datetime | None = None
    """The first round that failed since the reminder last arrived."""
    failure_told: bool = False


class DeliveryState(NamedTuple):
    """Everything about a reminder that the next step depends on."""

    status: ReminderStatus
    rounds: int = 0
    nags: int = 0
    escalation: EscalationState = EscalationState()
    begun_at: datetime | None = None
    """When its run began: a silence or failure since before that is inherited from earlier runs."""
    last_sent_at: datetime | None = None
    wake_at: datetime | None = None
    prompted: bool = False
    """The question was sent after the latest delivery."""
    exhausted: bool = False
    """Every channel has refused for good."""
    useless_from: datetime | None = None
    """When it need not be delivered any more: an announcement, when its time has come."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing until then."""

    until: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Deliver:
    """Try every channel once."""


@dataclass(frozen=True, slots=True)
class Gather:
    """Leave it to the person's digest, which comes then."""

    at: datetime


@dataclass(frozen=True, slots=True)
class AskForAnswer:
    """Ask whether it is done."""


@dataclass(frozen=True, slots=True)
class Redeliver:
    """Begin anew: a snooze is over, or the person did not answer."""

    nags: int


@dataclass(frozen=True, slots=True)
class Escalate:
    """Tell the admins, and then be in this status."""

    then: ReminderStatus
    of_silence: bool = False
    """That the person does not answer; otherwise that it cannot be delivered."""


@dataclass(frozen=True, slots=True)
class Finish:
    """End the run."""

    status: ReminderStatus


_ANSWERED = frozenset({ReminderStatus.ACKED, ReminderStatus.SNOOZED, ReminderStatus.DISMISSED})
Step = Wait | Deliver | Gather | AskForAnswer | Redeliver | Escalate | Finish


def next_step(
    message: Message,
    at: DeliveryState,
    now: datetime,
    quiet: datetime | None = None,
    digest: datetime | None = None,
) -> Step:
    """Decide the next step.

    `quiet` is when the person's quiet hours end, if they hold the message back now; `digest` is the time of the digest
    that this message belongs to, if it may wait for one.
    """
    if at.status is ReminderStatus.SNOOZED:
        if at.wake_at is not None and at.wake_at > now:
            return Wait(at.wake_at, "snoozed")
        return Redeliver(0)
    if at.status is ReminderStatus.SENDING:
        is_fresh = at.rounds == 0 and at.nags == 0 and at.wake_at is None and at.last_sent_at is None
        return Gather(digest) if digest is not None and is_fresh else _while_sending(message, at, now, quiet)
    if at.status is ReminderStatus.AWAITING_ACK:
        return _while_awaiting_answer(message, at, now)
    return Finish(at.status)


def _while_sending(message: Message, at: DeliveryState, now: datetime, quiet: datetime | None) -> Step:
    if at.useless_from is not None and max(now, quiet or now, at.wake_at or now) >= at.useless_from:
        return Finish(ReminderStatus.MISSED)
    over = at.rounds > message.max_retries or (at.rounds > 0 and at.exhausted)
    failure_due = _failure_due(message, at)
    silence_due = _silence_due(message, at)
    overdue = over or (failure_due is not None and failure_due <= now)
    urgent = message.priority is Priority.CRITICAL or (overdue and message.priority is Priority.HIGH)
    if over:
        # Only a message by this run counts: the messages of earlier runs end with their runs.
        escalated = at.escalation.failure_told and not _is_inherited(at, at.escalation.failing_since)
        return Escalate(ReminderStatus.FAILED) if urgent and not escalated else Finish(ReminderStatus.FAILED)
    if at.rounds > 0 and urgent and not at.escalation.failure_told:
        return Escalate(ReminderStatus.SENDING)
    if at.wake_at is not None and at.wake_at > now:
        if silence_due is not None and silence_due <= now:
            return Escalate(ReminderStatus.SENDING, of_silence=True)
        escalate_at = failure_due if at.rounds > 0 else None
        until = min(each for each in (at.wake_at, escalate_at, silence_due) if each is not None)
        return Wait(until, f"no channel took it, round {at.rounds} of {message.max_retries + 1}")
    if quiet is not None and message.priority is not Priority.CRITICAL:
        return Wait(quiet, "quiet hours")
    return Deliver()


def _while_awaiting_answer(message: Message, at: DeliveryState, now: datetime) -> Step:
    answer_by = (at.last_sent_at or now) + silence_of(message)
    silence_due = _silence_due(message, at)
    if silence_due is not None and silence_due <= now:
        return Escalate(ReminderStatus.AWAITING_ACK, of_silence=True)
    wait_until = answer_by if silence_due is None else min(answer_by, silence_due)
    if message.ack_prompt is not None and not at.prompted:
        if at.wake_at is None or at.wake_at <= now:
            return AskForAnswer()
        if now < answer_by:
            return Wait(min(at.wake_at, wait_until), "the question was not taken")
    if now < answer_by:
        return Wait(wait_until, "waiting for an answer")
    if at.nags < message.max_ack_reminders:
        return Redeliver(at.nags + 1)
    escalated = at.escalation.silence_told and not _is_inherited(at, at.escalation.silent_since)
    if message.priority is Priority.CRITICAL and not escalated:
        return Escalate(ReminderStatus.UNACKED, of_silence=True)
    return Finish(ReminderStatus.UNACKED)


def silence_of(message: Message) -> timedelta:
    """Give the time without an answer after which a reminder is delivered again."""
    return timedelta(minutes=message.nag_minutes)


def delivers_at(message: Message, at: DeliveryState | None, now: datetime) -> bool:
    """Whether a step that begins now delivers the reminder: at first, after a snooze, or for want of an answer.

    A step that retries a failed round, or shows an answer, does not. None stands for a reminder without any step yet.
    """
    if at is None:
        return True
    if at.status is ReminderStatus.SENDING:
        return at.rounds == 0
    if at.status is ReminderStatus.SNOOZED:
        return at.wake_at is not None and at.wake_at <= now
    sent = at.last_sent_at
    if sent is None or at.status not in (ReminderStatus.AWAITING_ACK, ReminderStatus.DELIVERED):
        return False
    nagged = at.status is ReminderStatus.AWAITING_ACK and sent + silence_of(message) <= now
    return nagged or sent >= now  # it was sent in this very step


# reminders for several people

_OPEN = (ReminderStatus.AWAITING_ACK, ReminderStatus.SENDING, ReminderStatus.SNOOZED)
_ENDED = (
    ReminderStatus.FAILED,
    ReminderStatus.GATHERED,
    ReminderStatus.UNACKED,
    ReminderStatus.MISSED,
    ReminderStatus.DISMISSED,
    ReminderStatus.ACKED,
    ReminderStatus.DELIVERED,
)


def ends_for_all(message: Message, response: Response) -> bool:
    """Tell whether an answer of one person ends the reminder for the others, too; a snooze is for oneself only."""
    asks_several = message.is_shared and message.require_ack
    return asks_several and message.answered_by is AnsweredBy.FIRST and response is not Response.SNOOZE


def overall(answered_by: AnsweredBy, statuses: Collection[ReminderStatus]) -> ReminderStatus:
    """Sum up a reminder for several people: it is open as long as it is open for one of them.

    When it is over, the first answer counts, or where everyone has to answer, the worst end.
    """
    answers: Sequence[ReminderStatus] = ()
    if answered_by is AnsweredBy.FIRST:
        answers = (ReminderStatus.ACKED, ReminderStatus.DISMISSED)
    return next(each for each in (*_OPEN, *answers, *_ENDED) if each in statuses)


# escalation: a silence or a failure passes from run to run


def inherit(before: DeliveryState) -> EscalationState:
    """Give a run the escalation of the run that it replaces; none if the person answered that one.

    Whether the admins got a message goes on too: they hear of a silence or a failure once, not from each of its runs. A
    run that comes to its own end tells them in any case.
    """
    if before.status in _ANSWERED:
        return EscalationState()
    handed = before.escalation
    return EscalationState(
        silent_since=handed.silent_since,
        silence_told=handed.silence_told and handed.silent_since is not None,
        failing_since=handed.failing_since,
        failure_told=handed.failure_told and handed.failing_since is not None,
    )


def after_arrival(at: DeliveryState, now: datetime, *, asks: bool) -> EscalationState:
    """End a failure, and begin the silence until an answer.

    One run tells the admins of a failed delivery once; a message of earlier runs counts until the reminder arrives.
    """
    before = at.escalation
    return EscalationState(
        silent_since=(before.silent_since or now) if asks else None,
        silence_told=before.silence_told,
        failing_since=None,
        failure_told=before.failure_told and not _is_inherited(at, before.failing_since),
    )


def after_telling(at: DeliveryState, *, of_silence: bool) -> EscalationState:
    """Note that this run has sent the admins a message: it sends no other at its end.

    An inherited silence or failure counts from the begin of this run from now on, which makes the message its own.
    """
    before = at.escalation
    if of_silence:
        since = at.begun_at if _is_inherited(at, before.silent_since) else before.silent_since
        return before._replace(silent_since=since, silence_told=True)
    since = at.begun_at if _is_inherited(at, before.failing_since) else before.failing_since
    return before._replace(failing_since=since, failure_told=True)


def after_failure(at: DeliveryState, now: datetime) -> EscalationState:
    """Note that a round over all channels has failed."""
    return at.escalation._replace(failing_since=at.escalation.failing_since or now)


def after_run_ended(message: Message, at: DeliveryState, lost: int) -> Escalate | Finish:
    """Decide how to end a reminder whose run ended before it: it has failed, and the admins hear of an urgent one.

    `lost` counts the messages to admins that took their process down; after some of them no other is sent.
    """
    escalated = at.escalation.failure_told and not _is_inherited(at, at.escalation.failing_since)
    urgent = message.priority in (Priority.HIGH, Priority.CRITICAL)
    if urgent and not escalated and lost < _ESCALATIONS_LOST:
        return Escalate(ReminderStatus.FAILED)
    return Finish(ReminderStatus.FAILED)


def _silence_due(message: Message, at: DeliveryState) -> datetime | None:
    """Give the time to tell the admins that earlier runs were not answered; None when there is nothing to tell.

    It is the time at which the first of these runs would have done so, had it been the only one. If that passed while
    no engine ran, the person has the usual time to answer first.
    """
    since = at.escalation.silent_since
    if message.priority is not Priority.CRITICAL or at.escalation.silence_told or not _is_inherited(at, since):
        return None
    assert since is not None and at.begun_at is not None  # noqa: S101, PT018  it is inherited
    due = since + silence_of(message) * (min(message.max_ack_reminders, _MANY) + 1)
    return due if due >= at.begun_at else at.begun_at + silence_of(message)


def _failure_due(message: Message, at: DeliveryState) -> datetime | None:
    """Give the time to tell the admins that earlier runs failed: when a single run would have been given up."""
    since = at.escalation.failing_since
    if message.priority is not Priority.HIGH or at.escalation.failure_told or not _is_inherited(at, since):
        return None
    assert since is not None  # noqa: S101  it is inherited
    return since + shortest_failure(message)


def _is_inherited(at: DeliveryState, since: datetime | None) -> bool:
    return since is not None and at.begun_at is not None and since < at.begun_at


# waits between rounds


def shortest_failure(message: Message) -> timedelta:
    """Sum the waits, without jitter, of a run that cannot be delivered, from its first round to its last."""
    rounds = min(message.max_retries, _MANY)
    doubling = min(rounds, LONGEST_WAIT.bit_length())  # by then every wait is the longest
    waits = [wait_after(message.priority, number, 0.0) for number in range(1, doubling + 1)]
    return sum(waits, timedelta()) + (rounds - doubling) * timedelta(seconds=LONGEST_WAIT)


def wait_after(priority: Priority, rounds: int, chance: float) -> timedelta:
    """Give the wait after so many failed rounds; `chance` in [0, 1) spreads the jitter."""
    # The exponent is bounded, because a reminder may have any number of retries.
    seconds = min(BASE_WAIT[priority] * (1 << min(rounds - 1, 20)), LONGEST_WAIT)
    return timedelta(seconds=seconds * (1 + JITTER * chance))


def next_round(
    priority: Priority, rounds: int, floors: Sequence[datetime | None], now: datetime, chance: float
) -> datetime:
    """Give the time of the next round: after the wait, and not before the first channel takes messages again.

    `floors` has the time that each remaining channel named, or None where it named none.
    """
    opens = min((floor or now for floor in floors), default=now)
    return max(now + wait_after(priority, rounds, chance), opens)
