"""The days of a month that an expression names, as one integer: bit 15 set means the 15th.

A month is fully described by its length and the weekday of its first day: there are 7 × 4 kinds of month, numbered
`first * 4 + length - 28`. So each rule is arithmetic on bits, and an expression has to work out its days for each kind
only once.

Throughout, bit 0 is never set (there is no day 0), and `(2 << length) - 2` is the mask of the days 1 to `length`.
Weekdays are cron's: Sunday is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import NamedTuple

from duly.cron.tables import Table, ahead, behind, values

LENGTHS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_WEEKS = sum(1 << 7 * week for week in range(6))
"""One bit every seven: multiplied by the bits of a week, it repeats them over the six weeks that a month may touch."""
_IN_EVERY_MONTH = (2 << 28) - 2
"""The days 1 to 28."""
_ALL_MONTHS = (2 << 12) - 2
_LAST_YEAR = 9999


class Special(NamedTuple):
    """A day that has to be looked up in each month anew: `L-3`, `15W`, `5#2`, `5L`."""

    kind: str
    """`last` (of the month), `nearest` (working day to a date), `nth` (weekday) or `last-weekday`."""
    day: int
    """Day of the month for `nearest`, 0 meaning the last; weekday for `nth` and `last-weekday`."""
    number: int = 0
    """Days before the last for `last` and `nearest` to it; which one for `nth`."""

    def bits(self, kind: int) -> int:
        """Give the day in a month of a kind; 0 if the month has no such day."""
        first = kind // 4
        length = kind % 4 + 28
        match self.kind:
            case "last":
                day = length - self.number
            case "nearest":
                day = _nearest_working_day(self.day or length - self.number, first, length)
            case "nth":
                # The first such weekday is 0 to 6 days after the 1st.
                day = 1 + (self.day - first) % 7 + 7 * (self.number - 1)
            case _:
                # The last day is weekday first + length - 1; the wanted weekday is 0 to 6 days before it.
                day = length - (first + length - 1 - self.day) % 7
        return 1 << day if 1 <= day <= length else 0


@cache
def _table(special: Special) -> tuple[int, ...]:
    """Give its bits in each of the 28 kinds of month."""
    return tuple(map(special.bits, range(28)))


def _kind(year: int, month: int) -> int:
    """Give the kind of a month, as a number from 0 to 27."""
    leap = month == 2 and year % 4 == 0 and (year % 100 > 0 or year % 400 == 0)
    return date(year, month, 1).isoweekday() % 7 * 4 + LENGTHS[month] + leap - 28


def _years() -> tuple[tuple[int, ...], ...]:
    """List the kinds of the months of 400 years, after which the calendar repeats; of years there are 14 kinds."""
    kinds: dict[tuple[int, int], tuple[int, ...]] = {}
    years = []
    for year in range(2000, 2400):
        kind = (_kind(year, 1), _kind(year, 2))
        if kind not in kinds:
            kinds[kind] = (0, *(_kind(year, month) for month in range(1, 13)))
        years.append(kinds[kind])
    return tuple(years)


_YEARS = _years()


def _nearest_working_day(day: int, first: int, length: int) -> int:
    """Find Monday to Friday, at most two days away and never in another month; 0 when the day lies before the 1st.

    A day past the end counts as the last one: `31W` is the last working day of a short month.
    """
    if day < 1:
        return 0
    day = min(day, length)
    weekday = (first + day - 1) % 7
    if weekday == 6:  # Saturday: the Friday before, but from the 1st on to Monday the 3rd
        return day - 1 if day > 1 else 3
    if weekday == 0:  # Sunday: the Monday after, but on the last day back to Friday
        return day + 1 if day < length else day - 2
    return day


class NamedDays(NamedTuple):
    """The days of an expression without days that have to be looked up, as lists."""

    months: tuple[int, ...]
    dates: tuple[int, ...] | None
    """Days of the month; None means any."""
    weekdays: tuple[int, ...] | None
    """Weekdays as in cron, Sunday is 0; None means any."""
    either: bool
    """Whether a day needs to be named by one of the two only."""


@dataclass(slots=True)  # not frozen, which would double the cost of the first question to an expression
class MonthDays:
    """The named days of a month, in three forms."""

    ahead: Table
    """For each number from 0 to 32, the first named day that is not before it; -1 where there is none."""
    behind: Table
    """For each number from 0 to 32, the last named day before it; -1 where there is none."""
    bits: int


_NO_DAYS = MonthDays(ahead(0, 32), behind(0, 32), 0)


@dataclass(slots=True)
class _Calendar:
    """What an expression knows of the calendar: made when it is first asked."""

    months_ahead: Table
    months_behind: Table
    kinds: list[MonthDays | None]
    """The named days of each kind of month, for the kinds that were asked for."""


class Days:
    """The days an expression names: day-of-month and day-of-week joined, in the months it names."""

    __slots__ = ("_calendar", "_dates", "_either", "_months", "_specials", "_weekdays")

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
        self._weekdays = weekdays  # None: any
        self._specials = specials  # of the day field and of the weekday field; empty where neither has a special
        self._either = either
        self._calendar: _Calendar | None = None

    @property
    def meaning(self) -> tuple[object, ...]:
        """Give the value that two of these share when they name the same days for the same reasons."""
        joined = self._dates is not None and self._weekdays is not None
        specials = tuple(tuple(map(_table, field)) for field in self._specials)  # `31W` and `LW` name the same days
        return (self._months, self._dates, self._weekdays, specials, joined and self._either)

    def named(self) -> NamedDays | None:
        """List the named days; None where some have to be looked up in each month."""
        if self._specials:
            return None
        weekdays = None if self._weekdays is None else values(self._weekdays)
        dates = None if self._dates is None else values(self._dates)
        return NamedDays(values(self._months), dates, weekdays, self._either)

    @property
    def every(self) -> bool:
        """Whether every day is named."""
        return self._dates is None and self._weekdays is None and not self._specials and self._months == _ALL_MONTHS

    @property
    def week(self) -> int | None:
        """The bits of the weekdays, if only they matter."""
        return self._weekdays if self._dates is None and not self._specials and self._months == _ALL_MONTHS else None

    def of(self, year: int, month: int) -> MonthDays:
        """Give the named days of a month."""
        calendar = self._calendar or self._open_calendar()
        if calendar.months_ahead[month] != month:
            return _NO_DAYS
        kind = _YEARS[year % 400][month]
        found = calendar.kinds[kind]
        if found is None:
            bits = self._in_month(kind)
            found = calendar.kinds[kind] = MonthDays(ahead(bits, 32), behind(bits, 32), bits)
        return found

    def _open_calendar(self) -> _Calendar:
        self._calendar = _Calendar(ahead(self._months, 13), behind(self._months, 13), [None] * 28)
        return self._calendar

    def _in_month(self, kind: int) -> int:
        """Give the bits of any month of a kind."""
        everyday = (2 << kind % 4 + 28) - 2
        by_date = self._dates
        by_weekday = self._weekdays
        if by_weekday:
            # Bit 0 of the repeated week is a Sunday. Shifted right by the weekday of the 1st, bit 0 is the 1st; shifted
            # left by one, it stands at bit 1, where the 1st belongs.
            by_weekday = by_weekday * _WEEKS >> kind // 4 << 1
        if self._specials:
            for special in self._specials[0]:
                by_date = (by_date or 0) | special.bits(kind)
            for special in self._specials[1]:
                by_weekday = (by_weekday or 0) | special.bits(kind)
        if by_date is None:
            return everyday if by_weekday is None else by_weekday & everyday
        if by_weekday is None:
            return by_date & everyday
        return (by_date | by_weekday if self._either else by_date & by_weekday) & everyday

    def after(self, year: int, month: int) -> date | None:
        """Give the first named day after a month; None when the calendar ends first."""
        calendar = self._calendar or self._open_calendar()
        months = calendar.months_ahead
        while True:
            month = months[month + 1]
            if month < 0:
                if year == _LAST_YEAR:
                    return None
                year += 1
                month = months[0]
            days = calendar.kinds[_YEARS[year % 400][month]] or self.of(year, month)
            day = days.ahead[0]
            if day > 0:
                return date(year, month, day)

    def before(self, year: int, month: int) -> date | None:
        """Give the last named day before a month; None when the calendar begins first."""
        calendar = self._calendar or self._open_calendar()
        months = calendar.months_behind
        while True:
            month = months[month]
            if month < 0:
                if year == 1:
                    return None
                year -= 1
                month = months[13]
            days = calendar.kinds[_YEARS[year % 400][month]] or self.of(year, month)
            day = days.behind[32]
            if day > 0:
                return date(year, month, day)

    def ever(self) -> bool:
        """Say whether there is any such day.

        Every month has each of its lengths with each first weekday at some time in 400 years, so trying these kinds of
        month is the same as trying every year.
        """
        if self._dates is None or (self._dates & _IN_EVERY_MONTH and (self._either or self._weekdays != 0)):
            return True  # only the 29th to 31st, and days that have to be looked up, can miss every month
        return any(
            self._in_month(first * 4 + length - 28)
            for month in range(1, 13)
            if self._months >> month & 1
            for length in ((28, 29) if month == 2 else (LENGTHS[month],))
            for first in range(7)
        )
