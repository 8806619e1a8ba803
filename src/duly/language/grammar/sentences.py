"""Atoms to clauses: one grammar for all languages. What it cannot read to the end it does not read at all."""

from __future__ import annotations

from collections.abc import Callable

from duly.language.atoms import AtomKind, Unit, WordRole
from duly.language.grammar.clauses import Clause, PhraseReading, Slot
from duly.language.grammar.cursor import NO_ROLE, Cursor, ImpossibleError
from duly.language.grammar.days import (
    add_date,
    read_date,
    read_monthdays,
    read_ordinal,
    read_week_unit,
    read_weekdays,
    read_which,
)
from duly.language.grammar.hours import read_clocks, read_window
from duly.language.grammar.lengths import TimeLength, read_length
from duly.language.grammar.rhythms import read_every

_WEEKDAYS = (AtomKind.WEEKDAY, AtomKind.WEEKDAYS)
_AFTERNOON, _HOURS = 13, 24
_CLOCKS = (AtomKind.NUMBER, AtomKind.FRACTION, AtomKind.TIME, AtomKind.FIXED_TIME, AtomKind.HALF_TO)
_DATES = (
    AtomKind.DATE,
    AtomKind.MONTH,
    AtomKind.RELATIVE_DAY,
    AtomKind.NUMBER,
    AtomKind.ORDINAL,
    AtomKind.WEEKDAY,
    AtomKind.NEXT,
    AtomKind.THIS,
)


def read_clauses(cursor: Cursor) -> PhraseReading:
    """Everything that was said, or a misreading."""
    reading = PhraseReading(cursor)
    if cursor.on(AtomKind.END):
        raise cursor.misread("is no time")
    while not cursor.on(AtomKind.END):
        ended = cursor.at > 0 and cursor.skip(AtomKind.SEMICOLON)
        reading.boundary = cursor.at > 0 and cursor.separator()
        if (ended or reading.boundary) and cursor.on(AtomKind.END):
            raise cursor.misread("ends in the middle")
        if ended:
            reading.clauses.append(Clause())
        _component(reading)
    return reading


def _component(reading: PhraseReading) -> None:
    cursor = reading.cursor
    roles = cursor.little_words() if cursor.on(AtomKind.LITTLE) else NO_ROLE
    kind = cursor.kind
    if roles:
        if roles & WordRole.STRAY:
            return _stray(reading, roles)
        if roles & WordRole.EXCEPT:
            return _except(reading)
        if roles & (WordRole.FROM | WordRole.BETWEEN | WordRole.START) and _range_or_start(reading, roles):
            return None
        if roles & WordRole.IN and _offset(reading, roles):
            return None
        if roles & WordRole.BETWEEN or (
            roles & (WordRole.FROM | WordRole.START) and not roles & WordRole.OF and kind not in _WEEKDAYS
        ):
            raise cursor.misread("needs the end of the range")
        if roles & WordRole.AT and kind in _CLOCKS and read_clocks(reading, marked=True):
            return None
    reader = _READERS.get(kind)
    if reader is None or (roles and not roles & _ALLOWED.get(kind, _ANYWHERE)):
        raise cursor.misread("is not expected here")
    return reader(reading, roles)


def _stray(reading: PhraseReading, roles: int) -> None:
    """A word that stands between two things opens nothing, save for "after 20 minutes"."""
    if roles != WordRole.AFTER | WordRole.STRAY or not _offset(reading, roles):
        raise reading.cursor.misread("is not expected here")


def _except(reading: PhraseReading) -> None:
    clause, cursor = reading.current, reading.cursor
    if not (clause.every or clause.weekdays or clause.pace):
        raise cursor.misread("nothing to except from")
    inner = PhraseReading(cursor)
    if cursor.on(AtomKind.EVERY):
        cursor.at += 1
    if cursor.kind not in (AtomKind.WEEKDAY, AtomKind.WEEKDAYS):
        raise cursor.misread("needs the weekdays that are left out")
    read_weekdays(inner, NO_ROLE)
    clause.without += inner.current.weekdays
    clause.last = Slot.EXCEPT


def _range_or_start(reading: PhraseReading, roles: int) -> bool:
    cursor = reading.cursor
    if cursor.kind in _CLOCKS and roles & (WordRole.FROM | WordRole.BETWEEN) and read_window(reading, roles):
        return True
    if roles & WordRole.START and cursor.kind in _DATES:
        return _start(reading)
    return False


