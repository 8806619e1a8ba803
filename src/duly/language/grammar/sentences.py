"""Sentences: a row of atoms becomes clauses, component by component, to its end or not at all.

The kind of the next atom and the little words before it choose the reader of a component (`_READERS`, `_ALLOWED`).
"""

from __future__ import annotations

from collections.abc import Callable

from duly.language.atoms import DEADLINE, NOON, AtomKind, DayPart, Unit, WordRole
from duly.language.grammar.bounds import read_end, read_lasting, read_period_end, read_start
from duly.language.grammar.clauses import Clause, PhraseReading, Slot
from duly.language.grammar.cursor import NO_ROLE, Cursor, ImpossibleError, MisreadError, UnsaidError
from duly.language.grammar.days import (
    add_date,
    read_date,
    read_ordinal,
    read_week_unit,
    read_weekdays,
    read_which,
)
from duly.language.grammar.hours import read_clocks, read_first_hour, read_window
from duly.language.grammar.numbers import read_bare_unit, read_further, read_number, read_offset
from duly.language.grammar.rhythms import read_every
from duly.language.grammar.stretches import check_stretches

_ENDS = (AtomKind.END, AtomKind.BREAK)
_WEEKDAYS = (AtomKind.WEEKDAY, AtomKind.WEEKDAYS)
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
    """Read a row of atoms; raise `MisreadError` if it is no sentence."""
    reading = PhraseReading(cursor)
    cursor.skip(AtomKind.COMMA)  # hello, tomorrow at 9
    if cursor.on(AtomKind.END):
        raise cursor.misread("is no time")
    while not cursor.on(AtomKind.END):
        if cursor.skip(AtomKind.BREAK):
            reading.boundary = False
            continue
        ended = cursor.at > 0 and cursor.skip(AtomKind.SEMICOLON)
        reading.boundary = cursor.at > 0 and cursor.separator()
        if (ended or reading.boundary) and cursor.kind in _ENDS:
            if cursor.kinds[cursor.at - 1] is AtomKind.COMMA:
                continue  # tomorrow at 9, please
            raise cursor.misread("ends in the middle")
        if ended:
            reading.clauses.append(Clause())
        start = cursor.at
        clauses = len(reading.clauses)
        _component(reading)
        reading.note(start)
        if reading.boundary and len(reading.clauses) == clauses and cursor.role(start - 1 - cursor.at) & WordRole.AND:
            _check_day_and_part(reading, start)
    if AtomKind.BREAK in cursor.kinds:
        check_stretches(reading)
    return reading


def _check_day_and_part(reading: PhraseReading, start: int) -> None:
    """Refuse "tomorrow and in the evening" as tomorrow evening: "and" joins no day to a part of the day."""
    if {piece.slot for piece in reading.pieces[-2:]} == {Slot.DAYS, Slot.PART}:
        raise MisreadError(start, "is another time")


def _component(reading: PhraseReading) -> None:
    """Read the little words that stand here and the component they announce.

    Most little words play several roles ("from" begins a range or a series, "u" is at, on and of), so what they
    announce is tried from the most to the least particular: exception, range, beginning, length of time, time of day.
    Only then the kind of the next atom decides.
    """
    cursor = reading.cursor
    roles = cursor.little_words() if cursor.on(AtomKind.LITTLE) else NO_ROLE
    if reading.boundary and cursor.on(AtomKind.FIXED_TIME) and _noon_of_list(reading):
        return
    if roles and _announced(reading, roles):
        return
    kind = cursor.kind
    if kind is AtomKind.REFUSED:
        raise ImpossibleError(cursor.value, "deadline" if cursor.value == DEADLINE.value else "doubtful")
    reader = _READERS.get(kind)
    if reader is None or (roles and not roles & _ALLOWED.get(kind, _ANYWHERE)):
        raise cursor.misread("is not expected here")
    reader(reading, roles)


def _noon_of_list(reading: PhraseReading) -> bool:
    """Read the noon of a list of parts, "every morning, noon and evening"; return False if it is none."""
    clause = reading.current
    if reading.cursor.value != NOON.value or clause.times or clause.part in (None, DayPart.MIDDAY, DayPart.AFTERNOON):
        return False
    reading.cursor.at += 1
    reading.clauses.append(Clause(part=DayPart.MIDDAY, last=Slot.DAYS))
    reading.said = Slot.PART
    return True


