"""`parse`: from words to a trigger, in a given language or in any."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any

from duly.errors import InvalidInputError, PhraseError
from duly.language.atoms import AtomKind, Atoms
from duly.language.grammar.cursor import Cursor, ImpossibleError, MisreadError
from duly.language.grammar.scan import Option, Scan, readings
from duly.language.grammar.sentences import read_clauses
from duly.language.languages import LANGUAGES, code_of, known_code
from duly.language.lexicon import TimeLexicon, lexicon, vocabulary
from duly.language.meaning import plan_of
from duly.language.moments import Present, has_passed, present
from duly.language.plan import CronPlan, MomentPlan, Plan
from duly.language.text import LONGEST, PhraseToken, tidy, tokens
from duly.model.trigger import Trigger
from duly.zones import Zone

_KINDS = {"at": "once", "every": "interval"}
_ZONE = re.compile(r"\s*\(([A-Za-z][\w+-]*(?:/[\w+-]+)*)\)\s*$")
_CRON = re.compile(r"(?:cron[: ]\s*)?((?:[-*/,?#\w]+\s+){4}[-*/,?#\w]+|@[a-z]+)")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[t ][0-9]{2}:[0-9]{2}\S*[0-9z]")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase as it was understood."""

    text: str
    lang: str
    trigger: Trigger
    plan: Plan
    zone: Zone

    @property
    def kind(self) -> str:
        """Return once, interval, daily, weekly, cron or smart."""
        kind: str = self.canonical()["kind"]
        return _KINDS.get(kind, kind)

    def canonical(self) -> dict[str, Any]:
        """Return the meaning as JSON, the same in every language."""
        return self.plan.canonical(self.zone)


def parse(
    text: str, *, now: datetime, tz: str | tzinfo | Zone, lang: str | None = None, prefer: str | None = None
) -> Phrase:
    """Read a phrase that is said at `now` in the zone `tz`.

    Without `lang` all languages are tried. The reading of the preferred one counts; among the others, readings that
    differ are refused.
    """
    zone = Zone.of(tz)
    if len(text) > LONGEST:
        raise PhraseError(text[:LONGEST] + "…", f"it is longer than {LONGEST} characters")
    if text.endswith(")") and (named := _ZONE.search(text)) is not None:
        zone = _named_zone(text, named[1])
        text = text[: named.start()]
    words = tidy(text)
    if not words:
        raise PhraseError(text, "it is empty")
    plan = _technical(text, words, zone, now)
    if plan is not None:
        return _phrase(text, lang or prefer or LANGUAGES[0], plan, zone)
    cut = tokens(words)
    if lang is not None:
        return _in_language(text, cut, lexicon(known_code(lang)), now, zone)
    return _in_any(text, cut, now, zone, prefer)


def _named_zone(text: str, name: str) -> Zone:
    try:
        return Zone.of(name)
    except InvalidInputError as error:
        raise PhraseError(text, str(error), missed=(name,)) from error


def _technical(text: str, words: str, zone: Zone, now: datetime) -> Plan | None:
    """Read an ISO time or a cron expression, which belong to no language; return None for any other text."""
    if words[0].isdecimal() and _STAMP.fullmatch(words):
        return _stamp(text, words, zone, now)
    if not ("*" in words or words.startswith(("cron", "@"))) or (cron := _CRON.fullmatch(words)) is None:
        return None
    try:
        plan = CronPlan(cron[1])
        plan.trigger(zone)
    except InvalidInputError as error:
        raise PhraseError(text, str(error)) from error
    return plan


def _stamp(text: str, words: str, zone: Zone, now: datetime) -> Plan | None:
    try:
        moment = datetime.fromisoformat(words.upper())
    except ValueError as error:
        raise PhraseError(text, f"it is no date and time ({error})") from error
    try:
        at = zone.shifted(moment) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise PhraseError(text, "that is beyond the calendar") from error
    if at <= now:
        raise PhraseError(text, has_passed(at, zone))
    return MomentPlan(at)


