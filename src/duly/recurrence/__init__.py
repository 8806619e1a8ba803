"""When, as a value: intervals, `RecurringTask`, and the builder that reads like a sentence.

Everything here is pure: the present is always an argument, every answer is in UTC, and what a trigger says today it
says again tomorrow. `trigger_from_dict` reads back whatever `to_dict` wrote.
"""

from duly.recurrence.builder import RecurringTaskBuilder, cron, every, run_at, run_delayed, run_now, schedule
from duly.recurrence.codec import trigger_from_dict
from duly.recurrence.coerce import TriggerLike, any_of, as_trigger, begun, first_run, is_same_series
from duly.recurrence.cron_interval import CronInterval
from duly.recurrence.dated import DayInterval, WeekInterval
from duly.recurrence.elapsed import HourInterval, MinuteInterval, SecondInterval
from duly.recurrence.months import MonthInterval
from duly.recurrence.once import Once
from duly.recurrence.skip import SkipForward, skip_forward
from duly.recurrence.stagger import stagger_offset_seconds
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
