"""Atoms to clauses: one grammar for all languages. What it cannot read to the end it does not read at all."""

from __future__ import annotations

from collections.abc import Callable

from duly.language.amounts import Amount, read_amount
from duly.language.atoms import Kind, Role, Unit
from duly.language.clause import Clause, Said, Slot
from duly.language.cursor import NO_ROLE, Cursor, ImpossibleError
from duly.language.dates import (
    add_date,
    read_date,
    read_monthdays,
    read_ordinal,
    read_week_unit,
    read_weekdays,
    read_which,
)
from duly.language.every import read_every
from duly.language.hours import read_clocks, read_window

_WEEKDAYS = (Kind.WEEKDAY, Kind.WEEKDAYS)
_AFTERNOON, _HOURS = 13, 24
_CLOCKS = (Kind.NUMBER, Kind.FRACTION, Kind.TIME, Kind.FIXED_TIME, Kind.HALF_TO)
_DATES = (Kind.DATE, Kind.MONTH, Kind.RELATIVE_DAY, Kind.NUMBER, Kind.ORDINAL, Kind.WEEKDAY, Kind.NEXT, Kind.THIS)


def read_clauses(cursor: Cursor) -> Said:
    """Everything that was said, or a misreading."""
    said = Said(cursor)
    if cursor.on(Kind.END):
        raise cursor.misread("is no time")
    while not cursor.on(Kind.END):
        ended = cursor.at > 0 and cursor.skip(Kind.SEMICOLON)
        said.boundary = cursor.at > 0 and cursor.separator()
        if (ended or said.boundary) and cursor.on(Kind.END):
            raise cursor.misread("ends in the middle")
        if ended:
            said.clauses.append(Clause())
        _component(said)
    return said


def _component(said: Said) -> None:
    cursor = said.cursor
    roles = cursor.little_words() if cursor.on(Kind.LITTLE) else NO_ROLE
    kind = cursor.kind
    if roles:
        if roles & Role.STRAY:
            return _stray(said, roles)
        if roles & Role.EXCEPT:
            return _except(said)
        if roles & (Role.FROM | Role.BETWEEN | Role.START) and _range_or_start(said, roles):
            return None
        if roles & Role.IN and _offset(said, roles):
            return None
        if roles & Role.BETWEEN or (roles & (Role.FROM | Role.START) and not roles & Role.OF and kind not in _WEEKDAYS):
            raise cursor.misread("needs the end of the range")
        if roles & Role.AT and kind in _CLOCKS and read_clocks(said, marked=True):
            return None
    reader = _READERS.get(kind)
    if reader is None or (roles and not roles & _ALLOWED.get(kind, _ANYWHERE)):
        raise cursor.misread("is not expected here")
    return reader(said, roles)


def _stray(said: Said, roles: int) -> None:
    """A word that stands between two things opens nothing, save for "after 20 minutes"."""
    if roles != Role.AFTER | Role.STRAY or not _offset(said, roles):
        raise said.cursor.misread("is not expected here")


def _except(said: Said) -> None:
    clause, cursor = said.current, said.cursor
    if not (clause.every or clause.weekdays or clause.pace):
        raise cursor.misread("nothing to except from")
    inner = Said(cursor)
    if cursor.on(Kind.EVERY):
        cursor.at += 1
    if cursor.kind not in (Kind.WEEKDAY, Kind.WEEKDAYS):
        raise cursor.misread("needs the weekdays that are left out")
    read_weekdays(inner, NO_ROLE)
    clause.without += inner.current.weekdays
    clause.last = Slot.EXCEPT


def _range_or_start(said: Said, roles: int) -> bool:
    cursor = said.cursor
    if cursor.kind in _CLOCKS and roles & (Role.FROM | Role.BETWEEN) and read_window(said, roles):
        return True
    if roles & Role.START and cursor.kind in _DATES:
        return _start(said)
    return False


