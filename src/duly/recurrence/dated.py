"""Days and weeks: calendar time. An occurrence is a listed time on a listed day, however long the days between are.

With an interval above one the series carries its own phase: asked from one of its occurrences, it counts from there;
asked from anywhere else, the next listed slot begins it. An `anchor` fixes the phase for good.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime, time, timedelta
from typing import ClassVar, Self

from duly.errors import InvalidRecurrenceError
from duly.model.calendar import Weekday
from duly.recurrence import words
from duly.recurrence.clockface import LAST_DAY, from_seconds, local_day
from duly.recurrence.fields import CountOrNone
from duly.recurrence.interval import WEEK, Interval
from duly.recurrence.record import Leap
from duly.recurrence.slots import ListedTimes, Shape, next_slot, tally
from duly.recurrence.window import seconds_of_day
from duly.zones import DstPolicy, to_seconds, to_utc


@dataclass(frozen=True, slots=True)
class Dated(Interval):
    """An interval of the calendar: periods (days, weeks, months), the days listed in each, the times on those."""

    PERIODS: ClassVar[int]
    """The number of the first period that the calendar does not have."""

    _: KW_ONLY
    anchor: datetime | None = None
    """An instant in the period from which an interval above one counts, in both directions."""
    _daily: ListedTimes = field(init=False, repr=False, compare=False)

    @abstractmethod
    def _times(self) -> tuple[time, ...]: ...

    @abstractmethod
    def _weekdays(self) -> Sequence[Weekday]:
        """The weekdays a listed day can fall on."""

    @abstractmethod
    def _period(self, day: int) -> int:
        """The number of the period a day lies in."""

    @abstractmethod
    def _days(self, period: int) -> Sequence[int]:
        """The days of a period, those not listed by their weekday included."""

    def _agree(self) -> None:
        """Check the fields against each other."""

    def _settle(self) -> None:
        self._check_zero()
        if self.interval == 0:
            self._put("interval", 1)  # 0 counts every listed day, which is the same as leaving none out
        self._agree()
        times = [seconds_of_day(moment) for moment in self._times()] or [0]
        listed = self._weekdays()
        shapes = tuple(self._shape(weekday, times) if weekday in listed else () for weekday in range(7))
        if not any(shapes):
            raise InvalidRecurrenceError(
                f"{self._words()} never occurs: no listed time lies on a day that is listed, anchored and in the window"
            )
        self._put("_daily", ListedTimes(self.zone, DstPolicy(self.dst), shapes))

    def _shape(self, weekday: int, times: Sequence[int]) -> Shape:
        return tuple(second for second in times if self.window is None or self.window.admits(weekday, second))

    def _anchor_day(self) -> int | None:
        return None if self.anchor is None else local_day(self.zone, to_seconds(self.anchor))

    @property
    def has_phase(self) -> bool:
        """Whether the periods that count are the same, from wherever one asks."""
        return self.interval == 1 or self._counts_from() is not None

    @property
    def fixed_slots(self) -> bool:
        return self.interval == 1 or self.anchor is not None

    @property
    def cycle(self) -> timedelta | None:
        return WEEK if self.interval == 1 or self.anchor is None else None

    def _next(self, current: datetime) -> datetime | None:
        second = to_seconds(current)
        return from_seconds(next_slot(self._daily, self._series(current), second))

    def begun(self, at: datetime) -> Self:  # noqa: ARG002  # days and weeks take nothing from their beginning
        """The interval of a series that begins at `at`."""
        return self

    def leap(self, current: datetime, limit: datetime) -> Leap:
        if self.begun(current) is not self:
            return Leap(0, current)  # it begins anew with each occurrence, and only a walk shows where that leads
        series = self._series(current)
        # Where a gap presses two days into one instant, a series that counts from there may change its phase: such a
        # series must not cross it by counting.
        count, last = tally(self._daily, series, to_seconds(current), to_seconds(limit), cross=self.fixed_slots)
        return Leap(count, to_utc(last) if count else current)

    def _series(self, current: datetime) -> Iterable[int]:
        """Give the listed days of the series that `current` belongs to or begins."""
        return self.begun(current).days_after(current)

    def days_after(self, current: datetime) -> Iterable[int]:
        """Give the listed days on which there may be occurrences after `current`, of an interval that has begun."""
        first = self._daily.first_day(to_seconds(current))
        period = self._period(first)
        step = 1
        if self.interval > 1 and (phase := self._phase(current)) is not None:
            step = self.interval
            period += (phase - period) % step  # the first period from there on that is in phase
        return self._from(first, range(period, self.PERIODS, step))

    def _from(self, first: int, periods: range, /) -> Iterable[int]:
        """Give the days of some periods, from one day on."""
        return (day for period in periods for day in self._days(period) if day >= first)

    def _phase(self, current: datetime) -> int | None:
        """Find the period the interval counts from; None when every period counts.

        Without an anchor `current` itself may be an occurrence: then the interval counts from its period. An occurrence
        has no fraction of a second.
        """
        if (fixed := self._counts_from()) is not None:
            return fixed
        if current.microsecond:
            return None
        second = to_seconds(current)
        today = self._daily.day(second)
        for day in (today, today - 1):  # a gap can carry the slot of one day into the next
            if day >= 1 and self._daily.on(day).until(second) == second and day in self._days(self._period(day)):
                return self._period(day)
        return None

    def _counts_from(self) -> int | None:
        """The period from which an interval above one counts, wherever one asks; None when that is not fixed."""
        anchored = self._anchor_day()
        return None if anchored is None else self._period(anchored)

    def _words(self) -> str:
        parts = [f"{self._calendar_words()} at {words.clocks(self._times())}"]
        if self.window is not None and (inside := self.window.describe()):
            parts.append(f"only {inside.lstrip(', ')}")
        if self.interval > 1 and (counting := self._counting_words()) is not None:
            parts.append(f"counted from {counting}")
        return ", ".join(parts)

    def _counting_words(self) -> str | None:
        """Say from where an interval above one counts; None when that is not fixed."""
        return None if self.anchor is None else words.moment(self.anchor)

    @abstractmethod
    def _calendar_words(self) -> str: ...


@dataclass(frozen=True, slots=True)
class DayInterval(Dated):
    """Every n days at the listed times (midnight if there are none), only on `on_days` if there are any.

    >>> from datetime import UTC, datetime, time
    >>> daily = DayInterval(on_times=(time(9), time(17)))
    >>> daily.get_next_occurrence(datetime(2026, 11, 15, 12, tzinfo=UTC)).isoformat()
    '2026-11-15T17:00:00+00:00'
    """

    KIND: ClassVar[str] = "day_interval"
    UNIT: ClassVar[str] = "day"
    LISTS: ClassVar[tuple[str, ...]] = ("on_days",)
    PERIODS: ClassVar[int] = LAST_DAY + 1

    interval: CountOrNone = 1
    on_times: tuple[time, ...] = ()
    on_days: tuple[Weekday, ...] = ()

    def _times(self) -> tuple[time, ...]:
        return self.on_times

    def _weekdays(self) -> Sequence[Weekday]:
        listed = self.on_days or tuple(Weekday)
        anchored = self._anchor_day()
        if anchored is None or self.interval % 7:
            return listed  # every weekday comes up: the interval and 7 have no common factor
        # A multiple of 7 days always falls on the weekday of the anchor.
        return [day for day in listed if day == (anchored - 1) % 7]

    def _period(self, day: int) -> int:
        return day

    def _days(self, period: int) -> Sequence[int]:
        return (period,)

    def _from(self, _first: int, periods: range, /) -> Iterable[int]:
        return periods

    def _calendar_words(self) -> str:
        if self.interval == 1:
            return f"every {words.each_day(self.on_days)}"
        only = f", only on {words.days_of_week(self.on_days)}," if self.on_days else ""
        return words.every(self.interval, self.UNIT) + only


@dataclass(frozen=True, slots=True)
class WeekInterval(Dated):
    """Every n weeks (Monday to Sunday) on the listed days (Monday if there are none) at the listed times."""

    KIND: ClassVar[str] = "week_interval"
    UNIT: ClassVar[str] = "week"
    LISTS: ClassVar[tuple[str, ...]] = ("on_days",)
    PERIODS: ClassVar[int] = (LAST_DAY - 1) // 7 + 1

    interval: CountOrNone = 1
    on_days: tuple[Weekday, ...] = ()
    on_times: tuple[time, ...] = ()

    def _times(self) -> tuple[time, ...]:
        return self.on_times

    def _weekdays(self) -> Sequence[Weekday]:
        return self.on_days or (Weekday.MONDAY,)

    def _period(self, day: int) -> int:
        return (day - 1) // 7  # 0001-01-01, day 1, was a Monday

    def _days(self, period: int) -> Sequence[int]:
        return range(period * 7 + 1, min(period * 7 + 7, LAST_DAY) + 1)

    def _calendar_words(self) -> str:
        days = self._weekdays()
        if self.interval == 1:
            return f"every {words.each_day(days)}"
        return f"{words.every(self.interval, self.UNIT)} on {words.days_of_week(days)}"
