"""Which of several reminders a message in words answers: the one that it names; if it names none, duly asks.

A claim is read against each reminder, for one that fits the pill does not fit the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from duly.model.action import Message
from duly.model.reminder import ReminderStatus
from duly.ports.codec import decode_trigger
from duly.ports.people import User
from duly.ports.reminders import Reminder
from duly.service.reminders.timing import base_of
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.language.replies import Reply
    from duly.model.trigger import Trigger
    from duly.service.reminders.answers import Answers

_SPANS = (timedelta(hours=1), timedelta(hours=25))
"""How far back the fire before is looked for: what lies further back makes no difference."""
_MOST_FIRES = 120


def chosen(readings: Sequence[Reply]) -> list[int]:
    """Give the places of the reminders that a message may answer, from its reading for each of those that wait.

    None: it answers no reminder. Several: it does not say which of them.
    """
    answers = [place for place, each in enumerate(readings) if each.kind != "unknown" or each.doubt is not None]
    named = [place for place in answers if readings[place].named]
    taken = [place for place in named if readings[place].doubt is None]
    return taken or named or (list(range(len(readings))) if answers else [])


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """A reminder that a message may answer, and what the message means for it."""

    reminder: Reminder
    message: Message
    reply: Reply


class Candidates:
    """Finds the reminders that words may answer, and reads the words against them."""

    def __init__(self, answers: Answers, default_zone: str) -> None:
        self._answers = answers
        self._default_zone = default_zone

    async def read(self, user: User, text: str, quoted: Reminder | None, now: datetime) -> list[ReadAnswer]:
        """Give the reminder that a message answers, or all that it may answer; none if it is no answer."""
        if quoted is not None:
            found = await self._read(user, text, [quoted], now)
            return [each for each in found if each.reply.kind != "unknown" or each.reply.doubt is not None]
        waiting = await self.waiting(user)
        late = await self._answers.late(user, now)
        active, put_off = _parted(waiting)
        asked = active or put_off
        others = await self._read(user, text, [*(put_off if active else []), *late], now)
        read = await self._read(user, text, asked, now)
        named = [each for each in [*read, *others] if each.reply.named and each.reply.doubt is None]
        if named:
            return [each for each in named if each.reminder in asked] or named
        if read:
            return [read[place] for place in chosen([each.reply for each in read])]
        unanswered = [each for each in others if _claims(each.reply)]
        return [unanswered[place] for place in chosen([each.reply for each in unanswered])]

    async def waiting(self, user: User) -> list[Reminder]:
        """List what waits for an answer to words in a chat; a copy in the inbox has not been in any chat."""
        return [each for each in await self._answers.waiting(user) if each.last_sent_at is not None]

    async def active(self, user: User) -> list[Reminder]:
        """List the reminders that words without a name are about: those that wait, else those that were put off."""
        active, put_off = _parted(await self.waiting(user))
        return active or put_off

    async def _read(self, user: User, text: str, reminders: Sequence[Reminder], now: datetime) -> list[ReadAnswer]:
        from duly.language.replies import classify_reply  # late: buttons do not need the languages

        zone = Zone.of(user.timezone or self._default_zone)
        found: list[ReadAnswer] = []
        for reminder in reminders:
            message, trigger = await self._answers.subject_of(reminder)
            fired, every = _fires(trigger, reminder.created_at)
            reply = classify_reply(
                text,
                user.language,
                about=f"{message.text}\n{message.ack_prompt or ''}",
                fired=zone.localize(fired),
                now=zone.localize(now),
                every=every,
            )
            found.append(ReadAnswer(reminder=reminder, message=message, reply=reply))
        return found


def _parted(waiting: Sequence[Reminder]) -> tuple[list[Reminder], list[Reminder]]:
    active = [each for each in waiting if each.status is not ReminderStatus.SNOOZED]
    return active, [each for each in waiting if each.status is ReminderStatus.SNOOZED]


def _claims(reply: Reply) -> bool:
    """Tell whether words may still be about a reminder that was not answered in time: a claim that it is done."""
    return reply.kind == "ack" or reply.doubt == "done"


def _fires(trigger: str, begun_at: datetime) -> tuple[datetime, timedelta | None]:
    """Give when a reminder that has begun fired, and how long after the time before it; None: longer than a day."""
    rule = base_of(decode_trigger(trigger))
    for span in _SPANS:
        times = _times(rule, begun_at - span, begun_at)
        if len(times) > 1:
            return (begun_at if len(times) == _MOST_FIRES else times[-1]), times[-1] - times[-2]
    return (times[-1] if times else begun_at), None


def _times(rule: Trigger, after: datetime, until: datetime) -> list[datetime]:
    found: list[datetime] = []
    at = rule.get_next_occurrence(after)
    while at is not None and at <= until and len(found) < _MOST_FIRES:
        found.append(at)
        at = rule.get_next_occurrence(at)
    return found
