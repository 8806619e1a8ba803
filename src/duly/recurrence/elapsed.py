"""Seconds, minutes and hours: elapsed time. An occurrence is the last one plus the interval, then aligned.

A day with a clock change has 23 or 25 hours here, and alignment follows the wall clock through the change. Inside a
window the grid starts anew at the window's start on each of its days.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import ClassVar

from duly.errors import InvalidRecurrenceError
from duly.recurrence import words
from duly.recurrence.clockface import ClockMark, from_seconds, later
from duly.recurrence.fields import CountOrNone, Hour, Minute, Second
from duly.recurrence.interval import WEEK, Interval
from duly.recurrence.occurrences import leap_by_cycle
from duly.recurrence.record import Leap
from duly.recurrence.rhythm import Rhythm, WindowGrid
from duly.recurrence.slots import ListedTimes, next_slot, tally
from duly.zones import DAY, DstPolicy, to_seconds, to_utc


@dataclass(frozen=True, slots=True)
class Elapsed(Interval):
    """An interval of elapsed time."""

    SECONDS: ClassVar[int]

    _rhythm: Rhythm = field(init=False, repr=False, compare=False)
    _grid: WindowGrid | None = field(init=False, repr=False, compare=False)

    def _mark(self) -> ClockMark | None:
        return None

    def _hours(self) -> ListedTimes | None:
        return None

    def _settle(self) -> None:
        self._check_zero()
        rhythm = Rhythm(self.zone, self.interval * self.SECONDS, self._mark(), self._hours())
        self._put("_rhythm", rhythm)
        self._put("_grid", self.window and WindowGrid(rhythm, self.window))
        if self._grid is None:
            return
        if rhythm.step > DAY:
            raise InvalidRecurrenceError(
                f"an interval inside a window must not exceed 24 hours, got {self.interval} {self.UNIT}s: "
                f"the window starts it anew each day; use days instead"
            )
        if not any(self._grid.shapes):
            raise InvalidRecurrenceError(f"window holds no occurrence of {self._pace()}: widen it, got {self.window}")

    @property
    def fixed_slots(self) -> bool:
        return self._grid is not None or self.interval == 0

    @property
    def cycle(self) -> timedelta:
        if self._grid is not None:
            return WEEK  # the days of a window repeat every week
        if self._rhythm.hours is not None:
            return timedelta(days=1)
        mark = self._rhythm.mark
        # Without alignment any shift will do, and the smallest is taken: every position is then the same.
        return timedelta(seconds=mark.period) if mark else timedelta.resolution

    def steady_until(self, instant: datetime, limit: datetime) -> datetime:
        if self._grid is not None or self._rhythm.hours is not None:
            return Interval.steady_until(self, instant, limit)  # super() is not to be had in a slotted dataclass
        mark = self._rhythm.mark
        return to_utc(mark.steady_until(self.zone, to_seconds(instant), to_seconds(limit))) if mark else limit

    def _next(self, current: datetime) -> datetime | None:
        if self._grid is not None:
            second = to_seconds(current)
            return from_seconds(next_slot(self._grid, self._grid.days_from(second), second))
        if self.interval == 0:
            return from_seconds(self._rhythm.after(to_seconds(current)))
        base = later(current, timedelta(seconds=self._rhythm.step))
        if base is None or self._rhythm.is_bare:
            return base
        return from_seconds(self._rhythm.settle(to_seconds(base)))

    def leap(self, current: datetime, limit: datetime) -> Leap:
        slots = self._grid or (self._rhythm.hours if self.interval == 0 else None)
        if slots is None:
            return leap_by_cycle(self._next, current, self.steady_until(current, limit), self.cycle)
        second = to_seconds(current)
        count, last = tally(slots, slots.days_from(second), second, to_seconds(limit))
        return Leap(count, to_utc(last) if count else current)

    def describe_move(self) -> str:
        if self.fixed_slots:
            return Interval.describe_move(self)
        length = words.length(timedelta(seconds=self._rhythm.step))
        mark = self._mark_words()
        zone = "" if self.tz == "UTC" or not mark else f" ({self.tz})"
        return f"by {length}{mark}{zone}"

    def _mark_words(self) -> str:
        """Say to which reading of the clock the step is aligned; empty where it is not."""
        return ""

    def _pace(self) -> str:
        return words.every(self.interval, self.UNIT)

    def _words(self) -> str:
        return self._pace() + ("" if self.window is None else self.window.describe())


@dataclass(frozen=True, slots=True)
class SecondInterval(Elapsed):
    """Every n seconds.

    >>> from datetime import UTC, datetime
    >>> SecondInterval(30).get_next_occurrence(datetime(2026, 11, 15, 10, tzinfo=UTC)).isoformat()
    '2026-11-15T10:00:30+00:00'
    """

    KIND: ClassVar[str] = "second_interval"
    UNIT: ClassVar[str] = "second"
    SECONDS: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class MinuteInterval(Elapsed):
    """Every n minutes, on a second of the minute if one is named."""

    KIND: ClassVar[str] = "minute_interval"
    UNIT: ClassVar[str] = "minute"
    SECONDS: ClassVar[int] = 60

    on_second: Second | None = None

    def _mark(self) -> ClockMark | None:
        return None if self.on_second is None else ClockMark(60, self.on_second)

    def _mark_words(self) -> str:
        return _named(" to ", None, self.on_second)

    def _pace(self) -> str:
        return words.every(self.interval, self.UNIT) + _named(" at ", None, self.on_second)


@dataclass(frozen=True, slots=True)
class HourInterval(Elapsed):
    """Every n hours, on a minute and second of the hour if named, only in `on_hours` if there are any.

    With an interval of 0 every one of the listed hours counts, however close it is.
    """

    KIND: ClassVar[str] = "hour_interval"
    UNIT: ClassVar[str] = "hour"
    LISTS: ClassVar[tuple[str, ...]] = ("on_hours",)
    SECONDS: ClassVar[int] = 3600

    interval: CountOrNone = 1
    on_hours: tuple[Hour, ...] = ()
    on_minute: Minute | None = None
    on_second: Second | None = None

    def _mark(self) -> ClockMark | None:
        if self.on_minute is not None:
            return ClockMark(3600, self.on_minute * 60 + (self.on_second or 0))
        return None if self.on_second is None else ClockMark(60, self.on_second)

    def _hours(self) -> ListedTimes | None:
        if not self.on_hours:
            return None
        past = (self.on_minute or 0) * 60 + (self.on_second or 0)
        shape = tuple(hour * 3600 + past for hour in self.on_hours)
        return ListedTimes(self.zone, DstPolicy(self.dst), (shape,) * 7)

    @property
    def times_of_day(self) -> tuple[time, ...]:
        """The times on the wall clock that `on_hours` names; none where it is empty."""
        return tuple(time(hour, self.on_minute or 0, self.on_second or 0) for hour in self.on_hours)

    def _mark_words(self) -> str:
        if self.on_hours:
            return f" to the next of {words.clocks(self.times_of_day)}"
        return _named(" to ", self.on_minute, self.on_second)

    def _pace(self) -> str:
        if self.interval == 0:
            return f"every day at {words.clocks(self.times_of_day)}"
        pace = words.every(self.interval, self.UNIT)
        if not self.on_hours:
            return pace + _named(" at ", self.on_minute, self.on_second)
        return f"{pace}, only at {words.clocks(self.times_of_day)}"

    def _words(self) -> str:
        inside = "" if self.window is None else self.window.describe()
        return f"{self._pace()}, only {inside.lstrip(', ')}" if inside and self.interval == 0 else self._pace() + inside


def _named(before: str, minute: int | None, second: int | None) -> str:
    """Say "minute 15, second 30"; empty where neither is named."""
    named = [f"{unit} {value}" for unit, value in (("minute", minute), ("second", second)) if value is not None]
    return before + ", ".join(named) if named else ""
