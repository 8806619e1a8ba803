"""`parse`: from words to a trigger, in a given language or in any."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from typing import Any, NamedTuple

from duly.errors import InvalidInputError, PhraseError
from duly.language.atoms import AtomKind, Atoms
from duly.language.grammar.clauses import PhraseReading, Slot
from duly.language.grammar.cursor import Cursor, ImpossibleError, MisreadError
from duly.language.grammar.scan import Option, Scan, readings
from duly.language.grammar.sentences import read_clauses
from duly.language.languages import LANGUAGES, code_of, known_code
from duly.language.lexicon import TimeLexicon, lexicon, mistyped, vocabulary
from duly.language.meaning import plan_of
from duly.language.moments import DayParts, Present, is_midnight_or_noon, present
from duly.language.plan import MomentPlan, Plan
from duly.language.technical import technical_plan
from duly.language.text import COMMA_TOKEN, GAP_TOKEN, LONGEST, PhraseToken, tidy, tokens
from duly.model.trigger import Trigger
from duly.zones import Zone

_KINDS = {"at": "once", "every": "interval"}
_ZONE = re.compile(r"\s*\(([A-Za-z][\w+-]*(?:/[\w+-]+)*)\)\s*$")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_BARE_HOURS = re.compile(r"([0-9]{1,2}) ?h(?: ?[0-5][0-9])?")
_DAWN = 6


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase as it was understood."""

    text: str
    lang: str
    trigger: Trigger
    plan: Plan
    zone: Zone
    other: Phrase | None = None
    """The second reading of a doubtful phrase: "tomorrow at 5" is 05:00, and 17:00 the other way."""
    leads: tuple[timedelta, ...] = ()
    """How long before it something was wished for as well: "and an hour before"."""
    again_after: timedelta | None = None
    """How long after it is done it is due again: "3 days after it is done"."""
    stretches: tuple[str, ...] = ()
    """The words of it, where others stood between them: "tomorrow … at 5pm"."""
    reading: PhraseReading | None = field(default=None, compare=False, repr=False)
    """How the grammar read it; None for an ISO time and for cron."""

    @property
    def kind(self) -> str:
        """Return once, interval, daily, weekly, cron or smart."""
        kind: str = self.canonical()["kind"]
        return _KINDS.get(kind, kind)

    def canonical(self) -> dict[str, Any]:
        """Return the meaning as JSON, the same in every language."""
        return self.plan.canonical(self.zone)

    @property
    def slots(self) -> frozenset[Slot]:
        """What was said: a day, a time of day, a rhythm and so on."""
        return frozenset() if self.reading is None else frozenset(piece.slot for piece in self.reading.pieces)

    def without_company(self) -> Phrase:
        """Return the phrase if its trigger says all of it; refuse it if `leads` or `again_after` would be lost."""
        if self.leads or self.again_after is not None:
            raise PhraseError(self.text, "earlier notices, and times after it is done, are for reminders only")
        return self


class _Asked(NamedTuple):
    """When and where a phrase is said, and what its parts of the day mean there."""

    now: datetime
    zone: Zone
    parts: DayParts | None
    usual: bool = False


def parse(
    text: str,
    *,
    now: datetime,
    tz: str | tzinfo | Zone,
    lang: str | None = None,
    prefer: str | None = None,
    day_parts: DayParts | None = None,
) -> Phrase:
    """Read a phrase that is said at `now` in the zone `tz`.

    Without `lang` all languages are tried. The reading of the preferred one counts; among the others, readings that
    differ are refused. `day_parts` says which hours a morning, an evening and so on stand for.
    """
    return parse_stretches((text,), now=now, tz=tz, lang=lang, prefer=prefer, day_parts=day_parts)


