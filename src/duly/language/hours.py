"""Hours: one time of day or several, and ranges of them."""

from __future__ import annotations

from duly.language.atoms import Kind, Role, Unit
from duly.language.clause import Clause, Said, Slot
from duly.language.clocks import Clock, read_clock, settle
from duly.language.cursor import NO_ROLE, Cursor, ImpossibleError


def read_window(said: Said, roles: int) -> bool:
    cursor, start = said.cursor, said.cursor.at
    first = read_clock(cursor, marked=True, begins_range=True)
    if first is None:
        return False
    first = _with_own_part(cursor, first)
    ends = Role.TO | (Role.AND if roles & Role.BETWEEN else NO_ROLE)
    if not (cursor.skip(Kind.DASH) or cursor.skip_role(ends)):
        cursor.at = start
        return False
    cursor.little_words()
    last = read_clock(cursor, marked=True)
    if last is None:
        cursor.at = start
        return False
    return _putread_window(said, first, last)


def _with_own_part(cursor: Cursor, clock: Clock) -> Clock:
    """A time, moved by the part of the day that follows it."""
    start = cursor.at
    cursor.little_words()
    if cursor.on(Kind.PART):
        return settle(clock, cursor.take())
    cursor.at = start
    return clock


def _putread_window(said: Said, first: Clock, last: Clock) -> bool:
    clause = said.speak_of(Slot.WINDOW)
    if clause.window is not None:
        raise said.cursor.misread("names two ranges of hours")
    moved = _with_own_part(said.cursor, last)
    if moved != last and first.open and first.hour <= last.hour:
        first = first._replace(hour=first.hour % 12 + 12, open=False)
    clause.window = (first, moved)
    return True


def read_clocks(said: Said, *, marked: bool) -> bool:
    """One time of day or several, with what is said about their part of the day."""
    cursor = said.cursor
    start = cursor.at
    first = read_clock(cursor, marked=marked)
    if first is None:
        return False
    if cursor.on(Kind.DASH):
        return _dashedread_window(said, first, start)
    if said.current.last is Slot.TIMES and not said.boundary:
        raise cursor.misread("names another time")
    clause = said.speak_of(Slot.TIMES)
    clause.times.append(first)
    marked = marked or not first.open
    while True:
        _trailing_part(said, clause)
        start = cursor.at
        if not cursor.separator():
            return True
        following = cursor.little_words()
        more = None
        if not following or (following & Role.AT and not following & Role.STRAY):
            more = read_clock(cursor, marked=bool(following) or marked) if _may_be_clock(cursor) else None
        if more is None:
            cursor.at = start
            return True
        if following & Role.AT:
            clause.settled = len(clause.times)  # what is announced again has a part of the day of its own
        if cursor.source.twelve_hours and clause.times[-1].open and _was_pm(cursor):
            raise ImpossibleError(f"{clause.times[-1].hour} may be in the morning or in the evening: say am or pm")
        clause.times.append(more)


def _was_pm(cursor: Cursor) -> bool:
    return cursor.kinds[cursor.at - 1] is Kind.MERIDIEM and cursor.values[cursor.at - 1] > 0


def _may_be_clock(cursor: Cursor) -> bool:
    """Whether what stands here is not the beginning of a date or a length of time."""
    if not cursor.on(Kind.NUMBER):
        return True
    following = cursor.ahead()
    if following is Kind.UNIT:
        return cursor.values[cursor.at + 1] is Unit.HOUR
    return following not in (Kind.MONTH, Kind.ORDINAL_MARK) and not cursor.role(1) & Role.OF


def _dashedread_window(said: Said, first: Clock, start: int) -> bool:
    """9-17, 9am-5pm."""
    cursor = said.cursor
    cursor.at += 1
    last = read_clock(cursor, marked=True)
    if last is None:
        cursor.at = start
        return False
    return _putread_window(said, first, last)


def _trailing_part(said: Said, clause: Clause) -> None:
    """Eight in the evening: the part of the day belongs to the times before it."""
    cursor = said.cursor
    start = cursor.at
    cursor.little_words()
    if not cursor.on(Kind.PART):
        cursor.at = start
        return
    part = cursor.take()
    times = clause.times
    times[clause.settled :] = [settle(clock, part) for clock in times[clause.settled :]]
    clause.settled = len(times)
