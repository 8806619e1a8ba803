"""The time words of a language, compiled: the first word of a form leads to its readings, the longest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from duly.language.atoms import Atom, AtomKind, Atoms, Numeral
from duly.language.languages import LANGUAGES, language
from duly.language.languages.form import Language
from duly.language.slips import LongWords
from duly.language.text import spellings

_COURTESIES = "pls|plz|pliz|thx|ok|okay|hey|hi|🙏|🙂|😊|😀"
"""Those that people of every language type."""

_COUNTED = frozenset({AtomKind.NUMBER, AtomKind.ORDINAL, AtomKind.LITTLE})

Longer = tuple[tuple[str, ...], Atoms]
"""The words that follow the first two, and the atoms they all stand for together."""


@dataclass(frozen=True, slots=True, eq=False)
class TimeLexicon:
    """The time words of one language, ready to be looked up."""

    language: Language
    words: Mapping[str, tuple[Atoms, ...]]
    """What a word means by itself, the preferred reading first."""
    longer: Mapping[str, Mapping[str, tuple[Longer, ...]]]
    """What it means with the next word and those that follow, the longest first."""


@cache
def lexicon(code: str) -> TimeLexicon:
    """Compile the time words of a language."""
    known = language(code)
    alone: dict[str, dict[Atoms, None]] = {}
    longer: dict[str, dict[str, dict[Longer, None]]] = {}
    for form, atoms in _entries(known):
        for first, *rest in _variants(form):
            if rest:
                longer.setdefault(first, {}).setdefault(rest[0], {})[tuple(rest[1:]), atoms] = None
            else:
                alone.setdefault(first, {})[atoms] = None
    return TimeLexicon(
        language=known,
        words={word: tuple(readings) for word, readings in alone.items()},
        longer={
            first: {second: _longest_first(ways) for second, ways in more.items()} for first, more in longer.items()
        },
    )


def _longest_first(ways: Iterable[Longer]) -> tuple[Longer, ...]:
    return tuple(sorted(ways, key=lambda way: -len(way[0])))


def _entries(known: Language) -> Iterator[tuple[str, Atoms]]:
    """Yield every form with its atoms, the preferred reading of a form first."""
    for forms, atoms in known.others.items():
        for form in forms.split("|"):
            yield form, atoms
    for kind, table in _tables(known):
        for value, forms in table:
            for form in filter(None, forms.split("|")):
                yield form, (Atom(kind, value),)
    for form in f"{_COURTESIES}|{known.courtesies}".split("|"):
        yield form, ()
        yield f"{form} ?", ()  # "at 4, ok?": the question is about the courtesy, not about the time


def _tables(known: Language) -> Iterator[tuple[AtomKind, Iterable[tuple[Any, str]]]]:
    yield AtomKind.NUMBER, ((Numeral(value), forms) for value, forms in known.numbers.items())
    yield AtomKind.ORDINAL, known.ordinals.items()
    yield AtomKind.WEEKDAY, enumerate(known.weekdays)
    yield AtomKind.WEEKDAYS, (((index,), forms) for index, forms in enumerate(known.habits))
    yield AtomKind.MONTH, enumerate(known.months, 1)
    yield AtomKind.UNIT, known.units.items()
    yield AtomKind.LITTLE, known.little.items()


def _variants(form: str) -> set[tuple[str, ...]]:
    """Return the token sequences under which a form is typed."""
    written = {form}
    if "-" in form:
        written = {form.replace("-", " - "), form.replace("-", " "), form.replace("-", "")}
    found: set[tuple[str, ...]] = set()
    for way in written:
        sequences: list[tuple[str, ...]] = [()]
        for word in way.replace("'", " ").split():
            sequences = [(*start, spelt) for start in sequences for spelt in sorted(spellings(word))]
        found.update(sequences)
    return found


def is_courtesy(word: str, code: str | None = None) -> bool:
    """Tell whether a folded word can only be a courtesy around a time, in one language or in all that know it."""
    ways = [lexicon(each).words.get(word) for each in (LANGUAGES if code is None else (code,))]
    known = [each for each in ways if each is not None]
    return bool(known) and all(each == ((),) for each in known)


def may_be_courtesy(word: str, code: str | None) -> bool:
    """Tell whether a folded word can be a courtesy around a time in one language, or in any."""
    return any(() in lexicon(each).words.get(word, ()) for each in (LANGUAGES if code is None else (code,)))


@lru_cache(maxsize=4096)
def kinds_of(word: str, code: str | None = None) -> frozenset[AtomKind]:
    """Return the kinds of what a folded word means by itself, in one language or in all."""
    return frozenset(atom.kind for atom in _meanings(word, code))


@lru_cache(maxsize=4096)
def numbers_of(word: str, code: str | None = None) -> frozenset[float]:
    """Return the numbers that a folded word is by itself, in one language or in all."""
    return frozenset(float(atom.value.value) for atom in _meanings(word, code) if atom.kind is AtomKind.NUMBER)


def is_elapsed_unit(word: str, code: str | None = None) -> bool:
    """Tell whether a folded word is a unit of elapsed time: seconds, minutes, hours."""
    return any(atom.kind is AtomKind.UNIT and atom.value.elapsed for atom in _meanings(word, code))


@lru_cache(maxsize=4096)
def roles_of(word: str, code: str | None = None) -> int:
    """Return the roles that a folded word can play among times, as the bits of `WordRole`."""
    roles = 0
    for atom in _meanings(word, code):
        roles |= atom.value if atom.kind is AtomKind.LITTLE else 0
    return roles


def _meanings(word: str, code: str | None) -> Iterator[Atom]:
    codes = LANGUAGES if code is None else (code,)
    return (atom for each in codes for reading in lexicon(each).words.get(word, ()) for atom in reading)


@lru_cache(maxsize=4096)
def mistyped(word: str, code: str) -> str | None:
    """Return the day, month, unit or part of the day that one slip made of an unknown word; None if it may be two.

    Numbers are left out: there a slip may make another number.
    """
    meant = [] if word in vocabulary() else _long_words(code).meant_by(word)
    return meant[0] if len({lexicon(code).words.get(other) for other in meant}) == 1 else None


@cache
def _long_words(code: str) -> LongWords:
    """Return the words in which a slip is forgiven."""
    kinds = {word: {atom.kind for reading in ways for atom in reading} for word, ways in lexicon(code).words.items()}
    return LongWords(word for word, of_word in kinds.items() if of_word and not of_word & _COUNTED)


@cache
def vocabulary() -> Mapping[str, int]:
    """Return every word with the languages that know it, one bit for each."""
    found: dict[str, int] = {}
    for place, code in enumerate(LANGUAGES):
        known = lexicon(code)
        words = {*known.words, *known.longer, *known.language.glued}
        for more in known.longer.values():
            words |= {word for second, ways in more.items() for rest, _ in ways for word in (second, *rest)}
        for word in words:
            found[word] = found.get(word, 0) | 1 << place
    return found


def forms_at(text: Sequence[str], at: int, code: str) -> Iterator[tuple[Atoms, int]]:
    """Yield what the words here stand for in a language, the longest form first, each with its number of words."""
    known = lexicon(code)
    word = text[at]
    if at + 1 < len(text) and (more := known.longer.get(word)) is not None:
        for rest, atoms in more.get(text[at + 1], ()):
            if atoms and tuple(text[at + 2 : at + 2 + len(rest)]) == rest:
                yield atoms, 2 + len(rest)
    for atoms in known.words.get(word, ()):
        if atoms:
            yield atoms, 1


@lru_cache(maxsize=2048)
def _kinds_of_form(text: tuple[str, ...], code: str) -> frozenset[AtomKind]:
    return frozenset(atoms[0].kind for atoms, _ in forms_at(text, 0, code))


def kinds_at(text: Sequence[str], at: int, code: str) -> frozenset[AtomKind]:
    """Return the kinds of what the words at a place may begin with."""
    return _kinds_of_form(tuple(text[at : at + 3]), code) if at < len(text) else frozenset()