def parse_stretches(
    stretches: Sequence[str],
    *,
    now: datetime,
    tz: str | tzinfo | Zone,
    lang: str | None = None,
    prefer: str | None = None,
    day_parts: DayParts | None = None,
    usual: bool = False,
    listed: bool = False,
) -> Phrase:
    """Read the stretches of time of one sentence as one time, each by itself: nothing is read across two of them.

    With `usual` a series that is not said in full is read as people usually mean it, so that it can be offered: the
    hours of "three times a day", the days of "in the morning and in the evening", the rhythm of "for ten days at 8".
    With `listed` they are a list, as if "and" stood between them.
    """
    zone = Zone.of(tz)
    text = " ".join(stretches)
    if len(text) > LONGEST:
        raise PhraseError(text[:LONGEST] + "…", f"it is longer than {LONGEST} characters")
    if len(stretches) > 1:
        asked = _Asked(now, zone, day_parts, usual)
        phrase = _read_tokens(text, _several(stretches, COMMA_TOKEN if listed else GAP_TOKEN), asked, lang, prefer)
        other = None if phrase.other is None else replace(phrase.other, stretches=tuple(stretches))
        return replace(phrase, other=other, stretches=tuple(stretches))
    if text.endswith(")") and (named := _ZONE.search(text)) is not None:
        zone = _named_zone(text, named[1])
        text = text[: named.start()]
    words = tidy(text)
    if not words:
        raise PhraseError(text, "it is empty")
    plan = technical_plan(text, words, zone, now)
    if plan is not None:
        code = code_of(prefer) or LANGUAGES[0] if lang is None else known_code(lang)
        return _phrase(text, code, plan, None, zone)
    return _read_tokens(text, tokens(words), _Asked(now, zone, day_parts, usual), lang, prefer)


def _several(stretches: Sequence[str], between: PhraseToken) -> list[PhraseToken]:
    cut: list[PhraseToken] = []
    for stretch in stretches:
        words = tokens(tidy(stretch))
        if not words:
            raise PhraseError(stretch, "it is empty")
        cut += [between, *words] if cut else words
    return cut


def _read_tokens(text: str, cut: Sequence[PhraseToken], asked: _Asked, lang: str | None, prefer: str | None) -> Phrase:
    if lang is not None:
        return _in_language(text, cut, lexicon(known_code(lang)), asked)
    return _in_any(text, cut, asked, prefer)


def _named_zone(text: str, name: str) -> Zone:
    try:
        return Zone.of(name)
    except InvalidInputError as error:
        raise PhraseError(text, str(error), missed=(name,)) from error


def _phrase(
    text: str, lang: str, plan: Plan, other: Plan | None, zone: Zone, reading: PhraseReading | None = None
) -> Phrase:
    try:
        trigger = plan.trigger(zone)
    except InvalidInputError as error:
        raise PhraseError(text, str(error)) from error
    second = None if other is None or other == plan else _phrase(text, lang, other, None, zone, reading)
    return Phrase(text=text, lang=lang, trigger=trigger, plan=plan, zone=zone, other=second, reading=reading)


def _in_language(text: str, cut: Sequence[PhraseToken], known: TimeLexicon, asked: _Asked) -> Phrase:
    here = present(asked.now, asked.zone, known.language, asked.parts)
    if asked.usual:
        here = here._replace(usual=True)
    plan, other, reading = _read(text, cut, known, here)
    phrase = _phrase(text, known.language.code, plan, other, asked.zone, reading)
    bounds = reading.bounds
    if bounds is None or not (bounds.leads or bounds.again):
        return phrase
    beside: dict[str, Any] = {"leads": tuple(bounds.leads), "again_after": bounds.again}
    second = None if phrase.other is None else replace(phrase.other, **beside)
    return replace(phrase, other=second, **beside)


_Read = tuple[Plan, Plan | None, PhraseReading]
"""The plan, the other one of a doubtful phrase, and how it was read."""


def _read(text: str, cut: Sequence[PhraseToken], known: TimeLexicon, here: Present) -> _Read:
    scan = Scan(cut, known)
    try:
        options = scan.options()
        if options is None and (mended := _mended(cut, scan.unknown, known)) is not None:
            options = Scan(mended, known).options()
        if options is None:
            raise _unknown(text, cut, scan.unknown)
        if len(cut) == 1 and any(_is_number(atoms) for atoms, _ in options[0]):
            raise _misread(text, cut, 0, "is a number without a meaning")
        return _first_reading(text, cut, options, known, here)
    except ImpossibleError as error:
        understood = tuple(token.text for token in cut)
        raise PhraseError(text, str(error), understood=understood, fault=error.fault) from error
    except OverflowError as error:
        raise PhraseError(text, "that is beyond the calendar", fault="impossible") from error


