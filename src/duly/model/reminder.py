"""The vocabulary of reminders: their status, the messages sent for them, and the answers of people."""

from __future__ import annotations

from enum import StrEnum


class ReminderStatus(StrEnum):
    """The status of a reminder."""

    SENDING = "sending"
    """Being delivered, or waiting to be tried again."""
    DELIVERED = "delivered"
    AWAITING_ACK = "awaiting_ack"
    ACKED = "acked"
    SNOOZED = "snoozed"
    DISMISSED = "dismissed"
    UNACKED = "unacked"
    """Delivered, nagged about as often as configured, and not answered."""
    FAILED = "failed"
    """No channel accepted it, and no retry is left."""
    MISSED = "missed"
    """The next reminder of the schedule came before this one could be delivered."""
    GATHERED = "gathered"
    """Its run has left it to the person's digest, which has not been sent yet."""

    @property
    def final(self) -> bool:
        return self not in (ReminderStatus.SENDING, ReminderStatus.AWAITING_ACK, ReminderStatus.SNOOZED)


class AttemptKind(StrEnum):
    """The purpose of a delivery attempt."""

    REMINDER = "reminder"
    ACK_PROMPT = "ack_prompt"
    COPY = "copy"
    """A copy for the inbox, because every other channel failed."""
    ESCALATION = "escalation"
    ANSWERED = "answered"
    """That another person answered a reminder for several people."""
    NOTICE = "notice"
    """How runs ended; see `duly.model.notice`."""
    DIGEST = "digest"
    """One message with several reminders of low priority."""


class AttemptStatus(StrEnum):
    """The outcome of a delivery attempt."""

    PENDING = "pending"
    """About to be sent, or sent without an answer yet."""
    SENT = "sent"
    DELIVERED = "delivered"
    FAILED = "failed"
    ACKED = "acked"
    UNKNOWN = "unknown"
    """It may have arrived: the answer of the channel was lost."""

    @property
    def arrived(self) -> bool:
        return self in (AttemptStatus.SENT, AttemptStatus.DELIVERED, AttemptStatus.ACKED)


class Response(StrEnum):
    """The answer of a person."""

    ACK = "ack"
    SNOOZE = "snooze"
    DISMISS = "dismiss"
