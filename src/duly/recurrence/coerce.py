"""From triggers, builder chains and functions to a trigger, and from a trigger to its first run."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from duly.cron import Cron
from duly.errors import InvalidRecurrenceError
from duly.model.trigger import Trigger
from duly.recurrence.builder import EveryStep, IntervalStep, RecurringTaskBuilder
from duly.recurrence.clockface import in_utc
from duly.recurrence.draft import Buildable
from duly.recurrence.record import TriggerRecord
from duly.recurrence.task import RecurringTask
from duly.recurrence.union import AnyOf
from duly.recurrence.words import moment

TriggerLike = Trigger | Callable[[RecurringTaskBuilder], Trigger]
"""A trigger, a chain of builder steps, or a function that is given a builder and returns one of these."""


_TRIGGERS = (Cron, TriggerRecord)


def as_trigger(spec: TriggerLike) -> Trigger:
    """Give the trigger itself: a chain becomes its task, a function is called with a fresh builder."""
    if isinstance(spec, _TRIGGERS):
        return spec
    if isinstance(spec, Buildable):
        return spec.recurring_task
    if callable(spec) and not isinstance(spec, type):
        return _returned(spec(RecurringTaskBuilder()))
    raise _not_a_trigger(spec)


def any_of(*specs: TriggerLike) -> AnyOf:
    """The earliest of several, each a trigger or a chain that says nothing but its interval."""
    return AnyOf(*(_interval_of(as_trigger(spec)) for spec in specs))


def begun(trigger: Trigger, now: datetime) -> Trigger:
    """Fix what a trigger takes from the beginning of its series, for a series that is made now.

    A month interval without a day takes the day of the month, on its own wall clock, on which the series begins.
    """
    if isinstance(trigger, Buildable):
        trigger = trigger.recurring_task
    return trigger.begun(in_utc(now, "now")) if isinstance(trigger, TriggerRecord) else trigger


def is_same_series(one: Trigger, other: Trigger) -> bool:
    """Whether two triggers say the same, whenever their series began."""
    return _unbegun(one) == _unbegun(other)


def _unbegun(trigger: Trigger) -> Trigger:
    return trigger.unbegun() if isinstance(trigger, TriggerRecord) else trigger


def first_run(trigger: Trigger, now: datetime) -> datetime:
    """When a trigger that starts now runs first. One that never does, or that has already ended, is refused."""
    instant = in_utc(now, "now")
    trigger = begun(trigger, instant)
    if not isinstance(trigger, RecurringTask):
        first = trigger.get_next_occurrence(instant)
    else:
        refuse_ended(trigger, instant)
        first = trigger.calculate_next_run(instant, 0)
    if first is None:
        raise InvalidRecurrenceError("Invalid scheduler recurring expression")
    return first


def refuse_ended(task: RecurringTask, now: datetime) -> None:
    """Refuse a series whose last instant has passed."""
    if task.run_until is not None and task.run_until < now:
        raise InvalidRecurrenceError(
            f"run_until must not be in the past, got {moment(task.run_until)} when it is {moment(now)}"
        )


def _returned(built: object) -> Trigger:
    if isinstance(built, Cron | TriggerRecord):
        return built
    if isinstance(built, Buildable):
        return built.recurring_task
    raise _not_a_trigger(built)


def _interval_of(trigger: Trigger) -> Trigger:
    if not isinstance(trigger, RecurringTask):
        return trigger
    endless = trigger.max_runs is None and trigger.run_until is None
    if len(trigger.intervals) == 1 and endless and not trigger.has_first_run:
        return trigger.intervals[0]
    raise InvalidRecurrenceError(
        f"any_of takes bare intervals, got {trigger.describe()}: a first run or an end belongs to the whole"
    )


def _not_a_trigger(spec: object) -> InvalidRecurrenceError:
    if isinstance(spec, IntervalStep | EveryStep):
        hint = "the chain is not finished: go on with every(n) and a unit, or with cron(expression)"
    elif spec is None:
        hint = "a function must return the chain it built: each step is a new value"
    elif isinstance(spec, str):
        hint = "write Cron(expression) for a cron expression"
    else:
        hint = "expected a Cron, an interval, a RecurringTask, a builder chain, or a function of a builder"
    return InvalidRecurrenceError(f"{spec!r} does not say when: {hint}")
