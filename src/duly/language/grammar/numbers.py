"""Numbers and lengths of time that no word announced, and the lengths that count from now or from a day."""

from __future__ import annotations

from duly.language.atoms import SHORT_MARK, AtomKind, Unit, WordRole
from duly.language.grammar.bounds import BESIDE, is_beside, read_bare_lasting, read_beside, read_count
from duly.language.grammar.clauses import PhraseReading, Slot
from duly.language.grammar.cursor import NO_ROLE, Cursor, ImpossibleError
from duly.language.grammar.days import add_date, read_date, read_monthdays, read_ordinal
from duly.language.grammar.hours import read_clocks
from duly.language.grammar.lengths import TimeLength, read_length

_AFTERNOON = 13
_HOURS = 24
_DAWN = 6
_OF_A_LENGTH = (AtomKind.NOW, AtomKind.PAST, *BESIDE)
_RANGE_OR_IDIOM = WordRole.TO | WordRole.BEFORE
_OF_AN_HOUR = WordRole.AFTER | WordRole.BEFORE | WordRole.LESS


def read_number(reading: PhraseReading, roles: int) -> None:
    """Read "three times a day", or any other number."""
    cursor = reading.cursor
    if cursor.ahead() is AtomKind.TIMES and not roles and read_count(reading):
        return
    if not roles and cursor.kinds[cursor.at - 1] is AtomKind.BREAK and read_bare_lasting(reading):
        return
    if cursor.ahead() is not AtomKind.PER_DAY or not cursor.on(AtomKind.NUMBER) or cursor.value.whole is None:
        _bare_number(reading, roles)
        return
    clause = reading.speak_of(Slot.DAYS)
    if clause.every is not None or clause.per_day is not None:
        raise cursor.misread("names two rhythms")
    clause.per_day = int(cursor.take().value)
    clause.every = (1, Unit.DAY)
    reading.recurring = True
    reading.said = Slot.RHYTHM
    cursor.at += 1


def _bare_number(reading: PhraseReading, roles: int) -> None:
    """Read a number that no word announced: a date, a length of time, a day of the month or a time of day.

    They are tried in this order. A date needs its month and a length its unit, so they cannot be mistaken; a bare
    number is an hour only where `_expects_time` says so.
    """
    cursor = reading.cursor
    start = cursor.at
    if roles != WordRole.IN and (date := read_date(cursor)) is not None:
        add_date(reading.speak_of(Slot.DAYS), date)
        return
    # "17h" after a day is an hour. "One day" is no length of time, "one day from now" is.
    is_hour = not is_beside(cursor) and (
        _is_hour(reading) or (not roles and (_is_hour_of_part(cursor) or _is_marked_hour(reading)))
    )
    amount = read_length(cursor) if roles in (NO_ROLE, WordRole.THE) and not is_hour else None
    if amount is not None and cursor.kind in BESIDE:
        read_beside(reading, amount, start)
        return
    counted = (
        cursor.on(AtomKind.NOW) or cursor.on(AtomKind.PAST) or (amount is not None and _counts_from_day(cursor, amount))
    )
    if amount is not None and (counted or not _is_one(cursor, start)):
        if _reads_as_clock(cursor, start):
            raise ImpossibleError("it may be an hour of the day or a length of time: say which", "doubtful")
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
    # "8 to 9" alone: a range, or eight minutes before nine.
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
    """Tell whether a number is the date of the weekday before it: vendredi 20."""
    clause = reading.current
    cursor = reading.cursor
    alone = clause.last is Slot.DAYS and len(clause.weekdays) == 1 and not (clause.date or clause.monthdays)
    if not alone or reading.boundary or cursor.recurring or not cursor.language.article_makes_date:
        return False
    follower = cursor.ahead()
    plain = (
        follower in (AtomKind.END, AtomKind.BREAK, AtomKind.LITTLE, AtomKind.COMMA, AtomKind.TIME)
        and not cursor.role(1) & _OF_AN_HOUR
    )
    return plain and cursor.value.digits in (1, 2) and cursor.value.whole is not None


def _is_marked_hour(reading: PhraseReading) -> bool:
    """Tell whether it says "9h" or "8h30", which is how one writes an hour of the clock there.

    Alone it may be a length of time as well: that becomes the other reading. Of the hours before dawn a length is as
    likely, so they need a word.
    """
    cursor = reading.cursor
    if not cursor.on(AtomKind.NUMBER) or not cursor.value.hour_mark or cursor.value.whole is None:
        return False
    start = cursor.at
    hour = cursor.value.whole
    short = cursor.value.hour_mark == SHORT_MARK
    length = read_length(cursor)
    follower = cursor.kind
    minutes = cursor.kinds[cursor.at - 1] is AtomKind.UNIT and cursor.at > start + 2  # 1h30m
    cursor.at = start
    if length is None or minutes or follower in _OF_A_LENGTH or (hour > _HOURS):
        return False
    if start > 0 or follower is not AtomKind.END:
        return bool(short)
    if _DAWN < hour < _HOURS:
        reading.other_length = length
        return True
    if short:
        raise ImpossibleError("it may be an hour of the day or a length of time: say which", "doubtful")
    return False


def _is_one(cursor: Cursor, start: int) -> bool:
    """Tell whether it says "one day", which may be any day."""
    one = cursor.kinds[start] is AtomKind.NUMBER and cursor.values[start].value == 1 and not cursor.values[start].digits
    return one and cursor.kinds[start + 1] is AtomKind.UNIT and not cursor.values[start + 1].elapsed


