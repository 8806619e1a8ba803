"""The reply words of a language, compiled: a graph of phrases, tables of numbers and units, an index of spellings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module

from duly.language.atoms import SHORT_UNITS, Unit
from duly.language.languages import FILES, language
from duly.language.languages.form import Language, first_form
from duly.language.replies.form import ReplyRole, ReplyWords
from duly.language.replies.patterns import MARKED, PatternGraph, RolePatterns
from duly.language.replies.tokens import EMOJI, ReplyToken, squeezed, unmarked
from duly.language.slips import LongWords

DOING = "<doing>"
"""In patterns: any word that tells what a person is doing just now. Only a lenient reader takes one for it."""
_SHORTEST_DOING = 6
_TYPEWRITTEN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "đ": "dj"})
_MINUTES = {Unit.MINUTE: 1, Unit.HOUR: 60, Unit.DAY: 1440, Unit.WEEK: 10_080}
_EVERYWHERE = {
    ReplyRole.YES: "ok|okay|okey|okej|oki|okie|oke|okidoki|k|kk",
    ReplyRole.HEARD: "super|top|perfect|roger",
    ReplyRole.DROP: "stop",
    ReplyRole.LATER: "<duration>|<time>|snooze [<duration>|<number>]",
    ReplyRole.THANKS: "thx|ty",
    ReplyRole.POLITE: "pls|plz|hi|hey|hello|hallo|haha|hahaha|hehe|lol|oh|ah|hm|hmm|bot",
    ReplyRole.OTHER: "(no|stop) [more] (snooze|snoozing)",
}

_AROUND = {
    ReplyRole.DROP: ("{today}", "{today} [, {reason}]|, {reason}"),
    ReplyRole.REFUSE: ("{today}", "{today}"),
    ReplyRole.DONE: ("", "{lately}"),
    ReplyRole.ALREADY: ("", "{lately}|{meal}"),
}
"""What may stand before and behind every phrase of a role: the day that is left out, why, and when it was done."""

WordList = tuple[str, ...]
FormTable = Mapping[str, tuple[tuple[WordList, float], ...]]
"""Forms by their first word: the words that follow and the value, the longest form first."""


@dataclass(frozen=True, eq=False)
class ReplyVocabulary:
    """The reply words of one language, ready to be looked up; what few replies need is made for the first of them."""

    rules: ReplyWords
    graph: PatternGraph
    numbers: FormTable
    number_words: frozenset[str]
    """Numbers of one word."""
    units: FormTable
    """In minutes."""
    seconds: frozenset[str]
    lengths: FormTable
    """In minutes."""
    until: tuple[WordList, ...]
    plus: frozenset[str]
    half: frozenset[str]
    more: frozenset[str]
    openers: frozenset[str]
    days: frozenset[str]
    inner: frozenset[str]
    negations: frozenset[str]
    starts: frozenset[str]
    """Words with which a length of time, a number or a point in time can begin."""
    _spellings: Mapping[str, str] = field(repr=False)

    @cached_property
    def _stretched(self) -> Mapping[str, str]:
        return _by_squeezed(self._spellings)

    @cached_property
    def _long(self) -> LongWords:
        """Words as they are typed without accents."""
        return LongWords(filter(str.isascii, self._spellings))

    def word(self, token: ReplyToken) -> str | None:
        """Return the word that was meant, or None."""
        known = self._spellings.get(token.word) or self._spellings.get(token.unmarked)
        return known or (self._stretched.get(token.squeezed) if token.squeezed else None)

    def is_doing(self, token: ReplyToken) -> bool:
        """Tell whether the word has an ending of what is being done just now."""
        return len(token.unmarked) >= _SHORTEST_DOING and token.unmarked.endswith(self.rules.doing)

    def mistyped(self, token: ReplyToken) -> str | None:
        """Return the long word that was meant by one with a slip of the finger in it, if there is only one."""
        found = {self._spellings[word] for word in self._long.meant_by(token.unmarked)}
        return found.pop() if len(found) == 1 else None


@cache
def reply_vocabulary(code: str) -> ReplyVocabulary:
    """Compile the reply words of a language."""
    known = language(code)
    rules: ReplyWords = import_module(f"duly.language.replies.words.{FILES[code]}").REPLIES
    graph = PatternGraph(_patterns(rules), rules.macros)
    numbers = _numbers(known, rules)
    units = {form: _MINUTES[unit] for unit in _MINUTES for form in _unit_forms(known, rules, unit)}
    seconds = frozenset(form[0] for form in _unit_forms(known, rules, Unit.SECOND) if len(form) == 1)
    lengths = {form: minutes for minutes, forms in rules.lengths.items() for form in _forms(forms)}
    until = tuple(_forms(rules.until))
    openers = _set(rules.openers)
    days = _set(rules.days) | {first_form(forms).casefold() for forms in known.weekdays}
    counting = (_set(words) for words in (rules.plus, rules.half, rules.more, rules.inner))
    written = graph.words() | {word for table in (numbers, units, lengths, until) for form in table for word in form}
    written = written.union(seconds, openers, days, *counting)
    return ReplyVocabulary(
        rules=rules,
        graph=graph,
        numbers=_by_first_word(numbers),
        number_words=frozenset(form[0] for form in numbers if len(form) == 1),
        units=_by_first_word(units),
        seconds=seconds,
        lengths=_by_first_word(lengths),
        until=until,
        plus=_set(rules.plus),
        half=_set(rules.half),
        more=_set(rules.more),
        openers=openers,
        days=days,
        inner=_set(rules.inner),
        negations=_set(rules.negations),
        starts=frozenset({form[0] for table in (numbers, lengths, until) for form in table} | openers | days),
        _spellings={**rules.typed, **_spellings(written)},
    )


def _patterns(rules: ReplyWords) -> Iterator[RolePatterns]:
    """Yield the patterns of each role, first those of all languages."""
    for role, either in (*_EVERYWHERE.items(), *((role, emoji) for emoji, role in EMOJI.items())):
        yield RolePatterns(role, either)
    for role, lines in rules.phrases.items():
        before, behind = _AROUND.get(role, ("", ""))
        yield RolePatterns(role, "|".join(lines.strip().splitlines()), before, behind)


def _forms(forms: str) -> Iterator[WordList]:
    """Yield the forms of a table as words. The tokens of a reply have no hyphens and no ß."""
    for form in forms.casefold().split("|"):
        yield tuple(form.replace("-", " ").split())


def _set(forms: str) -> frozenset[str]:
    return frozenset(forms.split("|"))


def _numbers(known: Language, rules: ReplyWords) -> dict[WordList, float]:
    """Return the numbers from one to 99: nothing and hundreds are no length of a snooze, and "sto" is also "what"."""
    tables = (known.numbers, rules.numbers)
    return {form: value for table in tables for value in table if 0 < value < 100 for form in _forms(table[value])}


def _unit_forms(known: Language, rules: ReplyWords, unit: Unit) -> Iterable[WordList]:
    yield from _forms(known.units[unit])
    yield from ((short,) for short, meant in SHORT_UNITS.items() if meant is unit)
    if unit in rules.units:
        yield from _forms(rules.units[unit])


def _by_first_word(values: Mapping[WordList, float]) -> FormTable:
    found: dict[str, list[tuple[WordList, float]]] = {}
    for (first, *rest), value in sorted(values.items(), key=lambda entry: -len(entry[0])):
        found.setdefault(first, []).append((tuple(rest), value))
    return {first: tuple(forms) for first, forms in found.items()}


def _spellings(marked: set[str]) -> dict[str, str]:
    """Return every accepted spelling of every word. The way a word is written wins over what it may be mistaken for."""
    spellings = {word: word for word in (written.removeprefix(MARKED) for written in marked)}
    for word in sorted(spellings):
        if MARKED + word in marked:
            continue
        spellings.setdefault(unmarked(word), word)
        if not word.isascii():
            spellings.setdefault(unmarked(word.translate(_TYPEWRITTEN)), word)
    return spellings


def _by_squeezed(spellings: Mapping[str, str]) -> dict[str, str]:
    """Return words by their letters without repetition; without those that could be two words."""
    found: dict[str, set[str]] = {}
    for spelling, word in spellings.items():
        found.setdefault(squeezed(spelling), set()).add(word)
    return {short: meant.pop() for short, meant in found.items() if len(meant) == 1}