def _start(reading: PhraseReading) -> bool:
    """Starting tomorrow, from 23 November."""
    cursor, start = reading.cursor, reading.cursor.at
    inner = PhraseReading(cursor)
    if cursor.kind in (AtomKind.RELATIVE_DAY, AtomKind.WEEKDAY, AtomKind.NEXT, AtomKind.THIS):
        _READERS[cursor.kind](inner, NO_ROLE)
    elif (date := read_date(cursor)) is not None:
        add_date(inner.current, date)
    else:
        cursor.at = start
        return False
    if cursor.role() & WordRole.TO or inner.current.recurs or not cursor.recurring:
        cursor.at = start
        return False
    clause = reading.current
    if clause.start is not None:
        raise cursor.misread("names two beginnings")
    clause.start = inner.current
    clause.last = Slot.START
    return True


def _offset(reading: PhraseReading, roles: int) -> bool:
    """In five minutes."""
    cursor = reading.cursor
    start = cursor.at
    amount = read_length(cursor)
    if amount is None:
        return False
    if roles & WordRole.AT and cursor.kinds[start] is AtomKind.NUMBER and cursor.kinds[start + 1] is not AtomKind.UNIT:
        cursor.at = start
        return False
    _put_offset(reading, amount)
    cursor.skip(AtomKind.NOW)
    return True


def _put_offset(reading: PhraseReading, amount: TimeLength) -> None:
    clause = reading.speak_of(Slot.OFFSET)
    if clause.offset is not None:
        raise reading.cursor.misread("names two lengths of time")
    if not amount:
        raise ImpossibleError("no time at all is not in the future")
    clause.offset = amount


def _part(reading: PhraseReading, roles: int) -> None:
    """In the evening at eight: the part of the day belongs to the times to come."""
    clause = reading.current
    one_day = clause.has_day and (not clause.weekdays or clause.pinned or clause.which is not None)
    if roles & WordRole.HABIT and not (one_day or reading.cursor.recurring):
        raise ImpossibleError("it may mean every day or only once: say which")
    if clause.part is not None or clause.settled:
        if not clause.times:
            raise reading.cursor.misread("names two parts of the day")
        clause = Clause()
        reading.clauses.append(clause)
    clause.part = reading.cursor.take()
    clause.last = Slot.DAYS


def _relative_day(reading: PhraseReading, _roles: int) -> None:
    clause = reading.speak_of(Slot.DAYS)
    if clause.relative_day is not None or clause.weekdays or clause.date is not None:
        raise reading.cursor.misread("names two days")
    clause.relative_day = reading.cursor.take()


def _counted_or_number(reading: PhraseReading, roles: int) -> None:
    """Three times a day, or any other number."""
    cursor = reading.cursor
    if cursor.ahead() is not AtomKind.PER_DAY or cursor.value.whole is None:
        _number(reading, roles)
        return
    clause = reading.speak_of(Slot.DAYS)
    if clause.every is not None or clause.per_day is not None:
        raise cursor.misread("names two rhythms")
    clause.per_day = int(cursor.take().value)
    clause.every = (1, Unit.DAY)
    reading.recurring = True
    cursor.at += 1


def _number(reading: PhraseReading, roles: int) -> None:
    """A number nobody announced: a length of time, a time of day, a date or a day of the month."""
    cursor = reading.cursor
    start = cursor.at
    if roles != WordRole.IN and (date := read_date(cursor)) is not None:
        add_date(reading.speak_of(Slot.DAYS), date)
        return
    is_hour = _is_hour(reading) or (not roles and _is_hour_of_part(cursor))
    amount = read_length(cursor) if roles in (NO_ROLE, WordRole.THE) and not is_hour else None
    counted = (
        cursor.on(AtomKind.NOW) or cursor.on(AtomKind.PAST) or (amount is not None and _counts_from_day(cursor, amount))
    )
    if amount is not None and (counted or not _is_one(cursor, start)):
        if _reads_as_clock(cursor, start):
            raise ImpossibleError("it may be an hour of the day or a length of time: say which")
        _bare_amount(reading, amount, start)
        return
    cursor.at = start
    if (
        not roles & WordRole.IN
        and cursor.on(AtomKind.NUMBER)
        and (cursor.value.dotted or cursor.ahead() is AtomKind.ORDINAL_MARK)
    ):
        read_ordinal(reading, roles)
        return
    if cursor.on(AtomKind.NUMBER) and _is_day_of_weekday(reading):
        read_monthdays(reading, WordRole.THE)
        return
    if cursor.on(AtomKind.NUMBER) and cursor.value.digits and _RANGE_OR_IDIOM & cursor.role(1) == _RANGE_OR_IDIOM:
        raise cursor.misread("needs a word such as from before it")
    announced = bool(roles & WordRole.IN) and not roles & WordRole.AT
    if not announced and read_clocks(reading, marked=not roles and (is_hour or _expects_time(reading))):
        return
    if roles & WordRole.THE and cursor.language.article_makes_date:
        read_monthdays(reading, roles)
        return
    raise cursor.misread("is a number without a meaning")


