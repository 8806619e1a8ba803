"""Days as they are said: dates, weekdays and lists of them, this and next, the first Monday of the month."""

from __future__ import annotations

from duly.language.atoms import ANY_WORKDAY, AtomKind, DayPart, Numeral, Unit, WordRole
from duly.language.grammar.clauses import Clause, PhraseReading, Slot, SpokenDate, Which
from duly.language.grammar.cursor import Cursor, ImpossibleError
from duly.language.grammar.lengths import TimeLength

_WHICH = {AtomKind.NEXT: Which.NEXT, AtomKind.THIS: Which.THIS, AtomKind.COMING: Which.COMING}
_DAY_WORDS = (AtomKind.WEEKDAY, AtomKind.WEEKDAYS)
_ARTICLES = WordRole.THE | WordRole.HABIT | WordRole.ON
_FIRST_YEAR = 1900
_LAST_YEAR = 9999


def read_date(cursor: Cursor, *, bare_day: bool = False) -> SpokenDate | None:
    """Read a date; return None and read nothing if there is none. With `bare_day` a day of the month is enough."""
    start = cursor.at
    found: SpokenDate | None = None
    if cursor.on(AtomKind.DATE):
        year, month, day = cursor.take()
        found = SpokenDate(day, month, year)
    elif cursor.on(AtomKind.MONTH):
        found = _month_first(cursor)
    elif (day := monthday(cursor, marked=bare_day)) is not None or (day := _plain_day(cursor)) is not None:
        found = _day_first(cursor, day, bare_day)
    if found is None:
        cursor.at = start
    return found


def _plain_day(cursor: Cursor) -> int | None:
    """Read a number that is a day of the month only because a month follows."""
    if not cursor.on(AtomKind.NUMBER) or cursor.value.whole is None:
        return None
    by = 1
    while cursor.role(by) & (WordRole.OF | WordRole.THE):
        by += 1
    if cursor.ahead(by) is not AtomKind.MONTH:
        return None
    return int(cursor.take().value)


def monthday(cursor: Cursor, *, marked: bool) -> int | None:
    """Read a day of the month that can be nothing else ("20th", "20."); with `marked` a bare number is one, too."""
    if cursor.on(AtomKind.ORDINAL):
        return None if cursor.value == -1 or cursor.ahead() in _DAY_WORDS else int(cursor.take())
    if not cursor.on(AtomKind.NUMBER) or cursor.value.whole is None:
        return None
    numeral: Numeral = cursor.value
    if cursor.ahead() is AtomKind.ORDINAL_MARK:
        cursor.at += 2
        return int(numeral.value)
    if (numeral.dotted and cursor.ahead() is not AtomKind.UNIT) or (marked and _ends_number(cursor)):
        cursor.at += 1
        return int(numeral.value)
    return None


def _ends_number(cursor: Cursor) -> bool:
    return cursor.ahead() not in (AtomKind.UNIT, AtomKind.MERIDIEM, AtomKind.OCLOCK, AtomKind.FRACTION)


def _day_first(cursor: Cursor, day: int, bare_day: bool) -> SpokenDate | None:
    start = cursor.at
    while cursor.skip_role(WordRole.OF | WordRole.THE):
        pass
    if not cursor.on(AtomKind.MONTH):
        cursor.at = start
        return SpokenDate(day) if bare_day else None
    month = cursor.take()
    return SpokenDate(day, month, read_year(cursor))


def _month_first(cursor: Cursor) -> SpokenDate | None:
    month = cursor.take()
    cursor.skip_role(WordRole.THE)
    day = monthday(cursor, marked=True)
    return None if day is None else SpokenDate(day, month, read_year(cursor))


def read_year(cursor: Cursor) -> int | None:
    """Read a year. Only four digits: "25 December 10" is ten o'clock."""
    start = cursor.at
    cursor.skip(AtomKind.COMMA)
    while cursor.skip_role(WordRole.OF):
        pass
    if cursor.on(AtomKind.NUMBER) and cursor.value.digits == 4 and cursor.value.whole is not None:
        year = int(cursor.value.value)
        if _FIRST_YEAR <= year <= _LAST_YEAR:
            cursor.at += 1
            return year
    cursor.at = start
    return None