def _start(said: Said) -> bool:
    """Starting tomorrow, from 23 November."""
    cursor, start = said.cursor, said.cursor.at
    inner = Said(cursor)
    if cursor.kind in (Kind.RELATIVE_DAY, Kind.WEEKDAY, Kind.NEXT, Kind.THIS):
        _READERS[cursor.kind](inner, NO_ROLE)
    elif (date := read_date(cursor)) is not None:
        add_date(inner.current, date)
    else:
        cursor.at = start
        return False
    if cursor.role() & Role.TO or inner.current.recurs or not cursor.recurring:
        cursor.at = start
        return False
    clause = said.current
    if clause.start is not None:
        raise cursor.misread("names two beginnings")
    clause.start = inner.current
    clause.last = Slot.START
    return True


def _offset(said: Said, roles: int) -> bool:
    """In five minutes."""
    cursor = said.cursor
    start = cursor.at
    amount = read_amount(cursor)
    if amount is None:
        return False
    if roles & Role.AT and cursor.kinds[start] is Kind.NUMBER and cursor.kinds[start + 1] is not Kind.UNIT:
        cursor.at = start
        return False
    _put_offset(said, amount)
    cursor.skip(Kind.NOW)
    return True


def _put_offset(said: Said, amount: Amount) -> None:
    clause = said.speak_of(Slot.OFFSET)
    if clause.offset is not None:
        raise said.cursor.misread("names two lengths of time")
    if not amount:
        raise ImpossibleError("no time at all is not in the future")
    clause.offset = amount


def _part(said: Said, roles: int) -> None:
    """In the evening at eight: the part of the day belongs to the times to come."""
    clause = said.current
    one_day = clause.has_day and (not clause.weekdays or clause.pinned or clause.which is not None)
    if roles & Role.HABIT and not (one_day or said.cursor.recurring):
        raise ImpossibleError("it may mean every day or only once: say which")
    if clause.part is not None or clause.settled:
        if not clause.times:
            raise said.cursor.misread("names two parts of the day")
        clause = Clause()
        said.clauses.append(clause)
    clause.part = said.cursor.take()
    clause.last = Slot.DAYS


def _relative_day(said: Said, _roles: int) -> None:
    clause = said.speak_of(Slot.DAYS)
    if clause.relative_day is not None or clause.weekdays or clause.date is not None:
        raise said.cursor.misread("names two days")
    clause.relative_day = said.cursor.take()


def _counted_or_number(said: Said, roles: int) -> None:
    """Three times a day, or any other number."""
    cursor = said.cursor
    if cursor.ahead() is not Kind.PER_DAY or cursor.value.whole is None:
        _number(said, roles)
        return
    clause = said.speak_of(Slot.DAYS)
    if clause.every is not None or clause.per_day is not None:
        raise cursor.misread("names two rhythms")
    clause.per_day = int(cursor.take().value)
    clause.every = (1, Unit.DAY)
    said.recurring = True
    cursor.at += 1


def _number(said: Said, roles: int) -> None:
    """A number nobody announced: a length of time, a time of day, a date or a day of the month."""
    cursor = said.cursor
    start = cursor.at
    if roles != Role.IN and (date := read_date(cursor)) is not None:
        add_date(said.speak_of(Slot.DAYS), date)
        return
    is_hour = _is_hour(said) or (not roles and _is_hour_of_part(cursor))
    amount = read_amount(cursor) if roles in (NO_ROLE, Role.THE) and not is_hour else None
    counted = cursor.on(Kind.NOW) or cursor.on(Kind.PAST) or (amount is not None and _counts_from_day(cursor, amount))
    if amount is not None and (counted or not _is_one(cursor, start)):
        if _reads_as_clock(cursor, start):
            raise ImpossibleError("it may be an hour of the day or a length of time: say which")
        _bare_amount(said, amount, start)
        return
    cursor.at = start
    if not roles & Role.IN and cursor.on(Kind.NUMBER) and (cursor.value.dotted or cursor.ahead() is Kind.ORDINAL_MARK):
        read_ordinal(said, roles)
        return
    if cursor.on(Kind.NUMBER) and _is_day_of_weekday(said):
        read_monthdays(said, Role.THE)
        return
    if cursor.on(Kind.NUMBER) and cursor.value.digits and _RANGE_OR_IDIOM & cursor.role(1) == _RANGE_OR_IDIOM:
        raise cursor.misread("needs a word such as from before it")
    announced = bool(roles & Role.IN) and not roles & Role.AT
    if not announced and read_clocks(said, marked=not roles and (is_hour or _expects_time(said))):
        return
    if roles & Role.THE and cursor.source.article_makes_date:
        read_monthdays(said, roles)
        return
    raise cursor.misread("is a number without a meaning")


