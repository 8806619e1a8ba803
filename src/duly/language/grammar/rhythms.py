"""Rhythms: everything that "every" can stand before."""

from __future__ import annotations

from duly.language.atoms import WORKDAYS, AtomKind, Unit, WordRole
from duly.language.grammar.bounds import is_beside
from duly.language.grammar.clauses import Clause, PhraseReading, Slot
from duly.language.grammar.cursor import ImpossibleError
from duly.language.grammar.days import (
    add_date,
    monthday,
    nth_workday,
    of_month,
    ordinals_of_weekday,
    read_date,
    read_monthdays,
    read_nth_weekday,
    read_weekdays,
)
from duly.language.grammar.lengths import TimeLength, read_length

_SUNDAY = 6
_DAY_WORDS = (AtomKind.WEEKDAY, AtomKind.WEEKDAYS)


def read_every(reading: PhraseReading, _roles: int) -> None:
    """Read "every" and what follows: Monday, 2 hours, other week, first Monday of the month.

    The kind of the next atom decides, as far as it can. Numbers are left: they count weekdays or units ("every 2
    weeks"), are part of a length ("every 2 and a half hours") or a date ("every 25 December"), tried in this order.
    """
    cursor = reading.cursor
    cursor.at += 1
    cursor.skip_articles()
    if is_beside(cursor):  # every 3 days after it is done
        return
    reading.recurring = True
    reading.said = Slot.RHYTHM
    kind = cursor.kind
    if kind is AtomKind.PART:
        _every_part(reading)
    elif kind in _DAY_WORDS:
        _every_weekday(reading, 1)
    elif kind is AtomKind.UNIT and not cursor.value.elapsed:
        _every_units(reading, 1)
    elif kind is AtomKind.FIXED_TIME:
        _every_day(reading)
    elif not (_counted(reading) or _pace(reading) or _dated(reading)):
        raise cursor.misread("needs a length of time or a day")


def _counted(reading: PhraseReading) -> bool:
    """Read "every second Monday", "every 3 weeks", "every third hour"; return False and read nothing otherwise."""
    cursor = reading.cursor
    start = cursor.at
    if several := ordinals_of_weekday(cursor):
        _every_nth(reading, several)
        return True
    if not (cursor.on(AtomKind.NUMBER) or cursor.on(AtomKind.ORDINAL)):
        return False
    value = cursor.take()
    count = value if isinstance(value, int) else value.whole
    ordinal = isinstance(value, int) or value.dotted or cursor.skip(AtomKind.ORDINAL_MARK)
    # "Svake dve nedelje" is every two weeks, "svaku drugu nedelju" every second Sunday: the ordinal tells.
    weeks = cursor.language.sunday_is_week and not ordinal and cursor.on(AtomKind.WEEKDAY) and cursor.value == _SUNDAY
    if count is not None and cursor.kind in _DAY_WORDS and not weeks:
        _every_weekday(reading, count)
        return True
    # A cardinal before an elapsed unit is left to `_pace`, which also reads "every 2 hours and 30 minutes".
    if count is not None and cursor.on(AtomKind.UNIT) and (ordinal or not cursor.value.elapsed):
        _every_units(reading, count)
        return True
    cursor.at = start
    return False


def _every_nth(reading: PhraseReading, ordinals: list[int]) -> None:
    """Read the weekday behind its ordinals: of the month ("every second Monday of the month"), or every other one."""
    cursor = reading.cursor
    start = cursor.at
    cursor.at += 1
    monthly = of_month(cursor) is True
    cursor.at = start
    if monthly or len(ordinals) > 1:
        read_nth_weekday(reading, ordinals)
    elif ordinals[0] > 1:
        _every_weekday(reading, ordinals[0])
    else:
        raise cursor.misread("needs a month")


def _dated(reading: PhraseReading) -> bool:
    """Read "every 1st of the month" and "every 25 December"; return False if there is no date."""
    cursor = reading.cursor
    start = cursor.at
    numbered = cursor.on(AtomKind.NUMBER)
    if not (numbered or cursor.kind in (AtomKind.ORDINAL, AtomKind.MONTH, AtomKind.DATE)):
        return False
    bare = numbered and not cursor.value.dotted and cursor.ahead() is not AtomKind.ORDINAL_MARK
    date = read_date(cursor, bare_day=True)
    if date is None:
        return False
    if date.month is not None:
        clause = reading.speak_of(Slot.DAYS)
        add_date(clause, date)
        clause.every = (1, Unit.YEAR)
        return True
    cursor.at = start
    read_monthdays(reading, WordRole.THE)
    clause = reading.current
    if not clause.each_month and (bare or not numbered):
        cursor.at = start
        raise cursor.misread("needs a month")
    clause.each_month = True
    return True


