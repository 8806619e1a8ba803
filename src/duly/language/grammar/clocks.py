"""Times of day: 17:45, 5pm, half past seven, halb acht, las ocho y media, 16h30."""

from __future__ import annotations

from typing import NamedTuple

from duly.language.atoms import AtomKind, DayPart, Numeral, Unit, WordRole
from duly.language.grammar.cursor import Cursor, ImpossibleError

_HOURS = 24
_MINUTES = 60
_NOON = 12
_DAWN = 6
_AFTER_NO_MINUTES = (
    AtomKind.UNIT,
    AtomKind.MONTH,
    AtomKind.ORDINAL_MARK,
    AtomKind.TIMES,
    AtomKind.PER_DAY,
)
_AFTER_MINUTES = (AtomKind.UNIT, AtomKind.MONTH, AtomKind.MERIDIEM, AtomKind.OCLOCK, AtomKind.ORDINAL_MARK)


class ClockTime(NamedTuple):
    """A time of day as it was said."""

    hour: int
    minute: int = 0
    second: int = 0
    open: bool = False
    """Whether a part of the day may still move the hour by twelve."""
    midnight: bool = False
    """The coming midnight: of today it is the one that ends it."""
    ends_day: bool = False
    """Said as 24:00: it is the end of the day that is named."""
    digital: bool = False
    """Whether it was written as clocks of 24 hours show it: 5:30, 5h30."""
    late: bool = False
    """Whether a doubtful hour is one of the afternoon: "all'una", in a language that counts to 24."""

    @property
    def doubtful(self) -> bool:
        """Whether it may be an hour before dawn or one of the afternoon: "at 5"."""
        return self.spoken and self.hour <= _DAWN

    @property
    def spoken(self) -> bool:
        """Whether it was said as a clock face of twelve shows it, so that it may be before noon or after it."""
        return self.open and not self.digital and self.hour < _NOON


def read_clock(cursor: Cursor, *, marked: bool, begins_range: bool = False) -> ClockTime | None:
    """Read the time of day that stands here; return None and read nothing if there is none.

    `marked` says that a word announced it, so that a bare number is an hour. At the beginning of a range, "to" ends the
    first time: "nine to five" is not 04:51 there.
    """
    start = cursor.at
    found = _READERS[cursor.kind](cursor, marked, begins_range) if cursor.kind in _READERS else None
    if found is None:
        cursor.at = start
        return None
    if cursor.on(AtomKind.MERIDIEM) and found.open:
        found = _with_meridiem(found, cursor.take())
    cursor.skip(AtomKind.OCLOCK)
    return found


def _with_meridiem(clock: ClockTime, meridiem: int) -> ClockTime:
    if not 1 <= clock.hour <= _NOON:
        raise ImpossibleError(f"{clock.hour} is no hour of a clock with am and pm")
    return clock._replace(hour=clock.hour % _NOON + meridiem, open=False)


def _checked(hour: int, minute: int = 0, second: int = 0, *, exact: bool = False) -> ClockTime:
    """Make a time of day; refuse what is on no clock."""
    if hour == _HOURS and minute == second == 0:
        return ClockTime(0, midnight=True, ends_day=True)
    if hour >= _HOURS or minute >= _MINUTES or second >= _MINUTES:
        raise ImpossibleError(f"{hour:02}:{minute:02} is no time of day")
    return ClockTime(hour, minute, second, open=1 <= hour <= _NOON and not exact)


def _fixed(cursor: Cursor, _marked: bool, begins_range: bool) -> ClockTime:
    hour = cursor.take()
    clock = ClockTime(hour, midnight=hour == 0)
    if minute := _plain_minutes(cursor, after_word=False):
        return ClockTime(hour, minute)  # midi trente
    joined = _joined_minutes(cursor, clock, begins_range=begins_range)  # midi et demi
    return clock if joined.minute == 0 else joined._replace(open=False, midnight=False)


def _digits(cursor: Cursor, _marked: bool, _begins_range: bool) -> ClockTime:
    hour, minute, second, zero = cursor.take()
    if cursor.on(AtomKind.UNIT) and cursor.value is Unit.HOUR:
        cursor.at += 1
    clock = _checked(hour, minute, second, exact=zero)
    return clock if cursor.language.twelve_hours and hour != _NOON else clock._replace(digital=True)


def _half_to(cursor: Cursor, _marked: bool, _begins_range: bool) -> ClockTime | None:
    """Read "halb acht": so many minutes are missing to the hour."""
    missing = cursor.take()
    hour = _hour(cursor)
    return None if hour is None else _less(hour, missing)


def _less(hour: int, minutes: int) -> ClockTime:
    """Go back some minutes from an hour; before one o'clock it is twelve."""
    earlier = hour - 1 if hour > 1 else _NOON if hour == 1 else _HOURS - 1
    return ClockTime(earlier, _MINUTES - minutes, open=earlier <= _NOON)


