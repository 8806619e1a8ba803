"""The words of claims of one language, compiled: sets of words and phrases that are looked up by their first word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module

from duly.language.languages import FILES
from duly.language.lexicon import numbers_of
from duly.language.replies.claims.form import (
    ANY_LANGUAGE,
    BESIDE_MEDICINE,
    BOTH,
    DRUGS,
    EATING,
    FRAME,
    MEASURING,
    PAYMENTS,
    PURPOSES,
    ClaimWords,
    Matter,
)
from duly.language.replies.form import ReplyWords
from duly.language.stems import is_form_of
from duly.language.text import fold

LANGUAGES = ("en", "de", "hr", "es", "fr", "it")
_SYMBOL = re.compile(r"[\[\]()|=,]|<\w+>")
_TAIL = 3
"""So many letters behind an apostrophe are a word of their own: "l'affitto", but not "they're"."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SHORTEST = 3
_SHORTEST_LAST = 6
"""Letters of the last part of a word that stands for all of it."""
_MOST_WORDS = 60
_REMEMBERED = 4096
"""Words of which it is remembered what they are."""
Span = tuple[int, int]


@lru_cache(maxsize=_REMEMBERED)
def folded(word: str) -> str:
    """Give a word without case, accents and the article or pronoun before an apostrophe."""
    plain = fold(word.casefold().replace("’", "'"))
    head, mark, tail = plain.rpartition("'")
    return tail if mark and len(tail) >= _TAIL else head + tail


class PhraseSet:
    """Words and phrases, found in a row of folded words. A word that ends in `*` stands for all that begin with it."""

    def __init__(self, words: str = "", phrases: Sequence[str] = ()) -> None:
        given = words.split()
        self._prefixes = tuple(folded(each[:-1]) for each in given if each.endswith("*"))
        self._words = frozenset(folded(each) for each in given if not each.endswith("*"))
        self._phrases: dict[str, list[tuple[str, ...]]] = {}
        for phrase in phrases:
            first, *rest = (folded(each) for each in phrase.replace("-", " ").split())
            self._phrases.setdefault(first, []).append(tuple(rest))
        self._begun_by = lru_cache(maxsize=_REMEMBERED)(self._look_up)

    @classmethod
    def of(cls, written: str) -> PhraseSet:
        """Compile words, and phrases behind the first `|`."""
        words, *phrases = written.split("|")
        return cls(words, phrases)

    @classmethod
    def of_phrases(cls, written: str) -> PhraseSet:
        """Compile phrases, separated by `|`."""
        return cls("", [each for each in written.split("|") if each])

    def __contains__(self, word: str) -> bool:
        return () in self._begun_by(word)

    def _look_up(self, word: str) -> tuple[tuple[str, ...], ...]:
        """Give what may follow a word: nothing at all where the word stands by itself."""
        alone = word in self._words or word.startswith(self._prefixes)
        return (*([()] if alone else []), *self._phrases.get(word, ()))

    def spans(self, words: Sequence[str]) -> Iterator[Span]:
        """Yield where words or phrases stand."""
        for start, word in enumerate(words):
            for rest in self._begun_by(word):
                end = start + 1 + len(rest)
                if not rest or tuple(words[start + 1 : end]) == rest:
                    yield start, end

    def stands_in(self, words: Sequence[str]) -> bool:
        """Tell whether one of them stands anywhere."""
        for start, word in enumerate(words):  # no generator: this is asked of every reply
            for rest in self._begun_by(word):
                if not rest or tuple(words[start + 1 : start + 1 + len(rest)]) == rest:
                    return True
        return False

    def begins(self, words: Sequence[str]) -> bool:
        """Tell whether the words begin with one of them."""
        followed = self._begun_by(words[0]) if words else ()
        return any([not rest or tuple(words[1 : 1 + len(rest)]) == rest for rest in followed])  # noqa: C419 - as above

    def is_all(self, words: Sequence[str]) -> bool:
        """Tell whether the words are one of them, and nothing else."""
        return any(span == (0, len(words)) for span in self.spans(words))