def _mended(cut: Sequence[PhraseToken], unknown: Sequence[PhraseToken], known: TimeLexicon) -> list[PhraseToken] | None:
    """Return the tokens with each unknown word as it was meant; None if one of them is more than mistyped."""
    meant = {token: mistyped(token.text, known.language.code) for token in unknown if token.kind == "word"}
    if len(meant) < len(set(unknown)) or None in meant.values():
        return None
    return [token._replace(text=meant.get(token) or token.text) for token in cut]


def _first_reading(
    text: str, cut: Sequence[PhraseToken], options: list[list[Option]], known: TimeLexicon, here: Present
) -> _Read:
    """Return the plans of the first row of atoms that is a sentence; else report the row that was read furthest."""
    furthest = MisreadError(-1, "is no time")
    place = 0
    for atoms, owners in readings(options):
        try:
            reading = read_clauses(Cursor(atoms, known.language, usual=here.usual))
        except MisreadError as error:
            if error.at > furthest.at:
                furthest = error
                place = owners[error.at] if error.at < len(owners) else len(cut)
            continue
        return *_plans(reading, here), reading
    raise _misread(text, cut, place, furthest.reason)


def _plans(reading: PhraseReading, here: Present) -> tuple[Plan, Plan | None]:
    """Return the plan by the rules, and the plan that a doubtful phrase has the other way."""
    if reading.other_length is not None:
        return plan_of(reading, here), MomentPlan(here.now + timedelta(seconds=reading.other_length.seconds))
    if not reading.doubtful:
        return _morning_or_evening(reading, here)
    try:
        plan = plan_of(reading, here)
    except ImpossibleError:
        # "Today at 3", said at ten, can only be 15:00.
        other = _other_plan(reading, here)
        if other is None:
            raise
        return other, None
    # Without a day an English hour is the next one on the clock, and there is no doubt.
    certain = here.twelve_hours and isinstance(plan, MomentPlan) and not reading.current.has_day
    return plan, None if certain else _other_plan(reading, here)


def _morning_or_evening(reading: PhraseReading, here: Present) -> tuple[Plan, Plan | None]:
    """Return the plan, and the other one if it is tomorrow only because an hour of the morning has passed.

    "Um 8", said at three, is tomorrow morning by the rules, where hours count to 24. People may mean this evening.
    """
    plan = plan_of(reading, here)
    clause = reading.current
    if isinstance(plan, MomentPlan) and clause.times and is_midnight_or_noon(clause, clause.times[0]):
        return plan, _other_plan(reading, here._replace(late_midnight=True), other=False)
    spoken = clause.part is None and any(clock.spoken for clock in clause.times)
    if not spoken or here.twelve_hours or not isinstance(plan, MomentPlan) or clause.has_day or clause.offset:
        return plan, None
    evening = plan_of(reading, here._replace(evening=True))
    return plan, None if evening == plan else evening


def _other_plan(reading: PhraseReading, here: Present, *, other: bool = True) -> Plan | None:
    try:
        return plan_of(reading, here._replace(other=other))
    except ImpossibleError:
        return None


def _is_number(atoms: Atoms) -> bool:
    """Tell whether a word can be a bare number: alone it is never a time, although it may have other readings."""
    return len(atoms) == 1 and atoms[0].kind is AtomKind.NUMBER


def _misread(text: str, cut: Sequence[PhraseToken], place: int, reason: str) -> PhraseError:
    """Make the error for words that are all known, but make no sense from one on."""
    understood = tuple(token.text for token in cut[:place])
    missed = tuple(token.text for token in cut[place:])
    where = f"{' '.join(missed)!r} {reason}" if missed else f"after {' '.join(understood)!r} something is missing"
    if missed and understood:
        where += f", after {' '.join(understood)!r}"
    return PhraseError(text, where, understood=understood, missed=missed)


def _unknown(text: str, cut: Sequence[PhraseToken], missed: Sequence[PhraseToken]) -> PhraseError:
    """Make the error for words that the language does not know."""
    strange = tuple(token.text for token in missed)
    unknown = frozenset(missed)
    understood = tuple(token.text for token in cut if token not in unknown)
    reason = f"{' '.join(strange)!r} was not understood"
    if understood:
        reason += f", {' '.join(understood)!r} was"
    return PhraseError(text, reason, understood=understood, missed=strange)


