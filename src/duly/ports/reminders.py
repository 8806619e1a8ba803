"""What became of messages to people: one reminder per run, its attempts, its answers, the inbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from duly.model.events import Event
from duly.model.reminder import AttemptKind, AttemptStatus, ReminderStatus, Response
from duly.planning.delivery import Debt, Standing, inherit


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
    """The admins know that it cannot be delivered."""
    channel: str | None = None
    last_sent_at: datetime | None = None
    wake_at: datetime | None = None
    silent_since: datetime | None = None
    """The first delivery since somebody last answered, of this run or of those whose place it took."""
    silence_told: bool = False
    """The admins know that nobody answers."""
    failing_since: datetime | None = None
    """The first round that failed since it last arrived, of this run or of those whose place it took."""
    version: int = 0
    """Rises with every change, so that nobody overwrites what he has not read."""
    created_at: datetime
    updated_at: datetime

    @property
    def standing(self) -> Standing:
        """What the next step depends on, as far as the reminder itself knows it."""
        return Standing(
            status=self.status,
            rounds=self.rounds,
            nags=self.nags,
            debt=Debt(self.silent_since, self.silence_told, self.failing_since, self.escalated),
            begun_at=self.created_at,
            last_sent_at=self.last_sent_at,
            wake_at=self.wake_at,
        )

    def owing(self, debt: Debt) -> Reminder:
        """The same with another debt."""
        return replace(
            self,
            silent_since=debt.silent_since,
            silence_told=debt.silence_told,
            failing_since=debt.failing_since,
            escalated=debt.failure_told,
        )

    def after(self, before: Reminder, *, is_over: bool) -> Reminder:
        """This one, new, with what it owes for the one before it.

        `is_over` says that the run of that one has ended. If the reminder has not, this one takes its place; one that
        came to its own end owes nothing, and one that goes on pays for itself.
        """
        is_replaced = is_over and not before.status.final
        return self.owing(inherit(before.standing)) if is_replaced else self


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
    kind: AttemptKind = AttemptKind.REMINDER
    status: AttemptStatus = AttemptStatus.PENDING
    error_message: str | None = None
    permanent: bool = False
    """Trying again at this address is of no use."""
    retry_at: datetime | None = None
    """Trying again earlier is of no use."""
    message_id: str | None = None
    created_at: datetime
    sent_at: datetime | None = None
    delivered_at: datetime | None = None
    acked_at: datetime | None = None

    @property
    def brought_it(self) -> bool:
        """Whether this was a delivery of the reminder itself, and got there."""
        return self.kind is AttemptKind.REMINDER and self.status.arrived


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a person said."""

    run_id: str
    job_id: str
    user_id: str
    run_number: int
    response: Response
    snooze_minutes: int | None = None
    snooze_until: datetime | None = None
    channel: str | None = None
    message_id: str | None = None
    """Of the message it came in: each is acted upon once, however often it is sent."""
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
    length: int = 0
    """How many characters the text has in the store: of a long one, a list has only the beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftBehind:
    """A reminder that goes on although its run is over: the run was given up, or failed before it could end it."""

    reminder: Reminder
    namespace: str
    name: str
    action: str
    reason: str | None
    """Why the run is over."""


class Reminders(Protocol):
    """The reminders of a store. Every call is one transaction and safe to repeat."""

    async def begin(self, reminder: Reminder) -> Reminder:
        """Note that a run is a reminder; one that is known already is given back as it is.

        `run_number` of a new one is one more than the highest of its schedule, whatever was handed in. Earlier ones of
        the schedule whose runs are over end with it: as `unacked` if they had arrived, as `missed` if not. What the
        latest of them owed the admins is owed by the new one (`Reminder.after`).
        """
        ...

    async def get(self, run_id: str) -> Reminder | None: ...

    async def by_token(self, token: str) -> Reminder | None: ...

    async def update(self, reminder: Reminder) -> Reminder | None:
        """Write it down; gives it with its new version. None, and nothing is written, when it had changed meanwhile."""
        ...

    async def of_schedule(self, schedule_id: str, limit: int) -> list[Reminder]:
        """The newest first."""
        ...

    async def errors_in_a_row(self, schedule_id: str) -> int:
        """How many reminders of a schedule have failed since one last arrived.

        One that the next run replaced has failed if it had tried and no channel took it.
        """
        ...

    async def open_for(self, user_id: str) -> list[Reminder]:
        """Those of a person that have arrived and wait for an answer or sleep, the most recently sent first."""
        ...

    async def latest_for(self, user_id: str) -> Reminder | None:
        """The one that reached a person last, whatever has become of it."""
        ...

    async def add_attempt(self, attempt: DeliveryAttempt) -> DeliveryAttempt:
        """Record a send before it happens; `attempt_number` is the next of its run, whatever was handed in."""
        ...

    async def end_attempt(self, attempt: DeliveryAttempt, reminder: Reminder | None = None) -> Reminder | None:
        """What became of a send; an acknowledgement that was quicker stays.

        `reminder` is where the reminder stands with it, written in the same transaction: a process that dies leaves
        both or neither, so a message that arrived is never taken for one still to be sent. Gives the reminder with its
        new version. None when there was none to write, or when it had changed meanwhile: then only the attempt is
        written.
        """
        ...

    async def attempts(self, run_id: str) -> list[DeliveryAttempt]: ...

    async def by_message(self, channel: str, message_id: str) -> DeliveryAttempt | None:
        """The attempt a provider's message belongs to."""
        ...

    async def answer(
        self, answer: Answer, status: ReminderStatus, wake_at: datetime | None, events: Sequence[Event] = ()
    ) -> bool:
        """Record an answer, give the reminder its new status and make its run due at once, in one transaction.

        False, and nothing is recorded, when the reminder or its run has ended already, or the message was seen before.
        What failed because its run was given up may have arrived all the same: that it is done, or to be dropped,
        counts then too. The latest attempt of an acknowledged reminder that arrived becomes `acked`.
        """
        ...

    async def send_again(self, run_id: str, now: datetime) -> bool:
        """Have a reminder that waits for an answer delivered anew, at once: it had not arrived after all.

        False, and nothing changes, when it does not wait for one any more.
        """
        ...

    async def left_behind(self, limit: int) -> list[LeftBehind]:
        """Reminders that go on although their runs are dead or failed; not those that the next fire replaces."""
        ...

    async def answers(self, run_id: str) -> list[Answer]: ...

    async def put(self, item: InboxItem) -> InboxItem: ...

    async def inbox(
        self, user_id: str, unread: bool, limit: int, *, before: int | None = None, longest: int | None = None
    ) -> list[InboxItem]:
        """The newest first, or those older than the message `before`; of each text the first `longest` characters."""
        ...

    async def mark_read(self, user_id: str, ids: list[int], now: datetime) -> int: ...

    async def first_sight(self, channel: str, message_id: str, now: datetime) -> bool:
        """Whether a message that came in is new; from then on it is not."""
        ...

    async def seen(self, channel: str, message_id: str) -> bool:
        """Whether a message has come in before."""
        ...

    async def overdue(self, now: datetime, limit: int) -> list[str]:
        """Ids of schedules with messages whose time has passed without a run, the most overdue first."""
        ...

    async def cursor(self, name: str) -> str | None: ...

    async def set_cursor(self, name: str, value: str) -> None: ...
