"""duly: a durable scheduler for AI agents and for the people they work for.

This is the public surface, all of it. Names are loaded when first used, so that `import duly` and the command line
stay quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from duly._version import __version__

if TYPE_CHECKING:
    from duly.clock import Clock, SystemClock
    from duly.cron import Cron, DayMatch, Dialect, DstPolicy, is_valid
    from duly.errors import (
        CronCalculationError,
        DulyError,
        FieldParseError,
        InvalidCronExpressionError,
        InvalidInputError,
        InvalidRecurrenceError,
        NaiveDatetimeError,
        TriggerDecodeError,
        UnknownTimezoneError,
    )
    from duly.model.calendar import Month, Weekday
    from duly.model.trigger import Trigger
    from duly.recurrence import (
        AnyOf,
        CronInterval,
        DayInterval,
        HourInterval,
        MinuteInterval,
        MonthInterval,
        Once,
        RecurringTask,
        SecondInterval,
        WeekInterval,
        Window,
        every,
        run_at,
        run_delayed,
        run_now,
    )

__all__ = [
    "AnyOf",
    "Clock",
    "Cron",
    "CronCalculationError",
    "CronInterval",
    "DayInterval",
    "DayMatch",
    "Dialect",
    "DstPolicy",
    "DulyError",
    "FieldParseError",
    "HourInterval",
    "InvalidCronExpressionError",
    "InvalidInputError",
    "InvalidRecurrenceError",
    "MinuteInterval",
    "Month",
    "MonthInterval",
    "NaiveDatetimeError",
    "Once",
    "RecurringTask",
    "SecondInterval",
    "SystemClock",
    "Trigger",
    "TriggerDecodeError",
    "UnknownTimezoneError",
    "WeekInterval",
    "Weekday",
    "Window",
    "__version__",
    "every",
    "is_valid",
    "run_at",
    "run_delayed",
    "run_now",
]

_HOMES = {
    "duly.clock": ("Clock", "SystemClock"),
    "duly.cron": ("Cron", "DayMatch", "Dialect", "DstPolicy", "is_valid"),
    "duly.errors": (
        "CronCalculationError",
        "DulyError",
        "FieldParseError",
        "InvalidCronExpressionError",
        "InvalidInputError",
        "InvalidRecurrenceError",
        "NaiveDatetimeError",
        "TriggerDecodeError",
        "UnknownTimezoneError",
    ),
    "duly.model.calendar": ("Month", "Weekday"),
    "duly.model.trigger": ("Trigger",),
    "duly.recurrence": (
        "AnyOf",
        "CronInterval",
        "DayInterval",
        "HourInterval",
        "MinuteInterval",
        "MonthInterval",
        "Once",
        "RecurringTask",
        "SecondInterval",
        "WeekInterval",
        "Window",
        "every",
        "run_at",
        "run_delayed",
        "run_now",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'duly' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return __all__
