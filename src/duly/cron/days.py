"""Which days of a month an expression names, as one integer: bit 15 set means the 15th.

A month is fully described by its length and the weekday of its first day, so each rule is a little arithmetic on
bits, and a month's answer costs less than asking the calendar about a single day.
"""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import NamedTuple

LENGTHS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_WEEKS = sum(1 << 7 * week for week in range(6))  # one weekday, repeated over as many weeks as a month touches
_IN_EVERY_MONTH = (2 << 28) - 2
_LAST_YEAR = 9999


class Special(NamedTuple):
    """A day that has to be looked up in each month anew: `L-3`, `15W`, `5#2`, `5L`."""

    kind: str
    """`last` (of the month), `nearest` (working day to a date), `nth` (weekday) or `last-weekday`."""
    day: int
    """Day of the month for `nearest`, 0 meaning the last; weekday for `nth` and `last-weekday`."""
    number: int = 0
    """Days before the last for `last` and `nearest` to it; which one for `nth`."""

    def bits(self, first: int, length: int) -> int:
        """The day in a month of `length` days whose 1st is weekday `first` (Sunday 0), or no bit at all."""
        match self.kind:
            case "last":
                day = length - self.number
            case "nearest":
                day = _nearest_working_day(self.day or length - self.number, first, length)
            case "nth":
                day = 1 + (self.day - first) % 7 + 7 * (self.number - 1)
            case _:
                day = length - (first + length - 1 - self.day) % 7
        return 1 << day if 1 <= day <= length else 0


@cache
def _table(special: Special) -> tuple[int, ...]:
    """Its bits in each of the 28 kinds of month there are."""
    return tuple(special.bits(first, length) for first in range(7) for length in range(28, 32))


def _nearest_working_day(day: int, first: int, length: int) -> int:
    """Monday to Friday, at most two days away and never in another month; 0 when the day lies before the first.

    A day past the end counts as the last one: `31W` is the last working day of a short month.
    """
    if day < 1:
        return 0
    day = min(day, length)
    weekday = (first + day - 1) % 7
    if weekday == 6:
        return day - 1 if day > 1 else 3
    if weekday == 0:
        return day + 1 if day < length else day - 2
    return day


class Days:
    """The days an expression names: day-of-month and day-of-week joined, in the months it names."""

    __slots__ = ("_dates", "_either", "_months", "_specials", "_weekdays", "latest")

    def __init__(
        self,
        months: int,
        dates: int | None,
        weekdays: int | None,
        specials: tuple[tuple[Special, ...], ...],
        either: bool,
    ) -> None:
        self._months = months
        self._dates = dates  # None: any
        self._weekdays = weekdays if weekdays is None else weekdays * _WEEKS
        # Those of the day field and those of the weekday field, or nothing at all.
        self._specials = tuple(tuple(map(_table, field)) for field in specials) if specials else ()
        self._either = either
        self.latest = (0, 0)
        """The month last asked for (year * 12 + month) and its bits: the next question is mostly about the same."""

    @property
    def meaning(self) -> tuple[object, ...]:
        """What makes two of these equal."""
        joined = self._dates is not None and self._weekdays is not None
        return (self._months, self._dates, self._weekdays, self._specials, joined and self._either)

    def of(self, year: int, month: int) -> int:
        """The bits of a month."""
        bits = 0
        if self._months >> month & 1:
            length = LENGTHS[month]
            if month == 2 and year % 4 == 0 and (year % 100 or year % 400 == 0):
                length = 29
            if self._weekdays is None and not self._specials:
                bits = self._dates & (2 << length) - 2 if self._dates else (2 << length) - 2
            else:
                bits = self.in_month(date(year, month, 1).isoweekday() % 7, length)
        self.latest = (year * 12 + month, bits)
        return bits

    def in_month(self, first: int, length: int) -> int:
        """The bits of any month with `length` days whose 1st is weekday `first` (Sunday 0)."""
        everyday = (2 << length) - 2
        by_date = self._dates
        by_weekday = self._weekdays
        if by_weekday is not None:
            by_weekday = by_weekday >> first << 1
        if self._specials:
            kind = first * 4 + length - 28
            for table in self._specials[0]:
                by_date = (by_date or 0) | table[kind]
            for table in self._specials[1]:
                by_weekday = (by_weekday or 0) | table[kind]
        if by_date is None:
            return everyday if by_weekday is None else by_weekday & everyday
        if by_weekday is None:
            return by_date & everyday
        return (by_date | by_weekday if self._either else by_date & by_weekday) & everyday

    def after(self, year: int, month: int) -> tuple[int, int, int] | None:
        """The next month with any day in it, and its bits; None when the calendar ends first."""
        months = self._months
        while True:
            rest = months >> month + 1
            if rest:
                month += (rest & -rest).bit_length()
            elif year == _LAST_YEAR:
                return None
            else:
                year += 1
                month = (months & -months).bit_length() - 1
            bits = self.of(year, month)
            if bits:
                return year, month, bits

    def before(self, year: int, month: int) -> tuple[int, int, int] | None:
        """The last month before with any day in it, and its bits; None when the calendar begins first."""
        months = self._months
        while True:
            rest = months & (1 << month) - 1
            if rest:
                month = rest.bit_length() - 1
            elif year == 1:
                return None
            else:
                year -= 1
                month = months.bit_length() - 1
            bits = self.of(year, month)
            if bits:
                return year, month, bits

    def ever(self) -> bool:
        """Whether there is any such day: every length and every first weekday comes round in 400 years."""
        if self._dates is None or (self._dates & _IN_EVERY_MONTH and (self._either or self._weekdays != 0)):
            return True  # only the 29th to 31st, and days that have to be looked up, can miss every month
        return any(
            self.in_month(first, length)
            for month in range(1, 13)
            if self._months >> month & 1
            for length in ((28, 29) if month == 2 else (LENGTHS[month],))
            for first in range(7)
        )
