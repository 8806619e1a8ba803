"""Questions that duly asks back in a chat: kept in the store until they are answered, replaced or an hour old.

A question belongs to one person and one chat. It is answered by its buttons, which carry its id, or by a number or a
word in the same chat that quotes no other message. Nothing else ends it: no other person, no other chat, no message
about something else.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from duly.language.replies.claims.lexicon import is_named
from duly.model.codec import Json, from_plain, to_plain
from duly.model.reminder import Response
from duly.ports.channels import Button, ButtonKind
from duly.ports.reminders import Reminders
from duly.service.reminders.answers import GivenAnswer
from duly.service.reminders.replies import AskedAnswer

LIFE = timedelta(hours=1)
_PREFIX = "choice:"
_LONGEST_LABEL = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatStep:
    """Something to do with one or more reminders, once it is clear what was meant."""

    do: str
    """`remind`, `move`, `cancel`, `skip`, `pause`, `resume`, `answer` or `nothing`."""
    schedule_id: str | None = None
    text: str = ""
    trigger: str | None = None
    """The new time, as the store writes triggers."""
    until: str | None = None
    original: str = ""
    """The message that asked for it."""
    people: tuple[str, ...] = ()
    """The ids of the people whom a new reminder is for; empty for the person who asks."""
    options: Json = field(default_factory=dict)
    """Options of a new reminder that the words named beside its time: "and an hour before"; or an answer and the run
    that it is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOption:
    """One of the answers to a question."""

    label: str
    step: ChatStep


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatQuestion:
    """A question that waits for an answer."""

    id: str
    options: tuple[ChatOption, ...] = ()
    """Empty for a question that wants a time."""
    wants_time: ChatStep | None = None
    """What is done at the time that the person says."""
    is_yes_or_no: bool = False
    expires_at: datetime
    message_id: str | None = None
    """The message of ours that asks it."""
    tag: str | None = None
    """The language in which it was asked."""

    @property
    def asked_at(self) -> datetime:
        return self.expires_at - LIFE

    @property
    def is_about_answer(self) -> bool:
        """Whether it asks about an answer to a reminder."""
        return any(option.step.do == "answer" for option in self.options)

    def named(self, text: str) -> ChatOption | None:
        """Find the reminder among several answers that a text names, if it names one."""
        if self.is_yes_or_no or not self.is_about_answer:
            return None
        found = [option for option in self.options if is_named(text, option.step.text)]
        return found[0] if len(found) == 1 else None

    def buttons(self) -> tuple[Button, ...]:
        """Make a button for each answer."""
        return tuple(
            Button(ButtonKind.CHOICE, option.label[:_LONGEST_LABEL], f"{_PREFIX}{self.id}:{number}")
            for number, option in enumerate(self.options, 1)
        )


def answer_step(asked: AskedAnswer) -> ChatStep:
    """Keep an answer to a reminder until it is clear that it is meant."""
    given = asked.given
    options = {
        "run": asked.reminder.run_id,
        "response": str(given.response),
        "minutes": given.minutes,
        "channel": given.channel,
        "lang": given.lang,
        "denied": given.denied,
    }
    until = None if given.until is None else given.until.isoformat()
    return ChatStep(do="answer", text=asked.text, until=until, original=given.text or "", options=options)


def kept_answer(step: ChatStep) -> tuple[str, GivenAnswer]:
    """Give the run and the answer that a step kept."""
    kept = step.options
    answer = GivenAnswer(
        response=Response(kept["response"]),
        minutes=kept["minutes"],
        until=None if step.until is None else datetime.fromisoformat(step.until),
        channel=kept["channel"],
        text=step.original,
        lang=kept["lang"],
        denied=kept["denied"],
    )
    return str(kept["run"]), answer


def is_choice(token: str) -> bool:
    """Tell whether a button belongs to a question of a chat."""
    return token.startswith(_PREFIX)


def read_choice(token: str) -> tuple[str, int] | None:
    """Read the question and the number of the answer from the token of a button."""
    question, _, number = token.removeprefix(_PREFIX).partition(":")
    return (question, int(number)) if number.isdecimal() and len(number) < 3 and is_choice(token) else None


class ChatQuestions:
    """The open questions of people, at most one in each chat."""

    def __init__(self, store: Reminders) -> None:
        self._store = store

    async def open(self, user_id: str, place: str, now: datetime) -> ChatQuestion | None:
        """Give the question that waits in a chat; None when there is none, or it is too old."""
        written = await self._store.cursor(_name(user_id, place))
        question = from_plain(ChatQuestion, json.loads(written), "question") if written else None
        return question if question is not None and now < question.expires_at else None

    async def ask(self, user_id: str, place: str, question: ChatQuestion) -> None:
        """Keep a question in the place of the one before it."""
        await self._store.set_cursor(_name(user_id, place), json.dumps(to_plain(question)))

    async def close(self, user_id: str, place: str) -> None:
        """Forget the question of a chat."""
        await self._store.set_cursor(_name(user_id, place), "")

    async def note_sent(self, user_id: str, place: str, question_id: str, message_id: str, now: datetime) -> None:
        """Note which message of ours asks the question, so that a reply that quotes it counts."""
        question = await self.open(user_id, place, now)
        if question is not None and question.id == question_id:
            await self.ask(user_id, place, replace(question, message_id=message_id))


def make_question(
    now: datetime,
    options: tuple[ChatOption, ...] = (),
    *,
    wants_time: ChatStep | None = None,
    is_yes_or_no: bool = False,
) -> ChatQuestion:
    """Make a question with an id that cannot be guessed."""
    return ChatQuestion(
        id=secrets.token_hex(8),
        options=options,
        wants_time=wants_time,
        is_yes_or_no=is_yes_or_no,
        expires_at=now + LIFE,
    )


def _name(user_id: str, place: str) -> str:
    return f"chat.question/{user_id}/{place}"
