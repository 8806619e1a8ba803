"""Triggers as values: intervals, `RecurringTask`, and the builder that reads like a sentence.

Everything here is pure: the present is always an argument, every answer is in UTC, and the same question always gets
the same answer. `trigger_from_dict` reads back what `to_dict` wrote.

Names are loaded when first used, as those of `duly` are: most schedules need one or two kinds of triggers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duly.recurrence.builder import RecurringTaskBuilder, cron, every, run_at, run_delayed, run_now, schedule
    from duly.recurrence.codec import trigger_from_dict
    from duly.recurrence.coerce import TriggerLike, any_of, as_trigger, begun, first_run, is_same_series
    from duly.recurrence.dated import DayInterval, WeekInterval
    from duly.recurrence.elapsed import HourInterval, MinuteInterval, SecondInterval
    from duly.recurrence.months import MonthInterval
    from duly.recurrence.occurrences import SkipForward, skip_forward, stagger_offset_seconds
    from duly.recurrence.plain_triggers import CronInterval, Once
    from duly.recurrence.task import RecurringTask
    from duly.recurrence.union import AnyOf
    from duly.recurrence.window import Window

__all__ = [
    "AnyOf",
    "CronInterval",
    "DayInterval",
    "HourInterval",
    "MinuteInterval",
    "MonthInterval",
    "Once",
    "RecurringTask",
    "RecurringTaskBuilder",
    "SecondInterval",
    "SkipForward",
    "TriggerLike",
    "WeekInterval",
    "Window",
    "any_of",
    "as_trigger",
    "begun",
    "cron",
    "every",
    "first_run",
    "is_same_series",
    "run_at",
    "run_delayed",
    "run_now",
    "schedule",
    "skip_forward",
    "stagger_offset_seconds",
    "trigger_from_dict",
]

_HOMES = {
    "duly.recurrence.builder": (
        "RecurringTaskBuilder",
        "cron",
        "every",
        "run_at",
        "run_delayed",
        "run_now",
        "schedule",
    ),
    "duly.recurrence.codec": ("trigger_from_dict",),
    "duly.recurrence.coerce": (
        "TriggerLike",
        "any_of",
        "as_trigger",
        "begun",
        "first_run",
        "is_same_series",
    ),
    "duly.recurrence.dated": (
        "DayInterval",
        "WeekInterval",
    ),
    "duly.recurrence.elapsed": (
        "HourInterval",
        "MinuteInterval",
        "SecondInterval",
    ),
    "duly.recurrence.months": ("MonthInterval",),
    "duly.recurrence.occurrences": (
        "SkipForward",
        "skip_forward",
        "stagger_offset_seconds",
    ),
    "duly.recurrence.plain_triggers": (
        "CronInterval",
        "Once",
    ),
    "duly.recurrence.task": ("RecurringTask",),
    "duly.recurrence.union": ("AnyOf",),
    "duly.recurrence.window": ("Window",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'duly.recurrence' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
    return value
