"""The steps after `every(n).<unit>()`: the options of each unit, and how a chain ends.

Each step is immutable and of its own type, so an editor offers only the steps that may come next. Options may come in
any order; an option may be given twice if its value is the same.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta, tzinfo
from typing import Any, Self, overload

from duly.errors import InvalidRecurrenceError
from duly.model.calendar import Month, Weekday
from duly.recurrence.draft import Buildable
from duly.recurrence.fields import HOUR, INSTANT, MINUTE, TIME, WEEKDAY, Many, read_time
from duly.recurrence.words import moment
from duly.zones import DstPolicy


class Bounded(Buildable):
    """A complete interval: it can be placed in a zone, and be given an end."""

    __slots__ = ()

    def in_timezone(self, tz: str | tzinfo) -> Self:
        """Look at the wall clock of this zone (default: UTC)."""
        return self._say("tz", tz)

    def with_dst(self, policy: DstPolicy | str) -> Self:
        """What a clock change does to a wall-clock time: `once` (default) or `wallclock`."""
        return self._say("dst", policy)

    def run_until(self, at: datetime, now: datetime | None = None) -> FinalStep:
        """Stop after this instant; a run exactly at it happens. With `now`, an instant in the past is refused."""
        until = INSTANT.check("run_until", at)
        if now is not None and until < INSTANT.check("now", now):
            raise InvalidRecurrenceError(
                f"run_until must not be in the past, got {moment(until)} when it is {moment(INSTANT.check('now', now))}"
            )
        return FinalStep(self._draft.about_task("run_until", until))

    def max_runs(self, count: int) -> FinalStep:
        """Stop after this many runs."""
        return FinalStep(self._draft.about_task("max_runs", count))

    def min_gap(self, gap: timedelta) -> FinalStep:
        """Leave out a first run that comes less than this before a slot (default: 30 seconds, zero: never)."""
        return FinalStep(self._draft.about_task("min_gap", gap))

    def _say(self, name: str, value: Any) -> Self:
        return type(self)(self._draft.about_interval(name, value))


class FinalStep(Bounded):
    """The last step: only the end of the series can still be set."""

    __slots__ = ()


class Confinable(Bounded):
    """An interval that can be confined to a part of the day."""

    __slots__ = ()

    def between(self, start: str | time, end: str | time) -> Self:
        """Only from `start` to `end`, both included; across midnight when the end is the earlier one."""
        return type(self)(self._draft.about_window("between", (_time("start", start), _time("end", end))))


class SecondsStep(Confinable):
    """Every n seconds."""

    __slots__ = ()

    def on(self, *days: Weekday) -> Self:
        """Only on these days of the week."""
        return type(self)(self._draft.about_window("days", _WEEKDAYS.check("on", _some("on", days))))


class MinutesStep(SecondsStep):
    """Every n minutes."""

    __slots__ = ()

    def on_second(self, second: int) -> Self:
        """On this second of the minute."""
        return self._say("on_second", second)


class HoursStep(MinutesStep):
    """Every n hours."""

    __slots__ = ()

    def on_minute(self, minute: int) -> Self:
        """On this minute of the hour."""
        return self._say("on_minute", minute)

    def on_hours(self, *hours: int) -> Self:
        """Only in these hours of the day."""
        return self._say("on_hours", _some("on_hours", hours))


class DatedStep(Confinable):
    """An interval of the calendar."""

    __slots__ = ()

    @overload
    def at(self, hour: int, minute: int, /) -> Self: ...
    @overload
    def at(self, *times: time | str) -> Self: ...
    def at(self, *times: Any) -> Self:
        """At an hour and a minute, or at any number of times of day."""
        if len(times) == 2 and all(isinstance(part, int) for part in times):
            return self._say("on_times", [time(HOUR.check("hour", times[0]), MINUTE.check("minute", times[1]))])
        return self._say("on_times", [_time("at", each) for each in _some("at", times)])

    def counting_from(self, anchor: datetime) -> Self:
        """Count an interval above one from the day, week or month of this instant."""
        return self._say("anchor", anchor)


class DaysStep(DatedStep):
    """Every n days, or every n weeks."""

    __slots__ = ()

    def on(self, *days: Weekday) -> Self:
        """On these days of the week."""
        return self._say("on_days", _some("on", days))


class MonthsStep(DatedStep):
    """Every n months."""

    __slots__ = ()

    def on_day(self, day: int) -> Self:
        """On this day of the month, or the last one of a shorter month."""
        return self._say("on_day", day)

    def on_days_of_month(self, *days: int) -> Self:
        """On these days of the month."""
        return self._say("on_days_of_month", _some("on_days_of_month", days))

    def on_first(self, day: Weekday) -> Self:
        """On the first such weekday of the month."""
        return self._say("on_first", day)

    def on_last(self, day: Weekday) -> Self:
        """On the last such weekday of the month."""
        return self._say("on_last", day)

    def on_days(self, *days: Weekday) -> Self:
        """On every such weekday of the month."""
        return self._say("on_days", _some("on_days", days))

    def in_months(self, *months: Month) -> Self:
        """Only in these months."""
        return self._say("on_months", _some("in_months", months))


_WEEKDAYS = Many(WEEKDAY, frozenset)


def _some(name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    if not values:
        raise InvalidRecurrenceError(f"{name} needs at least one value, got none")
    return values


def _time(name: str, value: Any) -> Any:
    return TIME.check(name, read_time(value) if isinstance(value, str) else value)
