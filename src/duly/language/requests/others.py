"""Requests to remind other people: "remind ana and bob to take out the bins every monday at 18:00".

The words behind the names are read as if the person had asked for themselves. Which names there are, the caller says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from duly.language.forms import longest
from duly.language.moments import DayParts
from duly.language.requests.form import RequestWords
from duly.language.requests.reading import read_request
from duly.language.requests.requests import Remind, languages_of, request_words
from duly.language.requests.tokens import Words
from duly.language.text import LONGEST
from duly.zones import Zone

_ENDINGS = "aeiou"
"""Names change them with the case: "podsjeti Anu"."""


@dataclass(frozen=True, slots=True)
class OthersAsked:
    """The beginning of a request to remind other people; what follows names them."""

    lang: str
    rest: Words
    with_self: bool
    """Whether the person who asks is named first: "remind me and ana"."""

    def names(self, people: Sequence[str]) -> NamedPeople | None:
        """Read who is meant, of the names of all people; None when the first word is none of them."""
        known = request_words(self.lang)
        found: list[str] = []
        rest = self.rest
        with_self = False
        while len(rest):
            joined = longest(known.forms("and_words"), rest.folded) if found or with_self else 0
            count, name = _named(rest.part(joined), people)
            oneself = 0 if count else longest(known.forms("selves"), rest.folded, joined)
            if not count and not oneself:
                return _people(found, rest, known, joined, with_self=with_self)
            found += [] if name is None or name in found else [name]
            with_self = with_self or bool(oneself)
            rest = rest.part(joined + (count or oneself))
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPeople:
    """Whom a request is for, and what it asks."""

    names: tuple[str, ...]
    with_self: bool
    """Whether the person who asks is one of them."""
    unknown: str | None
    """A name that follows, and is none of the people's."""
    asks: str
    """The request as if it were for the person who asks."""


def read_others(text: str, prefer: str | None = None) -> OthersAsked | None:
    """Read whether a text asks to remind other people; None when it does not."""
    if len(text) > LONGEST:
        return None
    words = Words.of(text)
    for code in languages_of(prefer, text):
        known = request_words(code)
        asked = words.without_courtesies(known)
        count = longest(known.forms("others"), asked.folded)
        rest = asked.part(count)
        itself = max(asked.begins(known, "leads"), asked.begins(known, "weak_leads"))
        with_self = itself > count and bool(longest(known.forms("and_words"), asked.folded, itself))
        names = itself <= count and (code == "en" or rest.written[:1].isupper())
        if count and len(rest) > 1 and (names or with_self):
            return OthersAsked(code, rest, with_self)
    return None


def read_named(
    said: NamedPeople, lang: str, *, now: datetime, zone: Zone, day_parts: DayParts | None = None
) -> Remind | None:
    """Read what people are to be reminded of, and when; None when that is not understood."""
    found = read_request(said.asks, now=now, zone=zone, prefer=lang, day_parts=day_parts, notes=False)
    return found if isinstance(found, Remind) and found.text else None


def _people(
    found: Sequence[str], rest: Words, known: RequestWords, joined: int, *, with_self: bool
) -> NamedPeople | None:
    if not found:
        return None
    unknown = rest.part(joined, joined + 1).written if joined else None
    return NamedPeople(
        names=tuple(found),
        with_self=with_self,
        unknown=unknown,
        asks=f"{known.first_lead} {rest.written}",
    )


def _named(words: Words, people: Sequence[str]) -> tuple[int, str | None]:
    """Find the person whose name the first words are, the longest; give how many words that are."""
    best: tuple[int, str | None] = (0, None)
    for name in people:
        wanted = Words.of(name).folded
        said = words.folded[: len(wanted)]
        if len(wanted) > best[0] and len(said) == len(wanted) and all(map(_is_name, said, wanted)):
            best = (len(wanted), name)
    return best


def _is_name(said: str, name: str) -> bool:
    return said == name or said.rstrip(_ENDINGS) == name.rstrip(_ENDINGS) != ""