def _is_day_of_weekday(said: Said) -> bool:
    """Vendredi 20: the date of the weekday before it."""
    clause, cursor = said.current, said.cursor
    alone = clause.last is Slot.DAYS and len(clause.weekdays) == 1 and not (clause.date or clause.monthdays)
    if not alone or said.boundary or cursor.recurring or not cursor.source.article_makes_date:
        return False
    follower = cursor.ahead()
    plain = follower in (Kind.END, Kind.LITTLE, Kind.COMMA, Kind.TIME) and not cursor.role(1) & _OF_AN_HOUR
    return plain and cursor.value.digits in (1, 2) and cursor.value.whole is not None


def _is_one(cursor: Cursor, start: int) -> bool:
    """Whether it says "one day", which may be any day."""
    one = cursor.kinds[start] is Kind.NUMBER and cursor.values[start].value == 1 and not cursor.values[start].digits
    return one and cursor.kinds[start + 1] is Kind.UNIT and not cursor.values[start + 1].elapsed


def _reads_as_clock(cursor: Cursor, start: int) -> bool:
    """Whether it says "17h", where that is how one writes 5 pm."""
    unit = cursor.values[start + 1] if cursor.kinds[start + 1] is Kind.UNIT else None
    hours = cursor.values[start].value if cursor.kinds[start] is Kind.NUMBER else 0
    ends = cursor.on(Kind.END) and unit is Unit.HOUR
    return ends and not cursor.source.twelve_hours and _AFTERNOON <= hours <= _HOURS


def _is_hour(said: Said) -> bool:
    """Whether "17h" is an hour of the clock: it is once a day has been named."""
    cursor = said.cursor
    if not cursor.on(Kind.NUMBER) or cursor.ahead() is not Kind.UNIT or cursor.value.whole is None:
        return False
    expected = _expects_time(said) or said.recurring or bool(said.current.weekdays)
    return expected and cursor.values[cursor.at + 1] is Unit.HOUR


def _is_hour_of_part(cursor: Cursor) -> bool:
    """Whether it says "7 in the evening" or "8h du matin": digits, because "one morning" is any."""
    if not cursor.on(Kind.NUMBER) or not 0 < cursor.value.digits < 3 or cursor.value.dotted:
        return False
    hour_word = cursor.ahead() is Kind.UNIT and cursor.values[cursor.at + 1] is Unit.HOUR
    by = 2 if hour_word and not cursor.source.twelve_hours else 1
    while cursor.role(by) & (Role.OF | Role.ON | Role.THE | Role.HABIT):
        by += 1
    return cursor.ahead(by) is Kind.PART and cursor.value.whole is not None


def _expects_time(said: Said) -> bool:
    """Whether a day has been named and a time has not."""
    clause, cursor = said.current, said.cursor
    if not cursor.on(Kind.NUMBER) or not cursor.value.digits:
        return False
    if clause.pace is not None:
        return cursor.ahead() is Kind.DASH and clause.window is None
    named = clause.relative_day is not None or clause.part is not None or clause.date is not None
    return (named or clause.every is not None or clause.habit) and not clause.times


