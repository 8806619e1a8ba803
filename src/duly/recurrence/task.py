"""`RecurringTask`: an interval with a beginning and an end. The builder builds it, and a schedule stores it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import ClassVar

from duly.cron import Cron
from duly.errors import InvalidRecurrenceError
from duly.model.trigger import Trigger
from duly.recurrence import words
from duly.recurrence.cascade import Cascade
from duly.recurrence.clockface import in_utc, later
from duly.recurrence.dated import DayInterval, WeekInterval
from duly.recurrence.elapsed import HourInterval, MinuteInterval, SecondInterval
from duly.recurrence.fields import LONGEST, Count, Whole
from duly.recurrence.interval import Interval
from duly.recurrence.months import MonthInterval
from duly.recurrence.occurrences import SkipForward, leap, skip_forward
from duly.recurrence.plain_triggers import CronInterval
from duly.recurrence.record import Leap, TriggerRecord
from duly.recurrence.union import AnyOf

MIN_GAP = timedelta(seconds=30)

_CASCADE = ("month_interval", "week_interval", "day_interval", "hour_interval", "minute_interval", "second_interval")
_RUNS = Whole(0, LONGEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurringTask(TriggerRecord):
    """A first run, an interval, and what ends the series.

    Cron wins over every other interval. Several others form a cascade from months down to seconds, each applied to
    the result of the one before (`cascade.py`). Without any interval the first run is the only one.
    """

    KIND: ClassVar[str] = "recurring_task"

    run_now: bool = False
    initial_delay: timedelta | None = None
    specific_run_time: datetime | None = None
    second_interval: SecondInterval | None = None
    minute_interval: MinuteInterval | None = None
    hour_interval: HourInterval | None = None
    day_interval: DayInterval | None = None
    week_interval: WeekInterval | None = None
    month_interval: MonthInterval | None = None
    cron_interval: CronInterval | Cron | None = None
    any_of: AnyOf | None = None
    max_runs: Count | None = None
    run_until: datetime | None = None
    """The last instant at which a run may happen."""
    min_gap: timedelta = MIN_GAP
    """A first run closer than this to the slot that follows is left out; zero lets every first run happen."""
    _chain: tuple[Trigger, ...] = field(init=False, repr=False, compare=False)
    _cascade: Cascade | None = field(init=False, repr=False, compare=False)

    def _settle(self) -> None:
        cascade = tuple(part for name in _CASCADE if (part := getattr(self, name)) is not None)
        if self.any_of is not None and (cascade or self.cron_interval is not None):
            raise InvalidRecurrenceError("any_of cannot be combined with other intervals: add them to it")
        single = self.cron_interval or self.any_of
        self._put("_chain", cascade if single is None else (single,))
        self._put("_cascade", Cascade(cascade) if single is None and len(cascade) > 1 else None)
        if not self._chain and not self.has_first_run:
            raise InvalidRecurrenceError(
                "a recurring task needs an interval or a first run, got neither: set one of its fields"
            )

    @property
    def has_first_run(self) -> bool:
        """Whether the first run is set apart from the interval."""
        return self.run_now or self.initial_delay is not None or self.specific_run_time is not None

    @property
    def intervals(self) -> tuple[Trigger, ...]:
        """The intervals in force, in the order they are applied."""
        return self._chain

    @property
    def fixed_slots(self) -> bool:
        if self._cascade is not None:
            return self._cascade.fixed_slots
        only = self._chain[0] if self._chain else None
        return isinstance(only, Cron) or (isinstance(only, TriggerRecord) and only.fixed_slots)

    def calculate_next_run(self, current: datetime, current_run: int) -> datetime | None:
        """The run after `current_run` runs have happened, the last one scheduled at `current`; None at the end.

        Before the first run `current` is the present.
        """
        now = in_utc(current)
        runs = _RUNS.check("current_run", current_run)
        if self.max_runs is not None and runs >= self.max_runs:
            return None
        if runs > 0 or not self.has_first_run:
            return self.get_next_occurrence(now)
        first = self._first_run(now)
        if first is None or self._is_over(first):
            return None
        return self._unless_too_close(now, first)

    def begun(self, at: datetime) -> RecurringTask:
        """The task of a series that is made at `at` and begins with its first run, or then and there."""
        made = in_utc(at, "at")
        beginning = (self._first_run(made) if self.has_first_run else None) or made
        return self._with(
            self.month_interval and self.month_interval.begun(beginning),
            self.any_of and self.any_of.begun(beginning),
        )

    def unbegun(self) -> RecurringTask:
        """The task as it was before its series began."""
        return self._with(
            self.month_interval and self.month_interval.unbegun(),
            self.any_of and self.any_of.unbegun(),
        )

    def _with(self, month: MonthInterval | None, union: AnyOf | None) -> RecurringTask:
        same = month is self.month_interval and union is self.any_of
        return self if same else replace(self, month_interval=month, any_of=union)

    def get_next_occurrence(self, current: datetime) -> datetime | None:
        """The next slot of the interval, up to `run_until`; `max_runs` does not count here.

        A first run at a time of its own is the first slot: before it there is none, also for a series that was paused
        and goes on before it has begun.
        """
        if not self._chain:
            return None
        now = in_utc(current)
        first = self.specific_run_time
        if first is not None and now < first:
            return None if self._is_over(first) else self._unless_too_close(now, first)
        return self._next_slot(now)

    def _next_slot(self, now: datetime) -> datetime | None:
        found = (self._cascade or self._chain[0]).get_next_occurrence(now)
        return None if found is None or self._is_over(found) else found

    def skip_forward(self, scheduled: datetime, now: datetime) -> SkipForward:
        """Pass over the slots in (scheduled, now], counting them, to the first one after now.

        Slots that were passed over are no runs: `max_runs` does not count them.
        """
        return skip_forward(self, scheduled, now)

    def leap(self, current: datetime, limit: datetime) -> Leap:
        until = limit if self.run_until is None else min(limit, self.run_until)
        if self._cascade is not None:
            return self._cascade.leap(current, until)
        return leap(self._chain[0], current, until) if self._chain else Leap(0, current)

    def _first_run(self, now: datetime) -> datetime | None:
        if self.run_now:
            return now
        return self.specific_run_time or later(now, self.initial_delay or timedelta(0))

    def _is_over(self, instant: datetime) -> bool:
        return self.run_until is not None and instant > self.run_until

    def _unless_too_close(self, now: datetime, first: datetime) -> datetime:
        """Give the first run, or the slot right behind it when less than `min_gap` lies between the two."""
        slot = self._next_slot(now) if self._chain else None
        # An interval of bare elapsed time has no slots of its own: those after the first run count from that run, so
        # none of them can be too close to it.
        if slot is not None and slot <= first and not self._is_bare():
            slot = self._next_slot(first)
        return slot if slot is not None and timedelta(0) < slot - first < self.min_gap else first

    def _is_bare(self) -> bool:
        return all(isinstance(each, Interval) and each.cycle == timedelta.resolution for each in self._chain)

    def describe(self) -> str:
        """The whole task in words."""
        spoken = self.describe_intervals()
        if self.has_first_run:
            first = self._first_words()
            spoken = f"{first}, then {spoken}" if spoken else f"once, {first}"
        if self.max_runs is not None:
            spoken += ", at most once" if self.max_runs == 1 else f", at most {self.max_runs} times"
        return spoken if self.run_until is None else f"{spoken}, until {words.moment(self.run_until)}"

    def describe_intervals(self) -> str:
        """What follows the first run, in words; nothing when it is the only one."""
        if self._cascade is not None:
            return self._cascade.describe()
        return self._chain[0].describe() if self._chain else ""

    def _first_words(self) -> str:
        if self.run_now:
            return "now"
        if self.specific_run_time is not None:
            return f"at {words.moment(self.specific_run_time)}"
        return f"after {words.length(self.initial_delay or timedelta(0))}"
