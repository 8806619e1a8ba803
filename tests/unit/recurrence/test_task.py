"""First run, gap rule, limits and cascade of a `RecurringTask`."""

from datetime import UTC, datetime, time, timedelta, timezone
from typing import Any

import pytest

from duly.cron import Cron
from duly.errors import InvalidRecurrenceError, NaiveDatetimeError
from duly.recurrence import (
    AnyOf,
    CronInterval,
    DayInterval,
    HourInterval,
    MinuteInterval,
    MonthInterval,
    RecurringTask,
    SecondInterval,
    WeekInterval,
)
from tests.unit.recurrence.helpers import local, utc

TEN = utc("2024-01-01 10:00")
MINUTELY = MinuteInterval(1)
HOURLY_ON_THE_HOUR = HourInterval(1, on_minute=0)
SECOND = timedelta(seconds=1)


class TestRuns:
    def test_the_interval_gives_the_first_run_when_nothing_else_does(self) -> None:
        task = RecurringTask(minute_interval=MinuteInterval(15, on_second=30))
        assert task.calculate_next_run(TEN, 0) == utc("2024-01-01 10:15:30")
        assert task.calculate_next_run(utc("2024-01-01 10:15:30"), 1) == utc("2024-01-01 10:30:30")

    def test_run_now_is_now(self) -> None:
        task = RecurringTask(run_now=True, minute_interval=MINUTELY)
        assert task.calculate_next_run(TEN + 45 * SECOND, 0) == TEN + 45 * SECOND
        assert task.calculate_next_run(TEN + 45 * SECOND, 1) == TEN + 105 * SECOND

    def test_a_delay_counts_from_now(self) -> None:
        task = RecurringTask(initial_delay=timedelta(hours=1), minute_interval=MinuteInterval(15))
        assert task.calculate_next_run(TEN, 0) == utc("2024-01-01 11:00")
        assert task.calculate_next_run(utc("2024-01-01 11:00"), 1) == utc("2024-01-01 11:15")

    def test_a_specific_time_is_kept_however_far_away(self) -> None:
        task = RecurringTask(specific_run_time=utc("2030-05-05 09:00"), hour_interval=HourInterval(1))
        assert task.calculate_next_run(TEN, 0) == utc("2030-05-05 09:00")

    def test_now_beats_a_specific_time_which_beats_a_delay(self) -> None:
        at = utc("2024-01-01 18:00")
        delay = timedelta(hours=3)
        both = RecurringTask(specific_run_time=at, initial_delay=delay)
        assert both.calculate_next_run(TEN, 0) == at
        assert RecurringTask(run_now=True, specific_run_time=at).calculate_next_run(TEN, 0) == TEN

    def test_one_shots_end_after_their_run(self) -> None:
        for task in (
            RecurringTask(run_now=True),
            RecurringTask(initial_delay=timedelta(0)),
            RecurringTask(specific_run_time=TEN),
        ):
            assert task.calculate_next_run(TEN, 0) == TEN
            assert task.calculate_next_run(TEN, 1) is None
            assert task.get_next_occurrence(TEN) is None

    def test_everything_becomes_utc(self) -> None:
        evening = local("2024-06-01 18:00", "America/New_York").astimezone(None)
        task = RecurringTask(specific_run_time=evening, run_until=evening)
        assert str(task.specific_run_time) == str(task.run_until) == "2024-06-01 22:00:00+00:00"

    def test_an_end_beyond_the_calendar_is_its_end(self) -> None:
        last = datetime.max.replace(tzinfo=timezone(timedelta(hours=-12)))
        assert RecurringTask(run_now=True, run_until=last).run_until == datetime.max.replace(tzinfo=UTC)

    def test_a_delay_beyond_the_calendar_never_comes(self) -> None:
        task = RecurringTask(initial_delay=timedelta(days=100), minute_interval=MINUTELY)
        assert task.calculate_next_run(utc("9999-12-31 00:00"), 0) is None


