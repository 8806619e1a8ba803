"""The languages, ready to be looked up in: the first word of a form leads to its readings, the longest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from duly.errors import InvalidInputError
from duly.language.lexicon.source import Atoms, Source, variants

LANGUAGES = ("en", "de", "hr", "sr", "es", "fr", "it")
_ALIASES = {"bs": "hr", "sh": "hr", "cnr": "sr"}

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


def understood_as(tag: str | None) -> str | None:
    """The language among ours that a tag such as "de-AT" stands for, if any."""
    code = "" if tag is None else tag.lower().replace("_", "-").partition("-")[0]
    code = _ALIASES.get(code, code)
    return code if code in LANGUAGES else None


def language(tag: str) -> str:
    """The same, and a refusal of any other."""
    code = understood_as(tag)
    if code is None:
        raise InvalidInputError(f"unknown language {tag!r}: expected one of {', '.join(LANGUAGES)}")
    return code


@cache
def lexicon(code: str) -> Lexicon:
    """The lexicon of a language."""
    source: Source = import_module(f"duly.language.lexicon.{code}").SOURCE
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
def vocabulary() -> Mapping[str, int]:
    """Every word with the languages that know it, one bit for each."""
    found: dict[str, int] = {}
    for place, code in enumerate(LANGUAGES):
        known = lexicon(code)
        words = {*known.words, *known.longer, *known.glued}
        for more in known.longer.values():
            words |= {word for second, ways in more.items() for rest, _ in ways for word in (second, *rest)}
        for word in words:
            found[word] = found.get(word, 0) | 1 << place
    return found