def _is_day_of_weekday(reading: PhraseReading) -> bool:
    """Vendredi 20: the date of the weekday before it."""
    clause, cursor = reading.current, reading.cursor
    alone = clause.last is Slot.DAYS and len(clause.weekdays) == 1 and not (clause.date or clause.monthdays)
    if not alone or reading.boundary or cursor.recurring or not cursor.language.article_makes_date:
        return False
    follower = cursor.ahead()
    plain = (
        follower in (AtomKind.END, AtomKind.LITTLE, AtomKind.COMMA, AtomKind.TIME) and not cursor.role(1) & _OF_AN_HOUR
    )
    return plain and cursor.value.digits in (1, 2) and cursor.value.whole is not None


def _is_one(cursor: Cursor, start: int) -> bool:
    """Whether it says "one day", which may be any day."""
    one = cursor.kinds[start] is AtomKind.NUMBER and cursor.values[start].value == 1 and not cursor.values[start].digits
    return one and cursor.kinds[start + 1] is AtomKind.UNIT and not cursor.values[start + 1].elapsed


def _reads_as_clock(cursor: Cursor, start: int) -> bool:
    """Whether it says "17h", where that is how one writes 5 pm."""
    unit = cursor.values[start + 1] if cursor.kinds[start + 1] is AtomKind.UNIT else None
    hours = cursor.values[start].value if cursor.kinds[start] is AtomKind.NUMBER else 0
    ends = cursor.on(AtomKind.END) and unit is Unit.HOUR
    return ends and not cursor.language.twelve_hours and _AFTERNOON <= hours <= _HOURS


def _is_hour(reading: PhraseReading) -> bool:
    """Whether "17h" is an hour of the clock: it is once a day has been named."""
    cursor = reading.cursor
    if not cursor.on(AtomKind.NUMBER) or cursor.ahead() is not AtomKind.UNIT or cursor.value.whole is None:
        return False
    expected = _expects_time(reading) or reading.recurring or bool(reading.current.weekdays)
    return expected and cursor.values[cursor.at + 1] is Unit.HOUR


def _is_hour_of_part(cursor: Cursor) -> bool:
    """Whether it says "7 in the evening" or "8h du matin": digits, because "one morning" is any."""
    if not cursor.on(AtomKind.NUMBER) or not 0 < cursor.value.digits < 3 or cursor.value.dotted:
        return False
    hour_word = cursor.ahead() is AtomKind.UNIT and cursor.values[cursor.at + 1] is Unit.HOUR
    by = 2 if hour_word and not cursor.language.twelve_hours else 1
    while cursor.role(by) & (WordRole.OF | WordRole.ON | WordRole.THE | WordRole.HABIT):
        by += 1
    return cursor.ahead(by) is AtomKind.PART and cursor.value.whole is not None


def _expects_time(reading: PhraseReading) -> bool:
    """Whether a day has been named and a time has not."""
    clause, cursor = reading.current, reading.cursor
    if not cursor.on(AtomKind.NUMBER) or not cursor.value.digits:
        return False
    if clause.pace is not None:
        return cursor.ahead() is AtomKind.DASH and clause.window is None
    named = clause.relative_day is not None or clause.part is not None or clause.date is not None
    return (named or clause.every is not None or clause.habit) and not clause.times


