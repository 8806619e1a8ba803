"""Take the answers of people to reminders: by button, by quoting, or in words.

Buttons and quotes say which reminder is meant. Words alone mean the newest that waits, and the reply says which one
that was. A message that is not understood as a whole changes nothing and is passed on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from duly.clock import Clock
from duly.delivery.messages import read_button
from duly.errors import InvalidInputError, NotFoundError
from duly.language.spoken import answering_tag, words
from duly.language.spoken.moments import say_moment
from duly.model.action import Message
from duly.model.checks import choice
from duly.model.events import REMINDER_ANSWERED, Event
from duly.model.ids import RUN, SCHEDULE
from duly.model.reminder import ReminderStatus, Response
from duly.planning.reach import quiet_until, snooze_until
from duly.ports.codec import decode_action
from duly.ports.people import User, namespace_of
from duly.ports.reminders import Answer, Reminder
from duly.ports.store import FullStore
from duly.recurrence import Once
from duly.service.access.audit import acting, acting_as, in_chat, is_anybody_acting
from duly.service.reminders.requests import reminder_policy
from duly.service.schedules.drafts import Draft
from duly.service.schedules.schedules import ScheduleService
from duly.service.schedules.values import storable
from duly.zones import Zone, iso

if TYPE_CHECKING:
    from duly.language.replies import Reply

Classifier = Callable[[str, str | None], Awaitable["Reply | None"]]
"""Called with a text and its language when `classify_reply` does not understand it; None when it does not either."""

_STATUS = {
    Response.ACK: ReminderStatus.ACKED,
    Response.SNOOZE: ReminderStatus.SNOOZED,
    Response.DISMISS: ReminderStatus.DISMISSED,
}


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that counted."""

    reminder: Reminder
    message: Message
    response: Response
    until: datetime | None
    """When a snoozed reminder comes back."""
    text: str
    """The reply to the person: which reminder it was, and what happens to it."""
    undo: str | None = None
    """The token that takes it back within five minutes."""

    def to_json(self) -> dict[str, Any]:
        """Give the answer as every face shows it."""
        return {
            "job_id": self.reminder.schedule_id,
            "run_id": self.reminder.run_id,
            "text": self.text,
            "response": str(self.response),
            "until": iso(self.until),
        }