def of_month(cursor: Cursor) -> Which | bool:
    """Read "of the month" and return True, or the month of "of next month"; return False and read nothing otherwise."""
    start = cursor.at
    joined = cursor.little_words()
    every = cursor.skip(AtomKind.EVERY)
    cursor.skip_role(WordRole.THE)
    which = which_here(cursor)
    if (joined or every) and cursor.on(AtomKind.UNIT) and cursor.value is Unit.MONTH:
        cursor.at += 1
        which = which or trailing_which(cursor)
        return which or True
    cursor.at = start
    return False


def which_here(cursor: Cursor) -> Which | None:
    """Read "this", "next" or "coming"; return None and read nothing if none of them stands here."""
    which = _WHICH.get(cursor.kind)
    if which is not None:
        cursor.at += 1
    return which


def trailing_which(cursor: Cursor) -> Which | None:
    """Read the "prochain" of "vendredi prochain".

    Before a unit it belongs to that ("Friday next week"), and "this" always stands before its day.
    """
    which = _WHICH.get(cursor.kind)
    if which is None or cursor.on(AtomKind.THIS) or cursor.ahead() is AtomKind.UNIT:
        return None
    cursor.at += 1
    return which


def read_weekdays(reading: PhraseReading, roles: int) -> None:
    """Read weekdays: one, several, a range, or a habit of them."""
    cursor = reading.cursor
    clause = reading.speak_of(Slot.DAYS)
    if clause.relative_day is not None or clause.which is not None:
        raise cursor.misread("names two days")
    if clause.weekdays and not reading.boundary and (roles & ~_ARTICLES or cursor.on(AtomKind.WEEKDAYS)):
        raise cursor.misread("names weekdays in two ways")
    if clause.offset is not None and cursor.role(-1) & WordRole.AND:
        raise cursor.misread("cannot be added to a length of time")
    habit = bool(roles & WordRole.HABIT)
    clause.pinned = bool(roles & WordRole.ON) and not habit
    count = 0
    while True:
        days, is_habit = _day_or_range(cursor)
        if count and len(days) == 1 and days[0] in clause.weekdays:
            cursor.at -= 1
            raise cursor.misread("is named twice")
        habit |= is_habit
        clause.weekdays += [day for day in days if day not in clause.weekdays]
        count += 1
        start = cursor.at
        if not cursor.separator():
            break
        habit |= bool(cursor.little_words() & WordRole.HABIT)
        if cursor.kind not in _DAY_WORDS:
            cursor.at = start
            break
    # "From Monday" needs an end. In Italian and Spanish "from" is also "of", and an article beside it says that it is.
    announced = roles & WordRole.OF and roles & (WordRole.ON | WordRole.AT | WordRole.THE)
    if roles & WordRole.FROM and not announced and len(clause.weekdays) == 1:
        raise cursor.misread("needs the end of the range")
    # "Le vendredi prochain" is one day, although its article makes a habit of other weekdays.
    if count == 1 and not clause.habit and (which := trailing_which(cursor)) is not None:
        clause.which = which
        habit = False
    clause.habit |= habit and (clause.week is None or cursor.recurring)


def _day_or_range(cursor: Cursor) -> tuple[list[int], bool]:
    """Read a weekday or "Monday to Friday"; return the days and whether they were said as a habit."""
    kind = cursor.kind
    value = cursor.take()
    if kind is AtomKind.WEEKDAYS and len(value) > 1:
        return list(value), True
    first = value if kind is AtomKind.WEEKDAY else value[0]
    start = cursor.at
    if cursor.skip(AtomKind.DASH) or cursor.skip_role(WordRole.TO):
        while cursor.skip_role(WordRole.THE | WordRole.TO):
            pass
        if cursor.kind in _DAY_WORDS:
            last = cursor.take_weekday()
            # The remainder lets a range pass over Sunday: Friday to Monday is 4, 5, 6, 0.
            return [day % 7 for day in range(first, first + (last - first) % 7 + 1)], True
        cursor.at = start
    return [first], kind is AtomKind.WEEKDAYS