def _reads_as_clock(cursor: Cursor, start: int) -> bool:
    """Tell whether it says "17h", where that is how one writes 5 pm."""
    unit = cursor.values[start + 1] if cursor.kinds[start + 1] is AtomKind.UNIT else None
    hours = cursor.values[start].value if cursor.kinds[start] is AtomKind.NUMBER else 0
    ends = cursor.on(AtomKind.END) and unit is Unit.HOUR
    return ends and not cursor.language.twelve_hours and _AFTERNOON <= hours <= _HOURS


def _is_hour(reading: PhraseReading) -> bool:
    """Tell whether "17h" is an hour of the clock: it is once a day has been named."""
    cursor = reading.cursor
    if not cursor.on(AtomKind.NUMBER) or cursor.ahead() is not AtomKind.UNIT or cursor.value.whole is None:
        return False
    expected = _expects_time(reading) or reading.recurring or bool(reading.current.weekdays)
    return expected and cursor.values[cursor.at + 1] is Unit.HOUR


def _is_hour_of_part(cursor: Cursor) -> bool:
    """Tell whether it says "7 in the evening" or "8h du matin": digits, because "one morning" is any morning."""
    if not cursor.on(AtomKind.NUMBER) or not 0 < cursor.value.digits < 3 or cursor.value.dotted:
        return False
    hour_word = cursor.ahead() is AtomKind.UNIT and cursor.values[cursor.at + 1] is Unit.HOUR
    by = 2 if hour_word and not cursor.language.twelve_hours else 1
    while cursor.role(by) & (WordRole.OF | WordRole.ON | WordRole.THE | WordRole.HABIT):
        by += 1
    return cursor.ahead(by) is AtomKind.PART and cursor.value.whole is not None


def _expects_time(reading: PhraseReading) -> bool:
    """Tell whether a bare number is an hour, because a day has been named and a time has not."""
    clause = reading.current
    cursor = reading.cursor
    if not cursor.on(AtomKind.NUMBER) or not cursor.value.digits or cursor.kinds[cursor.at - 1] is AtomKind.BREAK:
        return False
    if clause.pace is not None:
        return cursor.ahead() is AtomKind.DASH and clause.window is None
    named = clause.relative_day is not None or clause.part is not None or clause.date is not None
    return (named or clause.every is not None or clause.habit) and not clause.times


def _bare_amount(reading: PhraseReading, amount: TimeLength, start: int) -> None:
    """Read what follows a length of time: "from now", "from Tuesday", or the end of the phrase."""
    cursor = reading.cursor
    if cursor.skip(AtomKind.NOW):
        _put_offset(reading, amount)
        return
    if cursor.on(AtomKind.PAST):
        raise ImpossibleError("that is in the past", "past")
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


def _counts_from_day(cursor: Cursor, amount: TimeLength) -> bool:
    """Tell whether a day follows to count from: "a week from Tuesday", or as the British say, "a week on Tuesday"."""
    if cursor.ahead() not in (AtomKind.WEEKDAY, AtomKind.RELATIVE_DAY, AtomKind.NEXT, AtomKind.THIS):
        return False
    weeks = amount.days and amount == TimeLength(days=amount.days // 7 * 7)
    return bool(cursor.role() & WordRole.FROM or (weeks and cursor.role() == WordRole.ON))


def read_offset(reading: PhraseReading, roles: int) -> bool:
    """Read "in five minutes"; return False and read nothing if no length of time follows."""
    cursor = reading.cursor
    start = cursor.at
    amount = read_length(cursor)
    if amount is None:
        return False
    # Where one word is both "at" and "in", a number without its own unit right behind it is an hour.
    if roles & WordRole.AT and cursor.kinds[start] is AtomKind.NUMBER and cursor.kinds[start + 1] is not AtomKind.UNIT:
        cursor.at = start
        return False
    _put_offset(reading, amount)
    cursor.skip(AtomKind.NOW)
    return True


def read_bare_unit(reading: PhraseReading) -> bool:
    """Read "hour and a half from now", without its number; return False and read nothing otherwise."""
    cursor = reading.cursor
    start = cursor.at
    amount = read_length(cursor, bare_unit=True) if AtomKind.NOW in cursor.kinds else None
    if amount is None or not cursor.skip(AtomKind.NOW):
        cursor.at = start
        return False
    _put_offset(reading, amount)
    return True


def read_further(reading: PhraseReading, _roles: int) -> None:
    """Read "Thursday week", "mardi en huit", "übernächsten Freitag"."""
    clause = reading.current
    cursor = reading.cursor
    one_day = clause.last is Slot.DAYS and (len(clause.weekdays) == 1 or clause.relative_day is not None)
    if reading.boundary or cursor.recurring or not (one_day or cursor.ahead() is AtomKind.NEXT):
        raise cursor.misread("needs a day")
    _put_offset(reading, TimeLength(days=cursor.take()))
    clause.last = Slot.DAYS
    clause.habit = False  # le mardi en huit


def _put_offset(reading: PhraseReading, amount: TimeLength) -> None:
    clause = reading.speak_of(Slot.OFFSET)
    if clause.offset is not None:
        raise reading.cursor.misread("names two lengths of time")
    if not amount:
        raise ImpossibleError("no time at all is not in the future")
    clause.offset = amount
