"""One message of a person in a chat, with all that its answer depends on, and how the answer says times."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, datetime

from duly.errors import InvalidInputError, PhraseError, QuotaError
from duly.language.languages import LANGUAGES, code_of
from duly.language.requests import Doubt, Pause, Request, Sentence, read_request, read_sentence
from duly.language.requests.urgency import without_urgency
from duly.language.spoken import answering_tag, spoken
from duly.language.spoken.form import ChatTexts
from duly.language.spoken.moments import say_length, say_moment
from duly.language.spoken.script import to_cyrillic
from duly.language.voice import voice
from duly.model.trigger import Trigger
from duly.phrases import DayParts, Phrase, parse
from duly.planning.presets import read_day_parts
from duly.ports.codec import encode_trigger
from duly.ports.people import LOCAL_USER, User
from duly.recurrence import Once
from duly.service.access.scopes import Caller, Face, Scope
from duly.service.chat.pausing import PauseEnd
from duly.service.chat.questions import ChatOption, ChatQuestion, ChatStep, answer_step, make_question
from duly.service.reminders.replies import AskedBack
from duly.service.reminders.requests import RequestContext
from duly.service.reminders.timing import company_note, phrase_options
from duly.service.reminders.views import trigger_in_words
from duly.service.schedules.fields import ReminderView
from duly.service.steps import undo_owner
from duly.zones import Zone

_MOST_OPTIONS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswer:
    """What duly answers."""

    text: str
    question: ChatQuestion | None = None
    """What it asks back."""


def talk_of(user: User, channel: str, text: str, chat: str, now: datetime, zone: Zone, caller: Caller | None) -> Talk:
    """Take a message of a person; without a caller, they speak for themselves."""
    own = Caller(
        scope=Scope("user", user.id),
        token_id=None if user.id == LOCAL_USER else undo_owner(user.id),
        face=Face.CHAT,
        user_id=user.id,
        called=user.name,
    )
    return Talk(
        user=user,
        caller=caller or own,
        channel=channel,
        place=f"{channel}/{chat}",
        text=text.strip(),
        now=now,
        zone=zone,
        tag=answering_tag(user.language, text),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A message of a person in a chat."""

    user: User
    caller: Caller
    channel: str
    place: str
    """The chat: questions are asked and answered in the same one."""
    text: str
    now: datetime
    zone: Zone
    tag: str | None
    """The language and alphabet of the answer."""
    has_buttons: bool = False
    is_last: bool = True
    """Whether no agent reads the message if duly does not understand it."""
    answer_to: str | None = None
    """The message of ours that the person quoted."""
    notes: list[str] = field(default_factory=list)
    """Lines that follow the answer."""

    # what was said

    @property
    def asked(self) -> str:
        """The message without what it says about how important it is."""
        return without_urgency(self.text).text

    def request(self) -> Request | None:
        """Read the message as a request; None when it is none. A note may also be meant for an agent behind duly."""
        return read_request(
            self.asked,
            now=self.now,
            zone=self.zone,
            prefer=self.user.language,
            day_parts=self.day_parts,
            notes=self.is_last,
        )

    def sentence(self) -> Sentence | Doubt | None:
        """Read the message as a text with a time; None when it is none."""
        return read_sentence(
            self.asked, now=self.now, zone=self.zone, prefer=self.user.language, day_parts=self.day_parts
        )

    def time(self, text: str, now: datetime | None = None, lang: str | None = None) -> Phrase | None:
        """Read words as a time, as if they were said now or at another moment; None when they are none."""
        prefer = self.user.language
        try:
            return parse(text, now=now or self.now, tz=self.zone, lang=lang, prefer=prefer, day_parts=self.day_parts)
        except (InvalidInputError, OverflowError):
            return None

    def why_no_time(self, text: str) -> str | None:
        """Say why words that are a time are refused; None when they are none."""
        try:
            parse(text, now=self.now, tz=self.zone, prefer=self.user.language, day_parts=self.day_parts)
        except PhraseError as error:
            return self.why(error.fault, text)
        except (InvalidInputError, OverflowError):
            return None
        return None

    def why(self, fault: str, missed: str) -> str | None:
        """Say why a time cannot be taken, in the language of the answer; None where its words are no time."""
        texts = self.texts
        reasons = {
            "past": texts.why_past,
            "deadline": texts.why_deadline,
            "doubtful": texts.why_doubtful,
            "impossible": texts.why_impossible,
            "often": texts.why_often,
        }
        return reasons[fault].format(text=missed) if fault in reasons else None

    def read_as(self, lang: str | None) -> Talk:
        """Answer in the language in which the message was read, unless the person has chosen one."""
        return replace(self, tag=answering_tag(self.user.language, self.text, lang))

    def pause_end(self, until: datetime, asked: str) -> PauseEnd:
        """Give the end of a pause that a message asked for: a day without a time of day counts from its beginning."""
        whole_day = replace(self.day_parts, morning="00:00")
        again = read_request(asked, now=self.now, zone=self.zone, prefer=self.user.language, day_parts=whole_day)
        day = again.until if isinstance(again, Pause) else None
        is_same = day is not None and self.zone.localize(day).date() == self.zone.localize(until).date()
        return PauseEnd(at=until, day=min(day, until) if day is not None and is_same else until)

    @property
    def day_parts(self) -> DayParts:
        """Where the parts of the day lie for the person."""
        return DayParts(**read_day_parts(self.user.day_parts))

    # how it is answered

    @property
    def texts(self) -> ChatTexts:
        """What duly says in the language of the answer."""
        return spoken(self.tag).chat

    def moment(self, at: datetime) -> str:
        """Say a moment so that it reads on from a sentence: "tomorrow at 09:00"."""
        return say_moment(at, self.zone, self.now, self.tag, names_today=True)

    def said(self, phrase: Phrase) -> str:
        """Say the time of a phrase."""
        return self.moment(phrase.trigger.at) if isinstance(phrase.trigger, Once) else self.rule(phrase.trigger)

    def choice(self, asks: str, options: tuple[ChatOption, ...], *, is_yes_or_no: bool = False) -> ChatAnswer:
        """Ask with a numbered list, and with buttons where the channel has them."""
        lines = [f"{number}. {option.label}" for number, option in enumerate(options, 1)]
        text = "\n".join([asks, *lines, self.texts.answer_number])
        return ChatAnswer(text=text, question=make_question(self.now, options, is_yes_or_no=is_yes_or_no))

    def meanings(self, doubt: Doubt, step: ChatStep) -> ChatAnswer | None:
        """Ask which of its readings a doubtful sentence means; None where it has none."""
        options = tuple(
            ChatOption(
                label=f"{self.said(each.phrase)}: {each.text}",
                step=replace(
                    step,
                    text=each.text,
                    trigger=encode_trigger(each.phrase.trigger),
                    options=phrase_options(each.phrase),
                ),
            )
            for each in doubt.readings
        )
        if not options:
            return None
        return self.choice("\n".join([*self._understood(doubt), self.texts.asks_meaning]), options)

    def _understood(self, doubt: Doubt) -> list[str]:
        """Say what of a sentence was not understood, and why."""
        if (reason := self.why(doubt.fault, doubt.missed)) is not None:
            return [reason]
        return [self.texts.not_read.format(text=doubt.missed)] if doubt.missed else []

    def asks_time(self, doubt: Doubt | None, step: ChatStep) -> ChatAnswer:
        """Ask for a time where none was said, or none that could be taken."""
        lines = [] if doubt is None else self._understood(doubt)
        asks = self.texts.asks_when.format(text=step.text)
        return ChatAnswer(text="\n".join([*lines, asks]), question=make_question(self.now, wants_time=step))

    def about_answer(self, asked: AskedBack) -> ChatAnswer:
        """Ask which reminder an answer is for; of a single one, whether it is done, or to be left out."""
        steps = [answer_step(each) for each in asked.options]
        if len(steps) > 1:
            options = [ChatOption(label=" ".join(each.text.split()), step=each) for each in steps[:_MOST_OPTIONS]]
            return self.choice(self.texts.asks_which, tuple(options))
        [only] = asked.options
        asks = self.texts.asks_skip if only.doubt == "skip" else self.texts.asks_done
        yes = ChatOption(label=self.texts.yes, step=steps[0])
        no = ChatOption(label=self.texts.no, step=ChatStep(do="nothing"))
        return self.choice(asks.format(text=only.text), (yes, no), is_yes_or_no=True)

    def offer(self, text: str, phrase: Phrase) -> ChatAnswer:
        """Ask whether to make a reminder."""
        texts = self.texts
        step = ChatStep(
            do="remind",
            text=text,
            trigger=encode_trigger(phrase.trigger),
            original=self.text,
            options=phrase_options(phrase),
        )
        options = (
            ChatOption(label=texts.yes, step=step),
            ChatOption(label=texts.no, step=ChatStep(do="nothing")),
        )
        asks = texts.offers.format(moment=self.said(phrase), zone=self.zone.name, text=text)
        return self.choice(asks, options, is_yes_or_no=True)

    def rule(self, trigger: Trigger) -> str:
        """Say how often a series comes."""
        context = RequestContext(now=self.now, zone=self.zone.name, language=self.tag)
        return self._in_script(trigger_in_words(trigger, context))

    def day(self, on: date) -> str:
        """Say a day as a heading: "On Friday, 20 November"."""
        names = voice(code_of(self.tag) or LANGUAGES[0])
        said = spoken(self.tag).dates.on_date.format(
            weekday=self._in_script(names.weekdays[on.weekday()]),
            day=names.day(on.day),
            month=self._in_script(names.months[on.month - 1]),
            year=on.year,
            at="",
        )
        said = said.strip(" ,")
        return said[:1].upper() + said[1:]

    def counted(self, count: int, forms: tuple[str, ...]) -> str:
        """Choose the form of a text for a count."""
        return voice(code_of(self.tag) or LANGUAGES[0]).counted(count, forms)

    def company(self, view: ReminderView) -> str:
        """Say what comes besides a reminder's own time, each on a line of its own."""
        said = company_note(view.lead_minutes, view.again_after_minutes, self.tag)
        return "" if said is None else f"\n{said}"

    def over_quota(self, error: QuotaError) -> str:
        """Say which limit of the person a request does not keep."""
        if error.least is not None:
            return self.texts.too_often.format(length=say_length(error.least, self.tag))
        return self.texts.too_long if error.quota == "size" else self.texts.too_many

    def _in_script(self, text: str) -> str:
        return to_cyrillic(text) if self.tag is not None and self.tag.lower().endswith("cyrl") else text
