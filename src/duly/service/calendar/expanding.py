"""Recurrence rules of RFC 5545, expanded period by period: days on the face of a clock, at one time of the day.

Each period takes a step (`duly.expansion`), whether the rule has a day in it or not. The expansion begins wherever it
is asked to, without visiting what lies before: a rule that began in the year 1 costs no more than one of today.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from duly.errors import InvalidInputError
from duly.expansion import step

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
ENDLESS = datetime.max  # noqa: DTZ901  what a clock shows has no zone
RulePart = str | int | list[str] | list[int]
RuleParts = Mapping[str, Any]
"""`FREQ`, `INTERVAL`, `BYDAY` … as RFC 5545 names them; lists for the BY… parts."""
_LAST_DAY = date.max.toordinal()
_LIMITS = {"BYMONTHDAY": 31, "BYSETPOS": 366, "BYDAY": 53}


class Expansion:
    """The times of a rule, from its first one on; COUNT and UNTIL are for the caller to apply."""

    def __init__(self, parts: RuleParts, start: datetime) -> None:
        """`start` and all times given are what the clock shows, without a zone."""
        self._start = start
        self._freq: str = parts["FREQ"]
        self._interval: int = parts.get("INTERVAL", 1)
        self._months = frozenset(parts.get("BYMONTH", ()))
        self._dates = frozenset(parts.get("BYMONTHDAY", ()))
        self._positions = frozenset(parts.get("BYSETPOS", ()))
        self._week_start = WEEKDAYS.index(parts.get("WKST", "MO"))
        self._weekdays, self._nth = _days(parts.get("BYDAY", ()), is_numbered=self._freq in ("MONTHLY", "YEARLY"))
        for name, given in (("BYMONTHDAY", self._dates), ("BYSETPOS", self._positions)):
            _check(name, given)
        self._apply_usual(parts)

    def _apply_usual(self, parts: RuleParts) -> None:
        """Take from the first time what the rule does not say."""
        if "BYDAY" in parts or "BYMONTHDAY" in parts:
            return
        if self._freq == "WEEKLY":
            self._weekdays = frozenset((self._start.weekday(),))
        elif self._freq in ("MONTHLY", "YEARLY"):
            self._dates = frozenset((self._start.day,))
            if self._freq == "YEARLY" and not self._months:
                self._months = frozenset((self._start.month,))

    def between(self, low: datetime, high: datetime = ENDLESS) -> Iterator[datetime]:
        """Give the times from `low` to `high`, both included, in order."""
        low = max(low, self._start)
        if self._freq == "HOURLY":
            yield from self._hourly(low, high)
            return
        moment = self._start.time()
        for period in self._periods(low, high):
            step()
            days = sorted(self._chosen(period))
            for day in self._placed(days) if self._positions else days:
                found = datetime.combine(date.fromordinal(day), moment)
                if low <= found <= high:
                    yield found

    def _hourly(self, low: datetime, high: datetime) -> Iterator[datetime]:
        stride = timedelta(hours=self._interval)
        first = -((self._start - low) // stride)
        for number in range(first, (high - self._start) // stride + 1):
            step()
            yield self._start + number * stride

    # periods: numbers of days, weeks, months or years, counted from the beginning of the calendar

    def _periods(self, low: datetime, high: datetime) -> range:
        first = self._number(self._start)
        begin = self._number(low)
        end = self._number(high)
        return range(first + -((first - begin) // self._interval) * self._interval, end + 1, self._interval)

    def _number(self, at: datetime) -> int:
        match self._freq:
            case "DAILY":
                return at.toordinal()
            case "WEEKLY":
                return (at.toordinal() - 1 - self._week_start) // 7
            case "MONTHLY":
                return at.year * 12 + at.month - 1
            case _:
                return at.year

    def _chosen(self, period: int) -> Iterator[int]:
        """Give the days of a period that the rule names, as ordinals."""
        match self._freq:
            case "DAILY":
                yield from filter(self._is_named, (period,))
            case "WEEKLY":
                first = period * 7 + self._week_start + 1
                yield from filter(self._is_named, range(max(1, first), min(first + 7, _LAST_DAY + 1)))
            case "MONTHLY":
                yield from self._of_month(period // 12, period % 12 + 1)
            case _:
                yield from self._of_year(period)

    def _is_named(self, ordinal: int) -> bool:
        """Whether a rule by days or weeks names a day."""
        if self._weekdays and (ordinal - 1) % 7 not in self._weekdays:
            return False
        if not self._months and not self._dates:
            return True
        day = date.fromordinal(ordinal)
        if self._months and day.month not in self._months:
            return False
        length = monthrange(day.year, day.month)[1]
        return not self._dates or day.day in self._dates or day.day - length - 1 in self._dates

    def _of_month(self, year: int, month: int) -> Iterator[int]:
        if self._months and month not in self._months:
            return
        length = monthrange(year, month)[1]
        first = date(year, month, 1).toordinal()
        yield from self._filtered(first, first + length, self._dates_in(first, length))

    def _of_year(self, year: int) -> Iterator[int]:
        step(len(self._months) or 12)
        if self._months:
            for month in self._months:
                yield from self._of_month(year, month)
            return
        firsts = [date(year, month, 1).toordinal() for month in range(1, 13)]
        end = date(year, 12, 31).toordinal() + 1
        dates = [
            day
            for first, following in zip(firsts, [*firsts[1:], end], strict=True)
            for day in self._dates_in(first, following - first) or ()
        ]
        yield from self._filtered(firsts[0], end, dates if self._dates else None)

    def _dates_in(self, first: int, length: int) -> Sequence[int] | None:
        """Give the days of a month that BYMONTHDAY names; None where it names none."""
        if not self._dates:
            return None
        named = {each if each > 0 else length + 1 + each for each in self._dates}
        return [first + each - 1 for each in named if 1 <= each <= length]

    def _filtered(self, first: int, end: int, dates: Sequence[int] | None) -> Iterator[int]:
        """Give the days from `first` until before `end` that BYDAY names, or `dates` where there are any."""
        if not self._weekdays and not self._nth:
            yield from range(first, end) if dates is None else dates
            return
        nth = set(self._numbered(first, end))
        for each in range(first, end) if dates is None else dates:
            if (each - 1) % 7 in self._weekdays or each in nth:
                yield each

    def _numbered(self, first: int, end: int) -> Iterator[int]:
        """Give the first Monday, the last Friday … of a span."""
        for weekday, number in self._nth:
            if number > 0:
                found = first + (weekday - (first - 1)) % 7 + (number - 1) * 7
            else:
                found = end - 1 - ((end - 2) - weekday) % 7 + (number + 1) * 7
            if first <= found < end:
                yield found

    def _placed(self, days: Sequence[int]) -> list[int]:
        """Give the days at the places that BYSETPOS names."""
        places = {each - 1 if each > 0 else len(days) + each for each in self._positions}
        return [days[each] for each in sorted(places) if 0 <= each < len(days)]


def _days(texts: Sequence[str], *, is_numbered: bool) -> tuple[frozenset[int], tuple[tuple[int, int], ...]]:
    """Read BYDAY: the weekdays of every week, and the numbered ones; by days and weeks, numbers mean nothing."""
    weekdays: set[int] = set()
    nth: set[tuple[int, int]] = set()
    for text in texts:
        day = WEEKDAYS.index(text[-2:])
        if len(text) == 2 or not is_numbered:
            weekdays.add(day)
        else:
            _check("BYDAY", (int(text[:-2]),))
            nth.add((day, int(text[:-2])))
    return frozenset(weekdays), tuple(sorted(nth))


def _check(name: str, given: Sequence[int] | frozenset[int]) -> None:
    most = _LIMITS[name]
    for each in given:
        if not 1 <= abs(each) <= most:
            raise InvalidInputError(f"{name} takes numbers from 1 to {most}, and from -1 to -{most}, got {each}")