def _phrase(text: str, lang: str, plan: Plan, zone: Zone) -> Phrase:
    try:
        trigger = plan.trigger(zone)
    except InvalidInputError as error:
        raise PhraseError(text, str(error)) from error
    return Phrase(text=text, lang=lang, trigger=trigger, plan=plan, zone=zone)


def _in_language(text: str, cut: Sequence[PhraseToken], known: TimeLexicon, now: datetime, zone: Zone) -> Phrase:
    here = present(now, zone, twelve_hours=known.language.twelve_hours)
    return _phrase(text, known.language.code, _read(text, cut, known, here), zone)


def _read(text: str, cut: Sequence[PhraseToken], known: TimeLexicon, here: Present) -> Plan:
    scan = Scan(cut, known)
    try:
        options = scan.options()
        if options is None:
            raise _unknown(text, cut, scan.unknown)
        if len(cut) == 1 and any(_is_number(atoms) for atoms, _ in options[0]):
            raise _misread(text, cut, 0, "is a number without a meaning")
        return _first_reading(text, cut, options, known, here)
    except ImpossibleError as error:
        raise PhraseError(text, str(error), understood=tuple(token.text for token in cut)) from error
    except OverflowError as error:
        raise PhraseError(text, "that is beyond the calendar") from error


def _first_reading(
    text: str, cut: Sequence[PhraseToken], options: list[list[Option]], known: TimeLexicon, here: Present
) -> Plan:
    """Return the plan of the first row of atoms that is a sentence; else report the row that was read furthest."""
    furthest = MisreadError(-1, "is no time")
    place = 0
    for atoms, owners in readings(options):
        try:
            reading = read_clauses(Cursor(atoms, known.language))
        except MisreadError as error:
            if error.at > furthest.at:
                furthest = error
                place = owners[error.at] if error.at < len(owners) else len(cut)
            continue
        return plan_of(reading, here)
    raise _misread(text, cut, place, furthest.reason)


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


def _in_any(text: str, cut: Sequence[PhraseToken], now: datetime, zone: Zone, prefer: str | None) -> Phrase:
    """Read a phrase in the preferred language, else in those that know its words.

    An `ImpossibleError` means that a language understood the phrase and refused it ("today at 8" in the evening).
    Such a refusal stands: another language must not make something else of the same words.
    """
    codes = _languages(cut, text)
    first = code_of(prefer)
    if first is not None:
        try:
            return _in_language(text, cut, lexicon(first), now, zone)
        except PhraseError as error:
            if first in codes and isinstance(error.__cause__, ImpossibleError):
                raise
    found: dict[str, Phrase] = {}
    refused: PhraseError | None = None
    for code in codes:
        try:
            phrase = _in_language(text, cut, lexicon(code), now, zone)
        except PhraseError as error:
            if refused is None or isinstance(error.__cause__, ImpossibleError):
                refused = error
            continue
        found.setdefault(str(phrase.canonical()), phrase)
    if len(found) > 1:
        one, other, *_ = found.values()
        raise PhraseError(
            text,
            f"it means {_shown(one)} in {one.lang!r} and {_shown(other)} in {other.lang!r}: say which language it is",
        )
    if found and not (refused is not None and isinstance(refused.__cause__, ImpossibleError)):
        return next(iter(found.values()))
    raise refused or PhraseError(text, "it was not understood in any language")


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
    twin = "hr" if _CYRILLIC.search(text) else "sr"
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
    phrase = parse(text, now=now, tz=tz, lang=lang, prefer=prefer)
    if not isinstance(phrase.plan, MomentPlan):
        raise PhraseError(text, "it recurs, and one moment was asked for")
    return phrase.plan.at


def parse_schedule(
    text: str, now: datetime, tz: str | tzinfo | Zone, lang: str | None = None, *, prefer: str | None = None
) -> Trigger:
    """Return the trigger that a phrase means."""
    return parse(text, now=now, tz=tz, lang=lang, prefer=prefer).trigger
