"""Read the messages of people that may be answers to reminders: by button, by quoting, or in words.

Buttons and quotes say which reminder is meant. Words mean the one that waits, or of several the one that they name;
otherwise it is asked which, and so is a claim that may be about something else. A message that is not understood as a
whole changes nothing and is passed on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from duly.clock import Clock
from duly.delivery.messages import Press, read_button
from duly.errors import InvalidInputError, SnoozeRangeError
from duly.language.spoken import answering_tag, spoken
from duly.model.action import Priority
from duly.model.reminder import AttemptKind, ReminderStatus, Response
from duly.planning.presets import Preset, read_day_parts, snoozed_until
from duly.planning.reach import MAX_AHEAD, MAX_MINUTES
from duly.ports.channels import Button
from duly.ports.people import User
from duly.ports.reminders import Reminder, Reminders
from duly.recurrence import Once
from duly.service.access.audit import acting_as, in_chat, is_anybody_acting
from duly.service.reminders.admins import is_taken_late
from duly.service.reminders.answers import Answered, Answers, GivenAnswer
from duly.service.reminders.choosing import Candidates, ReadAnswer
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAnswer:
    """An answer that counts once the person says that it is meant."""

    reminder: Reminder
    text: str
    """Of the reminder."""
    given: GivenAnswer
    doubt: str | None = None
    """`done` or `skip`: what to ask about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedBack:
    """What to ask after an answer: which of several reminders is meant, or whether the only one is."""

    options: tuple[AskedAnswer, ...]
    lang: str | None = None
    """The language in which the answer was read."""


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
    asks: AskedBack | None = None
    """What has to be asked before the message can count; without a chat that can ask, it is passed on."""


_PASSED_ON = Handled(consumed=False)
_DONE_SIGNS = frozenset("👍✅✔☑")
_NO_QUESTIONS = (AttemptKind.NOTICE, AttemptKind.DIGEST)
_VARIANTS = frozenset("\ufe0e\ufe0f🏻🏼🏽🏾🏿")
"""How a sign is drawn, and the colour of a hand."""
_ANSWERABLE = frozenset(
    {ReminderStatus.SENDING, ReminderStatus.AWAITING_ACK, ReminderStatus.SNOOZED, ReminderStatus.DELIVERED}
)


def _late_doubt(read: ReadAnswer, now: datetime, *, is_quoted: bool) -> str | None:
    """Doubt consent to a reminder that was given up: hours later an "ok" may be about something else."""
    is_bare = read.reply.kind == "ack" and not read.reply.claimed
    return "done" if is_bare and not is_quoted and is_taken_late(read.reminder, now) else None


def _settled(reply: Reply, doubt: str | None) -> Reply:
    """Give what a doubtful reply means if the person says yes to the question."""
    from duly.language.replies import ReplyKind

    if doubt is None:
        return reply
    return replace(reply, kind=ReplyKind.ACK if doubt == "done" else ReplyKind.DISMISS, doubt=None)


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
        self._candidates = Candidates(answers, default_zone)
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
            return await self._in_words(user, said, said.text) if said.text else _PASSED_ON

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
        quoted = None if said.quoted is None else await self._quoted(user, said)
        if said.quoted is not None:
            active = [] if quoted is None else [quoted]
        else:
            active = await self._candidates.active(user)
        waiting = [each for each in active if each.status in (ReminderStatus.SENDING, ReminderStatus.AWAITING_ACK)]
        snooze = GivenAnswer(
            response=Response.SNOOZE,
            until=until,
            channel=said.channel,
            message_id=said.message_id,
            text=said.text,
            lang=lang,
        )
        if len(waiting) > 1:
            messages = [await self._answers.message_of(each) for each in waiting]
            options = [
                AskedAnswer(reminder=each, text=message.text, given=snooze)
                for each, message in zip(waiting, messages, strict=True)
            ]
            return Handled(consumed=False, asks=AskedBack(options=tuple(options), lang=lang))
        return await self._count(user, waiting[0], snooze) if waiting else _PASSED_ON

    async def _quoted(self, user: User, said: ChatMessage) -> Reminder | None:
        """Find the reminder that a message quotes. Words about any other message answer no reminder."""
        attempt = None if said.quoted is None else await self._reminders.by_message(said.channel, said.quoted)
        if attempt is None or attempt.kind in _NO_QUESTIONS:
            return None
        return await self._reminders.get(attempt.run_id, user.id)

    async def _in_words(self, user: User, said: ChatMessage, text: str) -> Handled:
        """Count words as an answer; ask where they do not say to which reminder, or may claim something else."""
        quoted = await self._quoted(user, said)
        if said.quoted is not None and quoted is None:
            return _PASSED_ON
        now = self._clock.now()
        found = await self._candidates.read(user, text, quoted, now)
        if not found:
            return await self._classified(user, said, text, quoted)
        options: list[AskedAnswer] = []
        for each in found:
            doubt = each.reply.doubt or _late_doubt(each, now, is_quoted=quoted is not None)
            given = self._given(user, said, text, _settled(each.reply, doubt))
            if given is None:
                continue
            option = AskedAnswer(reminder=each.reminder, text=each.message.text, given=given, doubt=doubt)
            if doubt is None and len(found) == 1:
                return await self._count(user, each.reminder, given)
            if doubt == "skip" and each.message.priority is Priority.CRITICAL:
                await self._answers.tell_unwilling(user, each.message, text)
            options.append(option)
        if not options:
            return _PASSED_ON
        return Handled(consumed=False, asks=AskedBack(options=tuple(options), lang=options[0].given.lang))

    async def _classified(self, user: User, said: ChatMessage, text: str, quoted: Reminder | None) -> Handled:
        """Have the classifier read what is not understood, if there is one and it is clear which reminder is meant."""
        active = [quoted] if quoted is not None else await self._candidates.active(user)
        if self._classifier is None or not active:
            return _PASSED_ON
        reply = await self._classifier(text, user.language)
        given = None if reply is None else self._given(user, said, text, reply)
        if given is None:
            return _PASSED_ON
        if len(active) == 1:
            return await self._count(user, active[0], given)
        texts = [(await self._answers.message_of(each)).text for each in active]
        options = [AskedAnswer(reminder=one, text=text, given=given) for one, text in zip(active, texts, strict=True)]
        return Handled(consumed=False, asks=AskedBack(options=tuple(options), lang=given.lang))

    def _given(self, user: User, said: ChatMessage, text: str, reply: Reply) -> GivenAnswer | None:
        """Make an answer of a reply; None when it is none, or names no possible time."""
        if reply.kind == "unknown":
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

    async def give(self, user: User, run_id: str, given: GivenAnswer) -> Handled:
        """Count an answer after it was asked back which reminder it is for, or whether that is done."""
        reminder = await self._reminders.get(run_id, user.id)
        if reminder is None:
            return Handled(consumed=True, reply=spoken(user.language).chat.question_over)
        return await self._count(user, reminder, given)

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
        if said.denied and reminder.status in (ReminderStatus.DELIVERED, ReminderStatus.UNACKED):
            return _PASSED_ON  # it asks nothing, or no more, so this no answers another question
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
