"""duly: a durable scheduler for AI agents and for the people they work for.

This is the public surface, all of it. Names are loaded when first used, so that `import duly` and the command line
stay quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from duly._version import __version__

if TYPE_CHECKING:
    from duly.app import Duly
    from duly.clock import Clock, SystemClock
    from duly.cron import Cron, DayMatch, Dialect, DstPolicy, is_valid
    from duly.engine.context import current_run
    from duly.engine.health import Health, Light
    from duly.engine.settings import EngineSettings
    from duly.errors import (
        AccessDeniedError,
        BackupError,
        ChannelError,
        ChannelNotConfiguredError,
        ChannelPermanentError,
        ChannelTemporaryError,
        ChannelUnknownError,
        ConfigError,
        ConflictError,
        CronCalculationError,
        DecodeError,
        DoubtfulSentenceError,
        DulyError,
        EntryError,
        ExecutorUnreachableError,
        ExpansionError,
        FieldParseError,
        InboundRefusedError,
        InvalidCronExpressionError,
        InvalidInputError,
        InvalidRecurrenceError,
        NaiveDatetimeError,
        NotFoundError,
        PhraseError,
        QuotaError,
        ReportRefusedError,
        RunCancelledError,
        RunFailedError,
        RunMissedError,
        RunSkippedError,
        RunTimeoutError,
        SnoozeRangeError,
        StoreError,
        StoreNotOpenError,
        StoreReplacedError,
        StoreUnavailableError,
        StoreVersionError,
        TooManyRequestsError,
        TriggerDecodeError,
        UnknownTimezoneError,
        UntrustedFileError,
    )
    from duly.model.action import Job, Message, Priority, Prompt, SessionBehavior, Target
    from duly.model.calendar import Month, Weekday
    from duly.model.events import Event
    from duly.model.policy import Backoff, CatchUp, Overlap, Policy, Retry
    from duly.model.run import Fire, Origin, Run, Status
    from duly.model.schedule import Schedule, ScheduleState
    from duly.model.trigger import Trigger
    from duly.planning.attention import Concern, ConcernKind
    from duly.ports.dispatch import RunContext
    from duly.ports.records import ScheduleFilter
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
    from duly.service.schedules.drafts import Draft
    from duly.service.schedules.schedules import ScheduleInfo

__all__ = [
    "AccessDeniedError",
    "AnyOf",
    "Backoff",
    "BackupError",
    "CatchUp",
    "ChannelError",
    "ChannelNotConfiguredError",
    "ChannelPermanentError",
    "ChannelTemporaryError",
    "ChannelUnknownError",
    "Clock",
    "Concern",
    "ConcernKind",
    "ConfigError",
    "ConflictError",
    "Cron",
    "CronCalculationError",
    "CronInterval",
    "DayInterval",
    "DayMatch",
    "DecodeError",
    "Dialect",
    "DoubtfulSentenceError",
    "Draft",
    "DstPolicy",
    "Duly",
    "DulyError",
    "EngineSettings",
    "EntryError",
    "Event",
    "ExecutorUnreachableError",
    "ExpansionError",
    "FieldParseError",
    "Fire",
    "Health",
    "HourInterval",
    "InboundRefusedError",
    "InvalidCronExpressionError",
    "InvalidInputError",
    "InvalidRecurrenceError",
    "Job",
    "Light",
    "Message",
    "MinuteInterval",
    "Month",
    "MonthInterval",
    "NaiveDatetimeError",
    "NotFoundError",
    "Once",
    "Origin",
    "Overlap",
    "PhraseError",
    "Policy",
    "Priority",
    "Prompt",
    "QuotaError",
    "RecurringTask",
    "ReportRefusedError",
    "Retry",
    "Run",
    "RunCancelledError",
    "RunContext",
    "RunFailedError",
    "RunMissedError",
    "RunSkippedError",
    "RunTimeoutError",
    "Schedule",
    "ScheduleFilter",
    "ScheduleInfo",
    "ScheduleState",
    "SecondInterval",
    "SessionBehavior",
    "SnoozeRangeError",
    "Status",
    "StoreError",
    "StoreNotOpenError",
    "StoreReplacedError",
    "StoreUnavailableError",
    "StoreVersionError",
    "SystemClock",
    "Target",
    "TooManyRequestsError",
    "Trigger",
    "TriggerDecodeError",
    "UnknownTimezoneError",
    "UntrustedFileError",
    "WeekInterval",
    "Weekday",
    "Window",
    "__version__",
    "current_run",
    "every",
    "is_valid",
    "run_at",
    "run_delayed",
    "run_now",
]

_HOMES = {
    "duly.app": ("Duly",),
    "duly.clock": ("Clock", "SystemClock"),
    "duly.cron": ("Cron", "DayMatch", "Dialect", "DstPolicy", "is_valid"),
    "duly.engine.context": ("current_run",),
    "duly.engine.health": ("Health", "Light"),
    "duly.engine.settings": ("EngineSettings",),
    "duly.errors": (
        "AccessDeniedError",
        "BackupError",
        "ChannelError",
        "ChannelNotConfiguredError",
        "ChannelPermanentError",
        "ChannelTemporaryError",
        "ChannelUnknownError",
        "ConfigError",
        "ConflictError",
        "CronCalculationError",
        "DecodeError",
        "DoubtfulSentenceError",
        "DulyError",
        "EntryError",
        "ExecutorUnreachableError",
        "ExpansionError",
        "FieldParseError",
        "InboundRefusedError",
        "InvalidCronExpressionError",
        "InvalidInputError",
        "InvalidRecurrenceError",
        "NaiveDatetimeError",
        "NotFoundError",
        "PhraseError",
        "QuotaError",
        "ReportRefusedError",
        "RunCancelledError",
        "RunFailedError",
        "RunMissedError",
        "RunSkippedError",
        "RunTimeoutError",
        "SnoozeRangeError",
        "StoreError",
        "StoreNotOpenError",
        "StoreReplacedError",
        "StoreUnavailableError",
        "StoreVersionError",
        "TooManyRequestsError",
        "TriggerDecodeError",
        "UnknownTimezoneError",
        "UntrustedFileError",
    ),
    "duly.model.action": ("Job", "Message", "Priority", "Prompt", "SessionBehavior", "Target"),
    "duly.model.calendar": ("Month", "Weekday"),
    "duly.model.events": ("Event",),
    "duly.model.policy": ("Backoff", "CatchUp", "Overlap", "Policy", "Retry"),
    "duly.model.run": ("Fire", "Origin", "Run", "Status"),
    "duly.model.schedule": ("Schedule", "ScheduleState"),
    "duly.model.trigger": ("Trigger",),
    "duly.planning.attention": ("Concern", "ConcernKind"),
    "duly.ports.dispatch": ("RunContext",),
    "duly.ports.records": ("ScheduleFilter",),
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
    "duly.service.schedules.drafts": ("Draft",),
    "duly.service.schedules.schedules": ("ScheduleInfo",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'duly' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return __all__
