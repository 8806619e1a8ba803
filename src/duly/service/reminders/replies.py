"""Read the messages of people that may be answers to reminders: by button, by quoting, or in words.

Buttons and quotes say which reminder is meant. Words alone mean the newest that waits, and the reply says which one
that was. A message that is not understood as a whole changes nothing and is passed on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from duly.clock import Clock
from duly.delivery.messages import Press, read_button
from duly.errors import InvalidInputError, SnoozeRangeError
from duly.language.spoken import answering_tag, spoken
from duly.model.reminder import AttemptKind, ReminderStatus, Response
from duly.planning.presets import Preset, read_day_parts, snoozed_until
from duly.planning.reach import MAX_AHEAD, MAX_MINUTES
from duly.ports.channels import Button
from duly.ports.people import User
from duly.ports.reminders import Reminder, Reminders
from duly.recurrence import Once
from duly.service.access.audit import acting_as, in_chat, is_anybody_acting
from duly.service.reminders.answers import Answered, Answers, GivenAnswer
from duly.service.reminders.requests import day_parts_of
from duly.service.schedules.values import storable
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.language.replies import Reply

Classifier = Callable[[str, str | None], Awaitable["Reply | None"]]
"""Called with a text and its language when `classify_reply` does not understand it; None when it does not either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """What a person wrote or pressed in a chat."""

    channel: str
    text: str | None = None
    quoted: str | None = None
    """The message that it is about."""
    button: str | None = None
    message_id: str | None = None
    reaction: str | None = None
    """A sign that was given to the quoted message."""

    def __post_init__(self) -> None:
        for name in ("channel", "quoted", "message_id"):
            storable(getattr(self, name) or "", name)


@dataclass(frozen=True, slots=True)
class Handled:
    """The result of a message that came in."""

    consumed: bool
    """False: it was not understood, and is passed on."""
    reply: str | None = None
    answered: Answered | None = None
    closes: bool = True
    """False: the reply is only for the sender, and the buttons stay for the person they are meant for."""
    buttons: tuple[Button, ...] = ()
    """Of a reply that asks back."""
    question: str | None = None
    """The id of what the reply asks."""


_PASSED_ON = Handled(consumed=False)
_DONE_SIGNS = frozenset("👍✅✔☑")
_NO_QUESTIONS = (AttemptKind.NOTICE, AttemptKind.DIGEST)
_VARIANTS = frozenset("\ufe0e\ufe0f🏻🏼🏽🏾🏿")
"""How a sign is drawn, and the colour of a hand."""
_ANSWERABLE = frozenset(
    {ReminderStatus.SENDING, ReminderStatus.AWAITING_ACK, ReminderStatus.SNOOZED, ReminderStatus.DELIVERED}
)


