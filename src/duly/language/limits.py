"""What builders can say and phrases cannot: restrictions, taken off a trigger one by one and said behind it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import time

from duly.language.plan import EVERY_DAY, Days, Times
from duly.model.trigger import Trigger
from duly.recurrence import DayInterval, HourInterval, MinuteInterval, MonthInterval, WeekInterval, Window


@dataclass(frozen=True, slots=True)
class Limit:
    """One restriction."""

    minute: int | None = None
    second: int | None = None
    times: Times = ()
    window: tuple[time, time] | None = None
    days: Days = EVERY_DAY
    months: tuple[int, ...] = ()


def peeled(trigger: Trigger) -> tuple[Trigger, Limit] | None:
    """A simpler trigger and what restricts it; None if there is nothing to take off."""
    if isinstance(trigger, HourInterval) and trigger.on_hours:
        return _hours(trigger)
    if isinstance(trigger, HourInterval) and (trigger.on_minute, trigger.on_second) != (None, None):
        limit = Limit(minute=trigger.on_minute, second=trigger.on_second)
        return replace(trigger, on_minute=None, on_second=None), limit
    if isinstance(trigger, MinuteInterval) and trigger.on_second is not None:
        return replace(trigger, on_second=None), Limit(second=trigger.on_second)
    if isinstance(trigger, MonthInterval) and trigger.on_months:
        return replace(trigger, on_months=()), Limit(months=tuple(int(month) for month in trigger.on_months))
    if isinstance(trigger, DayInterval | WeekInterval | MonthInterval) and trigger.window is not None:
        return replace(trigger, window=None), _window(trigger.window)
    if isinstance(trigger, DayInterval) and trigger.interval > 1 and trigger.on_days:
        return replace(trigger, on_days=()), Limit(days=tuple(int(day) for day in trigger.on_days))
    return None


def _hours(trigger: HourInterval) -> tuple[Trigger, Limit]:
    return replace(trigger, on_hours=(), on_minute=None, on_second=None), Limit(times=trigger.times_of_day)


def _window(window: Window) -> Limit:
    return Limit(window=(window.start, window.end), days=tuple(sorted(int(day) for day in window.days)))
