"""Triggers, chains and functions become triggers, and a trigger has a first run."""

from datetime import time, timedelta
from typing import Any

import pytest

from duly.cron import Cron
from duly.errors import InvalidRecurrenceError, NaiveDatetimeError
from duly.recurrence import (
    DayInterval,
    Once,
    RecurringTask,
    RecurringTaskBuilder,
    as_trigger,
    cron,
    every,
    first_run,
    run_now,
    schedule,
)
from tests.unit.recurrence.helpers import utc

NOW = utc("2026-11-15 10:00")
DAILY = DayInterval(on_times=(time(9),))
TASK = RecurringTask(day_interval=DAILY)


@pytest.mark.parametrize("trigger", [Cron("0 9 * * *"), DAILY, TASK, Once(NOW)])
def test_triggers_are_returned_unchanged(trigger: Any) -> None:
    assert as_trigger(trigger) is trigger
    assert as_trigger(lambda _: trigger) is trigger


def test_chains_become_tasks() -> None:
    assert as_trigger(every(1).days().at(9, 0)) == TASK
    assert as_trigger(run_now()) == RecurringTask(run_now=True)


def test_functions_are_given_a_builder() -> None:
    assert as_trigger(lambda recurring: recurring.every(1).days().at(9, 0)) == TASK

    def described(recurring: RecurringTaskBuilder) -> RecurringTask:
        return recurring.schedule().every(1).days().at(9, 0).build()

    assert as_trigger(described) == TASK


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        (None, "must return the chain it built"),
        (lambda recurring: recurring.every(1).days() and None, "must return the chain it built"),
        ("0 9 * * *", r"write Cron\(expression\)"),
        (schedule(), "the chain is not finished"),
        (every(5), "the chain is not finished"),
        (lambda recurring: recurring.run_now().then(), "the chain is not finished"),
        (RecurringTaskBuilder(), "the chain is not finished"),
        (DayInterval, "expected a Cron, an interval"),
        (5, "5 does not say when: expected a Cron, an interval"),
    ],
)
def test_everything_else_is_refused(spec: Any, hint: str) -> None:
    with pytest.raises(InvalidRecurrenceError, match=hint):
        as_trigger(spec)


def test_the_first_run() -> None:
    assert first_run(DAILY, NOW) == utc("2026-11-16 09:00")
    assert first_run(Cron("0 9 * * *"), NOW) == utc("2026-11-16 09:00")
    assert first_run(every(1).days().at(9, 0), NOW) == utc("2026-11-16 09:00")
    assert first_run(RecurringTask(run_now=True, day_interval=DAILY), NOW) == NOW


def test_a_trigger_that_never_runs_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^Invalid scheduler recurring expression$"):
        first_run(Once(NOW - timedelta(seconds=1)), NOW)
    with pytest.raises(ValueError, match=r"^Invalid scheduler recurring expression$"):
        first_run(cron("0 9 * * *").run_until(NOW), NOW)


def test_a_series_that_has_ended_is_refused() -> None:
    with pytest.raises(InvalidRecurrenceError, match="run_until must not be in the past, got 2026-11-15 09:59"):
        first_run(every(1).days().run_until(utc("2026-11-15 09:59")), NOW)
    assert first_run(run_now().then().every(1).days().run_until(NOW), NOW) == NOW


def test_now_must_be_an_instant() -> None:
    with pytest.raises(NaiveDatetimeError, match="now"):
        first_run(DAILY, NOW.replace(tzinfo=None))
