"""Reminders, their answers, what people say in plain words, and the inbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from duly.errors import InvalidInputError
from duly.model.reminder import ReminderStatus
from duly.operations.ask import Ask, Group, ListAsk, Page, PagedAsk, delete, get, patch, post
from duly.operations.parameters import Cursor, Limit, Object, Param, RunPath, Version, When, Whose
from duly.operations.views import AnsweredView, ChatReplyView, ChoiceView
from duly.service.limits import LONGEST_OTHER
from duly.service.pages import MAX_PAGE
from duly.service.reminders.deliveries import DeliveryView
from duly.service.reminders.history import ReminderHistory
from duly.service.reminders.inbox import InboxPage
from duly.service.reminders.views import InboxView
from duly.service.schedules.fields import ReminderView
from duly.service.schedules.values import optional_moment

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.reminders.answers import Answered
    from duly.service.services import Services

ReminderPath = Annotated[str, Param(words="Id (sched_…) or name of a reminder")]
AnsweredPath = Annotated[str, Param(words="Id or name of a reminder, or the id of its run")]
ItemPath = Annotated[int, Param(words="Number of the message", least=1, most=2**53)]
InStatus = Annotated[
    str | None,
    Param(words="Only reminders whose latest run has this status", choices=tuple(map(str, ReminderStatus))),
]
Wanted = Annotated[Literal["low", "normal", "high", "critical"] | None, Param(words="Only reminders of this priority")]
Within = Annotated[str | None, Param(words="Only with this text in name or message", longest=200)]
DueBefore = Annotated[
    When | None, Param(words="Only reminders that come before: ISO 8601 with offset", format="date-time")
]
Response = Literal["ack", "snooze", "dismiss"]
Minutes = Annotated[int | None, Param(least=1, most=10**6)]
Until = Annotated[When | None, Param(longest=100, format="date-time")]
Length = Annotated[str | None, Param(words='Words, as in a chat: "tomorrow at 9"', longest=200)]
Said = Annotated[str, Param(shortest=1, longest=LONGEST_OTHER)]
Unread = Annotated[bool, Param(words="Only those that were not read", where="query")]
Older = Annotated[str | None, Param(words="next_cursor of the page before", longest=LONGEST_OTHER, where="query")]
AtMost = Annotated[int, Param(words="Items on a page", least=1, most=MAX_PAGE, where="query")]
WrittenAt = Annotated[str, Param(words="Where it was written", shortest=1, longest=200)]


@dataclass(frozen=True, slots=True)
class ListReminders(PagedAsk[ReminderView]):
    """List the reminders of a person in order of name; long texts are cut."""

    _: KW_ONLY
    user: Whose = None
    enabled: bool | None = None
    status: InStatus = None
    priority: Wanted = None
    text: Within = None
    due_before: DueBefore = None
    cursor: Cursor = None
    limit: Limit = 50

    async def carry_out(self, services: Services, caller: Caller) -> Page[ReminderView]:
        return await services.reminders.to_read(caller, self.user).page(
            enabled=self.enabled,
            cursor=self.cursor,
            limit=self.limit,
            status=self.status,
            priority=self.priority,
            text=self.text,
            due_before=self.due_before,
        )


@dataclass(frozen=True, slots=True)
class CreateReminder(Ask[ReminderView]):
    """Make a reminder, from a schedule and a message, or from a text that says both in one sentence.

    With `require_ack` it asks again until the person answers.
    """

    fields: Annotated[Object, Param(model="NewReminder")]
    user: Whose = None

    @classmethod
    def of(
        cls, schedule: Mapping[str, Any], message: str, *, user: str | None = None, **options: Any
    ) -> CreateReminder:
        """Make a reminder: `{"type": "daily", "time": "08:00"}` and a message."""
        return cls(_filled({"schedule": schedule, "message": message, **options}), user)

    async def carry_out(self, services: Services, caller: Caller) -> ReminderView:
        theirs = services.reminders.to_change(caller, self.user)
        fields = _filled(self.fields)
        sentence = fields.pop("text", None)
        parts = fields.keys() & {"schedule", "message"}
        if len(parts) != (2 if sentence is None else 0):
            raise InvalidInputError('give schedule and message, or only text, such as "call mom tomorrow at 17:00"')
        if sentence is not None:
            return await services.sentences.remind(caller, theirs.who, sentence, **fields)
        return await theirs.create(_filled(fields.pop("schedule")), fields.pop("message"), **fields)


@dataclass(frozen=True, slots=True)
class GetReminder(Ask[ReminderView]):
    """Show a reminder."""

    reminder: ReminderPath
    _: KW_ONLY
    user: Whose = None

    async def carry_out(self, services: Services, caller: Caller) -> ReminderView:
        return await services.reminders.to_read(caller, self.user).get(self.reminder)


@dataclass(frozen=True, slots=True)
class ShowReminderHistory(Ask[ReminderHistory]):
    """Show a reminder with its latest runs: every send, answer and escalation."""

    reminder: ReminderPath
    _: KW_ONLY
    user: Whose = None
    limit: Limit = 10

    async def carry_out(self, services: Services, caller: Caller) -> ReminderHistory:
        return await services.reminders.to_read(caller, self.user).show(self.reminder, self.limit)


@dataclass(frozen=True, slots=True)
class UpdateReminder(Ask[ReminderView]):
    """Change fields of a reminder; `enabled` pauses and resumes it.

    With `If-Match`, the ETag that `GET /schedules/{id}` gave, a reminder that was changed since is left as it is.
    """

    reminder: ReminderPath
    fields: Annotated[Object, Param(model="ReminderChanges")]
    user: Whose = None
    version: Version = None

    @classmethod
    def of(cls, reminder: str, *, user: str | None = None, version: int | None = None, **fields: Any) -> UpdateReminder:
        """Change fields of a reminder. With `version`, only if it was not changed since."""
        return cls(reminder, fields, user, version)

    async def carry_out(self, services: Services, caller: Caller) -> ReminderView:
        fields = _filled(self.fields)
        if "schedule" in fields:
            fields["schedule"] = _filled(fields["schedule"])
        theirs = services.reminders.to_change(caller, self.user)
        return await theirs.update(self.reminder, version=self.version, **fields)


@dataclass(frozen=True, slots=True)
class RemoveReminder(Ask[ReminderView]):
    """Remove a reminder; a run of it that waits for an answer ends."""

    reminder: ReminderPath
    _: KW_ONLY
    user: Whose = None

    async def carry_out(self, services: Services, caller: Caller) -> ReminderView:
        return await services.reminders.to_change(caller, self.user).remove(self.reminder)


@dataclass(frozen=True, slots=True)
class SkipNextReminder(Ask[ReminderView]):
    """Leave out the next message, on the record."""

    reminder: ReminderPath
    _: KW_ONLY
    user: Whose = None

    async def carry_out(self, services: Services, caller: Caller) -> ReminderView:
        return await services.reminders.to_change(caller, self.user).skip_next(self.reminder)


@dataclass(frozen=True, slots=True)
class AnswerReminder(Ask[AnsweredView]):
    """Answer a reminder: done, later or not this time.

    A snooze without a time comes back after the usual pause.
    """

    reminder: AnsweredPath
    response: Response
    _: KW_ONLY
    minutes: Minutes = None
    until: Until = None
    length: Length = None
    user: Whose = None

    async def carry_out(self, services: Services, caller: Caller) -> AnsweredView:
        return await _answer(services, caller, self, self.reminder)


@dataclass(frozen=True, slots=True)
class AnswerNewestReminder(Ask[AnsweredView]):
    """Answer the only reminder that waits for this person; where several wait, name it."""

    response: Response
    _: KW_ONLY
    minutes: Minutes = None
    until: Until = None
    length: Length = None
    user: Whose = None

    async def carry_out(self, services: Services, caller: Caller) -> AnsweredView:
        return await _answer(services, caller, self, None)


async def _answer(
    services: Services, caller: Caller, ask: AnswerReminder | AnswerNewestReminder, target: str | None
) -> AnsweredView:
    theirs = services.reminders.to_change(caller, ask.user)
    until = optional_moment(ask.until, "until")
    said = _filled({"minutes": ask.minutes, "length": ask.length})
    return answered_view(await theirs.answer(ask.response, target, until=until, channel=caller.face, **said))


def answered_view(answered: Answered) -> AnsweredView:
    """Show an answer."""
    return AnsweredView(
        job_id=answered.reminder.schedule_id,
        run_id=answered.reminder.run_id,
        response=str(answered.response),
        text=answered.text,
        until=answered.until,
        undo=answered.undo,
    )


@dataclass(frozen=True, slots=True)
class ListDeliveries(ListAsk[DeliveryView]):
    """List every send of one run of a reminder, the first one first."""

    run: RunPath
    _: KW_ONLY
    user: Whose = None

    async def carry_out(self, services: Services, caller: Caller) -> list[DeliveryView]:
        return await services.reminders.to_read(caller, self.user).deliveries(self.run)


@dataclass(frozen=True, slots=True)
class SendMessage(Ask[ChatReplyView]):
    """Say something to duly in plain words, as in a chat: "what's on today?"."""

    text: Said
    _: KW_ONLY
    channel: WrittenAt = "api"
    user: Whose = None

    async def carry_out(self, services: Services, caller: Caller) -> ChatReplyView:
        handled = await services.chat_of(caller, self.user).say(self.channel, self.text)
        buttons = [ChoiceView(label=each.label, button=each.token) for each in handled.buttons]
        return ChatReplyView(consumed=handled.consumed, reply=handled.reply, buttons=buttons)


@dataclass(frozen=True, slots=True)
class GetInbox(Ask[InboxPage]):
    """Show the inbox of a person: what waits for an answer, what was put off or answered, and the messages."""

    _: KW_ONLY
    user: Whose = None

    async def carry_out(self, services: Services, caller: Caller) -> InboxPage:
        return await services.inbox.view(caller, self.user)


@dataclass(frozen=True, slots=True)
class ListMessages(PagedAsk[InboxView]):
    """List the messages in the inbox of a person, newest first, and leave them as they are."""

    _: KW_ONLY
    user: Whose = None
    unread: bool = True
    cursor: Cursor = None
    limit: Limit = 50

    async def carry_out(self, services: Services, caller: Caller) -> Page[InboxView]:
        theirs = services.reminders.to_read(caller, self.user)
        return await theirs.inbox(unread=self.unread, limit=self.limit, cursor=self.cursor)


@dataclass(frozen=True, slots=True)
class ReadMessages(PagedAsk[InboxView]):
    """Mark the newest messages as read, and show them: the unread ones, or all."""

    _: KW_ONLY
    user: Whose = None
    unread: Unread = True
    cursor: Older = None
    limit: AtMost = 50

    async def carry_out(self, services: Services, caller: Caller) -> Page[InboxView]:
        theirs = services.reminders.to_change(caller, self.user)
        return await theirs.read_inbox(self.limit, unread=self.unread, cursor=self.cursor)


@dataclass(frozen=True, slots=True)
class GetMessage(Ask[InboxView]):
    """Show one message in full."""

    item: ItemPath
    _: KW_ONLY
    user: Whose = None

    async def carry_out(self, services: Services, caller: Caller) -> InboxView:
        return await services.reminders.to_read(caller, self.user).inbox_item(self.item)


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Give the fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


_ANSWER = {
    "body": "AnswerBody",
    "about_body": "An answer to a reminder. A snooze says at most one of minutes, until and length.",
    "examples": ({"response": "ack"}, {"response": "snooze", "minutes": 30}),
}
REMINDERS = Group(
    "reminders",
    "Messages to people, which may ask for an answer.",
    (
        get(ListReminders, "/reminders"),
        post(CreateReminder, "/reminders", status=201, headers=("Location",), once=True, body="NewReminder"),
        get(GetReminder, "/reminders/{reminder}"),
        get(ShowReminderHistory, "/reminders/{reminder}/history"),
        patch(UpdateReminder, "/reminders/{reminder}", faults=(412,), body="ReminderChanges"),
        delete(RemoveReminder, "/reminders/{reminder}"),
        post(SkipNextReminder, "/reminders/{reminder}/skip"),
        post(AnswerReminder, "/reminders/{reminder}/answer", **_ANSWER),
        post(AnswerNewestReminder, "/answers", **_ANSWER),
        post(
            SendMessage,
            "/messages",
            body="ChatBody",
            about_body="A message of a person, in plain words.",
            examples=({"text": "remind me to call the bank tomorrow at 10"},),
        ),
        get(ListDeliveries, "/runs/{run}/deliveries"),
    ),
)
INBOX = Group(
    "inbox",
    "Messages that were delivered to a person here.",
    (
        get(GetInbox, "/inbox"),
        get(ListMessages, "/inbox/messages"),
        post(ReadMessages, "/inbox/read"),
        get(GetMessage, "/inbox/messages/{item}"),
    ),
)
