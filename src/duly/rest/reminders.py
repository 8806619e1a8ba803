"""Reminders, their answers and deliveries, and the inbox."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from duly.errors import ConflictError, InvalidInputError
from duly.rest.inputs import (
    AnswerBody,
    AnsweredPath,
    ChatBody,
    Cursor,
    DueBefore,
    Flag,
    ItemPath,
    Limit,
    NewReminder,
    PriorityWanted,
    ReminderChanges,
    ReminderPath,
    ReminderStatusName,
    RunPath,
    WhoseReminders,
    WordsWithin,
    Yes,
    given,
)
from duly.rest.operations import AnswerWith, Asked, By, Operations, PageOf
from duly.rest.schedules import is_stale, wanted_version
from duly.rest.views import AnsweredView, ChatReplyView, ChoiceView
from duly.service.reminders.answers import Answered
from duly.service.reminders.deliveries import DeliveryView
from duly.service.reminders.history import ReminderHistory
from duly.service.reminders.inbox import InboxPage
from duly.service.reminders.use_cases import ChangeableReminders, ReadableReminders
from duly.service.reminders.views import InboxView
from duly.service.schedules.fields import ReminderView
from duly.service.schedules.values import moment

reminders = Operations("reminders", "Messages to people, which may ask for an answer.")
inbox = Operations("inbox", "Messages that were delivered to a person here.")


def _to_read(by: Asked, user: str | None) -> ReadableReminders:
    return by.services.reminders.to_read(by.caller, user)


def _to_change(by: Asked, user: str | None) -> ChangeableReminders:
    return by.services.reminders.to_change(by.caller, user)


@reminders.get("/reminders", PageOf(ReminderView))
async def list_reminders(
    by: By,
    user: WhoseReminders = None,
    enabled: Flag = None,
    status: ReminderStatusName = None,
    priority: PriorityWanted = None,
    text: WordsWithin = None,
    due_before: DueBefore = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> object:
    """List the reminders of a person in order of name; long texts are cut."""
    wanted = {"status": status, "priority": priority, "text": text, "due_before": due_before}
    return await _to_read(by, user).page(enabled=enabled, cursor=cursor, limit=limit, **wanted)


@reminders.post("/reminders", ReminderView, status=201, headers=("Location",), once=True)
async def create_reminder(by: By, body: NewReminder, user: WhoseReminders = None) -> object:
    """Make a reminder, from a schedule and a message, or from a text that says both in one sentence.

    With `require_ack` it asks again until the person answers.
    """
    theirs = _to_change(by, user)
    fields = _filled(given(body))
    sentence = fields.pop("text", None)
    parts = fields.keys() & {"schedule", "message"}
    if len(parts) != (2 if sentence is None else 0):
        raise InvalidInputError('give schedule and message, or only text, such as "call mom tomorrow at 17:00"')
    if sentence is not None:
        made = await by.services.sentences.remind(by.caller, theirs.who, sentence, **fields)
        return AnswerWith(view=made, headers={"Location": f"{by.request.url.path}/{quote(made.id)}"})
    made = await theirs.create(_filled(fields.pop("schedule")), fields.pop("message"), **fields)
    return AnswerWith(view=made, headers={"Location": f"{by.request.url.path}/{quote(made.id)}"})


@reminders.get("/reminders/{reminder}", ReminderView)
async def get_reminder(by: By, reminder: ReminderPath, user: WhoseReminders = None) -> object:
    """Show a reminder."""
    return await _to_read(by, user).get(reminder)


@reminders.get("/reminders/{reminder}/history", ReminderHistory)
async def show_reminder_history(
    by: By, reminder: ReminderPath, user: WhoseReminders = None, limit: Limit = 10
) -> object:
    """Show a reminder with its latest runs: every send, answer and escalation."""
    return await _to_read(by, user).show(reminder, limit)


@reminders.patch("/reminders/{reminder}", ReminderView, takes=("If-Match",), faults=(412,))
async def update_reminder(by: By, reminder: ReminderPath, body: ReminderChanges, user: WhoseReminders = None) -> object:
    """Change fields of a reminder; `enabled` pauses and resumes it.

    With `If-Match`, the ETag that `GET /schedules/{id}` gave, a reminder that was changed since is left as it is.
    """
    theirs = _to_change(by, user)
    version = await wanted_version(by, reminder)
    fields = _filled(given(body))
    if "schedule" in fields:
        fields["schedule"] = _filled(fields["schedule"])
    try:
        return await theirs.update(reminder, version=version, **fields)
    except ConflictError as error:
        raise is_stale(error) from error


@reminders.delete("/reminders/{reminder}", ReminderView)
async def remove_reminder(by: By, reminder: ReminderPath, user: WhoseReminders = None) -> object:
    """Remove a reminder; a run of it that waits for an answer ends."""
    return await _to_change(by, user).remove(reminder)


@reminders.post("/reminders/{reminder}/skip", ReminderView)
async def skip_next_reminder(by: By, reminder: ReminderPath, user: WhoseReminders = None) -> object:
    """Leave out the next message, on the record."""
    return await _to_change(by, user).skip_next(reminder)


@reminders.post("/reminders/{reminder}/answer", AnsweredView)
async def answer_reminder(by: By, reminder: AnsweredPath, body: AnswerBody, user: WhoseReminders = None) -> object:
    """Answer a reminder: done, later or not this time.

    A snooze without a time comes back after the usual pause.
    """
    return await _answered(_to_change(by, user), reminder, given(body))


@reminders.post("/answers", AnsweredView)
async def answer_newest_reminder(by: By, body: AnswerBody, user: WhoseReminders = None) -> object:
    """Answer the only reminder that waits for this person; where several wait, name it."""
    return await _answered(_to_change(by, user), None, given(body))


@reminders.post("/messages", ChatReplyView)
async def send_message(by: By, body: ChatBody, user: WhoseReminders = None) -> object:
    """Say something to duly in plain words, as in a chat: "what's on today?"."""
    handled = await by.services.chat_of(by.caller, user).say(body.channel, body.text)
    buttons = [ChoiceView(label=each.label, button=each.token) for each in handled.buttons]
    return ChatReplyView(consumed=handled.consumed, reply=handled.reply, buttons=buttons)


async def _answered(theirs: ChangeableReminders, target: str | None, said: dict[str, Any]) -> AnsweredView:
    until = said.pop("until", None)
    when = None if until is None else moment(until, "until")
    return answered_view(await theirs.answer(target=target, until=when, channel="api", **said))


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


@reminders.get("/runs/{run}/deliveries", PageOf(DeliveryView))
async def list_deliveries(by: By, run: RunPath, user: WhoseReminders = None) -> object:
    """List every send of one run of a reminder, the first one first."""
    return await _to_read(by, user).deliveries(run)


@inbox.get("/inbox", InboxPage)
async def get_inbox(by: By, user: WhoseReminders = None) -> object:
    """Show the inbox of a person: what waits for an answer, what was put off or answered, and the messages."""
    return await by.services.inbox.view(by.caller, user)


@inbox.get("/inbox/messages", PageOf(InboxView))
async def list_messages(
    by: By, user: WhoseReminders = None, unread: Yes = True, cursor: Cursor = None, limit: Limit = 50
) -> object:
    """List the messages in the inbox of a person, newest first, and leave them as they are."""
    return await _to_read(by, user).inbox(unread=unread, limit=limit, cursor=cursor)


@inbox.post("/inbox/read", PageOf(InboxView))
async def read_messages(by: By, user: WhoseReminders = None, limit: Limit = 50) -> object:
    """Mark the newest unread messages as read, and show them."""
    return await _to_change(by, user).read_inbox(limit)


@inbox.get("/inbox/messages/{item}", InboxView)
async def get_message(by: By, item: ItemPath, user: WhoseReminders = None) -> object:
    """Show one message in full."""
    return await _to_read(by, user).inbox_item(item)


def _filled(fields: dict[str, Any]) -> dict[str, Any]:
    """Give the fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}
