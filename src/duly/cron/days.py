"""The days of a month that an expression names, as one integer: bit 15 set means the 15th.

A month is fully described by its length and the weekday of its first day: there are 7 × 4 kinds of month. So each rule
is arithmetic on bits, and all days of a month cost less than asking the calendar about a single day.

Throughout, bit 0 is never set (there is no day 0), and `(2 << length) - 2` is the mask of the days 1 to `length`.
Weekdays are cron's: Sunday is 0.
"""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import NamedTuple

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

    def bits(self, first: int, length: int) -> int:
        """Give the day in a month of `length` days whose 1st is weekday `first`; 0 if the month has no such day."""
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


def _values(bits: int) -> tuple[int, ...]:
    """List the numbers of the bits that are set."""
    return tuple(number for number in range(bits.bit_length()) if bits >> number & 1)


@cache
def _table(special: Special) -> tuple[int, ...]:
    """Give its bits in each of the 28 kinds of month; a month is found at `first * 4 + length - 28`."""
    return tuple(special.bits(first, length) for first in range(7) for length in range(28, 32))


@cache
def _in_months(weekdays: int) -> tuple[int, ...]:
    """Give the bits of weekdays in a month, by the weekday of its 1st: of the 128 sets of weekdays each is made once.

    Bit 0 of the repeated week is a Sunday. Shifted right by the weekday of the 1st, bit 0 is the 1st; shifted left by
    one, it stands at bit 1, where the 1st belongs.
    """
    return tuple(weekdays * _WEEKS >> first << 1 for first in range(7))


def _month(year: int, month: int) -> tuple[int, int]:
    """Give the weekday of the 1st of a month, and the mask of its days."""
    leap = month == 2 and year % 4 == 0 and (year % 100 > 0 or year % 400 == 0)
    return date(year, month, 1).isoweekday() % 7, (2 << LENGTHS[month] + leap) - 2


def _years() -> tuple[tuple[tuple[int, int], ...], ...]:
    """List the months of 400 years, after which the calendar repeats; of years there are 14 kinds."""
    kinds: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
    years = []
    for year in range(2000, 2400):
        kind = (_month(year, 1)[0], _month(year, 2)[1])
        if kind not in kinds:
            kinds[kind] = ((0, 0), *(_month(year, month) for month in range(1, 13)))
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


class Days:
    """The days an expression names: day-of-month and day-of-week joined, in the months it names."""

    __slots__ = ("_dates", "_either", "_joined", "_months", "_shifted", "_single", "_specials", "_weekdays", "latest")

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
        self._shifted = None if weekdays is None else _in_months(weekdays)
        # Two tuples of tables, of the day field and of the weekday field; empty where neither has a special.
        self._specials = (tuple(map(_table, specials[0])), tuple(map(_table, specials[1]))) if specials else ()
        self._either = either
        self._single = None
        self._joined = dates is not None and weekdays is not None
        if specials:
            tables = [table for field in self._specials for table in field]
            self._joined = True
            if len(tables) == 1 and dates is None and weekdays is None:
                self._single = tables[0]
        self.latest = (0, 0)
        """The month last asked for (year * 12 + month) and its bits: the next question is mostly about the same.

        One tuple, so that a reader in another thread never sees the month of one answer with the bits of another.
        """

    @property
    def meaning(self) -> tuple[object, ...]:
        """Give the value that two of these share when they name the same days for the same reasons."""
        joined = self._dates is not None and self._weekdays is not None
        return (self._months, self._dates, self._weekdays, self._specials, joined and self._either)

    def named(self) -> NamedDays | None:
        """List the named days; None where some have to be looked up in each month."""
        if self._specials:
            return None
        weekdays = None if self._weekdays is None else _values(self._weekdays & (1 << 7) - 1)
        dates = None if self._dates is None else _values(self._dates)
        return NamedDays(_values(self._months), dates, weekdays, self._either)

    @property
    def every(self) -> bool:
        """Whether every day is named."""
        return self._dates is None and self._weekdays is None and not self._specials and self._months == _ALL_MONTHS

    def of(self, year: int, month: int) -> int:
        """Give the bits of a month, and remember them."""
        bits = 0
        if self._months >> month & 1:
            first, bits = _YEARS[year % 400][month]
            if self._single is not None:
                bits = self._single[first * 4 + bits.bit_length() - 29]
            elif self._joined:
                bits = self.in_month(first, bits.bit_length() - 1)
            elif self._shifted is not None:
                bits &= self._shifted[first]
            elif self._dates is not None:
                bits &= self._dates
        self.latest = (year * 12 + month, bits)
        return bits

    def in_month(self, first: int, length: int) -> int:
        """Give the bits of any month with `length` days whose 1st is weekday `first`."""
        everyday = (2 << length) - 2
        by_date = self._dates
        by_weekday = self._weekdays
        if self._shifted is not None:
            by_weekday = self._shifted[first]
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
        """Give the next month with any day in it, and its bits; None when the calendar ends first."""
        months = self._months
        while True:
            rest = months >> month + 1  # the named months of this year that are still to come
            if rest:
                month += (rest & -rest).bit_length()  # the lowest bit of `rest` is the nearest
            elif year == _LAST_YEAR:
                return None
            else:
                year += 1
                month = (months & -months).bit_length() - 1
            bits = self.of(year, month)
            if bits:
                return year, month, bits

    def before(self, year: int, month: int) -> tuple[int, int, int] | None:
        """Give the last month before with any day in it, and its bits; None when the calendar begins first."""
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
        """Say whether there is any such day.

        Every month has each of its lengths with each first weekday at some time in 400 years, so trying these kinds of
        month is the same as trying every year.
        """
        if self._dates is None or (self._dates & _IN_EVERY_MONTH and (self._either or self._weekdays != 0)):
            return True  # only the 29th to 31st, and days that have to be looked up, can miss every month
        return any(
            self.in_month(first, length)
            for month in range(1, 13)
            if self._months >> month & 1
            for length in ((28, 29) if month == 2 else (LENGTHS[month],))
            for first in range(7)
        )