class MatterTable:
    """What each word is about."""

    def __init__(self, *tables: Mapping[Matter, str]) -> None:
        self._words: dict[str, set[Matter]] = {}
        self._prefixes: dict[str, set[Matter]] = {}
        for matter, written in (entry for table in tables for entry in table.items()):
            for word in written.split():
                wanted = self._prefixes if word.endswith("*") else self._words
                wanted.setdefault(folded(word.rstrip("*")), set()).add(matter)
        self._lengths = sorted({len(prefix) for prefix in self._prefixes})
        self.of = lru_cache(maxsize=_REMEMBERED)(self._of)

    def _of(self, word: str) -> frozenset[Matter]:
        """Give what a word is about; nothing if that is not known."""
        found = set(self._words.get(word, ()))
        for length in self._lengths:
            if length <= len(word):
                found |= self._prefixes.get(word[:length], set())
        return frozenset(found)


@dataclass(frozen=True, eq=False, kw_only=True)
class ClaimLexicon:
    """The words of claims of one language, ready to be looked up."""

    given: ClaimWords
    specific: frozenset[str]
    """Deeds that fit only a reminder about such a deed."""
    deeds: MatterTable
    things: MatterTable
    takes: PhraseSet
    take: PhraseSet
    plain: PhraseSet
    persons: PhraseSet
    mine: PhraseSet
    partly: PhraseSet
    spent: PhraseSet
    long_ago: PhraseSet
    parts: PhraseSet
    begins: Mapping[tuple[str, ...], int]
    """The hour with which each part of the day begins."""
    afternoon: PhraseSet
    beside: PhraseSet
    well: PhraseSet
    skips: PhraseSet
    either: PhraseSet
    advised: PhraseSet
    unwilling: PhraseSet
    articles: PhraseSet
    doubts: PhraseSet
    """Other people, words of doubt, and times that are too long ago."""
    special: PhraseSet
    """All that says more of a claim than a deed and its object: persons, doubts, times, and what goes with a deed."""

    def is_deed(self, word: str) -> bool:
        """Tell whether a folded word says what was done."""
        return word in self.specific or word in self.takes or word in self.plain or bool(self.deeds.of(word))


@cache
def claim_lexicon(code: str) -> ClaimLexicon:
    """Compile the claims of a language."""
    given: ClaimWords = import_module(f"duly.language.replies.claims.{FILES[code]}").CLAIMS
    words: ReplyWords = import_module(f"duly.language.replies.words.{FILES[code]}").REPLIES
    written = " ".join(_SYMBOL.sub(" ", words.macros[each]) for each in given.deed_macros)
    plain = PhraseSet.of(given.plain)
    known = {folded(each) for each in written.split() if "{" not in each}
    persons, *phrases = given.persons.split("|")
    partly, *more = given.partly.split("|")
    phrases += [*more, *(each for each in f"{given.spent}|{given.long_ago}".split("|") if each)]
    return ClaimLexicon(
        given=given,
        specific=frozenset(each for each in known if each not in plain),
        deeds=MatterTable(given.deeds),
        things=MatterTable(given.things, ANY_LANGUAGE),
        plain=plain,
        takes=PhraseSet.of(given.takes),
        take=PhraseSet.of(given.take),
        persons=PhraseSet.of(given.persons),
        mine=PhraseSet.of(given.mine),
        partly=PhraseSet.of(given.partly),
        spent=PhraseSet.of_phrases(given.spent),
        long_ago=PhraseSet.of_phrases(given.long_ago),
        parts=PhraseSet.of_phrases("|".join(given.parts)),
        begins={tuple(folded(word) for word in phrase.split()): hour for phrase, hour in given.parts.items()},
        afternoon=PhraseSet.of(given.afternoon),
        beside=PhraseSet.of(given.beside),
        well=PhraseSet.of_phrases(given.well),
        skips=PhraseSet.of(given.skips),
        either=PhraseSet.of(given.either),
        advised=PhraseSet.of(given.advised),
        unwilling=PhraseSet.of_phrases(given.unwilling),
        articles=PhraseSet.of(given.articles),
        doubts=PhraseSet.of("|".join([f"{persons} {partly}", *phrases])),
        special=PhraseSet.of("|".join([f"{given.beside} {persons} {partly}", *phrases, *given.parts])),
    )


