"""The interface for notices: messages that tell people and programs how runs ended, and digests of reminders.

A notice is a row. The ends of runs are found in the journal, after a cursor, so that a process that dies tells them
later; the row and the cursor are written together. An engine takes the notices of one message for a while, sends them,
and writes the result together with the delivery attempt. If it dies in between, another one takes them again as soon
as the node of the first is known to be lost.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from duly.model.action import Priority
from duly.model.notice import NoticeKind, NoticeStatus
from duly.ports.reminders import DeliveryAttempt, Reminder

LONGEST_DIGEST = 20
"""The most reminders in one message: vendors limit its length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One thing to tell one recipient."""

    id: str
    """Made from what it is about and whom it is for, so that the same thing is sent once."""
    kind: NoticeKind
    schedule_id: str
    run_id: str
    recipient: str
    """Notices of one recipient may share a message."""
    user_id: str | None = None
    channel: str | None = None
    """The channel to try first."""
    address: str | None = None
    """The URL of a webhook; then there is no person."""
    priority: Priority = Priority.NORMAL
    only_changes: bool = False
    """Whether an answer is sent only if it differs from the last one that was sent."""
    status: NoticeStatus = NoticeStatus.PENDING
    is_open: bool = False
    """Of a failure: whether the schedule has not recovered from it yet, as far as the recipient knows."""
    message: str | None = None
    """The message it is part of; None until it is taken for the first time."""
    due_at: datetime | None = None
    """When it is sent, or tried again; while it is taken, when it may be taken again. None once it has ended."""
    rounds: int = 0
    """How often every channel has failed."""
    version: int = 0
    digest: str | None = None
    """Of an answer: what it said."""
    error: str | None = None
    """Why it was not sent, or why there was nothing to tell."""
    told_at: datetime | None = None
    created_at: datetime


def digest_of(user_id: str) -> str:
    """Name the recipient of a person's digest, apart from that of the other notices to them."""
    return f"digest/{user_id}"


class Happened(NamedTuple):
    """The end of a run, as the journal has it."""

    seq: int
    name: str
    """The name of the event."""
    schedule_id: str
    run_id: str
    at: datetime


class NewsPage(NamedTuple):
    """A page of the journal."""

    ends: list[Happened]
    upto: int
    """The number of the last entry that was looked at."""
    more: bool


class NoticeOutcome(NamedTuple):
    """The end of an attempt to send a message; without `due_at` its notices have ended."""

    status: NoticeStatus
    due_at: datetime | None = None
    error: str | None = None
    rounds: int = 0
    told_at: datetime | None = None
    digest: str | None = None
    closed: tuple[str, ...] = ()
    """Schedules whose recovery the message has named already."""
    apart: bool = False
    """Whether the notices may become parts of another message when they are due again."""


class Notices(Protocol):
    """The notices of a store. Every call is one transaction and safe to repeat."""

    async def news(self, names: Collection[str], limit: int) -> NewsPage:
        """Read the ends of runs after the cursor; the first call ever puts the cursor at the end of the journal."""
        ...

    async def begin(self) -> None:
        """Put the cursor at the end of the journal, if there is none yet."""
        ...

    async def add(self, notices: Sequence[Notice], upto: int) -> int:
        """Add notices that are not there yet, and move the cursor; returns how many are new.

        A failure is left out while another of the same schedule is open for the recipient.
        """
        ...

    async def recovered(self, limit: int) -> list[Notice]:
        """Find open failures whose notices went out, or could not, and whose schedules work again or are deleted."""
        ...

    async def close(self, failure: Notice, recovery: Notice | None) -> None:
        """Close a failure, and add the notice of the recovery."""
        ...

    async def last_told(self, schedule_id: str, recipient: str) -> datetime | None:
        """Return when a recipient last got a notice of a schedule's failure or recovery."""
        ...

    async def last_digest(self, schedule_id: str, recipient: str) -> str | None:
        """Return the digest of the last answer that a recipient got, or that had not changed since."""
        ...

    async def take(
        self, now: datetime, until: datetime, gather_until: datetime, node_id: str | None = None
    ) -> list[Notice]:
        """Take the notices of the message that is due first, until a time; an empty list when none is due.

        What a node has taken that was lost since is due at once; without a `node_id`, that is not known.

        Failures and recoveries of one recipient that are due before `gather_until` become one message; so do the
        reminders of a digest, at most `LONGEST_DIGEST` in each message.
        """
        ...

    async def end(self, taken: Sequence[Notice], outcome: NoticeOutcome, attempt: DeliveryAttempt | None) -> bool:
        """Record how the sending of a message ended, with its last attempt.

        False when another engine has taken it meanwhile: then only the attempt is written.
        """
        ...

    async def gather(self, reminder: Reminder, notice: Notice) -> Reminder | None:
        """Leave a reminder to the digest: write it, and the notice that brings it; returns it with its new version.

        None, and nothing is written, if the reminder changed meanwhile. When the message of the notice has ended, `end`
        gives its reminders that are still gathered their status, and each of their runs the attempt.
        """
        ...

    async def gathered(self, user_id: str, limit: int) -> list[Notice]:
        """Return what waits for the digest of a person, in the order in which it comes."""
        ...

    async def next_due(self) -> datetime | None:
        """Return when the next notice is due."""
        ...

    async def failing(self, schedule_ids: Collection[str]) -> set[str]:
        """Find which of some schedules have an open failure."""
        ...

    async def has_open(self) -> bool:
        """Tell whether a failure is open: then its schedule may work again at any time."""
        ...

    async def of_run(self, run_id: str) -> list[Notice]:
        """Return the notices about a run, in order."""
        ...