class ReplyReader:
    """Finds out whether a message is an answer, to which reminder, and hands it to `Answers`."""

    def __init__(
        self,
        answers: Answers,
        reminders: Reminders,
        clock: Clock,
        default_zone: str,
        classifier: Classifier | None = None,
    ) -> None:
        self._answers = answers
        self._reminders = reminders
        self._clock = clock
        self._default_zone = default_zone
        self._classifier = classifier

    async def once(self, said: ChatMessage, handle: Callable[[], Awaitable[Handled]]) -> Handled:
        """Handle a message, unless it was handled before.

        It is remembered only afterwards: what is remembered too early is lost with the process.
        """
        if said.message_id is None:
            return await handle()
        if await self._reminders.seen(said.channel, said.message_id):
            return Handled(consumed=True)
        handled = await handle()
        await self._reminders.first_sight(said.channel, said.message_id, self._clock.now())
        return handled

    async def answer(self, user: User, said: ChatMessage) -> Handled:
        """Count a message as an answer, if it is one. A reaction answers only the message that it was given to."""
        with nullcontext() if is_anybody_acting() else acting_as(in_chat(user.id, said.channel)):
            if said.reaction is not None:
                return await self._react(user, said, said.reaction)
            if said.button is not None:
                return await self._press(user, said, said.button)
            about = await self._meant(user, said)
            if about is None or not said.text:
                return _PASSED_ON
            read = await self._read(user, said, said.text)
            return _PASSED_ON if read is None else await self._count(user, about, read)

    async def _press(self, user: User, said: ChatMessage, button: str) -> Handled:
        press = read_button(button)
        meant = None if press is None else await self._reminders.by_token(press.token)
        if press is None or meant is None or meant.user_id != user.id:
            return _PASSED_ON
        return await self._count(user, meant, self._pressed(user, said, press))

    def _pressed(self, user: User, said: ChatMessage, press: Press) -> GivenAnswer:
        until = None
        if press.part is not None:
            zone = Zone.of(user.timezone or self._default_zone)
            until = snoozed_until(Preset(part=press.part), self._clock.now(), zone, read_day_parts(user.day_parts))
        return GivenAnswer(
            response=press.response,
            minutes=press.minutes,
            until=until,
            channel=said.channel,
            message_id=said.message_id,
        )

    async def _react(self, user: User, said: ChatMessage, reaction: str) -> Handled:
        """Count a reaction that says done, for the reminder of the message it was given to; all others say nothing."""
        sign = "".join(each for each in reaction if each not in _VARIANTS)
        attempt = None if said.quoted is None else await self._reminders.by_message(said.channel, said.quoted)
        if sign not in _DONE_SIGNS or attempt is None or attempt.kind in (AttemptKind.ESCALATION, *_NO_QUESTIONS):
            return _PASSED_ON
        found = await self._reminders.get(attempt.run_id, user.id) if attempt.user_id == user.id else None
        if found is None or found.status not in _ANSWERABLE:
            return _PASSED_ON
        done = GivenAnswer(response=Response.ACK, channel=said.channel, message_id=said.message_id, text=reaction)
        return await self._count(user, found, done)

    async def put_off(self, user: User, said: ChatMessage, until: datetime, lang: str | None = None) -> Handled:
        """Take a message that is nothing but a moment for a snooze of the reminder that waits, if one does."""
        about = await self._meant(user, said)
        if about is None or about.status not in (ReminderStatus.SENDING, ReminderStatus.AWAITING_ACK):
            return _PASSED_ON
        snooze = GivenAnswer(
            response=Response.SNOOZE,
            until=until,
            channel=said.channel,
            message_id=said.message_id,
            text=said.text,
            lang=lang,
        )
        return await self._count(user, about, snooze)

    async def _meant(self, user: User, said: ChatMessage) -> Reminder | None:
        """Find the reminder that is quoted, else the newest that waits.

        Words about another message answer no reminder, not even the only one that waits.
        """
        if said.quoted is not None:
            attempt = await self._reminders.by_message(said.channel, said.quoted)
            if attempt is None or attempt.kind in _NO_QUESTIONS:
                return None
            return await self._reminders.get(attempt.run_id, user.id)
        # A copy in the inbox has not been in any chat: words written there are about another message.
        pending = [each for each in await self._answers.waiting(user) if each.last_sent_at is not None]
        return pending[0] if pending else None

    async def _read(self, user: User, said: ChatMessage, text: str) -> GivenAnswer | None:
        """Read an answer in words; None when they are no answer, or name no possible time."""
        from duly.language.replies import ReplyKind, classify_reply  # late: buttons do not need the six languages

        reply: Reply | None = classify_reply(text, user.language)
        if reply is not None and reply.kind is ReplyKind.UNKNOWN:
            reply = None if self._classifier is None else await self._classifier(text, user.language)
        if reply is None or reply.kind is ReplyKind.UNKNOWN:
            return None
        until = None
        if reply.minutes is not None and reply.minutes > MAX_MINUTES:
            until = self._clock.now() + timedelta(minutes=reply.minutes)
        if reply.until is not None:
            with suppress(InvalidInputError):
                until = self._moment(user, reply.until, reply.lang)
            if until is None:
                return None
        return GivenAnswer(
            response=Response(reply.kind),
            minutes=reply.minutes if until is None else None,
            until=until,
            channel=said.channel,
            message_id=said.message_id,
            text=text,
            lang=reply.lang,
            denied=reply.denied,
        )

    def read_snooze(self, user: User, text: str) -> tuple[int | None, datetime | None]:
        """Read for how many minutes or until when to snooze, from words such as `10m`, `until 6pm` or `tomorrow`."""
        from duly.language.replies import ReplyKind, classify_reply

        reply = classify_reply(text, user.language)
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
        now = self._clock.now()
        said = parse(phrase, now=now, tz=zone, lang=language, prefer=user.language, day_parts=day_parts_of(user))
        trigger = said.trigger
        return trigger.at if isinstance(trigger, Once) else None

    async def _count(self, user: User, reminder: Reminder, said: GivenAnswer) -> Handled:
        if said.denied and reminder.status is ReminderStatus.DELIVERED:
            return _PASSED_ON  # it asked nothing, so this no answers another question
        if said.denied and reminder.status is ReminderStatus.SNOOZED:
            message = await self._answers.message_of(
                reminder
            )  # it is snoozed already, and a no does not change its time
            tag = answering_tag(user.language, said.text, said.lang)
            reply = self._answers.reply(user, message, Response.SNOOZE, reminder.wake_at, tag=tag, denied=True)
            return Handled(consumed=True, reply=reply)
        try:
            answered = await self._answers.give(user, reminder, said, in_person=True)
        except SnoozeRangeError as error:
            texts = spoken(answering_tag(user.language, said.text, said.lang)).chat
            ahead = error.until > self._clock.now()
            reply = texts.snooze_too_far.format(days=MAX_AHEAD.days) if ahead else texts.time_passed
            return Handled(consumed=True, reply=reply)
        except InvalidInputError as error:  # over, or not to be snoozed: the person gets the reason
            return Handled(consumed=True, reply=str(error))
        return Handled(consumed=True, reply=answered.text, answered=answered)
