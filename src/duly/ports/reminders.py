"""The interface for reminders: one record per run and person, its delivery attempts, the answers, and the inbox."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from duly.model.events import Event
from duly.model.reminder import AttemptKind, AttemptStatus, ReminderStatus, Response
from duly.planning.delivery import DeliveryState, EscalationState, inherit

if TYPE_CHECKING:
    from duly.ports.remembered import UndoRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """One run of a message, for one person."""

    run_id: str
    schedule_id: str
    user_id: str
    run_number: int
    token: str
    """The token that its buttons carry."""
    status: ReminderStatus
    rounds: int = 0
    """Rounds over all channels that have failed."""
    nags: int = 0
    """How often it was delivered again because it was not answered."""
    escalated: bool = False
    """Whether the admins got a message that it cannot be delivered."""
    channel: str | None = None
    last_sent_at: datetime | None = None
    wake_at: datetime | None = None
    silent_since: datetime | None = None
    """The first delivery since the last answer, of this run or of the runs it replaced."""
    silence_told: bool = False
    """Whether the admins got a message that it is not answered."""
    failing_since: datetime | None = None
    """The first failed round since the last delivery, of this run or of the runs it replaced."""
    version: int = 0
    """Rises with every change, so that a caller cannot overwrite a change it has not read."""
    created_at: datetime
    updated_at: datetime

    @property
    def delivery_state(self) -> DeliveryState:
        """Return the state that the next step depends on, without the parts that follow from the attempts."""
        return DeliveryState(
            status=self.status,
            rounds=self.rounds,
            nags=self.nags,
            escalation=EscalationState(
                silent_since=self.silent_since,
                silence_told=self.silence_told,
                failing_since=self.failing_since,
                failure_told=self.escalated,
            ),
            begun_at=self.created_at,
            last_sent_at=self.last_sent_at,
            wake_at=self.wake_at,
        )

    def with_escalation(self, escalation: EscalationState) -> Reminder:
        """Return the reminder with another state of its escalation."""
        return replace(
            self,
            silent_since=escalation.silent_since,
            silence_told=escalation.silence_told,
            failing_since=escalation.failing_since,
            escalated=escalation.failure_told,
        )

    def after(self, before: Reminder, *, is_over: bool) -> Reminder:
        """Return this new reminder with the escalation it inherits from the one before it.

        `is_over` says that the run of the earlier one has ended. If that reminder has not ended, this one replaces it
        and inherits. A reminder that has ended, or whose run goes on, leaves nothing to this one.
        """
        is_replaced = is_over and not before.status.final
        return self.with_escalation(inherit(before.delivery_state)) if is_replaced else self


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
        """Tell whether this attempt delivered the reminder itself."""
        return self.kind is AttemptKind.REMINDER and self.status.arrived


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer of a person to a reminder."""

    run_id: str
    job_id: str
    user_id: str
    run_number: int
    response: Response
    snooze_minutes: int | None = None
    snooze_until: datetime | None = None
    channel: str | None = None
    message_id: str | None = None
    """The id of the message it came in: duly acts on each message once, however often it arrives."""
    response_text: str | None = None
    responded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxItem:
    """A message in the inbox, the channel that is always there."""

    id: int | None = None
    user_id: str
    run_id: str | None = None
    key: str
    """A second message with the same key is not stored."""
    text: str
    token: str | None = None
    created_at: datetime
    read_at: datetime | None = None
    length: int = 0
    """How many characters the stored text has; a list may show only the beginning of a long one."""


class Kept(NamedTuple):
    """What came of a message that the inbox took."""

    attempt: DeliveryAttempt
    reminder: Reminder | None
    """With its new version; None when none was given."""


