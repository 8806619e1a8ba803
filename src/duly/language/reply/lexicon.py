"""What a language knows: written by hand as a `Lexicon`, looked up as a `Vocabulary`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from duly.language.reply.pattern import Node, compile_patterns, expand, words_of
from duly.language.reply.roles import Role
from duly.language.reply.tokens import EMOJI, Token, squeezed, unmarked

MARKED = "="
"""Before a word: it counts only with its accents, because without them it is another word."""
_TYPEWRITTEN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "đ": "dj"})
_EVERYWHERE = {
    Role.YES: "ok|okay|okey|okej|oki|okie|oke|okidoki|k|kk",
    Role.HEARD: "super|top|perfect|roger",
    Role.DROP: "stop",
    Role.LATER: "<duration>|<time>|snooze [<duration>|<number>]",
    Role.THANKS: "thx|ty",
    Role.POLITE: "pls|plz|hi|hey|hello|hallo|haha|hahaha|hehe|lol|oh|ah|hm|hmm|bot",
    Role.OTHER: "(no|stop) [more] (snooze|snoozing)",
}


def words(text: str) -> list[str]:
    """The words of a line: how a lexicon lists them."""
    return text.split()


@dataclass(frozen=True, slots=True)
class Amounts:
    """Numbers and durations in words; units in minutes."""

    numbers: Mapping[str, int]
    units: Mapping[str, int]
    seconds: frozenset[str]
    fixed: Mapping[str, int]
    """Durations that are no product of number and unit: "half an hour"."""
    plus: frozenset[str]
    """What joins two parts: "and"."""
    half: frozenset[str]
    """What adds half a unit after "and": "a half"."""
    more: frozenset[str]
    """What may stand between number and unit: "5 more minutes"."""
    future: str
    """What makes a point in time of a duration: "in"."""


@dataclass(frozen=True, slots=True)
class Times:
    """Words of points in time, which are only recognised here; `duly.language` reads them."""

    until: tuple[str, ...]
    at: str
    """What makes a point in time of a number: "at"."""
    openers: frozenset[str]
    """What begins a point in time, provided that a number or a day follows."""
    days: frozenset[str]
    """What is a point in time by itself."""
    inner: frozenset[str]
    """What may follow within."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The phrases of a language by role, one pattern a line, and its amounts and times."""

    code: str
    phrases: Mapping[Role, str]
    macros: Mapping[str, str]
    amounts: Amounts
    times: Times
    negations: frozenset[str]
    """Words with which a negated phrase may begin."""
    no_negates: bool = False
    """Whether the word for no is also the word for not, so that "no, done" and "not done" differ by a comma."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A lexicon, compiled."""

    lexicon: Lexicon
    root: Node
    fixed: Mapping[tuple[str, ...], int]
    until: tuple[tuple[str, ...], ...]
    starts: frozenset[str]
    """Words with which an amount can begin."""
    _spellings: Mapping[str, str]
    _stretched: Mapping[str, str] = field(repr=False)

    @classmethod
    def of(cls, lexicon: Lexicon) -> Vocabulary:
        """The lexicon as a graph of phrases and an index of spellings."""
        patterns = list(_EVERYWHERE.items())
        patterns += [(role, emoji) for emoji, role in EMOJI.items()]
        for role, lines in lexicon.phrases.items():
            patterns += [(role, expand(line, lexicon.macros)) for line in lines.strip().splitlines()]
        marked = {word for _, text in patterns for word in words_of(text)} | _amount_words(lexicon)
        spellings = _spellings(marked)
        return cls(
            lexicon,
            compile_patterns((role, text.replace(MARKED, "")) for role, text in patterns),
            {tuple(phrase.split()): minutes for phrase, minutes in lexicon.amounts.fixed.items()},
            tuple(tuple(phrase.split()) for phrase in lexicon.times.until),
            _amount_starts(lexicon),
            spellings,
            _by_squeezed(spellings),
        )

    def word(self, token: Token) -> str | None:
        """The word that was meant, or None."""
        known = self._spellings.get(token.word) or self._spellings.get(token.unmarked)
        return known or (self._stretched.get(token.squeezed) if token.squeezed else None)


def _amount_words(lexicon: Lexicon) -> set[str]:
    amounts, times = lexicon.amounts, lexicon.times
    found = {*amounts.numbers, *amounts.units, *amounts.seconds, *amounts.plus, *amounts.half, *amounts.more}
    found |= times.openers | times.days | times.inner
    return found.union(*(phrase.split() for phrase in (*amounts.fixed, *times.until)))


def _amount_starts(lexicon: Lexicon) -> frozenset[str]:
    times = lexicon.times
    firsts = {phrase.split()[0] for phrase in (*lexicon.amounts.fixed, *times.until)}
    return frozenset(firsts | set(lexicon.amounts.numbers) | times.openers | times.days)


def _spellings(marked: set[str]) -> dict[str, str]:
    """Every accepted spelling of every word. How a word is really written wins over what it may be mistaken for."""
    spellings = {word: word for word in (written.removeprefix(MARKED) for written in marked)}
    for word in sorted(spellings):
        if MARKED + word in marked:
            continue
        spellings.setdefault(unmarked(word), word)
        spellings.setdefault(unmarked(word.translate(_TYPEWRITTEN)), word)
    return spellings


def _by_squeezed(spellings: Mapping[str, str]) -> dict[str, str]:
    """Words by their letters without repetition; those that could be two words are left out."""
    found: dict[str, set[str]] = {}
    for spelling, word in spellings.items():
        found.setdefault(squeezed(spelling), set()).add(word)
    return {short: meant.pop() for short, meant in found.items() if len(meant) == 1}