def _bare_amount(reading: PhraseReading, amount: TimeLength, start: int) -> None:
    """Two hours, a week from Tuesday, five minutes from now."""
    cursor = reading.cursor
    if cursor.skip(AtomKind.NOW):
        _put_offset(reading, amount)
        return
    if cursor.on(AtomKind.PAST):
        raise ImpossibleError("that is in the past")
    if reading.current.last is not Slot.NONE:
        cursor.at = start
        raise cursor.misread("is a length of time in the wrong place")
    _put_offset(reading, amount)
    reading.current.loose_offset = True
    if _counts_from_day(cursor, amount):
        cursor.at += 1
        reading.current.loose_offset = False
        reading.current.from_day = True
        reading.current.last = Slot.DAYS


def _further(reading: PhraseReading, _roles: int) -> None:
    """Thursday week, mardi en huit, übernächsten Freitag."""
    clause, cursor = reading.current, reading.cursor
    one_day = clause.last is Slot.DAYS and (len(clause.weekdays) == 1 or clause.relative_day is not None)
    if reading.boundary or cursor.recurring or not (one_day or cursor.ahead() is AtomKind.NEXT):
        raise cursor.misread("needs a day")
    _put_offset(reading, TimeLength(days=cursor.take()))
    clause.last = Slot.DAYS
    clause.habit = False  # le mardi en huit


def _counts_from_day(cursor: Cursor, amount: TimeLength) -> bool:
    """A week from Tuesday, or as the British say, a week on Tuesday."""
    if cursor.ahead() not in (AtomKind.WEEKDAY, AtomKind.RELATIVE_DAY, AtomKind.NEXT, AtomKind.THIS):
        return False
    weeks = amount.days and amount == TimeLength(days=amount.days // 7 * 7)
    return bool(cursor.role() & WordRole.FROM or (weeks and cursor.role() == WordRole.ON))


def _date(reading: PhraseReading, _roles: int) -> None:
    date = read_date(reading.cursor)
    if date is None:
        raise reading.cursor.misread("is a month without a day")
    add_date(reading.speak_of(Slot.DAYS), date)


def _time(reading: PhraseReading, roles: int) -> None:
    if roles & WordRole.IN and not roles & WordRole.AT:
        raise reading.cursor.misread("is no length of time")
    if not read_clocks(reading, marked=False):
        raise reading.cursor.misread("is no time of day")


def _past(_said: PhraseReading, _roles: int) -> None:
    raise ImpossibleError("that is in the past")


def _vague(reading: PhraseReading, _roles: int) -> None:
    if reading.cursor.value is not None and reading.cursor.at == 0:
        raise ImpossibleError(reading.cursor.value)
    raise reading.cursor.misread("is too vague: name a time")


def _ordinal(reading: PhraseReading, roles: int) -> None:
    read_ordinal(reading, roles)


_READERS: dict[AtomKind, Callable[[PhraseReading, int], None]] = {
    AtomKind.EVERY: read_every,
    AtomKind.WEEKDAY: read_weekdays,
    AtomKind.WEEKDAYS: read_weekdays,
    AtomKind.NEXT: read_which,
    AtomKind.THIS: read_which,
    AtomKind.COMING: read_which,
    AtomKind.FURTHER: _further,
    AtomKind.UNIT: read_week_unit,
    AtomKind.ORDINAL: _ordinal,
    AtomKind.RELATIVE_DAY: _relative_day,
    AtomKind.DATE: _date,
    AtomKind.MONTH: _date,
    AtomKind.PART: _part,
    AtomKind.NUMBER: _counted_or_number,
    AtomKind.FRACTION: _number,
    AtomKind.SPAN: _number,
    AtomKind.TIME: _time,
    AtomKind.FIXED_TIME: _time,
    AtomKind.HALF_TO: _time,
    AtomKind.PAST: _past,
    AtomKind.VAGUE: _vague,
}
_RANGE_OR_IDIOM = WordRole.TO | WordRole.BEFORE
_OF_AN_HOUR = WordRole.AFTER | WordRole.BEFORE | WordRole.LESS
_ANYWHERE = (
    WordRole.AT | WordRole.ON | WordRole.THE | WordRole.OF | WordRole.HABIT
)  # "within" alone announces no day: it is a deadline
_ALLOWED = {
    **dict.fromkeys(
        (AtomKind.NUMBER, AtomKind.FRACTION, AtomKind.UNIT, AtomKind.PAST, AtomKind.VAGUE), _ANYWHERE | WordRole.IN
    ),
    AtomKind.WEEKDAY: _ANYWHERE | WordRole.FROM,
    AtomKind.WEEKDAYS: _ANYWHERE | WordRole.FROM,
}
