"""Triggers as chains that read like a sentence: `run_now().then().every(15).minutes().on_second(30).max_runs(100)`.

Here a chain begins, with or without a first run of its own, and chooses its interval. Everything is immutable: an
unfinished chain can be kept and continued in two ways.
"""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from duly.recurrence.dated import DayInterval, WeekInterval
from duly.recurrence.draft import Buildable, TaskDraft
from duly.recurrence.elapsed import HourInterval, MinuteInterval, SecondInterval
from duly.recurrence.interval import Interval
from duly.recurrence.months import MonthInterval
from duly.recurrence.plain_triggers import CronInterval
from duly.recurrence.record import kinds
from duly.recurrence.steps import DaysStep, FinalStep, HoursStep, MinutesStep, MonthsStep, SecondsStep
from duly.zones import DstPolicy


class EveryStep:
    """A number that still lacks its unit."""

    __slots__ = ("_draft", "_interval")

    def __init__(self, draft: TaskDraft, interval: int) -> None:
        self._draft = draft
        self._interval = kinds(SecondInterval)["interval"].check("every", interval)

    def seconds(self) -> SecondsStep:
        """Every n seconds of elapsed time."""
        return SecondsStep(self._of(SecondInterval))

    def minutes(self) -> MinutesStep:
        """Every n minutes of elapsed time."""
        return MinutesStep(self._of(MinuteInterval))

    def hours(self) -> HoursStep:
        """Every n hours of elapsed time."""
        return HoursStep(self._of(HourInterval))

    def days(self) -> DaysStep:
        """Every n days of the calendar."""
        return DaysStep(self._of(DayInterval))

    def weeks(self) -> DaysStep:
        """Every n weeks of the calendar, Monday to Sunday."""
        return DaysStep(self._of(WeekInterval))

    def months(self) -> MonthsStep:
        """Every n months of the calendar."""
        return MonthsStep(self._of(MonthInterval))

    def _of(self, unit: type[Interval]) -> TaskDraft:
        return self._draft.of_unit(unit, "interval", self._interval)


class IntervalStep:
    """Where the interval is chosen."""

    __slots__ = ("_draft",)

    def __init__(self, draft: TaskDraft | None = None) -> None:
        self._draft = draft or TaskDraft()

    def every(self, interval: int) -> EveryStep:
        """Every so many seconds, minutes, hours, days, weeks or months."""
        return EveryStep(self._draft, interval)

    def cron(
        self,
        expression: str,
        *,
        dialect: str = "seconds",
        tz: str | tzinfo | None = None,
        dst: DstPolicy | str | None = None,
    ) -> FinalStep:
        """A cron expression of five fields, or of six with the seconds first."""
        given = {"dialect": dialect, "tz": tz, "dst": dst}
        CronInterval(expression, dialect)  # refuses a wrong expression here, before the other options are looked at
        draft = self._draft.of_unit(CronInterval, "cron_expression", expression)
        for name, value in given.items():
            if value is not None:
                draft = draft.about_interval(name, value)
        return FinalStep(draft)


class FirstRunStep(Buildable):
    """A first run. Without `then()` it is the only one."""

    __slots__ = ()

    def then(self) -> IntervalStep:
        """Go on to the interval that follows the first run."""
        return IntervalStep(self._draft)


class RecurringTaskBuilder(IntervalStep):
    """The beginning of a chain: a first run, or straight to the interval."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()

    def run_now(self) -> FirstRunStep:
        """Run at once."""
        return FirstRunStep(self._draft.about_task("run_now", value=True))

    def run_delayed(self, delay: timedelta) -> FirstRunStep:
        """Run after a delay."""
        return FirstRunStep(self._draft.about_task("initial_delay", delay))

    def run_at(self, at: datetime) -> FirstRunStep:
        """Run at an instant."""
        return FirstRunStep(self._draft.about_task("specific_run_time", at))

    def schedule(self) -> IntervalStep:
        """Go on to the interval; its first slot is the first run."""
        return IntervalStep(self._draft)


def every(interval: int) -> EveryStep:
    """Every so many seconds, minutes, hours, days, weeks or months: `every(2).weeks()`."""
    return RecurringTaskBuilder().every(interval)


def cron(
    expression: str,
    *,
    dialect: str = "seconds",
    tz: str | tzinfo | None = None,
    dst: DstPolicy | str | None = None,
) -> FinalStep:
    """A cron expression of five fields, or of six with the seconds first."""
    return RecurringTaskBuilder().cron(expression, dialect=dialect, tz=tz, dst=dst)


def run_now() -> FirstRunStep:
    """Run at once, `.then()` by an interval."""
    return RecurringTaskBuilder().run_now()


def run_delayed(delay: timedelta) -> FirstRunStep:
    """Run after a delay, `.then()` by an interval."""
    return RecurringTaskBuilder().run_delayed(delay)


def run_at(at: datetime) -> FirstRunStep:
    """Run at an instant, `.then()` by an interval."""
    return RecurringTaskBuilder().run_at(at)


def schedule() -> IntervalStep:
    """Straight to the interval: `schedule().every(1).days()`."""
    return RecurringTaskBuilder().schedule()
