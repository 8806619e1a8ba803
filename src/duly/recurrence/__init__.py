"""Triggers as values: intervals, `RecurringTask`, and the builder that reads like a sentence.

Everything here is pure: the present is always an argument, every answer is in UTC, and the same question always gets
the same answer. `trigger_from_dict` reads back what `to_dict` wrote.
"""

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
