"""Clock correction: schedules and waiting runs after the wall clock was ahead and is right again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from duly.cron import Cron
from duly.model.policy import Backoff, Policy, Retry
from duly.model.run import Status
from duly.planning.clock_marks import (
    ClockMarks,
    Correction,
    FireAhead,
    Placement,
    ahead_of,
    correction_for,
    jump_between,
)
from duly.planning.correction import Position, due_again, place_again
from duly.recurrence import Once, every

NOW = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)
MONTH = timedelta(days=30)
HOURLY = Cron("0 * * * *")
NOON = NOW - timedelta(minutes=30)


def record(
    at: datetime, status: Status, *, fence: int = 0, finished: datetime | None = None, first: datetime | None = None
) -> FireAhead:
    """A run that was made while the clock was ahead; by default it ended when it was made."""
    ended = None if status in (Status.PENDING, Status.WAITING, Status.RUNNING) else finished or NOW + MONTH
    return FireAhead(f"run {at}", at, status, fence, ended, first)


def position(*ahead: FireAhead, **fields: Any) -> Position:
    """An hourly schedule that a clock one month ahead has planned."""
    stands = Position(
        enabled=True,
        disabled_by=None,
        next_fire_at=NOON + MONTH + HOUR,
        next_run_at=NOON + MONTH + HOUR,
        watermark=NOON + MONTH,
        until_at=None,
        max_runs=None,
        fires=5,
        updated_at=NOW - MONTH,
        ahead=ahead,
    )
    return stands._replace(**fields)


def placed(at: Position, trigger: Cron | Once = HOURLY) -> Placement:
    found = place_again(trigger, Policy(), NOW, at)
    assert found is not None
    return found


def test_a_schedule_goes_on_with_the_first_time_after_now() -> None:
    found = placed(position(record(NOON + MONTH, Status.SUCCEEDED, fence=1)))
    assert (found.next_fire_at, found.next_run_at, found.watermark) == (NOON + HOUR, NOON + HOUR, NOW)
    assert (found.fires, found.moved, found.released, found.taken_back) == (5, True, (), ())


def test_a_time_that_was_carried_out_is_passed_over() -> None:
    found = placed(position(record(NOON + HOUR, Status.SUCCEEDED, fence=1)))
    assert found.next_fire_at == NOON + 2 * HOUR


def test_a_fire_that_was_only_recorded_comes_and_its_record_gives_up_the_key() -> None:
    missed = record(NOON + MONTH, Status.MISSED, first=NOON + HOUR)
    found = placed(position(missed))
    assert (found.next_fire_at, found.released) == (NOON + HOUR, (missed.run_id,))


def test_a_time_that_came_while_the_clock_was_wrong_is_due() -> None:
    found = placed(position(record(NOON + MONTH, Status.MISSED, first=NOON)))
    assert found.next_fire_at == NOON
    assert found.watermark is not None
    assert found.watermark < NOON


def test_a_run_that_was_never_begun_is_taken_back_and_not_counted() -> None:
    waiting = record(NOON + MONTH, Status.WAITING)
    found = placed(position(waiting, record(NOON + MONTH - HOUR, Status.RUNNING, fence=1)))
    assert (found.taken_back, found.fires) == ((waiting.run_id,), 4)


def test_a_run_that_was_handed_back_was_begun() -> None:
    """Its attempt was not counted, but its handler may have acted."""
    found = placed(position(record(NOON + HOUR, Status.PENDING, fence=2)))
    assert (found.taken_back, found.next_fire_at) == ((), NOON + 2 * HOUR)


def test_a_fire_that_a_person_skipped_stays_skipped() -> None:
    asked = record(NOON + HOUR, Status.SKIPPED, finished=NOW - HOUR)
    at = position(asked, watermark=NOON + HOUR, next_fire_at=NOON + 2 * HOUR, next_run_at=NOON + 2 * HOUR)
    assert place_again(HOURLY, Policy(), NOW, at) is None


def test_an_ended_series_goes_on_until_its_end() -> None:
    ended: dict[str, Any] = {"enabled": False, "disabled_by": "finished", "next_fire_at": None, "next_run_at": None}
    found = placed(position(until_at=NOW + timedelta(days=2), **ended))
    assert (found.enabled, found.disabled_by, found.next_fire_at) == (True, None, NOON + HOUR)
    found = placed(position(until_at=NOW + timedelta(minutes=10), **ended))
    assert (found.enabled, found.disabled_by, found.next_fire_at) == (False, "finished", None)


def test_a_single_fire_that_was_carried_out_does_not_come_again() -> None:
    ended: dict[str, Any] = {
        "enabled": False,
        "disabled_by": "finished",
        "next_fire_at": None,
        "next_run_at": None,
        "fires": 1,
    }
    at = NOW + timedelta(days=2)
    found = placed(position(record(at, Status.SUCCEEDED, fence=1), watermark=at, **ended), Once(at))
    assert (found.enabled, found.disabled_by, found.next_fire_at) == (False, "finished", None)
    found = placed(position(record(at, Status.MISSED), watermark=at, **{**ended, "fires": 0}), Once(at))
    assert (found.enabled, found.next_fire_at) == (True, at)


def test_a_limit_that_is_reached_stays_reached() -> None:
    ended: dict[str, Any] = {"enabled": False, "disabled_by": "finished", "next_fire_at": None, "next_run_at": None}
    assert not placed(position(record(NOON + MONTH, Status.SUCCEEDED, fence=1), max_runs=5, **ended)).enabled


def test_a_pause_stays() -> None:
    found = placed(position(enabled=False, disabled_by="person", next_fire_at=None, next_run_at=None))
    assert (found.enabled, found.disabled_by, found.next_fire_at) == (False, "person", None)


def test_a_schedule_that_was_changed_by_a_wrong_clock_goes_on_from_now() -> None:
    found = placed(position(record(NOON + HOUR, Status.MISSED), updated_at=NOW + MONTH))
    assert (found.next_fire_at, found.updated_at) == (NOON + HOUR, NOW)


@pytest.mark.parametrize("undone", [NOW + timedelta(minutes=50), NOW + MONTH])
def test_a_series_that_counts_from_its_last_fire_is_put_off_by_at_most_one_interval(undone: datetime) -> None:
    trigger = every(2).hours().recurring_task
    found = place_again(trigger, Policy(), NOW, position(record(undone, Status.MISSED)))
    assert found is not None
    assert found.next_fire_at == min(undone, NOW + 2 * HOUR)


# runs that wait


def test_a_retry_waits_as_long_as_its_policy_lets_it() -> None:
    retry = Retry(max_attempts=9, delay=timedelta(minutes=10), backoff=Backoff.CONSTANT, jitter=0.5)
    assert due_again(NOW + MONTH, NOW, retry, 1, failed=True) == NOW + timedelta(minutes=15)
    assert due_again(NOW + timedelta(minutes=3), NOW, retry, 1, failed=True) == NOW + timedelta(minutes=3)
    assert due_again(NOW + MONTH, NOW, retry, 1, failed=False) == NOW


# noticing


def test_planning_waits_for_a_correction() -> None:
    assert not ClockMarks().forbids_planning(NOW)
    assert not ClockMarks(decided_until=NOW + timedelta(seconds=5)).forbids_planning(NOW)
    assert ClockMarks(decided_until=NOW + timedelta(seconds=6)).forbids_planning(NOW)
    assert ClockMarks(decided_until=NOW, correcting=NOW - HOUR).forbids_planning(NOW)


def test_how_far_ahead_is_never_negative() -> None:
    assert Correction(NOW + HOUR, NOW).ahead_seconds == 3600
    assert Correction(NOW - HOUR, NOW).ahead_seconds == 0


def test_a_jump_is_what_the_time_since_boot_does_not_explain() -> None:
    assert jump_between((NOW, 100.0), (NOW + HOUR, 3700.0)) == timedelta(0)
    assert jump_between((NOW, 100.0), (NOW + MONTH, 160.0)) == MONTH - timedelta(minutes=1)


@pytest.mark.parametrize(
    ("there", "ahead"),
    [
        (NOW + timedelta(seconds=1), timedelta(0)),  # between the question and the answer
        (NOW - timedelta(seconds=3), timedelta(seconds=3)),
        (NOW + timedelta(seconds=7), timedelta(seconds=-5)),
    ],
)
def test_the_time_a_question_takes_is_no_difference(there: datetime, ahead: timedelta) -> None:
    assert ahead_of(there, NOW, NOW + timedelta(seconds=2)) == ahead


def test_small_differences_are_left_alone() -> None:
    assert correction_for(timedelta(seconds=2)) == correction_for(timedelta(seconds=-2)) == timedelta(0)
    assert correction_for(HOUR) == -HOUR