class TestGapRule:
    def test_a_first_run_shortly_before_a_slot_gives_way_to_it(self) -> None:
        task = RecurringTask(run_now=True, hour_interval=HOURLY_ON_THE_HOUR)
        assert task.calculate_next_run(utc("2024-01-01 10:59:31"), 0) == utc("2024-01-01 11:00")

    def test_exactly_the_gap_is_far_enough(self) -> None:
        task = RecurringTask(run_now=True, hour_interval=HOURLY_ON_THE_HOUR)
        assert task.calculate_next_run(utc("2024-01-01 10:59:30"), 0) == utc("2024-01-01 10:59:30")

    def test_a_delayed_run_too(self) -> None:
        task = RecurringTask(initial_delay=45 * SECOND, minute_interval=MINUTELY)
        assert task.calculate_next_run(TEN, 0) == TEN + 60 * SECOND

    def test_a_run_days_ahead_gives_way_to_the_slot_it_would_meet(self) -> None:
        task = RecurringTask(
            specific_run_time=utc("2024-01-05 08:59:45"), day_interval=DayInterval(on_times=(time(9),))
        )
        assert task.calculate_next_run(TEN, 0) == utc("2024-01-05 09:00")

    def test_bare_elapsed_time_has_no_slots_after_the_first_but_those_of_the_first_run(self) -> None:
        task = RecurringTask(initial_delay=timedelta(hours=1), second_interval=SecondInterval(20))
        assert task.calculate_next_run(TEN, 0) == utc("2024-01-01 11:00")
        at_once = RecurringTask(run_now=True, second_interval=SecondInterval(20))
        assert at_once.calculate_next_run(TEN, 0) == TEN + 20 * SECOND

    def test_it_can_be_widened_and_turned_off(self) -> None:
        now = utc("2024-01-01 10:59:45")
        off = RecurringTask(run_now=True, hour_interval=HOURLY_ON_THE_HOUR, min_gap=timedelta(0))
        assert off.calculate_next_run(now, 0) == now
        wide = RecurringTask(run_now=True, hour_interval=HOURLY_ON_THE_HOUR, min_gap=timedelta(minutes=30))
        assert wide.calculate_next_run(utc("2024-01-01 10:31"), 0) == utc("2024-01-01 11:00")

    def test_a_slot_after_the_end_is_no_slot(self) -> None:
        now = utc("2024-01-01 10:59:45")
        task = RecurringTask(run_now=True, hour_interval=HOURLY_ON_THE_HOUR, run_until=utc("2024-01-01 10:59:50"))
        assert task.calculate_next_run(now, 0) == now


class TestLimits:
    def test_max_runs(self) -> None:
        task = RecurringTask(run_now=True, minute_interval=MINUTELY, max_runs=2)
        assert task.calculate_next_run(TEN, 0) == TEN
        assert task.calculate_next_run(TEN, 1) == TEN + 60 * SECOND
        assert task.calculate_next_run(TEN, 2) is None
        assert task.calculate_next_run(TEN, 3) is None

    def test_run_until_is_inclusive(self) -> None:
        task = RecurringTask(minute_interval=MINUTELY, run_until=utc("2024-01-01 10:02"))
        assert task.calculate_next_run(utc("2024-01-01 10:01"), 1) == utc("2024-01-01 10:02")
        assert task.calculate_next_run(utc("2024-01-01 10:02"), 2) is None
        assert task.get_next_occurrence(utc("2024-01-01 10:02")) is None

    def test_run_until_holds_for_the_first_run(self) -> None:
        late: dict[str, Any] = {"specific_run_time": utc("2024-01-02 00:00"), "minute_interval": MINUTELY}
        assert RecurringTask(**late, run_until=utc("2024-01-01 23:59")).calculate_next_run(TEN, 0) is None
        on_time = RecurringTask(**late, run_until=utc("2024-01-02 00:00"))
        assert on_time.calculate_next_run(TEN, 0) == utc("2024-01-02 00:00")

    def test_whichever_comes_first(self) -> None:
        task = RecurringTask(hour_interval=HourInterval(1), max_runs=10, run_until=utc("2024-01-01 12:00"))
        assert task.calculate_next_run(utc("2024-01-01 11:00"), 9) == utc("2024-01-01 12:00")
        assert task.calculate_next_run(utc("2024-01-01 12:00"), 9) is None
        assert task.calculate_next_run(utc("2024-01-01 11:00"), 10) is None


