"""What bounds a series, and what stands beside a time.

A series has a beginning ("from Monday"), an end ("until 1 December", "for 2 weeks") and a count ("10 times"). Beside a
time stand the earlier notices ("and an hour before") and the next time, which counts from the answer ("3 days after it
is done").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from duly.language.atoms import DEADLINE, AtomKind, Unit, WordRole
from duly.language.grammar.clauses import Clause, PhraseReading, Slot, Which
from duly.language.grammar.clocks import ClockTime, read_clock
from duly.language.grammar.cursor import NO_ROLE, Cursor, ImpossibleError
from duly.language.grammar.days import add_date, read_date, read_weekdays, read_which, read_year, which_here
from duly.language.grammar.lengths import TimeLength, read_length

BESIDE = (AtomKind.LEAD, AtomKind.DONE, AtomKind.LASTED)
"""What makes of a length of time before it something that stands beside a time."""
_AFTER_BESIDE = (AtomKind.END, AtomKind.BREAK, AtomKind.COMMA, AtomKind.SEMICOLON)
_ENDS_START = (AtomKind.END, AtomKind.BREAK, AtomKind.COMMA, AtomKind.SEMICOLON, AtomKind.EVERY)
_DAY_WORDS = (AtomKind.WEEKDAY, AtomKind.WEEKDAYS)
_PERIODS = (Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.YEAR)
_LONGEST_LEAD = timedelta(days=60)
_LONGEST_PAUSE = timedelta(days=366 * 10)


@dataclass(slots=True)
class SpokenPeriod:
    """A day, week, month or year whose last day ends a series."""

    unit: Unit
    which: Which | None = None
    month: int | None = None
    """The month, where it was named."""
    year: int | None = None


@dataclass(slots=True)
class Bounds:
    """What was said about the bounds of a series, and beside its times."""

    end: Clause | None = None
    period: SpokenPeriod | None = None
    """Whose last day is the end."""
    end_clock: ClockTime | None = None
    lasting: TimeLength | None = None
    is_bare: bool = False
    """Whether that length was said without a word such as "for"."""
    count: int | None = None
    is_of_each: bool = False
    """Whether that count is one of each day, week or month, and none of all runs: "twice a week"."""
    leads: list[timedelta] = field(default_factory=list)
    again: timedelta | None = None


def bounds_of(reading: PhraseReading) -> Bounds:
    """Return the bounds of a phrase, to be read into."""
    if reading.bounds is None:
        reading.bounds = Bounds()
    return reading.bounds


def _is_series(reading: PhraseReading) -> bool:
    """Tell whether something recurs: anywhere by a word for it, or so far by a habit such as "los lunes"."""
    return reading.cursor.recurring or any(clause.recurs for clause in reading.clauses)


def read_start(reading: PhraseReading) -> bool:
    """Read the first day of a series: "starting tomorrow", "from 23 November".

    The day is read by its own reader into a clause of its own. "From Monday to Friday" is a range, and without a rhythm
    there is no series: both are put back.
    """
    cursor = reading.cursor
    start = cursor.at
    day = _day(cursor, NO_ROLE)
    if day is None or day.recurs or not _is_series(reading) or (day.weekdays and _to_weekday(cursor)):
        cursor.at = start
        return False
    clause = reading.current
    if clause.start is not None:
        raise cursor.misread("names two beginnings")
    clause.start = day
    clause.last = Slot.START
    _skip_onward(cursor)
    return True


def _skip_onward(cursor: Cursor) -> None:
    """Pass over what says only that a series goes on from its first day: "from Monday on", "von Montag an"."""
    if not cursor.skip(AtomKind.ONWARD) and cursor.role() & WordRole.ON and cursor.ahead() in _ENDS_START:
        cursor.at += 1


def _to_weekday(cursor: Cursor) -> bool:
    if not cursor.role() & WordRole.TO:
        return False
    by = 1
    while cursor.role(by):
        by += 1
    return cursor.ahead(by) in _DAY_WORDS


def _day(cursor: Cursor, roles: int) -> Clause | None:
    """Read one day; return None if there is none."""
    inner = PhraseReading(cursor)
    if cursor.on(AtomKind.RELATIVE_DAY):
        inner.current.relative_day = cursor.take()
    elif cursor.on(AtomKind.WEEKDAY):
        read_weekdays(inner, NO_ROLE)
    elif cursor.kind in (AtomKind.NEXT, AtomKind.THIS):
        read_which(inner, NO_ROLE)
    elif (date := read_date(cursor, bare_day=bool(roles & WordRole.THE) or _has_mark(cursor))) is None:
        return None
    elif date.month is None:
        inner.current.monthdays.append(date.day)
    else:
        add_date(inner.current, date)
    return inner.current


def _has_mark(cursor: Cursor) -> bool:
    """Tell whether an ordinal stands here that is no number at the end of a sentence: "17th", but not "17."."""
    return cursor.ahead() is AtomKind.ORDINAL_MARK or cursor.on(AtomKind.ORDINAL)


def read_end(reading: PhraseReading, roles: int) -> bool:
    """Read the last day of a series behind "until"; return False and read nothing if there is no day."""
    cursor = reading.cursor
    if cursor.on(AtomKind.ORDINAL) and cursor.value == -1 and cursor.values[cursor.at + 1] is Unit.DAY:
        cursor.at += 1  # until the last day of the month
        read_period_end(reading, roles)
        return True
    start = cursor.at
    roles |= cursor.little_words() if cursor.skip(AtomKind.INCLUDED) else NO_ROLE  # bis einschließlich dem 20. April
    day = _day(cursor, roles) if _is_series(reading) else None
    if day is None or day.recurs:
        cursor.at = start
        return _read_end_hour(reading)
    bounds = bounds_of(reading)
    _check_one_end(bounds, cursor)
    bounds.end = day
    reading.said = Slot.END
    cursor.skip(AtomKind.INCLUDED)
    _read_end_clock(reading)
    return True


def _read_end_hour(reading: PhraseReading) -> bool:
    """Read the hour of today at which hours or minutes end: "every 30 minutes until 5pm"."""
    clause = reading.current
    if clause.pace is None or clause.times or clause.has_day or clause.window is not None:
        return False
    is_ordinal = reading.cursor.on(AtomKind.NUMBER) and reading.cursor.value.dotted
    clock = None if is_ordinal else read_clock(reading.cursor, marked=True)
    if clock is None:
        return False
    bounds = bounds_of(reading)
    _check_one_end(bounds, reading.cursor)
    bounds.end = Clause(relative_day=0)
    bounds.end_clock = clock
    reading.said = Slot.END
    return True


def _read_end_clock(reading: PhraseReading) -> None:
    """Read the time of day at which a series ends, behind its last day."""
    cursor = reading.cursor
    bounds = bounds_of(reading)
    # "Every day until Friday at 8": the time is that of each day, unless times or a pace were named before.
    clause = reading.current
    if clause.times or clause.pace is not None:
        start = cursor.at
        cursor.skip(AtomKind.COMMA)
        announced = cursor.little_words() & WordRole.AT
        if announced or cursor.on(AtomKind.TIME):
            bounds.end_clock = read_clock(cursor, marked=True)
        if bounds.end_clock is None:
            cursor.at = start


def read_period_end(reading: PhraseReading, _roles: int) -> None:
    """Read the period behind "until the end of"; what comes once has no end, so there it is a deadline."""
    cursor = reading.cursor
    cursor.at += 1
    period = read_period(cursor)
    if period is None:
        raise cursor.misread("needs a week, a month or a year")
    if not _is_series(reading):
        raise ImpossibleError(DEADLINE.value, "deadline")
    bounds = bounds_of(reading)
    _check_one_end(bounds, cursor)
    bounds.period = period
    reading.said = Slot.END
    cursor.skip(AtomKind.INCLUDED)
    _read_end_clock(reading)


def read_period(cursor: Cursor) -> SpokenPeriod | None:
    """Read "this month", "next week", "June 2027", "2027" or "the year 2027"; None if there is none of them."""
    while cursor.skip_role(WordRole.OF | WordRole.THE):
        pass
    which = which_here(cursor)
    if cursor.on(AtomKind.MONTH) and which is None:
        month = cursor.take()
        return SpokenPeriod(Unit.MONTH, month=month, year=read_year(cursor))
    if which is None and (year := read_year(cursor)) is not None:
        if cursor.on(AtomKind.UNIT) and cursor.value is Unit.YEAR:
            cursor.at += 1  # do kraja 2027. godine
        return SpokenPeriod(Unit.YEAR, year=year)
    if not cursor.on(AtomKind.UNIT) or cursor.value not in _PERIODS:
        return None
    unit = cursor.take()
    which = which or which_here(cursor)
    year = read_year(cursor) if unit is Unit.YEAR and which is None else None
    return SpokenPeriod(unit, which=which, year=year)


def _check_one_end(bounds: Bounds, cursor: Cursor) -> None:
    if bounds.end is not None or bounds.period is not None or bounds.lasting is not None:
        raise cursor.misread("names two ends")


def read_lasting(reading: PhraseReading) -> bool:
    """Read "for 2 weeks" or "at most 10 times"; return False and read nothing if it is neither."""
    cursor = reading.cursor
    start = cursor.at
    if not _is_series(reading):
        return False
    if read_count(reading):
        return True
    cursor.skip(AtomKind.NEXT)
    length = read_length(cursor)
    if length is None:
        cursor.at = start
        return False
    _put_lasting(reading, length)
    return True


def read_bare_lasting(reading: PhraseReading) -> bool:
    """Read the days or weeks of a stretch of their own, "every day at 8 … 10 days"; return False if there are none."""
    cursor = reading.cursor
    start = cursor.at
    length = read_length(cursor) if _is_series(reading) else None
    if length is None or length.seconds or length.workdays or cursor.kind in BESIDE:
        cursor.at = start
        return False
    _put_lasting(reading, length)
    bounds_of(reading).is_bare = True
    return True


def read_count(reading: PhraseReading) -> bool:
    """Read "10 times"; return False and read nothing if it says nothing like it."""
    cursor = reading.cursor
    if not cursor.on(AtomKind.NUMBER) or cursor.ahead() is not AtomKind.TIMES or not _is_series(reading):
        return False
    count = cursor.take().whole
    cursor.at += 1
    bounds = bounds_of(reading)
    if bounds.count is not None:
        raise cursor.misread("names two counts")
    if not count:
        raise ImpossibleError("no time at all is not in the future")
    bounds.count = count
    bounds.is_of_each = cursor.on(AtomKind.EVERY) and cursor.ahead() is AtomKind.UNIT
    reading.said = Slot.COUNT
    return True


def _put_lasting(reading: PhraseReading, length: TimeLength) -> None:
    bounds = bounds_of(reading)
    _check_one_end(bounds, reading.cursor)
    if not length or length.workdays:
        raise ImpossibleError("that is no length of a series")
    bounds.lasting = length
    reading.said = Slot.END


def read_beside(reading: PhraseReading, length: TimeLength, start: int) -> None:
    """Read what makes of a length, which began at `start`, something that stands beside a time."""
    cursor = reading.cursor
    kind = cursor.kind
    cursor.at += 1
    if kind is not AtomKind.LASTED and not (cursor.kind in _AFTER_BESIDE or cursor.role() & WordRole.AND):
        raise cursor.misread("is not expected here")  # an hour before noon is another time
    if kind is AtomKind.LASTED:
        if not _is_series(reading):
            raise cursor.misread("is the length of no series")
        _put_lasting(reading, length)
        return
    _check_one_length(cursor, start)
    bounds = bounds_of(reading)
    reading.said = Slot.BESIDE
    if kind is AtomKind.LEAD:
        lead = _elapsed(length, _LONGEST_LEAD)
        if lead in bounds.leads:
            raise cursor.misread("is named twice")
        bounds.leads.append(lead)
        return
    if bounds.again is not None:
        raise cursor.misread("is named twice")
    bounds.again = _elapsed(length, _LONGEST_PAUSE)


def _check_one_length(cursor: Cursor, start: int) -> None:
    """Refuse "a day and an hour before": one notice or two."""
    kinds = cursor.kinds[start : cursor.at]
    joined = any(cursor.role(at - cursor.at) & WordRole.AND for at in range(start, cursor.at))
    if joined and kinds.count(AtomKind.UNIT) > 1:
        raise ImpossibleError("that may be one length of time or two: say before after each of them", "doubtful")


def _elapsed(length: TimeLength, longest: timedelta) -> timedelta:
    if length.months or length.workdays or length.days > longest.days:
        raise ImpossibleError("such a length is counted in minutes, hours, days or weeks")
    found = timedelta(days=length.days, seconds=length.seconds)
    if found < timedelta(minutes=1) or found > longest or found.seconds % 60:
        raise ImpossibleError("such a length is counted in whole minutes")
    return found


def is_beside(cursor: Cursor) -> bool:
    """Tell whether a length stands here that stands beside a time, "an hour before", and is none itself."""
    if not cursor.beside:
        return False
    start = cursor.at
    found = read_length(cursor) is not None and cursor.kind in BESIDE
    cursor.at = start
    return found
