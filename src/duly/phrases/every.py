"""Rhythms: everything that "every" can stand before."""

from __future__ import annotations

from duly.phrases.amounts import Amount, read_amount
from duly.phrases.atoms import Kind, Role, Unit
from duly.phrases.clause import Clause, Said, Slot
from duly.phrases.cursor import ImpossibleError
from duly.phrases.dates import add_date, monthday, of_month, read_date, read_monthdays, read_weekdays


def read_every(said: Said, _roles: int) -> None:
    cursor = said.cursor
    cursor.at += 1
    cursor.little_words()
    said.recurring = True
    kind = cursor.kind
    if kind is Kind.PART:
        return _every_part(said)
    if kind in (Kind.WEEKDAY, Kind.WEEKDAYS):
        return _every_weekday(said, 1, ordinal=False)
    count, ordinal = 1, kind is Kind.ORDINAL or (kind is Kind.NUMBER and cursor.value.dotted)
    start = cursor.at
    if kind in (Kind.NUMBER, Kind.ORDINAL):
        value = cursor.take()
        whole = value if isinstance(value, int) else value.whole
        ordinal |= cursor.skip(Kind.ORDINAL_MARK)
        if whole is not None and cursor.kind in (Kind.WEEKDAY, Kind.WEEKDAYS):
            return _every_weekday(said, whole, ordinal=ordinal)
        if whole is not None and cursor.on(Kind.UNIT) and (not cursor.value.elapsed or ordinal):
            return _every_units(said, whole)
        cursor.at = start
    if kind is Kind.UNIT and not cursor.value.elapsed:
        return _every_units(said, count)
    if ordinal or kind in (Kind.MONTH, Kind.DATE):
        return _every_date(said)
    if (kind is Kind.NUMBER and cursor.ahead() is not Kind.UNIT) and (date := read_date(cursor)) is not None:
        clause = said.speak_of(Slot.DAYS)
        add_date(clause, date)
        clause.every = (1, Unit.YEAR)
        return None
    return _pace(said)


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


def _every_weekday(said: Said, count: int, *, ordinal: bool) -> None:
    """Every Monday, every other Monday, every third Monday of the month."""
    cursor = said.cursor
    if count == 0:
        raise ImpossibleError("every 0 is no rhythm")
    if cursor.on(Kind.WEEKDAY) and ordinal:
        start = cursor.at
        weekday = cursor.take()
        if of_month(cursor) is True:
            clause = said.speak_of(Slot.DAYS)
            clause.nth.append((count, weekday))
            clause.each_month = True
            return
        cursor.at = start
    read_weekdays(said, Role.HABIT)
    clause = said.current
    clause.habit = True
    if count < 0:
        raise cursor.misread("needs a month")
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


def _every_date(said: Said) -> None:
    """Every 1st of the month, every 25 December."""
    cursor = said.cursor
    read_monthdays(said, Role.THE)
    clause = said.current
    if clause.date is not None:
        clause.every = (1, Unit.YEAR)
    elif clause.monthdays:
        clause.each_month = True
    else:
        raise cursor.misread("names no rhythm")


def _pace(said: Said) -> None:
    amount = read_amount(said.cursor, bare_unit=True)
    if amount is None:
        raise said.cursor.misread("needs a length of time or a day")
    if amount.days and amount.seconds:
        amount = Amount(seconds=amount.days * 86_400 + amount.seconds, months=amount.months)
    if amount.months:
        raise said.cursor.misread("mixes months with other units")
    if amount.days:
        said.speak_of(Slot.PACE).every = (amount.days, Unit.DAY)
        return
    _put_pace(said, amount)


def _put_pace(said: Said, amount: Amount) -> None:
    clause = said.speak_of(Slot.PACE)
    if not amount:
        raise ImpossibleError("every 0 is no rhythm")
    if clause.pace is not None or clause.every not in (None, (1, Unit.DAY)):
        raise said.cursor.misread("names two rhythms")
    clause.pace = amount