def _in_any(text: str, cut: Sequence[PhraseToken], asked: _Asked, prefer: str | None) -> Phrase:
    """Read a phrase in the preferred language, else in those that know its words.

    An `ImpossibleError` means that a language understood the phrase and refused it ("today at 8" in the evening).
    Such a refusal stands: another language must not make something else of the same words.
    """
    codes = _languages(cut, text)
    first = code_of(prefer)
    if first is None and cut and cut[0].kind == "number":
        hours = _BARE_HOURS.fullmatch(text.strip().lower())
        if hours is not None and int(hours[1]) <= _DAWN:
            return _in_language(text, cut, lexicon("en"), asked)  # 2h, which belongs to no language
    if len(codes) == 1 and first in (None, codes[0]):
        return _in_language(text, cut, lexicon(codes[0]), asked)
    if first is not None:
        try:
            return _in_language(text, cut, lexicon(first), asked)
        except PhraseError as error:
            if first in codes and isinstance(error.__cause__, ImpossibleError):
                raise
    return _in_several(text, cut, asked, codes)


def _in_several(text: str, cut: Sequence[PhraseToken], asked: _Asked, codes: Sequence[str]) -> Phrase:
    """Read a phrase in several languages; refuse it if they read it differently."""
    found: list[Phrase] = []
    refused: PhraseError | None = None
    for code in codes:
        try:
            phrase = _in_language(text, cut, lexicon(code), asked)
        except PhraseError as error:
            if refused is None or isinstance(error.__cause__, ImpossibleError):
                refused = error
            continue
        if not any(_means(phrase) == _means(each) for each in found):
            found.append(phrase)
    if len(found) > 1:
        one, other, *_ = found
        raise PhraseError(
            text,
            f"it means {_shown(one)} in {one.lang!r} and {_shown(other)} in {other.lang!r}: say which language it is",
            fault="doubtful",
        )
    if found and not (refused is not None and isinstance(refused.__cause__, ImpossibleError)):
        return found[0]
    raise refused or PhraseError(text, "it was not understood in any language")


def _means(phrase: Phrase) -> tuple[object, ...]:
    return phrase.canonical(), phrase.leads, phrase.again_after


def _shown(phrase: Phrase) -> str:
    canonical = phrase.canonical()
    return str(canonical["at"]) if isinstance(phrase.plan, MomentPlan) else str(canonical)


def _languages(cut: Sequence[PhraseToken], text: str) -> list[str]:
    """Return the languages that know every word, or else those that know the most.

    Croatian and Serbian are read with the same words, so one of them is left out.
    """
    known = vocabulary()
    # One bit for each language: the bits that all masks share are the languages that know every word.
    masks = [known.get(token.text, 0) for token in cut if token.kind == "word" and not token.glued]
    shared = -1
    for mask in masks:
        shared &= mask
    twin = "hr" if not text.isascii() and _CYRILLIC.search(text) else "sr"
    if shared:
        return [code for place, code in enumerate(LANGUAGES) if shared >> place & 1 and code != twin]
    hits = [sum(mask >> place & 1 for mask in masks) for place in range(len(LANGUAGES))]
    return [
        code for code, known_words in zip(LANGUAGES, hits, strict=True) if known_words == max(hits) and code != twin
    ]


def parse_time_expression(
    text: str, now: datetime, tz: str | tzinfo | Zone, lang: str | None = None, *, prefer: str | None = None
) -> datetime:
    """Return the one instant that a phrase means, in UTC; refuse a phrase that recurs."""
    phrase = parse(text, now=now, tz=tz, lang=lang, prefer=prefer).without_company()
    if not isinstance(phrase.plan, MomentPlan):
        raise PhraseError(text, "it recurs, and one moment was asked for")
    return phrase.plan.at


def parse_schedule(
    text: str, now: datetime, tz: str | tzinfo | Zone, lang: str | None = None, *, prefer: str | None = None
) -> Trigger:
    """Return the trigger that a phrase means; refuse what only a reminder can heed."""
    return parse(text, now=now, tz=tz, lang=lang, prefer=prefer).without_company().trigger
