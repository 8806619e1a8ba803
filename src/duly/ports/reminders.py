"""What became of messages to people: one reminder per run, its attempts, its answers, the inbox."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class ReminderStatus(StrEnum):
    """Where a reminder stands."""

    SENDING = "sending"
    """Not yet delivered; a round is under way or waits for its time."""
    DELIVERED = "delivered"
    AWAITING_ACK = "awaiting_ack"
    ACKED = "acked"
    SNOOZED = "snoozed"
    DISMISSED = "dismissed"
    UNACKED = "unacked"
    """Delivered, asked for again and again, never answered."""
    FAILED = "failed"
    """No channel took it, and the last retry is behind it."""
    MISSED = "missed"

    @property
    def final(self) -> bool:
        return self not in (ReminderStatus.SENDING, ReminderStatus.AWAITING_ACK, ReminderStatus.SNOOZED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """One run of a message."""

    run_id: str
    schedule_id: str
    user_id: str
    run_number: int
    token: str
    """What its buttons carry."""
    status: ReminderStatus
    rounds: int = 0
    """Rounds over all channels that have failed."""
    nags: int = 0
    """How often it was delivered again for want of an answer."""
    escalated: bool = False
    channel: str | None = None
    last_sent_at: datetime | None = None
    wake_at: datetime | None = None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryAttempt:
    """One send through one channel; written `pending` before anything leaves."""

    id: int | None = None
    run_id: str
    job_id: str
    run_number: int
    attempt_number: int
    user_id: str
    channel: str
    address: str
    kind: str = "reminder"
    status: str = "pending"
    error_message: str | None = None
    message_id: str | None = None
    created_at: datetime
    sent_at: datetime | None = None
    delivered_at: datetime | None = None
    acked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a person said: `ack`, `snooze` or `dismiss`."""

    run_id: str
    job_id: str
    user_id: str
    run_number: int
    response: str
    snooze_minutes: int | None = None
    snooze_until: datetime | None = None
    channel: str | None = None
    response_text: str | None = None
    responded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxItem:
    """A message in the store itself: the channel that is always there."""

    id: int | None = None
    user_id: str
    run_id: str | None = None
    key: str
    """The same message again is kept once."""
    text: str
    token: str | None = None
    created_at: datetime
    read_at: datetime | None = None


class Reminders(Protocol):
    """The reminders of a store. Every call is one transaction and safe to repeat."""

    async def begin(self, reminder: Reminder) -> Reminder:
        """Note that a run is a reminder; one that is known already is given back as it is.

        `run_number` of a new one is one more than the highest of its schedule, whatever was handed in.
        """
        ...

    async def get(self, run_id: str) -> Reminder | None: ...

    async def by_token(self, token: str) -> Reminder | None: ...

    async def update(self, reminder: Reminder) -> bool:
        """Write it down unless an answer has ended it meanwhile: a final status stays. False when it stayed."""
        ...

    async def of_schedule(self, schedule_id: str, limit: int) -> list[Reminder]:
        """The newest first."""
        ...

    async def open_for(self, user_id: str) -> list[Reminder]:
        """Those of a person that wait for an answer or sleep, the most recently sent first."""
        ...

    async def add_attempt(self, attempt: DeliveryAttempt) -> DeliveryAttempt:
        """Record a send before it happens; `attempt_number` is the next of its run, whatever was handed in."""
        ...

    async def end_attempt(self, attempt: DeliveryAttempt) -> None: ...

    async def attempts(self, run_id: str) -> list[DeliveryAttempt]: ...

    async def by_message(self, channel: str, message_id: str) -> DeliveryAttempt | None:
        """The attempt a provider's message belongs to."""
        ...

    async def answer(self, answer: Answer, status: ReminderStatus, wake_at: datetime | None) -> bool:
        """Record an answer, give the reminder its new status and make its run due at once, in one transaction.

        False, and nothing is recorded, when the reminder has ended already. The latest successful attempt of an
        acknowledged reminder becomes `acked`.
        """
        ...

    async def answers(self, run_id: str) -> list[Answer]: ...

    async def put(self, item: InboxItem) -> InboxItem: ...

    async def inbox(self, user_id: str, unread: bool, limit: int) -> list[InboxItem]:
        """The newest first."""
        ...

    async def mark_read(self, user_id: str, ids: list[int], now: datetime) -> int: ...

    async def first_sight(self, channel: str, message_id: str, now: datetime) -> bool:
        """Whether a message that came in is new; from then on it is not."""
        ...

    async def cursor(self, name: str) -> str | None: ...

    async def set_cursor(self, name: str, value: str) -> None: ...