def read_which(reading: PhraseReading, _roles: int) -> None:
    """Read "next Friday", "this week" and "next month"."""
    cursor = reading.cursor
    which = _WHICH[cursor.kind]
    cursor.at += 1
    if cursor.on(AtomKind.WEEKDAY):
        clause = reading.speak_of(Slot.DAYS)
        if clause.weekdays:
            raise cursor.misread("names two days")
        clause.weekdays.append(cursor.take())
        clause.which = which
    elif cursor.on(AtomKind.PART) and which is Which.THIS:
        clause = reading.speak_of(Slot.DAYS)
        clause.relative_day = 0
    elif cursor.on(AtomKind.UNIT) and cursor.value in (Unit.WEEK, Unit.MONTH):
        _week_or_month(reading, which)
    elif cursor.on(AtomKind.UNIT) and cursor.value is Unit.WORKDAY and which is not Which.THIS:
        cursor.at += 1
        clause = reading.speak_of(Slot.OFFSET)
        if clause.offset is not None or clause.has_day:
            raise cursor.misread("names two days")
        clause.offset = TimeLength(workdays=1)
        clause.part = clause.part or DayPart.MORNING  # a day, and so at its usual time
    else:
        raise cursor.misread("needs a day or a week")


def _week_or_month(reading: PhraseReading, which: Which) -> None:
    clause = reading.speak_of(Slot.DAYS)
    which = Which.NEXT if which is Which.COMING else which
    if reading.cursor.take() is Unit.WEEK:
        clause.week = which
        clause.habit = clause.habit and reading.cursor.recurring  # il lunedì della settimana prossima
    else:
        clause.month = which


def read_week_unit(reading: PhraseReading, _roles: int) -> None:
    """Read "la semaine prochaine", with the unit first."""
    cursor = reading.cursor
    if cursor.value not in (Unit.WEEK, Unit.MONTH) or cursor.ahead() not in _WHICH:
        raise cursor.misread("needs a number")
    which = _WHICH[cursor.ahead()]
    _week_or_month(reading, which)
    cursor.at += 1


def read_ordinal(reading: PhraseReading, roles: int) -> None:
    """Read "the first Monday of the month", "the last day of the month" and "the 1st and the 15th"."""
    cursor = reading.cursor
    if several := ordinals_of_weekday(cursor):
        read_nth_weekday(reading, several)
        return
    if cursor.on(AtomKind.ORDINAL) and cursor.ahead() is AtomKind.UNIT and cursor.values[cursor.at + 1] is Unit.DAY:
        ordinal = cursor.take()
        cursor.at += 1
        clause = reading.speak_of(Slot.DAYS)
        clause.monthdays.append(ordinal)
        _belongs_to_month(cursor, clause, needed=True)
        return
    if cursor.on(AtomKind.ORDINAL) and cursor.ahead() is AtomKind.UNIT and cursor.values[cursor.at + 1] is Unit.WORKDAY:
        nth_workday(reading, cursor.take())
        _belongs_to_month(cursor, reading.current, needed=True)
        return
    read_monthdays(reading, roles)


def nth_workday(reading: PhraseReading, ordinal: int) -> None:
    """Put "the last working day" into the clause; the unit stands here."""
    reading.cursor.at += 1
    clause = reading.speak_of(Slot.DAYS)
    if clause.monthdays or clause.weekdays or clause.nth:
        raise reading.cursor.misread("names days in two ways")
    clause.nth.append((ordinal, ANY_WORKDAY))


_MOST_ORDINALS = 6
"""The first to the fifth and the last. In a longer row, each number would be read again from every one before it."""


def ordinals_of_weekday(cursor: Cursor) -> list[int]:
    """Read "the first and third" if a weekday follows; return an empty list and read nothing otherwise."""
    start = cursor.at
    found: list[int] = []
    while len(found) < _MOST_ORDINALS and (ordinal := _ordinal(cursor)) is not None:
        found.append(ordinal)
        if cursor.on(AtomKind.WEEKDAY) or (cursor.on(AtomKind.WEEKDAYS) and len(cursor.value) == 1):
            return found
        cursor.separator()
        cursor.little_words()
    cursor.at = start
    return []


