"""Lengths of time: 5 minutes, an hour and a half, 1h30m, zwei Wochen."""

from __future__ import annotations

from typing import NamedTuple

from duly.language.atoms import AtomKind, Numeral, Unit, WordRole
from duly.language.grammar.cursor import Cursor, ImpossibleError

_CALENDAR_DAYS = {Unit.DAY: 1, Unit.WEEK: 7}
_CALENDAR_MONTHS = {Unit.MONTH: 1, Unit.YEAR: 12}
_SIZES = {unit: size for size, unit in enumerate(Unit, 1)}
_MOST = 10**9
_LEAST_IN_WORDS = 10


class TimeLength(NamedTuple):
    """A length of time: calendar months and days, and elapsed seconds."""

    months: int = 0
    days: int = 0
    seconds: int = 0
    workdays: int = 0

    def __bool__(self) -> bool:
        return self != NOTHING

    @property
    def calendar(self) -> bool:
        """Whether it consists of days, weeks, months and years only."""
        return not self.seconds

    def plus(self, other: TimeLength) -> TimeLength:
        """Add two lengths."""
        return TimeLength(*(one + more for one, more in zip(self, other, strict=True)))


NOTHING = TimeLength()


def of_units(count: float, unit: Unit) -> TimeLength:
    """Make a length of a number of units. A fraction of a day is hours, a fraction of a year months."""
    if count > _MOST:
        raise ImpossibleError("that is longer than the calendar")
    if unit.elapsed:
        return TimeLength(seconds=_whole(count * unit.value))
    if unit in _CALENDAR_MONTHS:
        return TimeLength(months=_whole(count * _CALENDAR_MONTHS[unit]))
    if unit is Unit.WORKDAY:
        return TimeLength(workdays=_whole(count))
    days = count * _CALENDAR_DAYS[unit]
    return TimeLength(days=int(days), seconds=_whole((days - int(days)) * 86_400))


def _whole(value: float) -> int:
    if abs(value - round(value)) > 1e-6:
        raise ImpossibleError("that is no whole number of seconds or months")
    return round(value)


def read_length(cursor: Cursor, *, bare_unit: bool = False) -> TimeLength | None:
    """Read the length of time that stands here; return None and read nothing if there is none.

    With `bare_unit` a unit alone is one of it: "every hour", "za sat".
    """
    bare = cursor.on(AtomKind.UNIT)
    total = last = _term(cursor, bare_unit)
    if total is None or last is None:
        return None
    while True:
        start = cursor.at
        # "An hour and 20 minutes" and "1h20m" are one length. The second term has to be of a smaller unit: "5 minutes
        # and 10 minutes" are two lengths, and "seven days a week" is none.
        joined = cursor.separator()
        if not joined and (bare or not cursor.on(AtomKind.NUMBER)):
            return total
        counted = cursor.on(AtomKind.NUMBER)
        more = _term(cursor, joined and not cursor.language.has_articles) or _rest(cursor, start)
        if counted and _size(cursor, cursor.at) == _size(cursor, start) > 0:
            more = None  # 20 minutes, 10 minutes
        if more is None or not (_is_smaller(more, last) or _size(cursor, cursor.at) < _size(cursor, start)):
            cursor.at = start
            return total
        total = total.plus(more)
        last = more


def _is_smaller(more: TimeLength, last: TimeLength) -> bool:
    """Tell whether what follows is of a smaller kind, or less elapsed time: "2 hours and half an hour"."""
    return (bool(more.months), bool(more.days), more.seconds) < (bool(last.months), bool(last.days), last.seconds)


def _size(cursor: Cursor, end: int) -> int:
    """Return the rank of the unit that ends here: "a week and 3 days" is a sum, "seven days a week" is none."""
    unit = cursor.values[end - 1]
    return _SIZES[unit] if isinstance(unit, Unit) else 0


def _rest(cursor: Cursor, start: int) -> TimeLength | None:
    """Read the half of "an hour and a half", or the minutes of "1h30" and "une heure trente"."""
    unit = cursor.values[start - 1]
    if cursor.kinds[start - 1] is not AtomKind.UNIT:
        return None
    if cursor.at == start:
        numeral: Numeral = cursor.value
        # One digit is no minute ("1h 5" breaks off), and neither is a small number word ("une heure deux").
        said_as_minutes = numeral.digits == 2 or (not numeral.digits and numeral.value >= _LEAST_IN_WORDS)
        if unit is not Unit.HOUR or not said_as_minutes or numeral.value >= 60 or cursor.ahead() is AtomKind.UNIT:
            return None
        cursor.at += 1
        return TimeLength(seconds=int(numeral.value) * 60)
    cursor.skip_one()
    if cursor.on(AtomKind.FRACTION) and cursor.ahead() is not AtomKind.UNIT:
        return of_units(cursor.take(), unit)
    return None


def _term(cursor: Cursor, bare_unit: bool) -> TimeLength | None:
    """Read one number with its unit."""
    start = cursor.at
    if cursor.on(AtomKind.SPAN):
        return TimeLength(seconds=cursor.take())
    count = _count(cursor)
    if count is None and bare_unit and cursor.on(AtomKind.UNIT):
        count = 1.0
    if cursor.on(AtomKind.SPAN) and count is not None:
        return TimeLength(seconds=_whole(count * cursor.take()))
    if count is None or not cursor.on(AtomKind.UNIT):
        cursor.at = start
        return None
    return of_units(count, cursor.take())


def _count(cursor: Cursor) -> float | None:
    """Read a count: two, two and a half, half a, three quarters of an."""
    if cursor.on(AtomKind.FRACTION):
        share: float = cursor.take()
        cursor.skip_role(WordRole.OF)
        cursor.skip_role(WordRole.THE)
        cursor.skip_one()
        return share
    if not cursor.on(AtomKind.NUMBER):
        return None
    value: float = cursor.take().value
    if cursor.on(AtomKind.FRACTION):
        share = cursor.values[cursor.at]
        # "1½ hours" and "a half hour", but not "two half hours".
        if value == 1 or cursor.values[cursor.at - 1].digits:
            return _after_number(cursor, value, share)
        return None
    if cursor.role() & WordRole.AND:
        start = cursor.at
        cursor.at += 1
        cursor.skip_one()
        if cursor.on(AtomKind.FRACTION) and cursor.ahead() is AtomKind.UNIT:
            return value + float(cursor.take())
        cursor.at = start
    return value


def _after_number(cursor: Cursor, value: float, share: float) -> float:
    """Read the fraction right behind a number: 1½ is one and a half, "a half" is a half."""
    is_word = not cursor.values[cursor.at - 1].digits
    cursor.at += 1
    if is_word:
        cursor.skip_role(WordRole.OF)
        cursor.skip_one()
        return share
    return value + share