class LatestReminder(NamedTuple):
    """The newest reminder of a schedule, with those of other people in the same run."""

    reminder: Reminder
    errors: int
    """How many runs have failed since one last arrived.

    A reminder that the next run replaced counts as failed if it was tried and no channel delivered it.
    """
    others: tuple[Reminder, ...] = ()
    """Of a shared one: the reminders of the other people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftBehind:
    """A reminder that has not ended although its run is dead or failed."""

    reminder: Reminder
    namespace: str
    name: str
    action: str
    reason: str | None
    """Why the run ended."""


class Reminders(Protocol):
    """The reminders of a store. Every call is one transaction and safe to repeat."""

    async def begin(self, reminder: Reminder) -> Reminder:
        """Record the reminder of a run; if there is one already, it is returned unchanged.

        `run_number` becomes one more than the highest of its schedule; the value handed in is ignored. Earlier
        reminders of the schedule whose runs have ended, end too: as `unacked` if they had arrived, as `missed` if not.
        The new one inherits the debt of the latest of them (`Reminder.after`).
        """
        ...

    async def begin_shared(self, reminders: Sequence[Reminder]) -> list[Reminder]:
        """Record the reminders of a run for several people, as `begin` does; each inherits from their own."""
        ...

    async def get(self, run_id: str, user_id: str | None = None) -> Reminder | None:
        """Return the reminder of a run for a person; without a person, that of the first by id."""
        ...

    async def of_run(self, run_id: str) -> list[Reminder]:
        """Return the reminders of a run, one for each person."""
        ...

    async def by_token(self, token: str) -> Reminder | None: ...

    async def update(self, reminder: Reminder) -> Reminder | None:
        """Write a reminder; returns it with its new version. None, and nothing is written, if it changed meanwhile."""
        ...

    async def of_schedule(self, schedule_id: str, limit: int) -> list[Reminder]:
        """Return the reminders of the latest runs of a schedule, at most so many runs, newest first."""
        ...

    async def trigger_of(self, schedule_id: str) -> str | None:
        """Return the trigger of a schedule as it is stored; None when there is no such schedule."""
        ...

    async def latest_of(self, schedule_ids: Collection[str]) -> dict[str, LatestReminder]:
        """Return the newest reminder of each of these schedules that has one, by schedule."""
        ...

    async def open_for(self, user_id: str) -> list[Reminder]:
        """Return the reminders of a person that wait for an answer or are snoozed, latest first.

        They were delivered, or no channel took them and the inbox has a copy.
        """
        ...

    async def late_for(self, user_id: str, since: datetime) -> list[Reminder]:
        """Return the reminders of a person that ended without an answer since a time, unless the next one has come;
        the latest first."""
        ...

    async def latest_for(self, user_id: str) -> Reminder | None:
        """Return the reminder that was delivered to a person last, in any status."""
        ...

    async def add_attempt(self, attempt: DeliveryAttempt) -> DeliveryAttempt:
        """Record a send before it happens; `attempt_number` becomes the next of its run."""
        ...

    async def end_attempt(self, attempt: DeliveryAttempt, reminder: Reminder | None = None) -> Reminder | None:
        """Record the result of a send; an acknowledgement that came earlier is kept.

        `reminder` is the new state of the reminder, written in the same transaction: a process that dies leaves both
        or neither, so a delivered message is never sent again by mistake. Returns the reminder with its new version.
        None when no reminder was given, or when it was changed meanwhile: then only the attempt is written.
        """
        ...

    async def attempts(self, run_id: str) -> list[DeliveryAttempt]: ...

    async def by_message(self, channel: str, message_id: str) -> DeliveryAttempt | None:
        """Return the attempt that a message of a vendor belongs to."""
        ...

    async def answer(
        self,
        answer: Answer,
        status: ReminderStatus,
        wake_at: datetime | None,
        events: Sequence[Event] = (),
        step: UndoRecord | None = None,
        *,
        for_all: bool = False,
    ) -> bool:
        """Record an answer and the step that takes it back, give the reminder its new status and make its run due.

        All in one transaction, and at once.

        Only the reminder of the person who answers changes; with `for_all` it ends for the others, too.

        False, and nothing is recorded, when the reminder or its run has ended already, or the message was seen before.
        A reminder that was delivered and wanted no answer can be acknowledged or dismissed; so can one that was given
        up without an answer, for a day and until the next one comes, and one that failed because its run is dead: it
        may have been delivered all the same. The latest delivered attempt of an
        acknowledged reminder becomes `acked`.
        """
        ...

    async def send_again(self, run_id: str, user_id: str, now: datetime) -> bool:
        """Deliver a reminder of a person that waits for an answer again, at once, because it did not arrive.

        False, and nothing changes, when it no longer waits for an answer.
        """
        ...

    async def left_behind(self, limit: int) -> list[LeftBehind]:
        """Return reminders that have not ended although their runs are dead or failed; not those that the next fire
        replaces."""
        ...

    async def answers(self, run_id: str) -> list[Answer]: ...

    async def put(self, item: InboxItem) -> InboxItem: ...

    async def keep(self, item: InboxItem, attempt: DeliveryAttempt, reminder: Reminder | None = None) -> Kept | None:
        """Put a message into the inbox, with the attempt that delivers it and the new state of its reminder.

        All in one transaction, for the inbox is in the store. The attempt gets its number and the id of the message.
        None, and nothing is written, when the reminder was changed meanwhile.
        """
        ...

    async def inbox(
        self, user_id: str, unread: bool, limit: int, *, before: int | None = None, longest: int | None = None
    ) -> list[InboxItem]:
        """Return messages, newest first, older than `before` if given; of each text the first `longest` characters."""
        ...

    async def mark_read(self, user_id: str, ids: list[int], now: datetime) -> int: ...

    async def first_sight(self, channel: str, message_id: str, now: datetime) -> bool:
        """Record that a message came in; returns False when it came in before."""
        ...

    async def seen(self, channel: str, message_id: str) -> bool:
        """Tell whether a message has come in before."""
        ...

    async def overdue(self, now: datetime, limit: int) -> list[str]:
        """Return ids of reminders' schedules whose time has passed without a run, the most overdue first."""
        ...

    async def cursor(self, name: str) -> str | None: ...

    async def set_cursor(self, name: str, value: str) -> None: ...