def _hour(cursor: Cursor) -> int | None:
    """Read a whole hour, with the word behind it that says it is one."""
    if not cursor.on(AtomKind.NUMBER):
        return None
    hour: int | None = cursor.value.whole
    if hour is None or hour > _HOURS or cursor.ahead() in (AtomKind.MONTH, AtomKind.ORDINAL_MARK):
        return None
    cursor.at += 1
    if cursor.on(AtomKind.OCLOCK) or (cursor.on(AtomKind.UNIT) and cursor.value is Unit.HOUR):
        cursor.at += 1
    return hour


def _fraction(cursor: Cursor, _marked: bool, begins_range: bool) -> ClockTime | None:
    """Read "half past seven" and "a quarter to eight"."""
    return _idiom(cursor, round(cursor.take() * _MINUTES), begins_range)


def _idiom(cursor: Cursor, minutes: int, begins_range: bool) -> ClockTime | None:
    """Read so many minutes past or before an hour."""
    role = cursor.role()
    if begins_range or not role & (WordRole.AFTER | WordRole.BEFORE) or not 0 < minutes < _MINUTES:
        return None
    cursor.at += 1
    while cursor.skip_role(WordRole.THE | WordRole.AT):
        pass
    after = bool(role & WordRole.AFTER)
    target = _target(cursor)
    if target is None:
        return None
    minute = target.minute + (minutes if after else -minutes)
    if minute < 0:
        return _less(target.hour, -minute)._replace(open=target.open or target.hour in (1, 13))
    return target._replace(minute=minute, midnight=False) if minute < _MINUTES else None


def _target(cursor: Cursor) -> ClockTime | None:
    """Read the hour that "ten to" counts to: eight, half eight, midnight."""
    if cursor.on(AtomKind.FIXED_TIME):
        return ClockTime(cursor.take())
    if cursor.on(AtomKind.HALF_TO):
        return _half_to(cursor, True, False)
    hour = _hour(cursor)
    return None if hour is None else _checked(hour)


def _number(cursor: Cursor, marked: bool, begins_range: bool) -> ClockTime | None:
    numeral: Numeral = cursor.take()
    if numeral.halves is not None:
        return _pointed(cursor, numeral, marked)
    value = int(numeral.value)
    if numeral.digits == 4 and marked and not cursor.on(AtomKind.UNIT):  # at 1730
        return _checked(*divmod(value, 100), exact=True)
    # "Ten to eight" and "ten minutes to eight". If no hour follows, the number is an hour by itself: "at 8 to noon".
    minutes_word = cursor.on(AtomKind.UNIT) and cursor.value is Unit.MINUTE
    if cursor.role(int(minutes_word)) & (WordRole.AFTER | WordRole.BEFORE):
        start = cursor.at
        cursor.at += minutes_word
        found = _idiom(cursor, value, begins_range)
        if found is not None:
            return found
        cursor.at = start
    if numeral.value != value or cursor.on(AtomKind.ORDINAL_MARK):
        return None
    clock = _hour_and_minutes(
        cursor, value, marked, begins_range=begins_range, exact=numeral.digits == 2 and value < 10
    )
    if clock is not None and value == 1 and not numeral.digits and not cursor.language.twelve_hours:
        clock = clock._replace(late=True)
    return clock and _joined_minutes(cursor, clock, begins_range=begins_range)


def _pointed(cursor: Cursor, numeral: Numeral, marked: bool) -> ClockTime | None:
    """Read "20.30": a time only if a word says so, because it may be a number or a date."""
    hour, minute = numeral.halves or (0, 0)
    confirmed = cursor.skip(AtomKind.OCLOCK) or cursor.on(AtomKind.MERIDIEM)
    if numeral.point != "." or numeral.digits != 2 or not (marked or confirmed):
        return None
    if cursor.on(AtomKind.UNIT):
        if cursor.value is not Unit.HOUR:
            return None
        cursor.at += 1
    clock = _checked(hour, minute)
    return clock if cursor.language.twelve_hours else clock._replace(digital=True)


def _hour_and_minutes(cursor: Cursor, hour: int, marked: bool, *, begins_range: bool, exact: bool) -> ClockTime | None:
    # "8 Uhr 30", "16h30": behind the word for the hour, minutes may have one digit. "2 hours" is a length of time
    # unless a word announced an hour.
    confirmed = cursor.on(AtomKind.OCLOCK)
    hour_word = cursor.on(AtomKind.UNIT) and cursor.value is Unit.HOUR
    if confirmed or (hour_word and marked):
        cursor.at += 1
        minute = _plain_minutes(cursor, after_word=True)
    elif cursor.on(AtomKind.FIXED_TIME) and hour == _NOON:
        fixed: int = cursor.take()  # 12 noon, 12 midnight
        return ClockTime(fixed, midnight=fixed == 0)
    elif cursor.on(AtomKind.UNIT) or not (marked or cursor.on(AtomKind.MERIDIEM)):
        return None
    else:
        minute = _plain_minutes(cursor, after_word=False)
    if hour > _HOURS and not begins_range:
        raise ImpossibleError(f"{hour} is no hour of the day")
    if hour > _HOURS:
        return None
    clock = _checked(hour, minute or 0, exact=exact)
    return clock._replace(digital=True) if hour_word and minute and not cursor.language.twelve_hours else clock


