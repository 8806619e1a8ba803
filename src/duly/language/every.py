"""Rhythms: everything that "every" can stand before."""

from __future__ import annotations

from duly.language.amounts import Amount, read_amount
from duly.language.atoms import Kind, Role, Unit
from duly.language.clause import Clause, Said, Slot
from duly.language.cursor import ImpossibleError
from duly.language.dates import (
    add_date,
    monthday,
    of_month,
    ordinals_of_weekday,
    read_date,
    read_monthdays,
    read_nth_weekday,
    read_weekdays,
)

_SUNDAY = 6
_DAY_WORDS = (Kind.WEEKDAY, Kind.WEEKDAYS)


def read_every(said: Said, _roles: int) -> None:
    """Every Monday, every 2 hours, every other week, every first Monday of the month."""
    cursor = said.cursor
    cursor.at += 1
    cursor.skip_articles()
    said.recurring = True
    kind = cursor.kind
    if kind is Kind.PART:
        _every_part(said)
    elif kind in _DAY_WORDS:
        _every_weekday(said, 1)
    elif kind is Kind.UNIT and not cursor.value.elapsed:
        _every_units(said, 1)
    elif kind is Kind.FIXED_TIME:
        _every_day(said)
    elif not (_counted(said) or _pace(said) or _dated(said)):
        raise cursor.misread("needs a length of time or a day")


def _counted(said: Said) -> bool:
    """Every second Monday, every 3 weeks, every third hour."""
    cursor = said.cursor
    start = cursor.at
    if several := ordinals_of_weekday(cursor):
        _every_nth(said, several)
        return True
    if not (cursor.on(Kind.NUMBER) or cursor.on(Kind.ORDINAL)):
        return False
    value = cursor.take()
    count = value if isinstance(value, int) else value.whole
    ordinal = isinstance(value, int) or value.dotted or cursor.skip(Kind.ORDINAL_MARK)
    weeks = cursor.source.sunday_is_week and not ordinal and cursor.on(Kind.WEEKDAY) and cursor.value == _SUNDAY
    if count is not None and cursor.kind in _DAY_WORDS and not weeks:
        _every_weekday(said, count)
        return True
    if count is not None and cursor.on(Kind.UNIT) and (ordinal or not cursor.value.elapsed):
        _every_units(said, count)
        return True
    cursor.at = start
    return False


def _every_nth(said: Said, ordinals: list[int]) -> None:
    """The cursor stands on the weekday behind its ordinals: of the month, or counted through."""
    cursor = said.cursor
    start = cursor.at
    cursor.at += 1
    monthly = of_month(cursor) is True
    cursor.at = start
    if monthly or len(ordinals) > 1:
        read_nth_weekday(said, ordinals)
    elif ordinals[0] > 1:
        _every_weekday(said, ordinals[0])
    else:
        raise cursor.misread("needs a month")


def _dated(said: Said) -> bool:
    """Every 1st of the month, every 25 December."""
    cursor = said.cursor
    start = cursor.at
    numbered = cursor.on(Kind.NUMBER)
    if not (numbered or cursor.kind in (Kind.ORDINAL, Kind.MONTH, Kind.DATE)):
        return False
    bare = numbered and not cursor.value.dotted and cursor.ahead() is not Kind.ORDINAL_MARK
    date = read_date(cursor, bare_day=True)
    if date is None:
        return False
    if date.month is not None:
        clause = said.speak_of(Slot.DAYS)
        add_date(clause, date)
        clause.every = (1, Unit.YEAR)
        return True
    cursor.at = start
    read_monthdays(said, Role.THE)
    clause = said.current
    if not clause.each_month and (bare or not numbered):
        cursor.at = start
        raise cursor.misread("needs a month")
    clause.each_month = True
    return True


def _every_part(said: Said) -> None:
    clause = said.current
    if clause.times and (clause.has_day or clause.part):
        clause = Clause()
        said.clauses.append(clause)
    elif clause.part is not None or clause.every is not None:
        raise said.cursor.misread("names two rhythms")
    if not clause.has_day:
        clause.every = (1, Unit.DAY)
    clause.part = said.cursor.take()
    clause.last = Slot.DAYS


def _every_day(said: Said) -> None:
    """Every midnight: the time that follows, day by day."""
    clause = said.speak_of(Slot.DAYS)
    if clause.has_day:
        raise said.cursor.misread("names two rhythms")
    clause.every = (1, Unit.DAY)


def _every_weekday(said: Said, count: int) -> None:
    """Every Monday, every other Monday."""
    if count <= 0:
        raise ImpossibleError(f"every {count} is no rhythm")
    read_weekdays(said, Role.HABIT)
    clause = said.current
    clause.habit = True
    if count > 1:
        clause.every = (count, Unit.WEEK)


def _every_units(said: Said, count: int) -> None:
    cursor = said.cursor
    unit = cursor.take()
    if count <= 0:
        if count == -1 and unit is Unit.DAY and of_month(cursor) is True:
            clause = said.speak_of(Slot.DAYS)
            clause.monthdays.append(-1)
            clause.each_month = True
            return
        raise ImpossibleError(f"every {count} is no rhythm")
    if unit.elapsed:
        _put_pace(said, Amount(seconds=count * unit.value))
        return
    clause = said.current
    if clause.every is not None:
        clause = said.speak_of(Slot.DAYS)
    if clause.every is not None:
        raise cursor.misread("names two rhythms")
    clause.every = (count, unit)
    clause.last = Slot.DAYS
    if unit is Unit.MONTH and cursor.kind in (Kind.ORDINAL, Kind.NUMBER):
        day = monthday(cursor, marked=False)
        if day is not None:
            clause.monthdays.append(day)


def _pace(said: Said) -> bool:
    """Every two and a half hours."""
    amount = read_amount(said.cursor, bare_unit=True)
    if amount is None:
        return False
    if amount.days and amount.seconds:
        amount = Amount(seconds=amount.days * 86_400 + amount.seconds, months=amount.months)
    if amount.months:
        raise said.cursor.misread("mixes months with other units")
    if amount.days:
        said.speak_of(Slot.PACE).every = (amount.days, Unit.DAY)
    else:
        _put_pace(said, amount)
    return True


def _put_pace(said: Said, amount: Amount) -> None:
    clause = said.speak_of(Slot.PACE)
    if not amount:
        raise ImpossibleError("every 0 is no rhythm")
    if clause.pace is not None or clause.every not in (None, (1, Unit.DAY)):
        raise said.cursor.misread("names two rhythms")
    clause.pace = amount
