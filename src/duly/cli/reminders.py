"""`duly remind`: make the reminders of people."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from math import ceil
from shlex import quote
from typing import TYPE_CHECKING, Any

from duly.cli.arguments import Parser, UsageError, add_person_arguments
from duly.cli.asking import AnyDuly, person_of, whose, with_duly
from duly.cli.free_names import create_under_free_name
from duly.cli.message_options import add_message_options, message_options, people
from duly.cli.output import as_json, in_how_long, on_clocks, one_line, warning_line
from duly.errors import PhraseError
from duly.language.languages import code_of
from duly.language.spoken import CYRILLIC, answering_tag, spoken
from duly.language.spoken.moments import say_moment
from duly.language.spoken.script import to_cyrillic
from duly.model.action import Message, Priority
from duly.operations.reminders import CreateReminder
from duly.ports.people import LOCAL_USER, namespace_of
from duly.recurrence import Once
from duly.service.people.use_cases import user_of
from duly.service.reminders.requests import RequestContext, day_parts_of
from duly.service.reminders.timing import (
    Addressee,
    company_note,
    delivery_note,
    doubt_note,
    joined_notes,
    phrase_options,
)
from duly.service.reminders.views import trigger_in_words
from duly.service.schedules.values import zone as zone_named
from duly.zones import Zone, iso

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.language.requests import Doubt
    from duly.model.trigger import Trigger
    from duly.phrases import DayParts, Phrase
    from duly.ports.people import User
    from duly.service.reminders.doubts import Meaning
    from duly.service.schedules.fields import ReminderView

_PAST = "that is in the past"
_SHOWN = 3
_EXAMPLE = 'duly remind "take medicine" in 5 minutes --ack'


class Reading:
    """A phrase that was understood."""

    def __init__(self, phrase: Phrase, user: User, now: datetime, written: str) -> None:
        """`written` is all that the person wrote: it is answered in its alphabet."""
        self._trigger = phrase.trigger
        self._zone = phrase.zone
        self._now = now
        self.tag = answering_tag(user.language, written, phrase.lang)
        self.in_english = code_of(self.tag) in (None, "en")

    @property
    def zone(self) -> str:
        return self._zone.name

    @property
    def words(self) -> str:
        """Describe the schedule in the person's language, else in that of the phrase."""
        context = RequestContext(now=self._now, zone=self.zone, language=self.tag)
        said = trigger_in_words(self._trigger, context)
        return to_cyrillic(said) if self.tag == CYRILLIC else said

    def moments(self, first: datetime | None) -> list[datetime]:
        """List the first runs, as many as are shown."""
        found: list[datetime] = []
        while first is not None and len(found) < _SHOWN:
            found.append(first)
            first = self._trigger.get_next_occurrence(first)
        return found

    def repeats(self, text: str, first: datetime | None, *, asks: bool = False, is_stored: bool = True) -> str:
        """Say what was understood: the text and its time, in the language of the person or the words."""
        if self.in_english:
            needs = " · needs your answer" if asks else ""
            return f"{text}: {self._line(first)}{needs}{'' if is_stored else ' · nothing was stored'}"
        texts = spoken(self.tag)
        at = first or self._now
        said = {"moment": say_moment(at, self._zone, self._now, self.tag, names_today=True), "zone": self.zone}
        once = isinstance(self._trigger, Once)
        template = texts.chat.reminds if once else texts.chat.reminds_often
        line = template.format(**said, text=text, rule=self.words).removeprefix("⏰ ")
        more = [texts.messages.asks_until] if asks else []
        return " · ".join([line, *more, *([] if is_stored else [texts.chat.nothing_done])])

    def _line(self, first: datetime | None) -> str:
        """Write the words, the zone and the next moments."""
        if not isinstance(self._trigger, Once):
            listed = [on_clocks(moment, self._zone) for moment in self.moments(first)]
            return f"{self.words} {self.zone}" + (f" · next: {', '.join(listed)}" if listed else "")
        at = self._trigger.at
        away = in_how_long(ceil((at - self._now).total_seconds()), in_full=True)
        return f"{self._once(at)} {self.zone}, {away}"

    def _once(self, at: datetime) -> str:
        local = self._zone.localize(at)
        today = self._zone.localize(self._now).date()
        near = {today: "today", today + timedelta(days=1): "tomorrow"}.get(local.date())
        return f"once, {near or f'{local:%a} {local.day} {local:%b %Y}'} {local:%H:%M:%S}"


