"""The languages, ready to be looked up in: the first word of a form leads to its readings, the longest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from duly.phrases.lexicon.source import Atoms, Source, variants

LANGUAGES = ("en", "de", "hr", "sr", "es", "fr", "it")

Longer = tuple[tuple[str, ...], Atoms]
"""The words that follow the first two, and what they all mean together."""


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """A language, compiled."""

    source: Source
    words: Mapping[str, tuple[Atoms, ...]]
    """What a word means by itself, the preferred reading first."""
    longer: Mapping[str, Mapping[str, tuple[Longer, ...]]]
    """What it means with the next word and those that follow, the longest first."""
    glued: Mapping[str, Atoms]
    """Readings of a word right behind a number."""


@cache
def lexicon(code: str) -> Lexicon:
    """The lexicon of a language."""
    source: Source = import_module(f"duly.phrases.lexicon.{code}").SOURCE
    alone: dict[str, dict[Atoms, None]] = {}
    longer: dict[str, dict[str, dict[Longer, None]]] = {}
    for form, atoms in source.entries():
        for first, *rest in variants(form):
            if rest:
                longer.setdefault(first, {}).setdefault(rest[0], {})[tuple(rest[1:]), atoms] = None
            else:
                alone.setdefault(first, {})[atoms] = None
    return Lexicon(
        source,
        {word: tuple(readings) for word, readings in alone.items()},
        {first: {second: _longest_first(ways) for second, ways in more.items()} for first, more in longer.items()},
        source.glued,
    )


def _longest_first(ways: Iterable[Longer]) -> tuple[Longer, ...]:
    return tuple(sorted(ways, key=lambda way: -len(way[0])))


@cache
def vocabulary() -> Mapping[str, frozenset[str]]:
    """Every word with the languages that know it."""
    found: dict[str, set[str]] = {}
    for code in LANGUAGES:
        known = lexicon(code)
        words = {*known.words, *known.longer, *known.glued}
        for more in known.longer.values():
            words |= {word for second, ways in more.items() for rest, _ in ways for word in (second, *rest)}
        for word in words:
            found.setdefault(word, set()).add(code)
    return {word: frozenset(codes) for word, codes in found.items()}