class TestCombinations:
    def test_cron_wins(self) -> None:
        for cron in (CronInterval("0 0 * * *"), Cron("0 0 * * *")):
            task = RecurringTask(cron_interval=cron, minute_interval=MinuteInterval(15))
            assert task.get_next_occurrence(TEN) == utc("2024-01-02 00:00")

    def test_others_cascade_from_months_to_seconds(self) -> None:
        task = RecurringTask(
            month_interval=MonthInterval(on_day=15),
            day_interval=DayInterval(on_times=(time(9),)),
            second_interval=SecondInterval(5),
        )
        assert task.get_next_occurrence(TEN) == utc("2024-01-15 09:00:05")
        assert task.get_next_occurrence(utc("2024-01-15 09:00:05")) == utc("2024-02-15 09:00:05")

    def test_weeks_come_between_months_and_days(self) -> None:
        task = RecurringTask(week_interval=WeekInterval(), day_interval=DayInterval(on_times=(time(9),)))
        assert [type(each) for each in task.intervals] == [WeekInterval, DayInterval]
        assert task.get_next_occurrence(TEN) == utc("2024-01-08 09:00")

    def test_the_first_interval_says_whether_there_are_slots(self) -> None:
        assert RecurringTask(day_interval=DayInterval()).fixed_slots
        assert RecurringTask(cron_interval=Cron("0 0 * * *")).fixed_slots
        assert not RecurringTask(day_interval=DayInterval(2)).fixed_slots
        assert RecurringTask(day_interval=DayInterval(), minute_interval=MINUTELY).fixed_slots
        assert not RecurringTask(hour_interval=HOURLY_ON_THE_HOUR, minute_interval=MINUTELY).fixed_slots

    def test_a_union_stands_alone(self) -> None:
        union = AnyOf(MINUTELY)
        assert RecurringTask(any_of=union).get_next_occurrence(TEN) == TEN + 60 * SECOND
        with pytest.raises(InvalidRecurrenceError, match="any_of cannot be combined"):
            RecurringTask(any_of=union, day_interval=DayInterval())
        with pytest.raises(InvalidRecurrenceError, match="any_of cannot be combined"):
            RecurringTask(any_of=union, cron_interval=CronInterval("* * * * *"))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "needs an interval or a first run, got neither"),
        ({"max_runs": 3}, "needs an interval or a first run"),
        ({"run_now": 1}, "run_now must be True or False, got 1"),
        ({"run_now": True, "max_runs": 0}, "max_runs must be a whole number from 1 to .*got 0"),
        ({"initial_delay": -SECOND}, "initial_delay must be a timedelta of zero or more"),
        ({"initial_delay": 30}, "initial_delay must be a timedelta.*got 30"),
        ({"run_now": True, "min_gap": -SECOND}, "min_gap must be a timedelta of zero or more"),
        ({"specific_run_time": "now"}, "specific_run_time must be a datetime with a time zone"),
        ({"day_interval": MINUTELY}, "day_interval must be of type DayInterval, got MinuteInterval"),
        ({"cron_interval": "* * * * *"}, "cron_interval must be of type CronInterval or Cron, got"),
        ({"any_of": (MINUTELY,)}, "any_of must be of type AnyOf"),
    ],
)
def test_contradictory_fields_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRecurrenceError, match=message):
        RecurringTask(**fields)


@pytest.mark.parametrize("name", ["specific_run_time", "run_until"])
def test_naive_datetimes_are_refused(name: str) -> None:
    fields: dict[str, Any] = {"run_now": True, name: TEN.replace(tzinfo=None)}
    with pytest.raises(NaiveDatetimeError, match=name):
        RecurringTask(**fields)


def test_a_negative_number_of_runs_is_refused() -> None:
    with pytest.raises(InvalidRecurrenceError, match="current_run must be a whole number from 0"):
        RecurringTask(run_now=True).calculate_next_run(TEN, -1)
