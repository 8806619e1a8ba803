"""Moments: the instant that a clause means, seen from now."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from duly.errors import InvalidInputError
from duly.language.atoms import ANY_WORKDAY, DayPart
from duly.language.grammar.clauses import Clause, SpokenDate, Which
from duly.language.grammar.clocks import ClockTime, settle
from duly.language.grammar.cursor import ImpossibleError, UnsaidError
from duly.language.grammar.lengths import TimeLength
from duly.language.languages.form import Language
from duly.zones import Zone

_NOON = 12
_CLOCK = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
_PART_NAMES = {
    None: "morning",
    DayPart.MORNING: "morning",
    DayPart.MIDDAY: "noon",
    DayPart.AFTERNOON: "afternoon",
    DayPart.EVENING: "evening",
    DayPart.NIGHT: "night",
}
_SMALL_HOURS = 6
_LAST_OF_NIGHT = 4
"""The last hour that belongs to the night which began the day before."""
_NIGHTLY = (DayPart.EVENING, DayPart.NIGHT)
_MOST_WORKDAYS = 10_000
_YEARS_AHEAD = 9  # 29 February comes at least every eight years
_MONTHS_AHEAD = 3  # the 31st comes at least every second month


@dataclass(frozen=True, slots=True)
class DayParts:
    """The hours that parts of the day stand for where none is named; each person may have their own."""

    morning: str = "09:00"
    noon: str = "12:00"
    afternoon: str = "15:00"
    evening: str = "19:00"
    night: str = "20:00"
    often: str = "08:00 14:00 20:00"
    """The hours that are offered for "three times a day"."""

    def __post_init__(self) -> None:
        for each in fields(self):
            said = getattr(self, each.name)
            hours = said.split() if each.name == "often" and isinstance(said, str) else [said]
            if not hours or any(not isinstance(hour, str) or _CLOCK.fullmatch(hour) is None for hour in hours):
                raise InvalidInputError(f"{each.name} must be a time of day such as 09:00, got {said!r}")

    def clock(self, part: DayPart | None) -> ClockTime:
        """Return the hour of a part of the day; a day without one begins with its morning."""
        hour, minute = getattr(self, _PART_NAMES[part]).split(":")
        return ClockTime(int(hour), int(minute))


USUAL = DayParts()


class Present(NamedTuple):
    """When and where something is said."""

    now: datetime
    """In UTC, whole seconds."""
    local: datetime
    """On the clocks of the zone, without one."""
    zone: Zone
    twelve_hours: bool
    other: bool = False
    """Whether doubtful hours are read the other way: "tomorrow at 5" is 05:00, and 17:00 the other way."""
    evening: bool = False
    """Whether an hour of the morning that has passed is read as one of the evening: "um 8", said at three."""
    parts: DayParts = USUAL
    night_has_hour: bool = False
    """Whether the word for the night means the late evening, as in "tonight"."""
    usual: bool = False
    """Whether a series that is not said in full is read as people usually mean it, to be offered."""
    late_midnight: bool = False
    """Whether midnight, and 12, of a day are read the other way: as the end of that day."""

    @property
    def today(self) -> date:
        return self.local.date()

    def instant(self, day: date, moment: time) -> datetime:
        """Return the instant of a wall-clock time; in a skipped hour it moves on, in a repeated one it is the first."""
        return self.zone.shifted(datetime.combine(day, moment))


def present(now: datetime, zone: Zone, language: Language, parts: DayParts | None = None) -> Present:
    """Make the present of a zone, to the second."""
    exact = now.replace(microsecond=0) if now.microsecond else now
    local = zone.localize(exact, "now").replace(tzinfo=None, fold=0)
    return Present(
        now=exact.astimezone(UTC),
        local=local,
        zone=zone,
        twelve_hours=language.twelve_hours,
        parts=USUAL if parts is None else parts,
        night_has_hour=language.night_has_hour,
    )


def of_clock(clock: ClockTime) -> time:
    """Return a time of day as a wall-clock time."""
    return time(clock.hour, clock.minute, clock.second)


def default_clock(part: DayPart | None, here: Present) -> ClockTime:
    """Return the time of a day for which none was named; a night that may be any hour of the dark needs one."""
    if part is DayPart.DAWN or (part is DayPart.NIGHT and not here.night_has_hour):
        raise ImpossibleError(f"{part.value} needs an hour")
    return here.parts.clock(part)


def resolve(clause: Clause, here: Present) -> datetime:
    """Return the instant that a clause means, in UTC and in the future."""
    if len(clause.times) > 1:
        raise UnsaidError("several times are named, and only one can be meant")
    if clause.window is not None or clause.without or clause.start is not None:
        raise ImpossibleError("a range of hours needs a rhythm such as every 15 minutes")
    if clause.offset is not None and not _names_day(clause):
        return _from_now(clause, clause.offset, here)
    _check_one_day(clause)
    if not _names_day(clause):
        return _next_time(clause, _clock_of(clause, here), here)
    clock = meant(_clock_of(clause, here), here)
    day = _day(clause, clock, here)
    if clause.offset is not None:
        if not clause.offset.calendar:
            raise ImpossibleError("hours and minutes cannot be added to a day")
        day = moved(datetime.combine(day, time()), clause.offset).date()
    return _future(here.instant(day + timedelta(_into_next_day(clause, clock, here)), of_clock(clock)), here)


def _check_one_day(clause: Clause) -> None:
    """Refuse days that contradict each other. A day and a length go together in "a week from Tuesday"."""
    by_number = clause.date is not None or bool(clause.monthdays or clause.nth)
    if by_number and clause.relative_day is not None:
        raise ImpossibleError("two days are named")
    if clause.offset is not None and (by_number or clause.loose_offset):
        raise ImpossibleError("a length of time and a day do not go together here")
    if clause.offset is not None and not clause.from_day and not _is_weeks(clause.offset):
        raise ImpossibleError("a day and a length of time that is no whole number of weeks do not go together")


def _is_weeks(offset: TimeLength) -> bool:
    return not (offset.months or offset.days % 7 or offset.workdays)


def meant(clock: ClockTime, here: Present) -> ClockTime:
    """Return an hour of a day that was named: a doubtful one is before noon, or after noon the other way."""
    shifts = clock.doubtful and here.other is not clock.late
    return clock._replace(hour=clock.hour + _NOON, open=False) if shifts else clock


def _future(instant: datetime, here: Present) -> datetime:
    if instant <= here.now:
        raise ImpossibleError(has_passed(instant, here.zone), "past")
    return instant


def has_passed(instant: datetime, zone: Zone) -> str:
    """Say why a moment is refused: which one was understood, on the clocks it was meant on."""
    return f"that is in the past: {zone.localize(instant):%Y-%m-%d %H:%M} {zone.name} has passed"


def _names_day(clause: Clause) -> bool:
    return clause.has_day or clause.month is not None


def _clock_of(clause: Clause, here: Present) -> ClockTime:
    if not clause.times:
        return default_clock(clause.part, here)
    clock = settle(night_clock(clause, clause.times[0]), clause.part)
    if is_of_night(clause, clock) and not (clause.relative_day == 0 and here.local.hour <= _LAST_OF_NIGHT):
        return clock._replace(ends_day=True)
    if here.late_midnight and is_midnight_or_noon(clause, clock):
        return clock._replace(hour=0, open=False, ends_day=True)
    return clock


def night_clock(clause: Clause, clock: ClockTime) -> ClockTime:
    """Return an hour of a clause; one to four in the evening of a day are hours of its night."""
    in_night = clause.part is DayPart.EVENING and clock.open and clock.hour <= _LAST_OF_NIGHT
    return clock._replace(open=False) if in_night else clock


def is_of_night(clause: Clause, clock: ClockTime) -> bool:
    """Tell whether an hour belongs to the night that begins on the day of its clause: "Saturday night at one"."""
    named = _names_day(clause) or clause.offset is not None
    return named and clause.part in _NIGHTLY and clock.hour <= _LAST_OF_NIGHT and not clock.ends_day


def is_midnight_or_noon(clause: Clause, clock: ClockTime) -> bool:
    """Tell whether an hour of a named day may be the midnight before it or after it, or its noon: "Friday at 12"."""
    if not _names_day(clause) or clause.part is not None or clock.ends_day or clock.minute or clock.second:
        return False
    twelve = clock.hour == _NOON and clock.open and not clock.digital
    return twelve or (clock.midnight and clause.relative_day != 0)


def _into_next_day(clause: Clause, clock: ClockTime, here: Present) -> int:
    """Return 1 if the time is on the next date: 24:00, midnight tonight, two at night tonight."""
    if clock.ends_day or clause.relative_day is None:
        return int(clock.ends_day)
    under_way = clause.relative_day == 0 and here.local.hour <= _LAST_OF_NIGHT
    at_night = clause.part is DayPart.NIGHT and clock.hour < _SMALL_HOURS and not under_way
    return int(at_night or (clock.midnight and clause.relative_day == 0))


def _instant(day: date, clock: ClockTime, here: Present) -> datetime:
    """Return the instant of a time on a day; 24:00 is the end of that day."""
    return here.instant(day + timedelta(clock.ends_day), of_clock(clock))


def _from_now(clause: Clause, offset: TimeLength, here: Present) -> datetime:
    """Count a length of time from now; with a time of day it has to be days or more: "in 3 days at 8"."""
    if not clause.times and clause.part is None:
        local = moved(here.local, offset)
        # Elapsed time alone is added to the instant, so a clock change does not matter. Days and months are added to
        # the wall clock first.
        base = here.now if not (offset.days or offset.months or offset.workdays) else here.zone.shifted(local)
        return _future(base + timedelta(seconds=offset.seconds), here)
    if not offset.calendar:
        raise ImpossibleError("hours and minutes from now leave no choice of a time of day")
    return _instant(moved(here.local, offset).date(), meant(_clock_of(clause, here), here), here)


def _after_workdays(local: datetime, count: int) -> datetime:
    """Move on by working days, Monday to Friday."""
    if count > _MOST_WORKDAYS:
        raise ImpossibleError("that is beyond the calendar")
    weeks, rest = divmod(count, 5)
    while local.weekday() > 4:  # from a weekend on, Monday is the first
        local -= timedelta(1)
    days = weeks * 7 + rest + (2 if local.weekday() + rest > 4 else 0)
    return local + timedelta(days)


def moved(local: datetime, offset: TimeLength) -> datetime:
    """Move a wall-clock time by months, then by days; a day that the month does not have is its last."""
    if offset.seconds and not (offset.days or offset.months):
        return local
    if offset.workdays:
        local = _after_workdays(local, offset.workdays)
    months = local.year * 12 + local.month - 1 + offset.months
    year, month = divmod(months, 12)
    if year > date.max.year:
        raise ImpossibleError("that is beyond the calendar")
    day = min(local.day, monthrange(year, month + 1)[1])
    return local.replace(year=year, month=month + 1, day=day) + timedelta(days=offset.days)


def _next_time(clause: Clause, clock: ClockTime, here: Present) -> datetime:
    """Return the next instant of a time without a day, on a clock face of twelve hours where that is usual.

    "At three", said in the morning, hardly means the night: hours before dawn are read so in every language.
    """
    face = clock.open and clause.part is None and (here.twelve_hours or clock.doubtful or here.evening)
    hours = [clock.hour % 12, clock.hour % 12 + 12] if face else [clock.hour]
    moments = [of_clock(clock).replace(hour=hour) for hour in hours]
    days = [here.today, here.today + timedelta(1)]
    instants = [here.instant(day, moment) for day in days for moment in moments]
    first, *others = sorted(instant for instant in instants if instant > here.now)
    return others[0] if here.other else first


def _day(clause: Clause, clock: ClockTime, here: Present) -> date:
    if clause.date is not None:
        day = _dated(clause.date, clock, here)
    elif clause.monthdays or clause.nth:
        day = _of_month(clause, clock, here)
    elif clause.relative_day is not None:
        day = here.today + timedelta(clause.relative_day)
    elif clause.weekdays:
        return _weekday(clause, clause.weekdays[0], clock, here)
    else:
        raise ImpossibleError("it names no day")
    if clause.weekdays and day.weekday() not in clause.weekdays:
        raise ImpossibleError(f"{day.isoformat()} is not on that weekday")
    return day


def _weekday(clause: Clause, weekday: int, clock: ClockTime, here: Present) -> date:
    """Return the weekday that is meant. Without a word for it, it is today if its time is still ahead."""
    today = here.today
    monday = today - timedelta(today.weekday())
    if Which.NEXT in (clause.which, clause.week):
        return monday + timedelta(7 + weekday)
    if clause.week is Which.THIS:
        return monday + timedelta(weekday)
    day = today + timedelta((weekday - today.weekday()) % 7)
    is_over = clause.which is Which.COMING or _instant(day, clock, here) <= here.now
    return day + timedelta(7) if day == today and is_over else day


def _dated(said: SpokenDate, clock: ClockTime, here: Present) -> date:
    """Return a date of the year named, or the next one there will be."""
    years = [said.year] if said.year is not None else range(here.today.year, here.today.year + _YEARS_AHEAD)
    possible = [day for year in years if (day := date_or_none(year, said.month or 0, said.day)) is not None]
    if not possible:
        raise ImpossibleError("there is no such date")
    return _first_ahead(possible, clock, here)


def _first_ahead(days: list[date], clock: ClockTime, here: Present) -> date:
    ahead = (day for day in days if _instant(day, clock, here) > here.now)
    day = next(ahead, None)
    if day is None:
        raise ImpossibleError(has_passed(_instant(days[-1], clock, here), here.zone), "past")
    return day


def date_or_none(year: int, month: int, day: int) -> date | None:
    """Return a date; None if the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _of_month(clause: Clause, clock: ClockTime, here: Present) -> date:
    """Return "the 20th", "the last day of next month" or "the first Monday of this month"."""
    if len(clause.monthdays) + len(clause.nth) > 1:
        raise ImpossibleError("several days are named, and only one can be meant")
    first = here.today.replace(day=1)
    next_month = int(clause.month is Which.NEXT)
    days = []
    for step in range(_MONTHS_AHEAD) if clause.month is None else [next_month]:
        months = first.year * 12 + first.month - 1 + step
        day = _in_month(clause, months // 12, months % 12 + 1)
        if day is not None:
            days.append(day)
    if not days:
        raise ImpossibleError("there is no such day")
    return _first_ahead(days, clock, here)


def _in_month(clause: Clause, year: int, month: int) -> date | None:
    length = monthrange(year, month)[1]
    if clause.monthdays:
        return date_or_none(year, month, length if clause.monthdays[0] == -1 else clause.monthdays[0])
    nth, weekday = clause.nth[0]
    wanted = range(5) if weekday == ANY_WORKDAY else (weekday,)
    days = [day for number in range(1, length + 1) if (day := date(year, month, number)).weekday() in wanted]
    index = nth - 1 if nth > 0 else nth
    return days[index] if -len(days) <= index < len(days) else None
