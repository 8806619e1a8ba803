"""Durations and points in time inside a reply, found by position."""

from __future__ import annotations

import re
from math import ceil
from typing import NamedTuple

from duly.language.reply.lexicon import Vocabulary
from duly.language.reply.tokens import Token

DAY = 1440
WEEK = 7 * DAY
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_CLOCK = re.compile(r"\d{1,2}(?:[.:]\d\d)?")
_COMPACT = {"h": 60, "hr": 60, "hrs": 60, "m": 1, "min": 1, "mins": 1}
_DIGITS = 6


class Amount(NamedTuple):
    """A duration in minutes, a plain number, or a point in time as text."""

    label: str
    start: int
    end: int
    minutes: float | None = None


class Amounts:
    """All amounts of one reply in one language."""

    def __init__(self, vocabulary: Vocabulary, tokens: tuple[Token, ...], words: list[str]) -> None:
        self._vocabulary = vocabulary
        self._amounts = vocabulary.lexicon.amounts
        self._times = vocabulary.lexicon.times
        self._words = words
        self._ends = self._clause_ends(tokens)

    def at(self, start: int) -> list[Amount]:
        """What begins at this word: the longest duration, the longest point in time, or a plain number."""
        found: list[Amount] = []
        word = self._words[start]
        if word not in self._vocabulary.starts and not word[0].isdigit():
            return found
        duration = self._duration(start)
        if duration is not None:
            found.append(duration)
        elif word.isdecimal() and len(word) < _DIGITS:
            found.append(Amount("<number>", start, start + 1, int(word)))
        time = self._time(start)
        if time is not None:
            found.append(time)
        return found

    @staticmethod
    def _clause_ends(tokens: tuple[Token, ...]) -> list[int]:
        """For each word where its clause ends: no amount reaches over a pause."""
        ends, end = [0] * len(tokens), len(tokens)
        for position in range(len(tokens) - 1, -1, -1):
            ends[position] = end
            if tokens[position].pause:
                end = position
        return ends

    def _duration(self, start: int) -> Amount | None:
        first = self._part(start, self._ends[start])
        if first is None:
            return None
        minutes, end, unit = first
        limit = self._ends[start]
        joined = end < limit and self._words[end] in self._amounts.plus
        following = end + joined
        half = self._half(following, limit) if joined else None
        if half is not None:
            return Amount("<duration>", start, half, minutes + unit / 2)
        second = self._part(following, limit) if following < limit and unit > 1 else None
        if second is not None and second[2] < unit:
            minutes, end = minutes + second[0], second[1]
        elif second is None and unit == 60 and following < limit and self._is_compact_minutes(following):
            minutes, end = minutes + int(self._words[following]), following + 1
        return Amount("<duration>", start, end, minutes)

    def _half(self, position: int, limit: int) -> int | None:
        """The end of "half" or "a half" here."""
        if position < limit and self._amounts.numbers.get(self._words[position]) == 1:
            position += 1
        return position + 1 if position < limit and self._words[position] in self._amounts.half else None

    def _is_compact_minutes(self, position: int) -> bool:
        """Whether the bare number here is the 30 of "1h30"."""
        return self._words[position - 1] == "h" and re.fullmatch(r"[0-5]?\d", self._words[position]) is not None

    def _part(self, start: int, limit: int) -> tuple[float, int, int] | None:
        """Minutes, end and unit of one number with its unit, or of a fixed expression."""
        for length in range(min(5, limit - start), 0, -1):
            fixed = self._vocabulary.fixed.get(tuple(self._words[start : start + length]))
            if fixed is not None:
                return fixed, start + length, 60 if fixed % 60 == 0 else 1
        counted = self._count(start, limit)
        if counted is None:
            return None
        number, position = counted
        if position < limit and self._words[position] in self._amounts.more:
            position += 1
        if position >= limit:
            return None
        return self._with_unit(number, position, spelled=self._words[start] in self._amounts.numbers)

    def _with_unit(self, number: float, position: int, *, spelled: bool) -> tuple[float, int, int] | None:
        word = self._words[position]
        unit = self._amounts.units.get(word) or _COMPACT.get(word)
        if unit is not None:
            return round(number * unit, 3), position + 1, unit
        if word in self._amounts.seconds and not spelled:  # "one second" is a manner of speaking
            return ceil(number / 60), position + 1, 1
        return None

    def _count(self, start: int, limit: int) -> tuple[float, int] | None:
        word = self._words[start]
        if _NUMBER.fullmatch(word):
            return (float(word.replace(",", ".")), start + 1) if len(word) < _DIGITS else None
        number = self._amounts.numbers.get(word)
        if number is None:
            return None
        if number < 20 or number % 10:
            return number, start + 1
        position = start + 1 + (start + 1 < limit and self._words[start + 1] in self._amounts.plus)
        ones = self._amounts.numbers.get(self._words[position], 0) if position < limit else 0
        return (number + ones, position + 1) if 0 < ones < 10 else (number, start + 1)

    def _time(self, start: int) -> Amount | None:
        limit = self._ends[start]
        begin = start + self._until(start, limit)
        if begin >= limit or (begin == start and not self._opens_time(start)):
            return None
        end, solid = begin, False
        while end < limit and (known := self._in_time(end)) is not None:
            solid = solid or known
            end += 1
        return Amount("<time>", begin, end) if solid else None

    def _until(self, start: int, limit: int) -> int:
        """How many words say "until" here."""
        for phrase in self._vocabulary.until:
            if start + len(phrase) <= limit and tuple(self._words[start : start + len(phrase)]) == phrase:
                return len(phrase)
        return 0

    def _opens_time(self, position: int) -> bool:
        return self._words[position] in self._times.openers or self._words[position] in self._times.days

    def _in_time(self, position: int) -> bool | None:
        """True for a number or a day, False for a word that only belongs to one, None for anything else."""
        word = self._words[position]
        if word in self._times.days or word in self._amounts.numbers or _CLOCK.fullmatch(word):
            return True
        return False if word in self._times.inner or word in self._times.openers else None
