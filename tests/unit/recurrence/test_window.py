"""Intervals confined to a part of the day and to some weekdays."""

from datetime import time
from typing import Any

import pytest

from duly.errors import InvalidRecurrenceError
from duly.model.calendar import Weekday
from duly.recurrence import (
    DayInterval,
    HourInterval,
    MinuteInterval,
    MonthInterval,
    SecondInterval,
    WeekInterval,
    Window,
)
from tests.unit.recurrence.helpers import WEEKEND, WORKING_DAYS, following, local, utc

OFFICE = Window(time(9), time(17), frozenset(WORKING_DAYS))
NIGHT = Window(time(22), time(2), frozenset({Weekday.FRIDAY}))


def test_the_grid_starts_anew_each_day() -> None:
    every_25 = MinuteInterval(25, window=OFFICE)
    assert following(every_25, utc("2026-11-13 16:00"), 6) == [
        "2026-11-13 16:05",
        "2026-11-13 16:30",
        "2026-11-13 16:55",
        "2026-11-16 09:00",
        "2026-11-16 09:25",
        "2026-11-16 09:50",
    ]


def test_both_ends_count() -> None:
    assert following(HourInterval(4, window=OFFICE), utc("2026-11-13 08:59:59"), 3) == [
        "2026-11-13 09:00",
        "2026-11-13 13:00",
        "2026-11-13 17:00",
    ]


def test_aligned_slots_must_lie_inside() -> None:
    every_quarter = MinuteInterval(15, 30, window=OFFICE)
    assert following(every_quarter, utc("2026-11-13 16:30:30"), 2) == ["2026-11-13 16:45:30", "2026-11-16 09:00:30"]
    late_start = MinuteInterval(15, 30, window=Window(time(9, 0, 45), time(10)))
    assert following(late_start, utc("2026-11-13 00:00"), 1) == ["2026-11-13 09:15:30"]
    hourly = HourInterval(2, on_minute=15, window=Window(time(9, 30), time(17)))
    assert following(hourly, utc("2026-11-13 00:00"), 2) == ["2026-11-13 11:15", "2026-11-13 13:15"]


def test_listed_hours_inside_a_window() -> None:
    hours = HourInterval(2, on_hours=(8, 9, 10, 13), window=OFFICE)
    assert following(hours, utc("2026-11-13 00:00"), 3) == [
        "2026-11-13 09:00",
        "2026-11-13 13:00",
        "2026-11-16 09:00",
    ]


def test_across_midnight_it_belongs_to_the_day_it_opened() -> None:
    assert following(HourInterval(2, window=NIGHT), utc("2026-11-13 21:00"), 4) == [
        "2026-11-13 22:00",
        "2026-11-14 00:00",
        "2026-11-14 02:00",
        "2026-11-20 22:00",
    ]


def test_a_window_that_is_one_moment() -> None:
    assert following(SecondInterval(1, window=Window(time(9), time(9))), utc("2026-11-13 09:00"), 1) == [
        "2026-11-14 09:00"
    ]


def test_only_weekdays_means_the_whole_day() -> None:
    weekend = HourInterval(7, window=Window(days=frozenset(WEEKEND)))
    assert following(weekend, utc("2026-11-15 15:00"), 2) == ["2026-11-15 21:00", "2026-11-21 00:00"]


def test_a_window_lasts_as_long_as_the_clock_says() -> None:
    zone = "Europe/Berlin"
    night = HourInterval(1, window=Window(time(1), time(4)), tz=zone)
    assert following(night, local("2024-03-31 00:00", zone), 4, zone) == [
        "2024-03-31 01:00",
        "2024-03-31 03:00",
        "2024-03-31 04:00",
        "2024-04-01 01:00",
    ]
    assert following(night, local("2024-10-27 00:00", zone), 6, zone) == [
        "2024-10-27 01:00",
        "2024-10-27 02:00",
        "2024-10-27 02:00",
        "2024-10-27 03:00",
        "2024-10-27 04:00",
        "2024-10-28 01:00",
    ]


def test_alignment_inside_a_window_follows_the_clock() -> None:
    zone = "Australia/Lord_Howe"
    night = HourInterval(1, on_minute=10, window=Window(time(0), time(4)), tz=zone)
    assert following(night, local("2024-04-06 12:00", zone), 5, zone) == [
        "2024-04-07 00:10",
        "2024-04-07 01:10",
        "2024-04-07 02:10",  # ninety minutes later: 02:00 became 01:30
        "2024-04-07 03:10",
        "2024-04-08 00:10",
    ]


def test_a_window_that_opens_in_a_gap_opens_at_its_end() -> None:
    zone = "Europe/Berlin"
    early = MinuteInterval(20, window=Window(time(2, 30), time(3, 30)), tz=zone)
    assert following(early, local("2024-03-31 00:00", zone), 3, zone) == [
        "2024-03-31 03:00",
        "2024-03-31 03:20",
        "2024-04-01 02:30",
    ]


def test_a_window_that_is_all_gap_stays_shut() -> None:
    zone = "Europe/Berlin"
    gone = MinuteInterval(10, window=Window(time(2, 10), time(2, 50)), tz=zone)
    assert following(gone, local("2024-03-31 00:00", zone), 1, zone) == ["2024-04-01 02:10"]


def test_a_window_filters_the_slots_of_the_calendar() -> None:
    daily = DayInterval(on_times=(time(8), time(12), time(18)), window=OFFICE)
    assert following(daily, utc("2026-11-13 00:00"), 2) == ["2026-11-13 12:00", "2026-11-16 12:00"]
    night = DayInterval(on_times=(time(1), time(23)), window=NIGHT)
    assert following(night, utc("2026-11-13 00:00"), 3) == ["2026-11-13 23:00", "2026-11-14 01:00", "2026-11-20 23:00"]
    fifteenth = MonthInterval(on_day=15, on_times=(time(12),), window=OFFICE)
    assert following(fifteenth, utc("2026-11-01 00:00"), 2) == ["2026-12-15 12:00", "2027-01-15 12:00"]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: DayInterval(window=OFFICE),
            "every day at 00:00, only from 09:00 to 17:00, Monday to Friday never occurs",
        ),
        (lambda: DayInterval(on_days=WEEKEND, on_times=(time(12),), window=OFFICE), "never occurs"),
        (lambda: WeekInterval(on_days=WEEKEND, on_times=(time(12),), window=OFFICE), "never occurs"),
        (
            lambda: MonthInterval(on_first=Weekday.SUNDAY, on_times=(time(12),), window=OFFICE),
            "on the first Sunday of every month at 12:00, only from .* never occurs",
        ),
        (
            lambda: DayInterval(7, on_days=(Weekday.MONDAY,), anchor=utc("2026-11-17 00:00")),
            "every 7 days, only on Monday, at 00:00, counted from 2026-11-17 00:00 UTC never occurs",
        ),
        (
            lambda: HourInterval(1, on_minute=45, window=Window(time(9), time(9, 30))),
            "window holds no occurrence of every hour at minute 45",
        ),
        (
            lambda: HourInterval(25, window=OFFICE),
            "an interval inside a window must not exceed 24 hours, got 25 hours",
        ),
        (lambda: Window(time(9), time(17), frozenset()), "at least one weekday"),
        (lambda: Window("09:00"), "start must be a time of day"),  # type: ignore[arg-type]  # that is the point
    ],
)
def test_a_window_without_any_occurrence_is_refused(build: Any, message: str) -> None:
    with pytest.raises(InvalidRecurrenceError, match=message):
        build()