def _bare_amount(said: Said, amount: Amount, start: int) -> None:
    """Two hours, a week from Tuesday, five minutes from now."""
    cursor = said.cursor
    if cursor.skip(Kind.NOW):
        _put_offset(said, amount)
        return
    if cursor.on(Kind.PAST):
        raise ImpossibleError("that is in the past")
    if said.current.last is not Slot.NONE:
        cursor.at = start
        raise cursor.misread("is a length of time in the wrong place")
    _put_offset(said, amount)
    said.current.loose_offset = True
    if _counts_from_day(cursor, amount):
        cursor.at += 1
        said.current.loose_offset = False
        said.current.from_day = True
        said.current.last = Slot.DAYS


def _further(said: Said, _roles: int) -> None:
    """Thursday week, mardi en huit, übernächsten Freitag."""
    clause, cursor = said.current, said.cursor
    one_day = clause.last is Slot.DAYS and (len(clause.weekdays) == 1 or clause.relative_day is not None)
    if said.boundary or cursor.recurring or not (one_day or cursor.ahead() is Kind.NEXT):
        raise cursor.misread("needs a day")
    _put_offset(said, Amount(days=cursor.take()))
    clause.last = Slot.DAYS
    clause.habit = False  # le mardi en huit


def _counts_from_day(cursor: Cursor, amount: Amount) -> bool:
    """A week from Tuesday, or as the British say, a week on Tuesday."""
    if cursor.ahead() not in (Kind.WEEKDAY, Kind.RELATIVE_DAY, Kind.NEXT, Kind.THIS):
        return False
    weeks = amount.days and amount == Amount(days=amount.days // 7 * 7)
    return bool(cursor.role() & Role.FROM or (weeks and cursor.role() == Role.ON))


def _date(said: Said, _roles: int) -> None:
    date = read_date(said.cursor)
    if date is None:
        raise said.cursor.misread("is a month without a day")
    add_date(said.speak_of(Slot.DAYS), date)


def _time(said: Said, roles: int) -> None:
    if roles & Role.IN and not roles & Role.AT:
        raise said.cursor.misread("is no length of time")
    if not read_clocks(said, marked=False):
        raise said.cursor.misread("is no time of day")


def _past(_said: Said, _roles: int) -> None:
    raise ImpossibleError("that is in the past")


def _vague(said: Said, _roles: int) -> None:
    if said.cursor.value is not None and said.cursor.at == 0:
        raise ImpossibleError(said.cursor.value)
    raise said.cursor.misread("is too vague: name a time")


def _ordinal(said: Said, roles: int) -> None:
    read_ordinal(said, roles)


_READERS: dict[Kind, Callable[[Said, int], None]] = {
    Kind.EVERY: read_every,
    Kind.WEEKDAY: read_weekdays,
    Kind.WEEKDAYS: read_weekdays,
    Kind.NEXT: read_which,
    Kind.THIS: read_which,
    Kind.COMING: read_which,
    Kind.FURTHER: _further,
    Kind.UNIT: read_week_unit,
    Kind.ORDINAL: _ordinal,
    Kind.RELATIVE_DAY: _relative_day,
    Kind.DATE: _date,
    Kind.MONTH: _date,
    Kind.PART: _part,
    Kind.NUMBER: _counted_or_number,
    Kind.FRACTION: _number,
    Kind.SPAN: _number,
    Kind.TIME: _time,
    Kind.FIXED_TIME: _time,
    Kind.HALF_TO: _time,
    Kind.PAST: _past,
    Kind.VAGUE: _vague,
}
_RANGE_OR_IDIOM = Role.TO | Role.BEFORE
_OF_AN_HOUR = Role.AFTER | Role.BEFORE | Role.LESS
_ANYWHERE = Role.AT | Role.ON | Role.THE | Role.OF | Role.HABIT  # "within" alone announces no day: it is a deadline
_ALLOWED = {
    **dict.fromkeys((Kind.NUMBER, Kind.FRACTION, Kind.UNIT, Kind.PAST, Kind.VAGUE), _ANYWHERE | Role.IN),
    Kind.WEEKDAY: _ANYWHERE | Role.FROM,
    Kind.WEEKDAYS: _ANYWHERE | Role.FROM,
}
