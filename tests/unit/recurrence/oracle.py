"""Recurrence by brute force: walks real time in small steps and asks zoneinfo what the wall clock shows.

Written from the meaning of the fields alone: predicates on dates and clock faces, no arithmetic shared with the code.
Times must lie on the grid of `STEP`, as every clock change of the zones used here does.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from duly.model.calendar import Weekday
from duly.recurrence import DayInterval, MonthInterval, WeekInterval, Window

STEP = timedelta(minutes=15)
SECOND = timedelta(seconds=1)
LOOKBACK = timedelta(hours=50)  # clocks have skipped a whole day

Calendar = DayInterval | WeekInterval | MonthInterval
Named = Callable[[datetime], bool]


def events(
    zone: str, policy: str, named: Named, start: datetime, end: datetime, step: timedelta = STEP
) -> Iterator[tuple[datetime, list[datetime]]]:
    """Every instant in [start, end] at which a named clock face is due, with the faces that are due there."""
    tz = ZoneInfo(zone)
    at = (start - LOOKBACK).replace(minute=0, second=0, microsecond=0)
    furthest = at.astimezone(tz).replace(tzinfo=None, fold=0)
    while (at := at + step) <= end:
        face = at.astimezone(tz).replace(tzinfo=None, fold=0)
        due = [face] if policy == "wallclock" else list(_reached(furthest, face, step))
        furthest = max(furthest, face)
        faces = [each for each in due if named(each)]
        if faces and at >= start:
            yield at, faces


def _reached(furthest: datetime, face: datetime, step: timedelta) -> Iterator[datetime]:
    """The faces that the clock shows or passes for the first time with this step."""
    while (furthest := furthest + step) <= face:
        yield furthest


def is_listed(interval: Calendar, face: datetime) -> bool:
    """Whether a clock face is one of the interval's times, on one of its days, inside its window."""
    return (
        face.time() in (interval.on_times or (time(0),))
        and _is_listed_day(interval, face.date())
        and (interval.window is None or is_inside(interval.window, face))
    )


def is_inside(window: Window, face: datetime) -> bool:
    yesterday = Weekday((face.weekday() - 1) % 7)
    if window.start <= window.end:
        return face.weekday() in window.days and window.start <= face.time() <= window.end
    evening = face.weekday() in window.days and face.time() >= window.start
    return evening or (yesterday in window.days and face.time() <= window.end)


def _is_listed_day(interval: Calendar, day: date) -> bool:
    if isinstance(interval, DayInterval):
        return not interval.on_days or day.weekday() in interval.on_days
    if isinstance(interval, WeekInterval):
        return day.weekday() in (interval.on_days or (0,))
    if interval.on_months and day.month not in interval.on_months:
        return False
    return _is_listed_day_of_month(interval, day)


def _is_listed_day_of_month(interval: MonthInterval, day: date) -> bool:
    length = calendar.monthrange(day.year, day.month)[1]
    if interval.on_first is not None:
        return day.weekday() == interval.on_first and day.day <= 7
    if interval.on_last is not None:
        return day.weekday() == interval.on_last and day.day > length - 7
    if interval.on_days:
        return day.weekday() in interval.on_days
    began = interval.start.day if isinstance(interval.start, date) else 1
    wanted = interval.on_days_of_month or (interval.on_day or began,)
    return day.day in wanted or (day.day == length and any(each > length for each in wanted))


def period(interval: Calendar, day: date) -> int:
    if isinstance(interval, DayInterval):
        return (day - date(1970, 1, 1)).days
    if isinstance(interval, WeekInterval):
        return (day - timedelta(days=day.weekday()) - date(1970, 1, 5)).days // 7
    return day.year * 12 + day.month


def _first_listed_month(interval: MonthInterval, day: date) -> int:
    while interval.on_months and day.month not in interval.on_months:
        day += timedelta(days=1)
    return period(interval, day)


def series(interval: Calendar, base: datetime, end: datetime) -> list[datetime] | None:
    """The occurrences in (base, end] of the series that `base` belongs to or begins.

    None when one instant stands for slots of periods that are not both in phase: then the question has no answer.
    """

    def named(face: datetime) -> bool:
        return is_listed(interval, face)

    found: list[datetime] = []
    phase: int | None = None
    if interval.anchor is not None:
        phase = period(interval, interval.anchor.astimezone(ZoneInfo(interval.tz)).date())
    elif isinstance(interval, MonthInterval) and isinstance(interval.start, date):
        phase = _first_listed_month(interval, interval.start)
    for at, faces in events(interval.tz, interval.dst, named, base.astimezone(UTC), end):
        periods = {period(interval, face.date()) % interval.interval for face in faces}
        if len(periods) > 1:
            return None
        if phase is None:
            phase = min(periods)
        if at > base and phase % interval.interval in periods:
            found.append(at)
    return found


def windows(zone: str, window: Window, start: datetime, end: datetime) -> list[tuple[datetime, datetime]]:
    """When a window is open: from when the clock first reaches its start until just before it passes its end."""
    tz = ZoneInfo(zone)
    at = (start - LOOKBACK).replace(minute=0, second=0, microsecond=0)
    first = at.astimezone(tz).date()
    last = end.astimezone(tz).date()
    readings = []
    while at <= end + LOOKBACK:
        readings.append((at, at.astimezone(tz).replace(tzinfo=None)))
        at += STEP
    found = []
    for day in (first + timedelta(days=number) for number in range(1, (last - first).days)):
        if Weekday(day.weekday()) not in window.days:
            continue
        last_day = day if window.start <= window.end else day + timedelta(days=1)
        ending = datetime.combine(last_day, window.end)
        opening = next(at for at, face in readings if face >= datetime.combine(day, window.start))
        at, face = next(reading for reading in readings if reading[1] >= ending)
        found.append((opening, at if face == ending else at - SECOND))
    return found