def _announced(reading: PhraseReading, roles: int) -> bool:
    """Read the component that little words announce by themselves; return False and read nothing if they do not."""
    cursor = reading.cursor
    kind = cursor.kind
    if roles & _PARTICULAR:
        _particular(reading, roles)
        return True
    if roles & (WordRole.FROM | WordRole.BETWEEN | WordRole.START) and _range_or_start(reading, roles):
        return True
    if roles & WordRole.IN and read_offset(reading, roles):
        return True
    if kind not in (AtomKind.REFUSED, AtomKind.VAGUE) and (
        roles & WordRole.BETWEEN
        or (roles & (WordRole.FROM | WordRole.START) and not roles & WordRole.OF and kind not in _WEEKDAYS)
    ):
        raise cursor.misread("needs the end of the range")
    return bool(roles & WordRole.AT) and kind in _CLOCKS and read_clocks(reading, marked=True)


def _particular(reading: PhraseReading, roles: int) -> None:
    """Read the component of a word that announces one thing only."""
    if roles & WordRole.AROUND:
        _around(reading, roles)
    elif roles & WordRole.STRAY:
        _stray(reading, roles)
    elif roles & (WordRole.EXCEPT | WordRole.INSTEAD):
        _except(reading, roles)
    elif not read_lasting(reading):
        raise reading.cursor.misread("needs what lasts so long")


def _stray(reading: PhraseReading, roles: int) -> None:
    """Refuse a word that can only stand between two things; "after 20 minutes" is the exception."""
    if roles & WordRole.TO and read_end(reading, roles):
        return
    if roles == WordRole.AFTER | WordRole.STRAY and read_offset(reading, roles):
        return
    if roles & (WordRole.TO | WordRole.BEFORE) and reading.current.last is Slot.NONE:
        raise ImpossibleError(DEADLINE.value, "deadline")
    raise reading.cursor.misread("is not expected here")


def _except(reading: PhraseReading, roles: int) -> None:
    """Read the weekdays behind "except", and the time of their own behind "but on Sundays at 10"."""
    clause = reading.current
    cursor = reading.cursor
    if not (clause.every or clause.weekdays or clause.pace):
        raise cursor.misread("nothing to except from")
    inner = PhraseReading(cursor)
    if cursor.on(AtomKind.EVERY):
        cursor.at += 1
    if cursor.kind not in (AtomKind.WEEKDAY, AtomKind.WEEKDAYS):
        raise cursor.misread("needs the weekdays that are left out")
    read_weekdays(inner, NO_ROLE)
    clause.last = Slot.EXCEPT
    reading.said = Slot.EXCEPT
    # "Every day except Sunday at 9": the hour is that of the other days, unless they have theirs.
    own = bool(clause.times) and _own_time(inner)
    if not roles & (WordRole.INSTEAD if own else WordRole.EXCEPT):
        raise cursor.misread("is left out, and has a time" if own else "needs a time of its own")
    clause.without += inner.current.weekdays
    if own:
        inner.current.habit = True
        reading.clauses.append(inner.current)


def _own_time(inner: PhraseReading) -> bool:
    """Read the time behind days that are left out; return False and read nothing if there is none."""
    cursor = inner.cursor
    start = cursor.at
    cursor.skip(AtomKind.COMMA)
    announced = cursor.little_words() & WordRole.AT
    if read_clocks(inner, marked=bool(announced)):
        return True
    cursor.at = start
    return False


def _range_or_start(reading: PhraseReading, roles: int) -> bool:
    """Read "from 9 to 5" or "from 23 November"; return False and read nothing if it is neither."""
    cursor = reading.cursor
    if cursor.kind in _CLOCKS and roles & (WordRole.FROM | WordRole.BETWEEN) and read_window(reading, roles):
        return True
    if not roles & WordRole.START:
        return False
    return (cursor.kind in _DATES and read_start(reading)) or (cursor.kind in _CLOCKS and read_first_hour(reading))