def remind(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly remind TEXT WHEN…`: make a reminder; the time is in plain words, in seven languages."""
    parser.example = 'duly remind "take medicine" in 5m'
    add_person_arguments(parser, "whom to remind")
    parser.add_argument("message", help='text of the reminder in quotes, its time included: "call mom tomorrow at 9"')
    parser.add_argument("when", nargs="*", help="such as: in 5m · tomorrow at 9 · every morning at 8 · jeden Tag um 8")
    parser.add_argument("--to", metavar="PEOPLE", type=people, help="whom to remind, one or several, such as ana,bob")
    parser.add_argument("--ack", action="store_true", help="send it again until the person answers")
    add_message_options(parser)
    parser.add_argument("--name", help="name of the reminder (default: the first words of the text)")
    parser.add_argument(
        "--lang",
        choices=["en", "de", "hr", "sr", "es", "fr", "it"],
        help="language of the time (default: all are tried)",
    )
    parser.add_argument("--tz", metavar="ZONE", help="zone in which the time is meant (default: the person's)")
    parser.add_argument("--dry-run", action="store_true", help="only say what the words mean; store nothing")
    arguments = parser.read(words)
    if arguments.to:
        arguments.user = arguments.to[0]
        arguments.shared_with = arguments.to[1:] or arguments.shared_with
    return with_duly(arguments, clock, lambda duly: _remind(duly, arguments))


async def _remind(duly: AnyDuly, arguments: Namespace) -> str:
    user = user_of(await person_of(duly, whose(arguments)))
    typist = user_of(await person_of(duly, None)) if arguments.to else user
    now = _next_second(duly.clock.now())
    theirs = user.timezone or (await duly.me()).default_timezone
    zone = theirs if arguments.tz is None else zone_named(arguments.tz, "--tz")
    written = " ".join([arguments.message, *arguments.when])
    if arguments.when:
        read = _read_time(arguments, now, zone, typist.language, day_parts_of(user))
    else:
        read = _take_time(arguments, now, zone, typist)
    reading = Reading(read, typist, now, written)
    if arguments.dry_run:
        first = _first_run(read.trigger, now)
        meaning = {"words": reading.words, "timezone": reading.zone, "next_runs": _isos(reading, first)}
        if arguments.json:
            return as_json({"message": arguments.message, **meaning})
        return f"{reading.repeats(one_line(arguments.message), first, is_stored=False)}\n"
    # What was understood here: elsewhere the words may mean another time.
    words = f"{arguments.message} {' '.join(arguments.when) or read.text}"
    schedule = {"type": "trigger", "trigger": read.trigger.to_dict(), "text": words}
    fields = {"schedule": schedule, "message": arguments.message, **phrase_options(read), **_options(arguments)}

    def create(name: str) -> Awaitable[ReminderView]:
        return duly.ask(CreateReminder({**fields, "name": name}, whose(arguments)))

    if arguments.name is not None:
        view = await create(arguments.name)
    else:
        view = await create_under_free_name(duly, namespace_of(user.id), arguments.message, create)
    context = RequestContext(now=now, zone=zone, language=reading.tag)
    company = company_note(view.lead_minutes, view.again_after_minutes, reading.tag)
    first = _first_run(read.trigger, now) if view.lead_minutes else view.next_run_at
    comes = view.note
    if comes is not None and user.id != typist.id:  # not in the language of the person it is for
        to = Addressee(user=user, zone=Zone.of(theirs), tag=reading.tag, in_person=False)
        message = Message(text=view.message, priority=Priority(view.priority), require_ack=view.require_ack)
        comes = delivery_note(to, message, first, now) or comes
    view = replace(view, note=joined_notes(company, doubt_note(read, context), comes))
    if arguments.json:
        return as_json(view.to_json() | {"words": reading.words, "next_runs": _isos(reading, first)})
    said = reading.repeats(one_line(view.message), first, asks=view.require_ack)
    return f"✓ {said} · {view.id}\n{_note(view)}{warning_line(view.warning)}"


def _note(view: ReminderView) -> str:
    return "" if view.note is None else f"{view.note}\n"


def _read_time(
    arguments: Namespace, now: datetime, zone: str, language: str | None, day_parts: DayParts | None
) -> Phrase:
    """Read the time that stands apart from the text: whole, or not at all."""
    from duly.phrases import parse

    read_as_time = partial(parse, now=now, tz=zone, lang=arguments.lang, prefer=language, day_parts=day_parts)
    try:
        return read_as_time(" ".join(arguments.when))
    except PhraseError as error:
        raise UsageError(f"{error}{_with_quotes(arguments, read_as_time, error.reason)}") from error


def _take_time(arguments: Namespace, now: datetime, zone: str, user: User) -> Phrase:
    """Take the time out of a text that says what and when in one sentence: "call mom tomorrow at 5pm"."""
    from duly.language.requests import Sentence, read_sentence, why_unread

    how: dict[str, Any] = {"prefer": arguments.lang or user.language, "day_parts": day_parts_of(user)}
    said = read_sentence(arguments.message, now=now, zone=Zone.of(zone), **how)
    if said is not None and not isinstance(said, Sentence):
        raise _doubtful(arguments, said, Zone.of(zone), now)
    if said is None:
        why_not = why_unread(arguments.message, now=now, zone=Zone.of(zone), **how)
        raise UsageError(
            f"no time can be taken from {arguments.message!r:.100}: {why_not}; "
            f"name one in the text or after it: {_EXAMPLE}"
        )
    arguments.message = said.text
    return said.phrase


def _doubtful(arguments: Namespace, doubt: Doubt, zone: Zone, now: datetime) -> UsageError:
    """Say what a doubtful sentence may mean, each as a command to paste."""
    from duly.service.reminders.doubts import meaning_of, why

    said = f"{arguments.message!r:.100} is not clear: {why(doubt)}"
    commands = [_command(arguments, meaning_of(each, zone, now)) for each in doubt.readings]
    return UsageError(f"{said}; choose one" if commands else f"{said}; name another time: {_EXAMPLE}", commands)


def _command(arguments: Namespace, meaning: Meaning) -> str:
    """Write the command that makes a reminder of a reading."""
    words = [quote(meaning.message), quote(meaning.words)]
    options = [] if meaning.schedule["type"] == "once" else ["--lang", meaning.lang]
    if leads := meaning.options.get("lead_minutes"):
        options += ["--before", ",".join(f"{each}m" for each in leads)]
    for name in ("user", "tz", "name"):
        if (given := getattr(arguments, name, None)) is not None and given != LOCAL_USER:
            options += [f"--{name}", quote(str(given))]
    return " ".join(["duly remind", *words, *options])


def _first_run(trigger: Trigger, now: datetime) -> datetime | None:
    """Give the first run of a trigger that is not stored."""
    return trigger.at if isinstance(trigger, Once) else trigger.get_next_occurrence(now)


def _next_second(now: datetime) -> datetime:
    """Round up to a whole second.

    Phrases mean whole seconds: counted from the second under way, "in 1 second" might be over before it is stored.
    """
    return now.replace(microsecond=0) + timedelta(seconds=now.microsecond > 0)


def _with_quotes(arguments: Namespace, read_as_time: Callable[[str], object], reason: str) -> str:
    """Suggest the command with quotes, if words of the text seem to stand among those of the time."""
    words = arguments.when
    time_was_understood = reason.startswith(_PAST)
    if time_was_understood or " " in arguments.message:
        return ""
    for count in range(1, len(words)):
        with suppress(PhraseError):
            read_as_time(" ".join(words[count:]))
            text = " ".join([arguments.message, *words[:count]])
            return f'; a text of several words needs quotes: duly remind "{text}" {" ".join(words[count:])}'
    return ""


def _options(arguments: Namespace) -> dict[str, Any]:
    """Give the options of a reminder that were given."""
    options = message_options(arguments)
    if arguments.ack or arguments.ask is not None or arguments.again_after or arguments.answered_by:
        options["require_ack"] = True  # all of these mean an answer
    return options


def _isos(reading: Reading, first: datetime | None) -> list[str | None]:
    return [iso(moment) for moment in reading.moments(first)]