_DRUGS = PhraseSet.of(DRUGS)
_BESIDE = PhraseSet.of(BESIDE_MEDICINE)
_CERTAIN = PhraseSet.of(f"{DRUGS} {PURPOSES}")
_ACTS = {Matter.MEASURE: PhraseSet.of(MEASURING), Matter.EAT: PhraseSet.of(EATING)}
"""What is done with what else only goes with a medicine: the pill for the blood pressure, after a meal."""
_FRAME = PhraseSet.of(FRAME)
_PAYMENTS = PhraseSet.of(PAYMENTS)
_BOTH = PhraseSet.of(BOTH)
_LONGEST_NUMBER = 3
_MEDICAL = frozenset({Matter.MEDICINE, Matter.VITAMINS})
_KINDS = frozenset({Matter.MEDICINE, Matter.VITAMINS, Matter.CALL})
"""Matters whose things are one another's names: "the tablet", "my meds". A bill is no rent."""


@dataclass(frozen=True, eq=False)
class ClaimSubject:
    """What a reminder is about, whichever language its text is in."""

    words: tuple[str, ...]
    matters: frozenset[Matter]
    is_taken: bool
    """Whether it says "take"."""
    numbers: frozenset[float] = frozenset()
    """Of what it counts: "2 puffs"."""
    is_certain: bool = False
    """Whether it says which medicine: another one by name is none that it is about."""

    def counts(self, word: str) -> bool:
        """Tell whether a folded word is a number of the reminder: "two", "both" and "2" of "2 puffs"."""
        if not self.numbers:
            return False
        said = {float(word)} if word.isdecimal() else {2.0} if word in _BOTH else numbers_of(word)
        return bool(said & self.numbers)

    @lru_cache(maxsize=2 * _REMEMBERED)  # noqa: B019 - subjects are remembered as well, and few
    def names(self, word: str, *, ge: bool = False) -> bool:
        """Tell whether a folded word is a form of one of the reminder's."""
        forms = {word, word.replace("ge", "", 1)} if ge else {word}
        return any(
            is_form_of(form, each) or (len(form) >= _SHORTEST_LAST and each.endswith(form))  # Stromrechnung: Rechnung
            for form in forms
            if len(form) >= _SHORTEST
            for each in self.words
        )

    def is_kind(self, word: str, matters: frozenset[Matter]) -> bool:
        """Tell whether a word that is about some matters is another name of what the reminder is about."""
        if word in _DRUGS and self.is_certain:
            return False
        if word in _PAYMENTS:
            return Matter.PAY in self.matters
        known = self.matters or (frozenset({Matter.MEDICINE}) if self.is_taken else frozenset())
        return bool(matters & known & _KINDS)


def is_named(text: str, about: str) -> bool:
    """Tell whether a text is a name of a reminder, and nothing else: "the pill" of "take your medicine"."""
    subject = subject_of(about)
    tables = [claim_lexicon(code).things for code in LANGUAGES]
    words = subject_of(text).words
    named = (subject.names(word) or any(subject.is_kind(word, each.of(word)) for each in tables) for word in words)
    return bool(words) and all(named)


def _without_circumstances(words: Sequence[str], lexicons: Sequence[ClaimLexicon]) -> tuple[str, ...]:
    """Leave out what a medicine is taken with or after: "after the meal", "con el agua"."""
    kept: list[str] = []
    is_beside = False
    for word in words:
        if is_beside and any(word in each.articles for each in lexicons):
            continue
        if not is_beside or any(each.things.of(word) & _MEDICAL for each in lexicons):
            kept.append(word)
        is_beside = word in _BESIDE
    return tuple(kept)


@lru_cache(maxsize=512)
def subject_of(text: str) -> ClaimSubject:
    """Read what a reminder is about from its text and its question."""
    words = tuple(dict.fromkeys(folded(each) for each in _WORD.findall(text)[:_MOST_WORDS]))
    lexicons = [claim_lexicon(code) for code in LANGUAGES]
    matters: set[Matter] = set()
    for word in words:
        for lexicon in lexicons:
            matters |= lexicon.things.of(word)
    if Matter.MEDICINE in matters:
        words = _without_circumstances(words, lexicons)
        matters -= {matter for matter, acts in _ACTS.items() if not acts.stands_in(words)}
    content = (
        word
        for word in words
        if len(word) >= _SHORTEST
        and word not in _FRAME
        and not any(word in each.articles or word in each.mine for each in lexicons)
    )
    return ClaimSubject(
        words=tuple(content),
        matters=frozenset(matters),
        is_taken=any(word in each.take for word in words for each in lexicons),
        numbers=frozenset(float(each) for each in words if each.isdecimal() and len(each) <= _LONGEST_NUMBER),
        is_certain=_CERTAIN.stands_in(words),
    )