def _every_part(reading: PhraseReading) -> None:
    """Read "every morning": every day unless days were named, in a new clause if times were, or a part in a list."""
    clause = reading.current
    listed = reading.boundary and clause.part is not None
    if listed or (clause.times and (clause.has_day or clause.part)):
        clause = Clause()
        reading.clauses.append(clause)
    elif clause.part is not None or clause.every is not None:
        raise reading.cursor.misread("names two rhythms")
    if not clause.has_day:
        clause.every = (1, Unit.DAY)
    clause.part = reading.cursor.take()
    clause.last = Slot.DAYS


def _every_day(reading: PhraseReading) -> None:
    """Read "every midnight": the time itself follows, day by day."""
    clause = reading.speak_of(Slot.DAYS)
    if clause.has_day:
        raise reading.cursor.misread("names two rhythms")
    clause.every = (1, Unit.DAY)


def _every_weekday(reading: PhraseReading, count: int) -> None:
    """Read "every Monday" and "every other Monday"."""
    if count != 1 and reading.cursor.value == WORKDAYS.value:
        raise reading.cursor.misread("counts working days")  # which is another reading of these words
    if count <= 0:
        raise ImpossibleError(f"every {count} is no rhythm")
    read_weekdays(reading, WordRole.HABIT)
    clause = reading.current
    clause.habit = True
    if count > 1:
        clause.every = (count, Unit.WEEK)


def _every_units(reading: PhraseReading, count: int) -> None:
    cursor = reading.cursor
    if cursor.value is Unit.WORKDAY:
        _every_workday(reading, count)
        return
    unit = cursor.take()
    if count <= 0:
        if count == -1 and unit is Unit.DAY and of_month(cursor) is True:  # every last day of the month
            clause = reading.speak_of(Slot.DAYS)
            clause.monthdays.append(-1)
            clause.each_month = True
            return
        raise ImpossibleError(f"every {count} is no rhythm")
    if unit.elapsed:
        _put_pace(reading, TimeLength(seconds=count * unit.value))
        return
    clause = reading.current
    if clause.every is not None:
        clause = reading.speak_of(Slot.DAYS)
    if clause.every is not None:
        raise cursor.misread("names two rhythms")
    clause.every = (count, unit)
    clause.last = Slot.DAYS
    if unit is Unit.MONTH and cursor.kind in (AtomKind.ORDINAL, AtomKind.NUMBER):
        day = monthday(cursor, marked=False)
        if day is not None:
            clause.monthdays.append(day)


def _every_workday(reading: PhraseReading, count: int) -> None:
    """Read "every last working day of the month"."""
    nth_workday(reading, count)
    if of_month(reading.cursor) is not True:
        raise ImpossibleError("every so many working days is not understood: name weekdays")
    reading.current.each_month = True


def _pace(reading: PhraseReading) -> bool:
    """Read "every two and a half hours"; return False if there is no length of time."""
    amount = read_length(reading.cursor, bare_unit=True)
    if amount is None:
        return False
    # "Every day and a half" is elapsed time: half a day is not of the calendar, so the whole is not.
    if amount.days and amount.seconds:
        amount = TimeLength(seconds=amount.days * 86_400 + amount.seconds, months=amount.months)
    if amount.months:
        raise reading.cursor.misread("mixes months with other units")
    if amount.days:
        reading.speak_of(Slot.PACE).every = (amount.days, Unit.DAY)
    else:
        _put_pace(reading, amount)
    return True


def _put_pace(reading: PhraseReading, amount: TimeLength) -> None:
    clause = reading.speak_of(Slot.PACE)
    reading.said = Slot.PACE
    if not amount:
        raise ImpossibleError("every 0 is no rhythm")
    if clause.pace is not None or clause.every not in (None, (1, Unit.DAY)):
        raise reading.cursor.misread("names two rhythms")
    clause.pace = amount
