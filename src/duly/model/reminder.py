"""The vocabulary of reminders: where one stands, what was sent for it, what people answer."""

from __future__ import annotations

from enum import StrEnum


class ReminderStatus(StrEnum):
    """Where a reminder stands."""

    SENDING = "sending"
    """To be delivered; a round is under way or waits for its time."""
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
    """The next one came before this one could be delivered."""

    @property
    def final(self) -> bool:
        return self not in (ReminderStatus.SENDING, ReminderStatus.AWAITING_ACK, ReminderStatus.SNOOZED)


class AttemptKind(StrEnum):
    """What a send was for."""

    REMINDER = "reminder"
    ACK_PROMPT = "ack_prompt"
    COPY = "copy"
    """Into the inbox, while every other channel failed."""
    ESCALATION = "escalation"


class AttemptStatus(StrEnum):
    """What became of a send."""

    PENDING = "pending"
    """About to happen; nothing was heard of it yet."""
    SENT = "sent"
    DELIVERED = "delivered"
    FAILED = "failed"
    ACKED = "acked"
    UNKNOWN = "unknown"
    """It may have arrived: the answer got lost."""

    @property
    def arrived(self) -> bool:
        return self in (AttemptStatus.SENT, AttemptStatus.DELIVERED, AttemptStatus.ACKED)


class Response(StrEnum):
    """What a person said."""

    ACK = "ack"
    SNOOZE = "snooze"
    DISMISS = "dismiss"
