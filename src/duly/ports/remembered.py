"""The interface for what faces keep for people: steps that can be undone, items that were seen, and repeated requests.

Also the questions that screens ask about reminders and channels, each answered by an index.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from duly.model.events import Event
from duly.ports.reminders import Answer, Reminder


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoRecord:
    """A step of a caller that can be taken back."""

    token: str
    owner: str
    """The id of the caller's token, or `local`."""
    kind: str
    """Such as pause, delete, update, answer."""
    sentence: str
    """What was done, for people."""
    data: str
    """JSON: what is needed to take the step back."""
    made_at: datetime
    expires_at: datetime
    used_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenMark:
    """A note that an item of the attention box was seen, in the state that `mark` stands for."""

    item: str
    mark: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """The answer to a request that carried a key, for a repetition of the same request."""

    owner: str
    key: str
    fingerprint: str
    """Of the request: another request under the same key is refused."""
    result: str | None
    """JSON; None while the request is under way."""
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelCount:
    """What happened on a channel lately."""

    channel: str
    last_send_at: datetime | None
    last_status: str | None
    last_error: str | None
    failures: int
    waiting: int


class WaitingReminder(NamedTuple):
    """A reminder with the schedule that it belongs to."""

    reminder: Reminder
    namespace: str
    name: str
    action: str


class Remembered(Protocol):
    """What faces keep. Every call is one transaction and safe to repeat."""

    # undo

    async def undo(self, token: str) -> UndoRecord | None: ...

    async def last_undo(self, owner: str, now: datetime) -> UndoRecord | None:
        """Return the latest step of a caller that can still be taken back."""
        ...

    async def take_back_answer(
        self,
        token: str,
        answer: Answer,
        before: Reminder,
        now: datetime,
        events: Sequence[Event],
        others: Sequence[Reminder] = (),
    ) -> bool:
        """Give a reminder the state it had before an answer, and let its run go on; the answer is removed.

        `token` is that of the step, which is used then.
        `others` are the reminders of other people, as they were before the answer ended them, too.
        False, and nothing changes, when the reminder was answered or changed again, or its run ended otherwise.
        """
        ...

    # attention

    async def mark_seen(self, mark: SeenMark, events: Sequence[Event]) -> None: ...

    async def seen(self, items: Collection[str]) -> list[SeenMark]:
        """Return the marks of these items."""
        ...

    async def awaiting(self, limit: int) -> list[WaitingReminder]:
        """Return reminders that wait for an answer, those that have waited longest first."""
        ...

    async def unacked(self, since: datetime, limit: int) -> list[WaitingReminder]:
        """Return reminders that were given up without an answer since a time, where none of the schedule came after."""
        ...

    async def lately(self, name: str, since: datetime, limit: int) -> list[Event]:
        """Return entries of the journal of one kind since a time, newest first."""
        ...

    # inbox and channels

    async def answered(self, user_id: str, since: datetime, limit: int) -> list[Answer]:
        """Return the answers of a person since a time, newest first."""
        ...

    async def channel_counts(self, since: datetime) -> list[ChannelCount]:
        """Return what happened on each channel since a time."""
        ...

    async def failing_addresses(self, channel: str, since: datetime) -> list[ChannelCount]:
        """Return what happened since a time at each address of a channel whose last send failed, the latest first."""
        ...

    # repeated requests

    async def keep_answer(self, kept: KeptAnswer, stale: datetime) -> KeptAnswer | None:
        """Keep a key that a request uses for the first time; returns the earlier request if there is one.

        A request from before `stale` is forgotten.
        """
        ...

    async def complete_answer(self, kept: KeptAnswer) -> None:
        """Write the result of a request."""
        ...

    async def drop_answer(self, owner: str, key: str) -> None:
        """Forget a request that failed, so that it can be made again."""
        ...
