"""Passing over missed occurrences, exactly and quickly."""

import time as clock
from datetime import datetime, time, timedelta

import pytest

from duly.cron import Cron
from duly.errors import NaiveDatetimeError
from duly.model.calendar import Weekday
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
    SkipForward,
    WeekInterval,
    Window,
    skip_forward,
)
from tests.unit.recurrence.helpers import WEEKEND, WORKING_DAYS, utc

START = utc("2026-11-15 10:00")
FAR = utc("2200-05-01 07:03:02")
BERLIN = "Europe/Berlin"
OFFICE = Window(time(9), time(17), frozenset(WORKING_DAYS))
EIGHT = (time(8),)
TEN = (time(10),)


def test_a_uniform_grid() -> None:
    skip = skip_forward(MinuteInterval(15), START, utc("2026-11-15 11:07"))
    assert skip == SkipForward(utc("2026-11-15 11:15"), 4, utc("2026-11-15 11:00"))


def test_a_slot_exactly_now_has_passed() -> None:
    skip = skip_forward(MinuteInterval(15), START, utc("2026-11-15 10:15"))
    assert skip == SkipForward(utc("2026-11-15 10:30"), 1, utc("2026-11-15 10:15"))


@pytest.mark.parametrize("now", ["2026-11-15 10:00", "2026-11-15 10:14:59", "2020-01-01 00:00"])
def test_nothing_missed(now: str) -> None:
    assert skip_forward(MinuteInterval(15), START, utc(now)) == SkipForward(utc("2026-11-15 10:15"), 0, None)


def test_the_series_ends_between_two_questions() -> None:
    task = RecurringTask(minute_interval=MinuteInterval(15), run_until=utc("2026-11-15 10:40"))
    assert task.skip_forward(START, utc("2026-11-20 00:00")) == SkipForward(None, 2, utc("2026-11-15 10:30"))


def test_a_moment_can_be_missed() -> None:
    at = utc("2026-12-24 18:00")
    assert skip_forward(Once(at), START, utc("2026-12-25 00:00")) == SkipForward(None, 1, at)


def test_cron_is_counted_not_walked() -> None:
    skip = skip_forward(Cron("30 2 * * *", tz=BERLIN), utc("2024-03-29 12:00"), utc("2024-04-01 12:00"))
    assert skip == SkipForward(utc("2024-04-02 00:30"), 3, utc("2024-04-01 00:30"))


def test_a_foreign_trigger_is_walked() -> None:
    class Hourly:
        inner = HourInterval(1)
        get_next_occurrence = inner.get_next_occurrence
        describe = inner.describe
        to_dict = inner.to_dict

    assert skip_forward(Hourly(), START, utc("2026-11-15 13:30")).skipped == 3


@pytest.mark.parametrize("name", ["scheduled", "now"])
def test_naive_datetimes_are_refused(name: str) -> None:
    times = {"scheduled": START, "now": FAR, name: START.replace(tzinfo=None)}
    with pytest.raises(NaiveDatetimeError, match=name):
        skip_forward(Once(FAR), **times)


@pytest.mark.parametrize(
    ("trigger", "skipped"),
    [
        (SecondInterval(1), 5473774982),
        (MinuteInterval(7, 30, tz=BERLIN), 13032797),
        (HourInterval(2, on_minute=15, tz=BERLIN), 760246),
        (HourInterval(1, on_minute=15, tz="Australia/Lord_Howe"), 1520319),
        (HourInterval(5, on_hours=(3, 9, 17), tz=BERLIN), 190062),
        (SecondInterval(1, window=OFFICE, tz=BERLIN), 1303331836),
        (MinuteInterval(25, window=Window(time(22), time(6), frozenset(WORKING_DAYS)), tz=BERLIN), 905060),
        (DayInterval(on_times=(time(8), time(20)), tz=BERLIN), 126708),
        (DayInterval(5, on_times=(time(2, 30), time(20)), tz=BERLIN, dst="wallclock"), 25341),
        (WeekInterval(2, (Weekday.MONDAY, Weekday.SUNDAY), tz=BERLIN), 9051),
        (MonthInterval(on_day=31, tz=BERLIN), 2082),
        (MonthInterval(on_days=tuple(Weekday), on_times=tuple(time(hour) for hour in range(24)), tz=BERLIN), 1520320),
        (Cron("*/5 * * * *", tz=BERLIN), 18245916),
        (CronInterval("* * * * * *", tz=BERLIN), 5473774982),
        (AnyOf(DayInterval(1, EIGHT, WORKING_DAYS, tz=BERLIN), DayInterval(1, TEN, WEEKEND, tz=BERLIN)), 63354),
        (AnyOf(MonthInterval(on_day=1), DayInterval(on_times=TEN, tz=BERLIN)), 65435),
        (
            RecurringTask(
                day_interval=DayInterval(on_times=(time(9),)), hour_interval=HourInterval(1, on_minute=30, tz=BERLIN)
            ),
            63354,  # at ten, what began at nine is still to come at half past
        ),
        (RecurringTask(hour_interval=HourInterval(1, on_minute=30), second_interval=SecondInterval(7)), 1520492),
        (RecurringTask(month_interval=MonthInterval(on_day=15), minute_interval=MinuteInterval(5)), 2081),
    ],
    ids=lambda value: value if isinstance(value, int) else "",
)
def test_the_year_2200_is_not_far(trigger: Trigger, skipped: int) -> None:
    began = clock.thread_time()
    skip = skip_forward(trigger, START, FAR)
    assert clock.thread_time() - began < 5  # milliseconds, really; of this thread, so other load does not count
    assert skip.skipped == skipped
    assert skip.last_missed is not None
    assert skip.next_run is not None
    assert skip.last_missed <= FAR < skip.next_run
    assert trigger.get_next_occurrence(skip.last_missed) == skip.next_run