def _ordinal(cursor: Cursor) -> int | None:
    """Read "first", "1st" or "1."."""
    if cursor.on(AtomKind.ORDINAL):
        return int(cursor.take())
    if not cursor.on(AtomKind.NUMBER) or cursor.value.whole is None:
        return None
    if cursor.ahead() is AtomKind.ORDINAL_MARK:
        cursor.at += 2
        return int(cursor.values[cursor.at - 2].value)
    return int(cursor.take().value) if cursor.value.dotted else None


def read_nth_weekday(reading: PhraseReading, ordinals: list[int]) -> None:
    """Read the weekday behind its ordinals, further ones ("and the last Friday"), and the month they belong to."""
    cursor = reading.cursor
    clause = reading.speak_of(Slot.DAYS)
    if clause.monthdays or clause.weekdays:
        raise cursor.misread("names days in two ways")
    while ordinals:
        weekday = cursor.take_weekday()
        clause.nth += [(ordinal, weekday) for ordinal in ordinals]
        start = cursor.at
        ordinals = []
        if cursor.separator():
            cursor.little_words()
            ordinals = ordinals_of_weekday(cursor)
        if not ordinals:
            cursor.at = start
    _belongs_to_month(cursor, clause, needed=True)


def _belongs_to_month(cursor: Cursor, clause: Clause, *, needed: bool) -> None:
    """Read "of the month" into the clause. `needed`: without it the days are misread, unless the phrase recurs."""
    which = of_month(cursor)
    if which is True:
        clause.each_month = True
    elif isinstance(which, Which):
        clause.month = Which.NEXT if which is Which.COMING else which
    elif needed and not clause.each_month and cursor.recurring is False:
        raise cursor.misread("needs a month")


def read_monthdays(reading: PhraseReading, roles: int) -> None:
    """Read days of the month by number, or a date if a month follows."""
    cursor = reading.cursor
    # "The 20" is a day, but "las 8" (which also has the role AT) is an hour. Where the language has articles, an
    # ordinal alone is no day ("fifth at 9"); "the fifth" is.
    marked = bool(roles & WordRole.THE) and not roles & WordRole.AT
    said_as_day = (
        marked or not (cursor.on(AtomKind.ORDINAL) and cursor.language.has_articles) or bool(roles & WordRole.ON)
    )
    date = read_date(cursor, bare_day=marked or cursor.on(AtomKind.ORDINAL) or is_ordinal(cursor))
    if date is None:
        raise cursor.misread("names no day")
    clause = reading.speak_of(Slot.DAYS)
    if date.month is not None:
        add_date(clause, date)
        return
    if clause.nth or clause.date is not None or clause.relative_day is not None:
        raise cursor.misread("names days in two ways")
    clause.monthdays.append(date.day)
    clause.habit = clause.habit and (cursor.recurring or len(clause.weekdays) != 1)  # le vendredi 20
    while True:
        start = cursor.at
        if not cursor.separator():
            break
        little = cursor.little_words()
        day = monthday(cursor, marked=marked and not little & WordRole.AT)
        if day is None:
            cursor.at = start
            break
        clause.monthdays.append(day)
    _belongs_to_month(cursor, clause, needed=not said_as_day)


def is_ordinal(cursor: Cursor) -> bool:
    """Tell whether a number stands here that says it is an ordinal."""
    return cursor.on(AtomKind.NUMBER) and (cursor.value.dotted or cursor.ahead() is AtomKind.ORDINAL_MARK)


def add_date(clause: Clause, date: SpokenDate) -> None:
    """Put the one date of a clause into it."""
    if clause.date is not None or clause.monthdays or clause.relative_day is not None:
        raise ImpossibleError("two dates are named")
    clause.date = date
    clause.habit = clause.habit and len(clause.weekdays) > 1
