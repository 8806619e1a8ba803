"""Hours: one time of day or several, and ranges of them."""

from __future__ import annotations

from duly.language.atoms import AtomKind, Unit, WordRole
from duly.language.grammar.clauses import Clause, PhraseReading, Slot
from duly.language.grammar.clocks import ClockTime, read_clock, settle
from duly.language.grammar.cursor import NO_ROLE, Cursor, ImpossibleError


def read_window(reading: PhraseReading, roles: int) -> bool:
    cursor, start = reading.cursor, reading.cursor.at
    first = read_clock(cursor, marked=True, begins_range=True)
    if first is None:
        return False
    first = _with_own_part(cursor, first)
    ends = WordRole.TO | (WordRole.AND if roles & WordRole.BETWEEN else NO_ROLE)
    if not (cursor.skip(AtomKind.DASH) or cursor.skip_role(ends)):
        cursor.at = start
        return False
    cursor.little_words()
    last = read_clock(cursor, marked=True)
    if last is None:
        cursor.at = start
        return False
    return _putread_window(reading, first, last)


def _with_own_part(cursor: Cursor, clock: ClockTime) -> ClockTime:
    """A time, moved by the part of the day that follows it."""
    start = cursor.at
    cursor.little_words()
    if cursor.on(AtomKind.PART):
        return settle(clock, cursor.take())
    cursor.at = start
    return clock


def _putread_window(reading: PhraseReading, first: ClockTime, last: ClockTime) -> bool:
    clause = reading.speak_of(Slot.WINDOW)
    if clause.window is not None:
        raise reading.cursor.misread("names two ranges of hours")
    moved = _with_own_part(reading.cursor, last)
    if moved != last and first.open and first.hour <= last.hour:
        first = first._replace(hour=first.hour % 12 + 12, open=False)
    clause.window = (first, moved)
    return True


def read_clocks(reading: PhraseReading, *, marked: bool) -> bool:
    """One time of day or several, with what is said about their part of the day."""
    cursor = reading.cursor
    start = cursor.at
    first = read_clock(cursor, marked=marked)
    if first is None:
        return False
    if cursor.on(AtomKind.DASH):
        return _dashedread_window(reading, first, start)
    if reading.current.last is Slot.TIMES and not reading.boundary:
        raise cursor.misread("names another time")
    clause = reading.speak_of(Slot.TIMES)
    clause.times.append(first)
    marked = marked or not first.open
    while True:
        _trailing_part(reading, clause)
        start = cursor.at
        if not cursor.separator():
            return True
        following = cursor.little_words()
        more = None
        if not following or (following & WordRole.AT and not following & WordRole.STRAY):
            more = read_clock(cursor, marked=bool(following) or marked) if _may_be_clock(cursor) else None
        if more is None:
            cursor.at = start
            return True
        if following & WordRole.AT:
            clause.settled = len(clause.times)  # what is announced again has a part of the day of its own
        if cursor.language.twelve_hours and clause.times[-1].open and _was_pm(cursor):
            raise ImpossibleError(f"{clause.times[-1].hour} may be in the morning or in the evening: say am or pm")
        clause.times.append(more)


def _was_pm(cursor: Cursor) -> bool:
    return cursor.kinds[cursor.at - 1] is AtomKind.MERIDIEM and cursor.values[cursor.at - 1] > 0


def _may_be_clock(cursor: Cursor) -> bool:
    """Whether what stands here is not the beginning of a date or a length of time."""
    if not cursor.on(AtomKind.NUMBER):
        return True
    following = cursor.ahead()
    if following is AtomKind.UNIT:
        return cursor.values[cursor.at + 1] is Unit.HOUR
    return following not in (AtomKind.MONTH, AtomKind.ORDINAL_MARK) and not cursor.role(1) & WordRole.OF


def _dashedread_window(reading: PhraseReading, first: ClockTime, start: int) -> bool:
    """9-17, 9am-5pm."""
    cursor = reading.cursor
    cursor.at += 1
    last = read_clock(cursor, marked=True)
    if last is None:
        cursor.at = start
        return False
    return _putread_window(reading, first, last)


def _trailing_part(reading: PhraseReading, clause: Clause) -> None:
    """Eight in the evening: the part of the day belongs to the times before it."""
    cursor = reading.cursor
    start = cursor.at
    cursor.little_words()
    if not cursor.on(AtomKind.PART):
        cursor.at = start
        return
    part = cursor.take()
    times = clause.times
    times[clause.settled :] = [settle(clock, part) for clock in times[clause.settled :]]
    clause.settled = len(times)
