"""Amounts in a reply, found by position: lengths of time, plain numbers and points in time.

Points in time are only recognised here. `duly.language.parsing` reads them later, because it knows the calendar.
"""

from __future__ import annotations

import re
from math import ceil
from typing import NamedTuple

from duly.language.replies.tokens import ReplyToken
from duly.language.replies.vocabulary import FormTable, ReplyVocabulary

DAY = 1440
WEEK = 7 * DAY
_HOUR = 60
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_CLOCK = re.compile(r"\d{1,2}(?:[.:]\d\d)?")
_COMPACT_MINUTES = re.compile(r"[0-5]?\d")
_DIGITS = 6
_FEW = 5
"""From here on a number word counts something; below it is an article or a manner of speaking, like "one"."""


class ReplyAmount(NamedTuple):
    """A length of time in minutes, a plain number, or a point in time as text."""

    label: str
    """As in patterns: `<duration>`, `<number>`, `<clock>` or `<time>`."""
    start: int
    end: int
    minutes: float | None = None


class _Term(NamedTuple):
    """One number with its unit, or a length that has its own words."""

    minutes: float
    end: int
    unit: int
    """In minutes."""


class AmountFinder:
    """Finds the amounts of one reply in one language."""

    def __init__(self, vocabulary: ReplyVocabulary, tokens: tuple[ReplyToken, ...], words: list[str]) -> None:
        self._vocabulary = vocabulary
        self._words = words
        self._ends = self._clause_ends(tokens)

    def at(self, start: int) -> list[ReplyAmount]:
        """Return what begins at this word: the longest duration, the longest point in time, or a plain number."""
        found: list[ReplyAmount] = []
        word = self._words[start]
        if word not in self._vocabulary.starts and not word[0].isdigit():
            return found
        duration = self._duration(start)
        if duration is not None:
            found.append(duration)
        elif word.isdecimal() and len(word) < _DIGITS:
            found.append(ReplyAmount("<number>", start, start + 1, minutes=int(word)))
        elif (counted := self._longest(self._vocabulary.numbers, start, self._ends[start])) and counted[0] >= _FEW:
            found.append(ReplyAmount("<number>", start, counted[1], minutes=counted[0]))
        if _CLOCK.fullmatch(word):
            found.append(ReplyAmount("<clock>", start, start + 1))
        time = self._time(start)
        if time is not None:
            found.append(time)
        return found

    @staticmethod
    def _clause_ends(tokens: tuple[ReplyToken, ...]) -> list[int]:
        """Return for each word where its clause ends: no amount reaches over a pause."""
        ends = [0] * len(tokens)
        end = len(tokens)
        for position in range(len(tokens) - 1, -1, -1):
            ends[position] = end
            if tokens[position].pause:
                end = position
        return ends

    def _duration(self, start: int) -> ReplyAmount | None:
        limit = self._ends[start]
        first = self._term(start, limit)
        if first is None:
            return None
        minutes = first.minutes
        end = first.end
        joined = end < limit and self._words[end] in self._vocabulary.plus
        following = end + joined
        half_end = self._half(following, limit) if joined else None
        second = self._term(following, limit) if following < limit and first.unit > 1 else None
        if half_end is not None:  # an hour and a half
            minutes += first.unit / 2
            end = half_end
        elif second is not None and second.unit < first.unit:  # an hour and 20 minutes, but not 5 minutes 10 minutes
            minutes += second.minutes
            end = second.end
        elif second is None and first.unit == _HOUR and following < limit and self._is_compact_minutes(following):
            minutes += int(self._words[following])
            end = following + 1
        return ReplyAmount("<duration>", start, end, minutes=minutes)

    def _half(self, position: int, limit: int) -> int | None:
        """Return the end of "half" or "a half" here."""
        one = self._longest(self._vocabulary.numbers, position, limit)
        if one is not None and one[0] == 1:
            position = one[1]
        return position + 1 if position < limit and self._words[position] in self._vocabulary.half else None

    def _is_compact_minutes(self, position: int) -> bool:
        """Tell whether the bare number here is the 30 of "1h30"."""
        return self._words[position - 1] == "h" and _COMPACT_MINUTES.fullmatch(self._words[position]) is not None

    def _term(self, start: int, limit: int) -> _Term | None:
        own = self._longest(self._vocabulary.lengths, start, limit)
        if own is not None:
            minutes, end = own
            return _Term(minutes, end, _HOUR if minutes % _HOUR == 0 else 1)
        counted = self._count(start, limit)
        if counted is None:
            return None
        number, position = counted
        if position < limit and self._words[position] in self._vocabulary.more:
            position += 1
        unit = self._longest(self._vocabulary.units, position, limit)
        if unit is not None:
            return _Term(round(number * unit[0], 3), unit[1], int(unit[0]))
        in_digits = self._words[start][0].isdigit()  # "one second" is a manner of speaking, "30 seconds" is none
        if in_digits and position < limit and self._words[position] in self._vocabulary.seconds:
            return _Term(ceil(number / 60), position + 1, 1)
        return None

    def _count(self, start: int, limit: int) -> tuple[float, int] | None:
        """Return the number that begins here, and its end."""
        word = self._words[start]
        if _NUMBER.fullmatch(word):
            return (float(word.replace(",", ".")), start + 1) if len(word) < _DIGITS else None
        return self._longest(self._vocabulary.numbers, start, limit)

    def _longest(self, table: FormTable, start: int, limit: int) -> tuple[float, int] | None:
        """Return the value of the longest form of a table that stands here, and its end."""
        if start >= limit:
            return None
        for rest, value in table.get(self._words[start], ()):
            end = start + 1 + len(rest)
            if not rest or (end <= limit and tuple(self._words[start + 1 : end]) == rest):
                return value, end
        return None

    def _time(self, start: int) -> ReplyAmount | None:
        limit = self._ends[start]
        begin = start + self._until(start, limit)
        if begin >= limit or (begin == start and not self._opens_time(start)):
            return None
        end = begin
        solid = False
        while end < limit and (known := self._in_time(end)) is not None:
            solid = solid or known
            end += 1
        return ReplyAmount("<time>", begin, end) if solid else None

    def _until(self, start: int, limit: int) -> int:
        """Return how many words say "until" here."""
        for phrase in self._vocabulary.until:
            if start + len(phrase) <= limit and tuple(self._words[start : start + len(phrase)]) == phrase:
                return len(phrase)
        return 0

    def _opens_time(self, position: int) -> bool:
        return self._words[position] in self._vocabulary.openers or self._words[position] in self._vocabulary.days

    def _in_time(self, position: int) -> bool | None:
        """Return True for a number or a day, False for a word that only belongs to one, None for any other word."""
        vocabulary = self._vocabulary
        word = self._words[position]
        if word in vocabulary.days or word in vocabulary.number_words or _CLOCK.fullmatch(word):
            return True
        return False if word in vocabulary.inner or word in vocabulary.openers else None
