"""Conversations: take a message of a person in a chat, do what it asks for, and answer it.

First come answers to what was asked last: to a question that duly asked back, or to a reminder. Then come requests.
What is none of them is not consumed: an agent behind the chat may have it, and the reply says what duly would answer
without one.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from duly.errors import InvalidInputError, NotFoundError, PhraseError, QuotaError, StoreUnavailableError
from duly.language.requests import (
    IT,
    Cancel,
    Doubt,
    Help,
    LeaveOut,
    ListRequest,
    Move,
    Pause,
    Remind,
    Request,
    Resume,
    Sentence,
    UndoRequest,
    courtesy_in,
    is_no,
    is_yes,
    read_others,
)
from duly.language.requests.urgency import wanted_answers
from duly.phrases import Phrase
from duly.ports.codec import encode_trigger
from duly.recurrence import Once
from duly.service.access.audit import acting_as, in_chat, is_anybody_acting
from duly.service.access.scopes import Caller
from duly.service.chat.choosing import Choosing, is_about_it, is_weak, speaks_of_it
from duly.service.chat.doing import ChatActions, later_step, moving_step
from duly.service.chat.listing import list_answer, listed
from duly.service.chat.questions import (
    ChatOption,
    ChatQuestion,
    ChatQuestions,
    ChatStep,
    is_choice,
    read_choice,
)
from duly.service.chat.talk import ChatAnswer, Talk, talk_of
from duly.service.chat.topics import ChatTopics
from duly.service.reminders.replies import AskedBack, ChatMessage, Handled
from duly.service.reminders.timing import phrase_options
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.service.services import Services

_log = logging.getLogger("duly")


class Conversations:
    """Understands what people write in chats."""

    def __init__(self, services: Services) -> None:
        self._zone = services.process.zone
        self._clock = services.clock
        self._service = services.reminder_service
        self._topics = ChatTopics(services.store.reminders)
        self._actions = ChatActions(services, self._topics)
        self._choosing = Choosing(self._actions, self._topics)
        self._questions = ChatQuestions(services.store.reminders)

    async def handle(
        self,
        user_id: str,
        channel: str,
        text: str | None = None,
        *,
        quoted: str | None = None,
        button: str | None = None,
        message_id: str | None = None,
        chat: str = "",
        has_buttons: bool = False,
        is_last: bool = True,
        answers_only: bool = False,
        caller: Caller | None = None,
    ) -> Handled:
        """Handle a message or a press of a person.

        `chat` is the address of the chat, where a channel has several; `is_last` is False where an agent behind the
        chat reads what is not consumed: then nothing is asked back about messages that are no requests. `answers_only`
        is for what members of a group write to each other: answers to reminders count, requests do not.
        """
        said = ChatMessage(channel=channel, text=text, quoted=quoted, button=button, message_id=message_id)
        user = (await self._service.people.get(user_id)).user
        zone = Zone.of(user.timezone or self._zone)
        talk = talk_of(user, channel, text or "", chat, self._clock.now(), zone, caller)
        talk = replace(talk, answer_to=quoted, has_buttons=has_buttons, is_last=is_last)
        handle = self._answer_only if answers_only else self._understood
        return await self._service.replies.once(said, lambda: handle(talk, said))

    async def _understood(self, talk: Talk, said: ChatMessage) -> Handled:
        """Take a message for an answer to what was asked last, for one to a reminder, or for a request."""
        with nullcontext() if is_anybody_acting() else acting_as(in_chat(talk.user.id, said.channel)):
            handled = await self._answered(talk, said.button)
            if handled is None and said.button is None and await self._choosing.speaks_of_last(talk):
                return await self._asked(talk, said)  # "cancel it", and not the reminder that waits longer
            if handled is None:
                handled = await self._service.replies.answer(talk.user, said)
            if handled.asks is not None:
                return await self._asks_back(talk, handled.asks)
            if not handled.consumed and said.button is None:
                handled = await self._asked(talk, said)
            return handled

    async def _answer_only(self, talk: Talk, said: ChatMessage) -> Handled:
        """Take a message for an answer to a reminder, or to a question about one, and for nothing else."""
        with nullcontext() if is_anybody_acting() else acting_as(in_chat(talk.user.id, said.channel)):
            question = await self._questions.open(talk.user.id, talk.place, talk.now)
            if said.button is not None or (question is not None and question.is_about_answer):
                handled = await self._answered(talk, said.button)
                if handled is not None:
                    return handled
            handled = await self._service.replies.answer(talk.user, said)
            return handled if handled.asks is None else await self._asks_back(talk, handled.asks)

    async def _asks_back(self, talk: Talk, asked: AskedBack) -> Handled:
        """Ask which reminder an answer is for, or whether it is meant as one."""
        talk = talk.read_as(asked.lang)
        return await self._guarded(talk, lambda: _asked_back(talk.about_answer(asked)))

    async def offers(self, user_id: str, channel: str, chat: str, number: int) -> bool:
        """Tell whether a number is one of the answers to the open question of a chat."""
        question = await self._questions.open(user_id, f"{channel}/{chat}", self._clock.now())
        return question is not None and 1 <= number <= len(question.options)

    async def note_sent(self, user_id: str, channel: str, chat: str, handled: Handled, message_id: str | None) -> None:
        """Note which message asks the question of a reply."""
        if handled.question is not None and message_id is not None:
            place = f"{channel}/{chat}"
            await self._questions.note_sent(user_id, place, handled.question, message_id, self._clock.now())

    # answers to a question that was asked back

    async def _answered(self, talk: Talk, button: str | None) -> Handled | None:
        """Take an answer to the open question of this chat; None when the message is none.

        A press of another question, or a text that quotes another message, is never an answer to it.
        """
        if button is not None and not is_choice(button):
            return None
        question = await self._questions.open(talk.user.id, talk.place, talk.now)
        if question is not None and talk.tag is None:
            talk = replace(talk, tag=question.tag)
        if button is not None:
            press = read_choice(button)
            if question is None or press is None or press[0] != question.id:
                return Handled(consumed=True, reply=talk.texts.question_over)
            return await self._chosen(talk, question, press[1])
        if question is None or not talk.text or talk.answer_to not in (None, question.message_id):
            return None
        number = talk.text.strip(" .)#!")
        if question.options and number.isdecimal() and len(number) < 3:
            return await self._chosen(talk, question, int(number))
        if talk.answer_to is None and await self._came_after(talk, question):
            return None  # words answer what was asked last
        return await self._answered_in_words(talk, question)

    async def _is_asking(self, talk: Talk) -> bool:
        """Tell whether a question is open in this chat."""
        return await self._questions.open(talk.user.id, talk.place, talk.now) is not None

    async def _came_after(self, talk: Talk, question: ChatQuestion) -> bool:
        """Tell whether a reminder that waits for an answer was sent after a question."""
        sent = [each.last_sent_at for each in await self._service.pending(talk.user.id)]
        return any(at is not None and at > question.asked_at for at in sent)

    async def _answered_in_words(self, talk: Talk, question: ChatQuestion) -> Handled | None:
        language = talk.user.language
        if question.wants_time is not None:
            phrase = talk.time(talk.text)
            if phrase is not None:
                wanted = question.wants_time
                await self._questions.close(talk.user.id, talk.place)
                return await self._guarded(talk, lambda: self._at(talk, wanted, phrase))
        if is_yes(talk.text, language):
            if question.is_yes_or_no:
                return await self._performed(talk, question.options[0].step)
            return Handled(consumed=True, reply=self._once_more(talk, question))
        if (named := question.named(talk.text)) is not None:
            return await self._performed(talk, named.step)
        if is_no(talk.text, language) or is_about_it(talk.request()):
            return await self._performed(talk, ChatStep(do="nothing"))
        return None

    def _once_more(self, talk: Talk, question: ChatQuestion) -> str:
        """Say what a question wants to know, after a yes that does not answer it. (It answers no reminder either.)"""
        if question.wants_time is not None:
            return talk.texts.asks_when.format(text=question.wants_time.text)
        return talk.texts.answer_number

    async def _chosen(self, talk: Talk, question: ChatQuestion, number: int) -> Handled | None:
        if not 1 <= number <= len(question.options):
            return None
        return await self._performed(talk, question.options[number - 1].step)

    async def _performed(self, talk: Talk, step: ChatStep) -> Handled:
        await self._questions.close(talk.user.id, talk.place)
        return await self._guarded(talk, lambda: self._perform(talk, step))

    async def _perform(self, talk: Talk, step: ChatStep) -> ChatAnswer:
        return ChatAnswer(text=await self._actions.perform(talk, step))

    # requests

    async def _asked(self, talk: Talk, said: ChatMessage) -> Handled:
        """Carry out a request; a message that is none is not consumed, and the reply says what was understood."""
        wants = wanted_answers(talk.text)
        if wants is not None:
            return Handled(consumed=True, reply=await self._actions.set_wants_answer(talk, wants))
        others = read_others(talk.asked, talk.user.language)
        if others is not None:
            talk = talk.read_as(others.lang)
            found = await self._actions.for_others(talk, others)
            if isinstance(found, str):
                return Handled(consumed=True, reply=found)
            if found is not None:
                return await self._guarded(talk, lambda: self._remind(talk, *found))
        request = talk.request()
        if talk.answer_to is not None and speaks_of_it(request) and await self._is_asking(talk):
            # It is about the message that is quoted: that ends no question about something else.
            return Handled(consumed=False, reply=f"{talk.texts.not_understood}\n{talk.texts.example}")
        if is_weak(request, talk) and not await self._choosing.meant(talk, request.target or IT):
            request = None  # make dinner for seven
        if request is None:
            return await self._not_understood(talk, said)
        talk = talk.read_as(request.lang)
        return await self._guarded(talk, lambda: self._answer(talk, request))

    async def _guarded(self, talk: Talk, answer: Callable[[], Awaitable[ChatAnswer]]) -> Handled:
        """Answer, and turn what goes wrong into words of the person's language."""
        texts = talk.texts
        try:
            said = await answer()
        except QuotaError as error:
            return Handled(consumed=True, reply=talk.over_quota(error))
        except PhraseError:  # a change of a reminder cannot hold all that the words say
            return Handled(consumed=True, reply=f"{texts.not_understood}\n{texts.example}")
        except OverflowError:
            return Handled(consumed=True, reply=texts.time_passed)
        except StoreUnavailableError:
            raise
        except (InvalidInputError, NotFoundError) as error:
            _log.info("a request on %s was refused: %s", talk.channel, error)
            return Handled(consumed=True, reply=texts.went_wrong)
        if said.question is None:
            # What was asked before is not what was said last.
            await self._questions.close(talk.user.id, talk.place)
            return Handled(consumed=True, reply=said.text)
        await self._topics.note(talk, [])  # nor is what was spoken of before a question
        await self._questions.ask(talk.user.id, talk.place, replace(said.question, tag=talk.tag))
        return Handled(consumed=True, reply=said.text, buttons=said.question.buttons(), question=said.question.id)

    async def _answer(self, talk: Talk, request: Request) -> ChatAnswer:
        texts = talk.texts
        match request:
            case Help():
                return ChatAnswer(text=texts.help)
            case UndoRequest():
                return ChatAnswer(text=await self._actions.undo(talk))
            case ListRequest():
                return await self._list(talk, request)
            case Remind():
                return await self._remind(talk, ChatStep(do="remind", text=request.text, original=talk.text), request)
        return await self._change(talk, request)

    async def _list(self, talk: Talk, request: ListRequest) -> ChatAnswer:
        reminders = await self._actions.all_of(talk)
        await self._topics.note(talk, [each.id for each in listed(talk, request, reminders)])
        return ChatAnswer(text=list_answer(talk, request, reminders))

    async def _change(self, talk: Talk, request: Request) -> ChatAnswer:
        """Do something to one reminder, or to all."""
        match request:
            case Move():
                return await self._move(talk, request)
            case Cancel(target=None):
                return ChatAnswer(text=talk.texts.removes_one)
            case Cancel(target=str(target)):
                return await self._choosing.on_target(
                    talk, target, lambda each: ChatStep(do="cancel", schedule_id=each.id)
                )
            case LeaveOut(target=target, day=day):
                skip = ChatStep(do="skip", until=None if day is None else day.isoformat())
                return await self._choosing.on_target(talk, target, lambda each: replace(skip, schedule_id=each.id))
            case Pause(target=None, until=until):
                return await self._pause_all(talk, until)
            case Pause(target=str(target), until=until):
                step = ChatStep(do="pause", until=None if until is None else until.isoformat(), original=talk.text)
                return await self._choosing.on_target(talk, target, lambda each: replace(step, schedule_id=each.id))
            case Resume(target=None):
                return ChatAnswer(text=await self._actions.resume(talk, await self._actions.all_of(talk)))
            case Resume(target=str(target)):
                return await self._choosing.on_target(
                    talk, target, lambda each: ChatStep(do="resume", schedule_id=each.id)
                )
        raise InvalidInputError(f"{type(request).__name__} is not known")

    async def _remind(self, talk: Talk, step: ChatStep, request: Remind) -> ChatAnswer:
        texts = talk.texts
        if request.doubt is not None and (asked := talk.meanings(request.doubt, step)) is not None:
            return asked
        if request.phrase is None:
            return talk.asks_time(request.doubt, step)
        if not request.text:
            return ChatAnswer(text=texts.asks_what.format(moment=talk.said(request.phrase)))
        return await self._at(talk, step, request.phrase)

    async def _at(self, talk: Talk, step: ChatStep, phrase: Phrase) -> ChatAnswer:
        """Carry out a step at the time of a phrase; ask which time is meant where it can be read in two ways.

        A channel without buttons gets the first reading, and the answer names the other.
        """
        if step.do == "remind":
            step = replace(step, options=phrase_options(phrase))
        else:
            phrase.without_company()
        readings = [phrase] if phrase.other is None else [phrase, phrase.other]
        steps = [replace(step, trigger=encode_trigger(each.trigger)) for each in readings]
        if len(steps) > 1 and talk.has_buttons:
            options = tuple(
                ChatOption(label=talk.said(each), step=made) for each, made in zip(readings, steps, strict=True)
            )
            return talk.choice(talk.texts.asks_reading.format(text=step.text), options)
        said = await self._actions.perform(talk, steps[0])
        if len(readings) > 1:
            said += f"\n{talk.texts.took_first.format(moment=talk.said(readings[1]), text=step.text)}"
        return ChatAnswer(text=said)

    async def _pause_all(self, talk: Talk, until: datetime | None) -> ChatAnswer:
        running = [each for each in await self._actions.all_of(talk) if each.enabled or each.only_waits]
        if not running:
            return ChatAnswer(text=talk.texts.none_yet)
        end = None if until is None else talk.pause_end(until, talk.text)
        return ChatAnswer(text=await self._actions.pause(talk, running, end))

    async def _move(self, talk: Talk, request: Move) -> ChatAnswer:
        phrase = request.phrase
        found = await self._choosing.meant(talk, request.target)
        if phrase is None:
            return await self._choosing.on_target(talk, request.target, lambda each: later_step(talk, request, each))
        if len(found) == 1 and phrase.other is not None and not request.clock_only:
            return await self._at(talk, ChatStep(do="move", schedule_id=found[0].id, text=found[0].shown), phrase)
        phrase.without_company()
        return await self._choosing.on_target(
            talk, request.target, lambda each: moving_step(talk, request, phrase, each)
        )

    # what is no request

    async def _not_understood(self, talk: Talk, message: ChatMessage) -> Handled:
        """Say what was understood, and an example; offer a reminder for a text with a time."""
        polite = None if is_no(talk.text, talk.user.language) else courtesy_in(talk.text, talk.user.language)
        if polite is not None:  # "no" is one in Croatian
            return Handled(consumed=False, reply=talk.read_as(polite).texts.courtesy)
        said = talk.sentence()
        if isinstance(said, Doubt) and talk.is_last:
            read = talk.read_as(said.lang)
            if (asked := read.meanings(said, ChatStep(do="remind", original=talk.text))) is not None:
                return await self._guarded(read, lambda: _asked_back(asked))
        if isinstance(said, Sentence) and talk.is_last:
            talk = talk.read_as(said.phrase.lang)
            return await self._guarded(talk, lambda: _asked_back(talk.offer(said.text, said.phrase)))
        phrase = talk.time(talk.text) if talk.text else None
        talk = talk if phrase is None else talk.read_as(phrase.lang)
        texts = talk.texts
        if phrase is not None and isinstance(phrase.trigger, Once) and phrase.other is None and talk.is_last:
            put_off = await self._service.replies.put_off(talk.user, message, phrase.trigger.at, phrase.lang)
            if put_off.asks is not None:
                return await self._asks_back(talk, put_off.asks)
            if put_off.consumed:
                return put_off
        if phrase is not None:
            first = texts.understood_time.format(moment=talk.said(phrase))
        else:
            reason = talk.why_no_time(talk.text) if talk.text else None
            is_long = isinstance(said, Doubt) and said.fault == "long"
            first = texts.too_long if is_long else reason or texts.not_understood
        return Handled(consumed=False, reply=f"{first}\n{texts.example}")


async def _asked_back(answer: ChatAnswer) -> ChatAnswer:
    """Ask what was put together already."""
    return answer
