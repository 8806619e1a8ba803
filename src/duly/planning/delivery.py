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


class Standing(NamedTuple):
    """Where a reminder stands."""

    status: ReminderStatus
    rounds: int = 0
    nags: int = 0
    escalated: bool = False
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


@dataclass(frozen=True, slots=True)
class Finish:
    """It is over."""

    status: ReminderStatus


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
    urgent = message.priority is Priority.CRITICAL or (over and message.priority is Priority.HIGH)
    if at.rounds > 0 and urgent and not at.escalated:
        return Escalate(ReminderStatus.FAILED if over else ReminderStatus.SENDING)
    if over:
        return Finish(ReminderStatus.FAILED)
    if at.wake_at is not None and at.wake_at > now:
        return Wait(at.wake_at, f"no channel took it, round {at.rounds} of {message.max_retries + 1}")
    if quiet is not None and message.priority is not Priority.CRITICAL:
        return Wait(quiet, "quiet hours")
    return Deliver()


def _while_waiting(message: Message, at: Standing, now: datetime) -> Step:
    answer_by = (at.last_sent_at or now) + ACK_SILENCE
    if message.ack_prompt is not None and not at.prompted:
        if at.wake_at is None or at.wake_at <= now:
            return Prompt()
        if now < answer_by:
            return Wait(min(at.wake_at, answer_by), "the question was not taken")
    if now < answer_by:
        return Wait(answer_by, "waiting for an answer")
    if at.nags < message.max_ack_reminders:
        return Again(at.nags + 1)
    if message.priority is Priority.CRITICAL:
        return Escalate(ReminderStatus.UNACKED)
    return Finish(ReminderStatus.UNACKED)


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
