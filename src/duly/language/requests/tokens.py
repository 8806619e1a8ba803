"""The words of a request, each with its place in the text, so that every part can be given back as it was typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from duly.language.requests.form import RequestWords, longest, longest_end
from duly.language.text import fold

_WORD = re.compile(r"[^\s'’‘´`\-–—]+")
_MARKS = '/.,;:!?…"“”„«»()[]¿¡*'
_APOSTROPHES = ("'", "’", "‘", "´", "`")
_EDGES = ',;:!?"“”„«»¿¡ \t\n'


class SpokenWord(NamedTuple):
    """A word with its place in the text."""

    start: int
    end: int
    folded: str
    """Without case, accents and the marks around it."""


class Words:
    """A stretch of the words of a text."""

    def __init__(self, text: str, words: Sequence[SpokenWord]) -> None:
        self._text = text
        self._words = words
        self.folded = tuple(word.folded for word in words)

    @classmethod
    def of(cls, text: str) -> Words:
        """Cut a text into words."""
        found = (
            SpokenWord(match.start(), match.end(), fold(match[0].lower()).strip(_MARKS))
            for match in _WORD.finditer(text)
        )
        words = [word for word in found if word.folded]
        only_asks = not words and text.strip(" !?\n\t") == "" and "?" in text
        return cls(text, [SpokenWord(0, len(text), "?")] if only_asks else words)

    def __len__(self) -> int:
        return len(self._words)

    def part(self, start: int, end: int | None = None) -> Words:
        """Give some of the words."""
        return Words(self._text, self._words[start:end])

    def is_whole(self, end: int) -> bool:
        """Tell whether a typed word ends before a place: not within "tomorrow's"."""
        return end == 0 or self._text[self._words[end - 1].end : self._words[end - 1].end + 1] not in _APOSTROPHES

    @property
    def written(self) -> str:
        """The words as they were typed, with all that stands between them."""
        if not self._words:
            return ""
        return self._text[self._words[0].start : self._words[-1].end].strip(_EDGES)

    def joined(self, other: Words) -> str:
        """Give the words of two stretches one after the other."""
        return f"{self.written} {other.written}".strip()

    def without_courtesies(self, known: RequestWords) -> Words:
        """Leave out the words at both ends that say nothing, and a question such as "can you"."""
        first = 0
        last = len(self)
        greetings = known.forms("courtesies")
        openings = greetings | known.forms("askings")
        while first < last and (count := longest(openings, self.folded[:last], first)):
            first += count
        while last > first and (count := longest_end(greetings, self.folded, last)):
            last = max(first, last - count)
        return self.part(first, last)

    def begins(self, known: RequestWords, field: str) -> int:
        """Return how many words at the beginning are a form of a field."""
        return longest(known.forms(field), self.folded)

    def ends(self, known: RequestWords, field: str) -> int:
        """Return how many words at the end are a form of a field."""
        return longest_end(known.forms(field), self.folded, len(self))

    def is_one_of(self, known: RequestWords, field: str) -> bool:
        """Tell whether the words are a form of a field, and nothing else."""
        return self.folded in known.forms(field)

    def without(self, known: RequestWords, field: str) -> Words:
        """Leave out the forms of a field at the beginning, but keep the last word."""
        rest = self
        while (count := rest.begins(known, field)) and count < len(rest):
            rest = rest.part(count)
        return rest