NIGHT = Window(time(0), time(5))
ODD = (time(2, 33),)


def assert_skipping_is_walking(trigger: Trigger, scheduled: datetime, now: datetime) -> None:
    walked = []
    current = trigger.get_next_occurrence(scheduled)
    while current is not None and current <= now:
        walked.append(current)
        current = trigger.get_next_occurrence(current)
    assert skip_forward(trigger, scheduled, now) == SkipForward(current, len(walked), walked[-1])


@pytest.mark.parametrize(
    "trigger",
    [
        AnyOf(HourInterval(1, window=NIGHT, tz=BERLIN), DayInterval(on_times=ODD, tz=BERLIN)),
        AnyOf(HourInterval(1, window=NIGHT, tz=BERLIN), DayInterval(on_times=ODD, tz=BERLIN, dst="wallclock")),
        AnyOf(HourInterval(2, window=NIGHT, tz=BERLIN), WeekInterval(on_days=WEEKEND, on_times=ODD, tz=BERLIN)),
        HourInterval(3, on_hours=(0, 2, 3), on_minute=33, tz=BERLIN),
        RecurringTask(hour_interval=HourInterval(1, (2, 3), 33, tz=BERLIN), minute_interval=MinuteInterval(31)),
        RecurringTask(
            day_interval=DayInterval(2, ODD, tz=BERLIN, anchor=utc("2024-03-20 12:00")),
            minute_interval=MinuteInterval(31),
        ),
        RecurringTask(day_interval=DayInterval(1, ODD, tz=BERLIN), hour_interval=HourInterval(30)),
        DayInterval(2, (time(2, 33), time(3)), tz=BERLIN),
    ],
    ids=lambda trigger: trigger.describe(),
)
@pytest.mark.parametrize("change", ["2024-03-31 01:00", "2024-10-27 01:00"])
def test_skipping_from_around_a_clock_change_is_walking(trigger: Trigger, change: str) -> None:
    for minutes in range(-200, 200, 20):
        scheduled = utc(change) + timedelta(minutes=minutes)
        assert_skipping_is_walking(trigger, scheduled, scheduled + timedelta(days=24))


@pytest.mark.parametrize(
    ("trigger", "scheduled"),
    [
        (DayInterval(on_times=(time(0), time(9)), tz="Pacific/Apia"), "2011-12-20 00:00"),
        (DayInterval(2, on_times=(time(0), time(9)), tz="Pacific/Apia"), "2011-12-20 00:00"),
        (DayInterval(2, on_times=(time(0), time(9)), tz="Pacific/Apia"), "2011-12-21 00:00"),
        (DayInterval(on_times=(time(0), time(23, 30)), tz="America/St_Johns", dst="wallclock"), "2010-11-01 00:00"),
        (DayInterval(3, on_times=(time(0), time(23, 30)), tz="America/St_Johns", dst="wallclock"), "2010-11-01 00:00"),
        (HourInterval(1, on_minute=10, window=NIGHT, tz="Australia/Lord_Howe"), "2024-04-01 00:00"),
        (HourInterval(5, on_hours=(3, 9, 17), tz=BERLIN), "2024-03-20 00:00"),
        (MinuteInterval(55, window=Window(time(22), time(6)), tz=BERLIN), "2024-03-20 02:00"),
        (AnyOf(MinuteInterval(7), Cron("0,1,2,3 * * * *"), MinuteInterval(9, on_second=5)), "2024-04-01 00:00"),
    ],
)
def test_skipping_across_a_stranger_change_is_walking(trigger: Trigger, scheduled: str) -> None:
    for days in range(1, 20, 3):
        assert_skipping_is_walking(trigger, utc(scheduled), utc(scheduled) + timedelta(days=days))


def test_a_dense_member_of_a_union_leaps_to_where_the_next_comes_in() -> None:
    union = AnyOf(SecondInterval(1), DayInterval(on_times=(time(9),)))
    skip = skip_forward(union, START, START + timedelta(days=30))
    assert skip.skipped == 30 * 86_400