def _around(reading: PhraseReading, roles: int) -> None:
    """Read "around five", which is at five; "in about five minutes" and "around Friday" are too vague."""
    cursor = reading.cursor
    kind = cursor.kind
    length = cursor.on(AtomKind.NUMBER) and cursor.ahead() is AtomKind.UNIT and not cursor.value.hour_mark
    if roles & (WordRole.IN | WordRole.STRAY) or kind not in _CLOCKS or length or not read_clocks(reading, marked=True):
        raise cursor.misread("is too vague: name a time")


def _part(reading: PhraseReading, roles: int) -> None:
    """Read "in the evening" before times: it belongs to the times that follow."""
    clause = reading.current
    # "Abends um 8" (a habit) may mean each evening or this one, unless one day or a rhythm is named.
    one_day = clause.has_day and (not clause.weekdays or clause.pinned or clause.which is not None)
    if roles & WordRole.HABIT and not (one_day or reading.cursor.recurring or reading.recurring):
        listed = _lists_parts(reading.cursor) and clause.part is None  # but: morgen und abends
        if not listed and not reading.cursor.usual:
            raise UnsaidError("it may mean every day or only once: say which", "doubtful")
        reading.recurring = True  # morgens und abends
        clause.every = (1, Unit.DAY)
    # "At 8 and in the evening" are two times, and "at 8 in the evening" is one.
    another = reading.boundary and bool(clause.times)
    if clause.part is not None or clause.settled or another:
        if not clause.times and not reading.boundary:
            raise reading.cursor.misread("names two parts of the day")
        clause = Clause()
        reading.clauses.append(clause)
    clause.part = reading.cursor.take()
    clause.last = Slot.DAYS
    reading.said = Slot.PART


def _lists_parts(cursor: Cursor) -> bool:
    """Tell whether several parts of the day are said: "le matin et le soir"."""
    return cursor.kinds.count(AtomKind.PART) + (NOON.value in cursor.values) > 1


def _relative_day(reading: PhraseReading, _roles: int) -> None:
    clause = reading.speak_of(Slot.DAYS)
    if clause.relative_day is not None or clause.weekdays or clause.date is not None:
        raise reading.cursor.misread("names two days")
    clause.relative_day = reading.cursor.take()


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


def _past(reading: PhraseReading, _roles: int) -> None:
    if reading.cursor.ahead() in (AtomKind.WEEKDAY, AtomKind.DATE, AtomKind.RELATIVE_DAY):  # prije petka
        raise ImpossibleError(DEADLINE.value, "deadline")
    raise ImpossibleError("that is in the past", "past")


def _vague(reading: PhraseReading, _roles: int) -> None:
    if reading.cursor.value is not None and reading.cursor.at == 0:
        raise ImpossibleError(reading.cursor.value, "doubtful")
    raise reading.cursor.misread("is too vague: name a time")


def _which(reading: PhraseReading, roles: int) -> None:
    """Read "next Friday"; in a series "the next 2 weeks" is how long it lasts."""
    if reading.cursor.ahead() is not AtomKind.NUMBER or not read_lasting(reading):
        read_which(reading, roles)


def _unit(reading: PhraseReading, roles: int) -> None:
    if roles or not read_bare_unit(reading):
        read_week_unit(reading, roles)


_READERS: dict[AtomKind, Callable[[PhraseReading, int], None]] = {
    AtomKind.EVERY: read_every,
    AtomKind.WEEKDAY: read_weekdays,
    AtomKind.WEEKDAYS: read_weekdays,
    AtomKind.NEXT: _which,
    AtomKind.THIS: read_which,
    AtomKind.COMING: read_which,
    AtomKind.FURTHER: read_further,
    AtomKind.UNIT: _unit,
    AtomKind.ORDINAL: read_ordinal,
    AtomKind.RELATIVE_DAY: _relative_day,
    AtomKind.DATE: _date,
    AtomKind.MONTH: _date,
    AtomKind.PART: _part,
    AtomKind.NUMBER: read_number,
    AtomKind.FRACTION: read_number,
    AtomKind.SPAN: read_number,
    AtomKind.TIME: _time,
    AtomKind.FIXED_TIME: _time,
    AtomKind.HALF_TO: _time,
    AtomKind.UNTIL_END: read_period_end,
    AtomKind.PAST: _past,
    AtomKind.VAGUE: _vague,
}
_PARTICULAR = WordRole.AROUND | WordRole.STRAY | WordRole.EXCEPT | WordRole.INSTEAD | WordRole.LASTING
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