def _plain_minutes(cursor: Cursor, *, after_word: bool) -> int | None:
    """Read the 30 of "16h30", "8 Uhr 30" and "seven thirty"."""
    if not cursor.on(AtomKind.NUMBER):
        return None
    numeral: Numeral = cursor.value
    minute = numeral.whole
    long_enough = numeral.digits == 2 or (numeral.digits == 0 and numeral.value >= 10)
    if minute is None or minute >= _MINUTES or not (after_word or long_enough):
        return None
    follower = cursor.ahead()
    unit = cursor.values[cursor.at + 1]
    if follower is AtomKind.UNIT and unit is Unit.MINUTE:
        cursor.at += 2
        return minute
    if follower in _AFTER_NO_MINUTES:
        return None
    cursor.at += 1
    return minute


def _joined_minutes(cursor: Cursor, clock: ClockTime, *, begins_range: bool) -> ClockTime:
    """Read the half, quarter or minutes that are added to a full hour or taken from it."""
    start = cursor.at
    role = cursor.role()
    if clock.minute or not role & (WordRole.AND | WordRole.PLUS | WordRole.LESS):
        return clock
    cursor.at += 1
    minutes = _share(cursor)
    if minutes is None and not begins_range:
        minutes = _added(cursor, role)
    if minutes is None:
        cursor.at = start
        return clock
    if role & WordRole.LESS:
        earlier = _less(clock.hour, minutes)
        return earlier._replace(open=earlier.open and clock.open)
    return clock._replace(minute=minutes)


def _share(cursor: Cursor) -> int | None:
    """Read a half or a quarter of the hour: y media, moins le quart, e un quarto."""
    start = cursor.at
    cursor.skip_role(WordRole.THE)
    cursor.skip_one()
    # Before a unit or "past" the fraction belongs to what follows: "8 y media hora", "8 and half past 9".
    elsewhere = cursor.ahead() in (AtomKind.UNIT, AtomKind.NUMBER) or bool(
        cursor.role(1) & (WordRole.AFTER | WordRole.BEFORE)
    )
    if cursor.on(AtomKind.FRACTION) and not elsewhere:
        return int(cursor.take() * _MINUTES)
    cursor.at = start
    return None


def _added(cursor: Cursor, role: int) -> int | None:
    """Read the minutes that a little word joins to the hour."""
    if not cursor.on(AtomKind.NUMBER):
        return None
    numeral: Numeral = cursor.value
    minutes: int | None = numeral.whole
    if minutes is None or not 0 < minutes < _MINUTES:
        return None
    if cursor.ahead() is AtomKind.UNIT and cursor.values[cursor.at + 1] is Unit.MINUTE:
        cursor.at += 2
        return minutes
    if not role & (WordRole.PLUS | WordRole.LESS):
        return None
    # "A las 8 y 10": ten past eight, or eight and ten o'clock. Digits in a series are two times; a word, a single day
    # and "menos" make minutes of them.
    could_be_hour = numeral.digits > 0 and minutes < _HOURS and cursor.recurring and not role & WordRole.LESS
    if cursor.ahead() in _AFTER_MINUTES or could_be_hour:
        return None
    cursor.at += 1
    return minutes


_READERS = {
    AtomKind.FIXED_TIME: _fixed,
    AtomKind.TIME: _digits,
    AtomKind.HALF_TO: _half_to,
    AtomKind.FRACTION: _fraction,
    AtomKind.NUMBER: _number,
}


def settle(clock: ClockTime, part: DayPart | None) -> ClockTime:
    """Return the time of day, moved by the part of the day that was named."""
    if part is None or not clock.open:
        if part is DayPart.MORNING and clock.hour >= _NOON and not clock.open:
            raise ImpossibleError(f"{clock.hour:02}:{clock.minute:02} is not in the morning")
        return clock
    hour = _shifted(clock.hour, part)
    return clock._replace(hour=hour, open=False, midnight=hour == 0 and clock.hour == _NOON)


def _at_midday(hour: int) -> int:
    """Place an hour between ten in the morning and four in the afternoon."""
    if 4 < hour < 10:
        raise ImpossibleError(f"{hour} is not at midday")
    return hour if hour >= 10 else hour + _NOON


def _shifted(hour: int, part: DayPart) -> int:
    """Return the hour that a part of the day makes of one from 1 to 12."""
    if part in (DayPart.MORNING, DayPart.DAWN):
        if hour == _NOON:
            raise ImpossibleError("12 in the morning may be noon or midnight", "doubtful")
        return hour
    if hour == _NOON:
        if part is DayPart.EVENING:
            raise ImpossibleError("12 in the evening may be noon or midnight", "doubtful")
        return 0 if part is DayPart.NIGHT else hour
    if part is DayPart.MIDDAY:
        return _at_midday(hour)
    if part is DayPart.NIGHT and hour == 5:
        raise ImpossibleError("5 at night may be in the morning or in the evening", "doubtful")
    if part is DayPart.NIGHT and hour < 6:
        return hour  # the small hours
    return hour + _NOON