@dataclass(frozen=True, slots=True)
class Handled:
    """The result of a message that came in."""

    consumed: bool
    """False: it was no answer to a reminder, and is passed on."""
    reply: str | None = None
    answered: Answered | None = None
    closes: bool = True
    """False: the reply is only for the sender, and the buttons stay for the person they are meant for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """An answer as it came in."""

    response: Response
    minutes: int | None = None
    until: datetime | None = None
    channel: str | None = None
    message_id: str | None = None
    text: str | None = None
    denied: bool = False
    """A bare no: it is not done, and the person did not ask to be reminded later."""


_PASSED_ON = Handled(consumed=False)


class Answers:
    """Finds the reminder that an answer is for, and records the answer."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        schedules: ScheduleService,
        wake: Callable[[], None],
        default_zone: str,
        classifier: Classifier | None = None,
    ) -> None:
        self._store = store
        self._reminders = store.reminders
        self._clock = clock
        self._schedules = schedules
        self._wake = wake
        self._default_zone = default_zone
        self._classifier = classifier

    # answers that name their reminder

    async def find(self, user: User, target: str | None, response: str | None = None) -> Reminder:
        """Find the reminder that a person means: by run, by schedule (id or name), or the newest that waits.

        A reminder that wants no answer can be snoozed all the same: without a target, the one that came last.
        """
        if target is None:
            pending: list[Reminder | None] = [*await self._waiting(user)]
            if not pending and response == Response.SNOOZE:
                pending = [await self._reminders.latest_for(user.id)]
            if not pending or pending[0] is None:
                raise NotFoundError("no reminder waits for an answer")
            return pending[0]
        found = await self._named(user, storable(target, "target"))
        if found is None or found.user_id != user.id:
            raise NotFoundError(f"there is no reminder {target!r} that could be answered")
        return found

    async def _waiting(self, user: User) -> list[Reminder]:
        """List the reminders that can be meant, the likeliest first: newest first, snoozed ones after all others."""
        found = await self._reminders.open_for(user.id)
        return sorted(found, key=lambda each: each.status is ReminderStatus.SNOOZED)

    async def _named(self, user: User, target: str) -> Reminder | None:
        """Find the reminder of a run, or the latest of a schedule; a name may look like an id."""
        if target.startswith(RUN) and (found := await self._reminders.get(target)) is not None:
            return found
        row = await self._store.get(target) if target.startswith(SCHEDULE) else None
        row = row or await self._store.find(namespace_of(user.id), target)
        latest = [] if row is None else await self._reminders.of_schedule(row.id, 1)
        return latest[0] if latest else None

    async def give(self, user: User, reminder: Reminder, said: GivenAnswer) -> Answered:
        """Record an answer, which takes effect at once and cannot be taken back."""
        storable(said.channel or "", "channel")
        now = self._clock.now()
        message = await self._message(reminder)
        response = choice(Response, said.response, "response")
        tag = answering_tag(user.language, said.text)
        spoken = words(tag)
        until = None
        if response is Response.SNOOZE:
            if not message.snooze_allowed:
                raise InvalidInputError(spoken.not_snoozed.format(text=message.text))
            until = snooze_until(now, said.minutes, said.until)
        answer = Answer(
            run_id=reminder.run_id,
            job_id=reminder.schedule_id,
            user_id=user.id,
            run_number=reminder.run_number,
            response=response,
            snooze_minutes=None if until is None else max(1, round((until - now).total_seconds() / 60)),
            snooze_until=until,
            channel=said.channel,
            message_id=said.message_id,
            response_text=said.text,
            responded_at=now,
        )
        about = {
            **acting(),
            "user": user.id,
            "response": str(response),
            "channel": said.channel,
            "until": until,
        }
        entry = Event(
            kind=REMINDER_ANSWERED, at=now, schedule_id=reminder.schedule_id, run_id=reminder.run_id, data=about
        )
        if until is not None and reminder.status is ReminderStatus.DELIVERED:
            await self._deliver_once_more(reminder, user, until, entry)
        elif not await self._reminders.answer(answer, _STATUS[response], until, [entry]):
            raise InvalidInputError(spoken.is_over.format(text=message.text))
        self._wake()
        reply = self._reply(user, message, response, until, tag=tag, denied=said.denied)
        return Answered(reminder=reminder, message=message, response=response, until=until, text=reply)

    async def _deliver_once_more(self, reminder: Reminder, user: User, until: datetime, event: Event) -> None:
        """Snooze a reminder that wanted no answer: its run is over, so a schedule of its own delivers it once more.

        The name of that schedule is the run's, so a second snooze before then only moves it.
        """
        row = await self._store.get(reminder.schedule_id)
        if row is None:
            raise NotFoundError(f"the reminder of run {reminder.run_id!r} is gone")
        trigger = Once(until)
        draft = Draft(
            name=f"snoozed-{reminder.run_id.removeprefix(RUN)}",
            namespace=namespace_of(user.id),
            trigger=trigger,
            action=decode_action(row.action),
            policy=reminder_policy(trigger),
            timezone=row.timezone,
            description=f"{row.name}, put off",
            created_by=user.id,
            created_via=row.created_via,
            token_scope=row.token_scope,  # it counts for the same quota
        )
        await self._schedules.save([draft], events=[event])

    async def _message(self, reminder: Reminder) -> Message:
        row = await self._store.get(reminder.schedule_id)
        action = None if row is None else decode_action(row.action)
        if not isinstance(action, Message):
            raise NotFoundError(f"the reminder of run {reminder.run_id!r} is gone")
        return action

    def _reply(
        self,
        user: User,
        message: Message,
        response: Response,
        until: datetime | None,
        *,
        tag: str | None,
        denied: bool = False,
    ) -> str:
        spoken = words(tag)
        now = self._clock.now()
        zone = Zone.of(user.timezone or self._default_zone)
        if until is None:
            said = spoken.was_done if response is Response.ACK else spoken.was_dismissed
            return said.format(text=message.text)
        said = spoken.asks_again if denied else spoken.was_snoozed
        reply = said.format(text=message.text, moment=say_moment(until, zone, now, tag))
        quiet = quiet_until(user.quiet_from, user.quiet_to, zone, until, message.priority)
        if quiet is None:
            return reply
        return f"{reply}\n{spoken.in_quiet_hours.format(moment=say_moment(quiet, zone, now, tag))}"

    # messages that may be answers

    async def handle(
        self,
        user: User,
        channel: str,
        text: str | None,
        *,
        quoted: str | None = None,
        button: str | None = None,
        message_id: str | None = None,
    ) -> Handled:
        """Handle a message that came in, if it is an answer. The same message again changes nothing."""
        for name, value in (("channel", channel), ("quoted", quoted), ("message_id", message_id)):
            storable(value or "", name)
        if message_id is not None and await self._reminders.seen(channel, message_id):
            return Handled(consumed=True)
        with nullcontext() if is_anybody_acting() else acting_as(in_chat(user.id, channel)):
            handled = await self._understand(user, channel, text, quoted, button, message_id)
        if message_id is not None:
            await self._reminders.first_sight(channel, message_id, self._clock.now())
        return handled

    async def _understand(
        self,
        user: User,
        channel: str,
        text: str | None,
        quoted: str | None,
        button: str | None,
        message_id: str | None,
    ) -> Handled:
        if button is not None:
            press = read_button(button)
            meant = None if press is None else await self._reminders.by_token(press.token)
            if press is None or meant is None or meant.user_id != user.id:
                return _PASSED_ON
            said = GivenAnswer(response=press.response, minutes=press.minutes, channel=channel, message_id=message_id)
            return await self._count(user, meant, said)
        about = await self._meant(user, channel, quoted)
        if about is None or not text:
            return _PASSED_ON
        read = await self._read(user, text, channel, message_id)
        return _PASSED_ON if read is None else await self._count(user, about, read)

    async def _meant(self, user: User, channel: str, quoted: str | None) -> Reminder | None:
        """Find the reminder that is quoted, else the newest that waits.

        With an unknown quoted message, several reminders that wait leave open which is meant: None.
        """
        if quoted is not None:
            attempt = await self._reminders.by_message(channel, quoted)
            found = None if attempt is None else await self._reminders.get(attempt.run_id)
            if found is not None:
                return found if found.user_id == user.id else None
        pending = await self._waiting(user)
        return None if not pending or (quoted is not None and len(pending) > 1) else pending[0]

    async def _read(self, user: User, text: str, channel: str, message_id: str | None) -> GivenAnswer | None:
        """Read an answer in words; None when they are no answer, or name no possible time."""
        from duly.language.replies import ReplyKind, classify_reply  # late: buttons do not need the six languages

        reply: Reply | None = classify_reply(text, user.language)
        if reply is not None and reply.kind is ReplyKind.UNKNOWN:
            reply = None if self._classifier is None else await self._classifier(text, user.language)
        if reply is None or reply.kind is ReplyKind.UNKNOWN:
            return None
        until = None
        if reply.until is not None:
            with suppress(InvalidInputError):
                until = self._moment(user, reply.until)
            if until is None:
                return None
        return GivenAnswer(
            response=Response(reply.kind),
            minutes=reply.minutes if until is None else None,
            until=until,
            channel=channel,
            message_id=message_id,
            text=text,
            denied=reply.denied,
        )

    def read_snooze(self, user: User, text: str) -> tuple[int | None, datetime | None]:
        """Read for how many minutes or until when to snooze, from words such as `10m`, `until 6pm` or `tomorrow`."""
        from duly.language.replies import ReplyKind, classify_reply

        reply = classify_reply(text, user.language)
        if reply.kind is ReplyKind.UNKNOWN:
            reply = classify_reply(text)
        phrase = text.removeprefix("until ")
        language = None
        if reply.kind is ReplyKind.SNOOZE:
            if reply.until is None:
                return reply.minutes, None
            phrase = reply.until
            language = reply.lang
        try:
            until = self._moment(user, phrase, language)
        except InvalidInputError as error:
            raise InvalidInputError(f"a snooze takes a length or a time, such as 10m or until 6pm: {error}") from error
        if until is None:
            raise InvalidInputError(f"a snooze takes one moment, and {text!r} comes again and again")
        return None, until

    def _moment(self, user: User, phrase: str, language: str | None = None) -> datetime | None:
        """Read a moment in words; None when they name one that comes again and again."""
        from duly.phrases import parse

        zone = user.timezone or self._default_zone
        trigger = parse(phrase, now=self._clock.now(), tz=zone, lang=language, prefer=user.language).trigger
        return trigger.at if isinstance(trigger, Once) else None

    async def _count(self, user: User, reminder: Reminder, said: GivenAnswer) -> Handled:
        if said.denied and reminder.status is ReminderStatus.DELIVERED:
            return _PASSED_ON  # it asked nothing, so this no answers another question
        if said.denied and reminder.status is ReminderStatus.SNOOZED:
            message = await self._message(reminder)  # it is snoozed already, and a no does not change its time
            tag = answering_tag(user.language, said.text)
            reply = self._reply(user, message, Response.SNOOZE, reminder.wake_at, tag=tag, denied=True)
            return Handled(consumed=True, reply=reply)
        try:
            answered = await self.give(user, reminder, said)
        except InvalidInputError as error:  # over, not to be snoozed, or too far ahead: the person gets the reason
            return Handled(consumed=True, reply=str(error))
        return Handled(consumed=True, reply=answered.text, answered=answered)
