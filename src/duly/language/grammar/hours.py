"""Hours of a clause: one time of day or several, and a range of hours."""

from __future__ import annotations

from duly.language.atoms import AtomKind, DayPart, Unit, WordRole
from duly.language.grammar.bounds import is_beside
from duly.language.grammar.clauses import Clause, PhraseReading, Slot
from duly.language.grammar.clocks import ClockTime, read_clock, settle
from duly.language.grammar.cursor import NO_ROLE, Cursor, ImpossibleError

_NOON = 12
_MOST_TAKEN = 3
"""Pills at a time."""
_SMALL_HOURS = 3


def read_window(reading: PhraseReading, roles: int) -> bool:
    """Read "from 9 to 5" or "between 9 and 5"; return False and read nothing if there is no range."""
    cursor = reading.cursor
    start = cursor.at
    first = read_clock(cursor, marked=True, begins_range=True)
    if first is None:
        return False
    first = _with_own_part(cursor, first)
    ends = WordRole.TO | (WordRole.AND if roles & WordRole.BETWEEN else NO_ROLE)
    if not (cursor.skip(AtomKind.DASH) or cursor.skip_role(ends)):
        cursor.at = start
        return False
    cursor.little_words()
    return _end_window(reading, first, start)


def _with_own_part(cursor: Cursor, clock: ClockTime) -> ClockTime:
    """Return a time, moved by the part of the day that follows it."""
    start = cursor.at
    cursor.little_words()
    if cursor.on(AtomKind.PART):
        return settle(clock, cursor.take())
    cursor.at = start
    return clock


def _end_window(reading: PhraseReading, first: ClockTime, start: int) -> bool:
    """Read the end of a range that began with a time at `start`; return False and read nothing if there is none."""
    last = read_clock(reading.cursor, marked=True)
    if last is None:
        reading.cursor.at = start
        return False
    clause = reading.speak_of(Slot.WINDOW)
    if clause.window is not None:
        raise reading.cursor.misread("names two ranges of hours")
    # "From 2 to 5 in the afternoon": the part of the day moves both times into the same half of the day, unless the
    # range crosses noon or midnight ("from 10 to 3 in the afternoon"). Midnight ends the second half.
    moved = _with_own_part(reading.cursor, last)
    if moved != last and first.open and first.hour <= last.hour:
        is_second_half = moved.hour > _NOON or moved.hour == 0
        first = first._replace(hour=first.hour % _NOON + _NOON if is_second_half else first.hour, open=False)
    clause.window = (first, moved)
    return True


def read_clocks(reading: PhraseReading, *, marked: bool) -> bool:
    """Read one time of day or several, with their part of the day; return False and read nothing if there is none."""
    cursor = reading.cursor
    start = cursor.at
    first = read_clock(cursor, marked=marked)
    if first is None:
        return False
    if cursor.skip(AtomKind.DASH):  # 9-17, 9am-5pm
        return _end_window(reading, first, start)
    if reading.current.last is Slot.TIMES and not reading.boundary:
        raise cursor.misread("names another time")
    clause = reading.speak_of(Slot.TIMES)
    is_bare = cursor.kinds[start - 1] is AtomKind.PART and cursor.at == start + 1  # morgens 1, abends 2
    if is_bare and first.spoken and first.hour <= _MOST_TAKEN and cursor.kinds.count(AtomKind.PART) > 1:
        raise ImpossibleError("a number behind a part of the day may be its hour or a dose", "doubtful")
    clause.times.append(first)
    marked = marked or not first.open  # after "17:00" or "5 pm" a bare number is an hour: "at 17:00 and 18"
    while True:
        _trailing_part(reading, clause)
        start = cursor.at
        if not cursor.separator():
            return True
        following = cursor.little_words()
        more = _another(cursor, following, marked)
        if more is None:
            cursor.at = start
            return True
        if following & WordRole.AT:
            clause.settled = len(clause.times)  # what is announced again has a part of the day of its own
        if cursor.language.twelve_hours and clause.times[-1].open and _was_pm(cursor):
            # "At 8 and 9 pm": eight in the morning or in the evening.
            raise ImpossibleError(
                f"{clause.times[-1].hour} may be in the morning or in the evening: say am or pm", "doubtful"
            )
        clause.times.append(more)


def read_first_hour(reading: PhraseReading) -> bool:
    """Read the hour from which a series of elapsed hours counts, "starting at 6am"; return False without such a series.

    A dash or "to" behind it makes a range of hours of it, which is read before.
    """
    cursor = reading.cursor
    return cursor.recurring and read_clocks(reading, marked=True)


def _another(cursor: Cursor, following: int, marked: bool) -> ClockTime | None:
    """Read the time that follows "and" and the little words behind it; "and an hour before" is none."""
    if following and (not following & WordRole.AT or following & WordRole.STRAY):
        return None
    if not _may_be_clock(cursor) or is_beside(cursor):
        return None
    return read_clock(cursor, marked=bool(following) or marked)


def _was_pm(cursor: Cursor) -> bool:
    return cursor.kinds[cursor.at - 1] is AtomKind.MERIDIEM and cursor.values[cursor.at - 1] > 0


def _may_be_clock(cursor: Cursor) -> bool:
    """Tell whether a time can stand here: not the beginning of a date or of a length of time."""
    if not cursor.on(AtomKind.NUMBER):
        return True
    following = cursor.ahead()
    if following is AtomKind.UNIT:
        return cursor.values[cursor.at + 1] is Unit.HOUR
    return following not in (AtomKind.MONTH, AtomKind.ORDINAL_MARK, AtomKind.TIMES) and not cursor.role(1) & WordRole.OF


def _trailing_part(reading: PhraseReading, clause: Clause) -> None:
    """Read "in the evening" behind times: it moves those before it that have no part of the day yet."""
    cursor = reading.cursor
    start = cursor.at
    cursor.little_words()
    if not cursor.on(AtomKind.PART):
        cursor.at = start
        return
    part = cursor.take()
    times = clause.times
    if part is DayPart.EVENING and any(each.open and each.hour <= _SMALL_HOURS for each in times[clause.settled :]):
        raise ImpossibleError("that hour of the evening may be one of the night or of the afternoon", "doubtful")
    times[clause.settled :] = [settle(clock, part) for clock in times[clause.settled :]]
    clause.settled = len(times)
