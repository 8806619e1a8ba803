"""Seconds, minutes and hours: elapsed time, then aligned."""

from datetime import datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.errors import InvalidRecurrenceError, UnknownTimezoneError
from duly.recurrence import DayInterval, HourInterval, MinuteInterval, SecondInterval, Window, trigger_from_dict
from tests.unit.recurrence.helpers import following, local, utc
from tests.unit.recurrence.strategies import moments, policies, some, zones

TEN = utc("2024-01-01 10:00")


def test_seconds_add_up() -> None:
    assert following(SecondInterval(30), TEN, 2) == ["2024-01-01 10:00:30", "2024-01-01 10:01"]


def test_an_unaligned_interval_keeps_fractions_of_a_second() -> None:
    current = TEN + timedelta(microseconds=250)
    assert SecondInterval(90).get_next_occurrence(current) == current + timedelta(seconds=90)
    assert HourInterval(2).get_next_occurrence(current) == current + timedelta(hours=2)


def test_minutes_come_down_on_their_second() -> None:
    assert following(MinuteInterval(15, 30), TEN, 3) == [
        "2024-01-01 10:15:30",
        "2024-01-01 10:30:30",
        "2024-01-01 10:45:30",
    ]


def test_second_zero_is_a_second_too() -> None:
    assert following(MinuteInterval(1, on_second=0), utc("2024-01-01 10:00:59"), 2) == [
        "2024-01-01 10:01",
        "2024-01-01 10:02",
    ]


def test_alignment_drops_fractions() -> None:
    current = TEN + timedelta(seconds=12, microseconds=5)
    assert MinuteInterval(5, 12).get_next_occurrence(current) == utc("2024-01-01 10:05:12")


def test_hours_come_down_on_their_minute_and_second() -> None:
    assert following(HourInterval(2, on_minute=15), TEN, 2) == ["2024-01-01 12:15", "2024-01-01 14:15"]
    assert following(HourInterval(2, on_minute=15, on_second=5), TEN, 1) == ["2024-01-01 12:15:05"]
    assert following(HourInterval(1, on_minute=0), utc("2024-01-01 10:59:59"), 1) == ["2024-01-01 11:00"]


def test_a_second_without_a_minute_leaves_the_minute() -> None:
    assert following(HourInterval(1, on_second=7), utc("2024-01-01 10:20:40"), 2) == [
        "2024-01-01 11:20:07",
        "2024-01-01 12:20:07",
    ]


def test_listed_hours_are_advanced_to() -> None:
    office = HourInterval(2, on_hours=(9, 12, 15))
    assert following(office, utc("2024-01-01 09:00"), 4) == [
        "2024-01-01 12:00",
        "2024-01-01 15:00",
        "2024-01-02 09:00",
        "2024-01-02 12:00",
    ]


def test_the_hour_in_which_the_step_ends_counts_if_listed() -> None:
    assert following(HourInterval(2, on_hours=(9,)), utc("2024-01-01 07:30"), 1) == ["2024-01-01 09:00"]
    assert following(HourInterval(2, on_hours=(9,), on_minute=45), utc("2024-01-01 07:30"), 1) == ["2024-01-01 09:45"]
    assert following(HourInterval(2, on_hours=(9,)), utc("2024-01-01 08:30"), 1) == ["2024-01-02 09:00"]


def test_hours_elapse_through_a_clock_change() -> None:
    hourly = HourInterval(1, on_minute=30, tz="Europe/Berlin")
    assert following(hourly, local("2024-03-31 00:30", "Europe/Berlin"), 3, "Europe/Berlin") == [
        "2024-03-31 01:30",
        "2024-03-31 03:30",
        "2024-03-31 04:30",
    ]
    assert following(hourly, local("2024-10-27 01:30", "Europe/Berlin"), 3, "Europe/Berlin") == [
        "2024-10-27 02:30",
        "2024-10-27 02:30",
        "2024-10-27 03:30",
    ]


def test_alignment_follows_a_clock_that_moves_by_half_an_hour() -> None:
    zone = "Australia/Lord_Howe"
    hourly = HourInterval(1, on_minute=10, tz=zone)
    assert following(hourly, local("2024-04-07 00:10", zone), 3, zone) == [
        "2024-04-07 01:10",
        "2024-04-07 02:10",  # ninety minutes later: 02:00 became 01:30
        "2024-04-07 03:10",
    ]
    assert following(HourInterval(1, on_minute=15, tz=zone), local("2024-10-06 01:15", zone), 2, zone) == [
        "2024-10-06 03:15",  # 02:15 was skipped
        "2024-10-06 04:15",
    ]


def test_a_listed_hour_runs_once_in_an_overlap_unless_the_wall_clock_is_asked_for() -> None:
    zone = "Europe/Berlin"
    base = local("2024-10-27 01:00", zone)
    once = HourInterval(1, on_hours=(1, 2, 3), tz=zone)
    twice = HourInterval(1, on_hours=(1, 2, 3), tz=zone, dst="wallclock")
    assert following(once, base, 2, zone) == ["2024-10-27 02:00", "2024-10-27 03:00"]
    assert following(twice, base, 3, zone) == ["2024-10-27 02:00", "2024-10-27 02:00", "2024-10-27 03:00"]


def test_a_listed_hour_in_a_gap_runs_at_its_end_or_not_at_all() -> None:
    zone = "Europe/Berlin"
    base = local("2024-03-31 00:30", zone)
    assert following(HourInterval(1, (2,), 30, tz=zone), base, 1, zone) == ["2024-03-31 03:00"]
    assert following(HourInterval(1, (2,), 30, tz=zone, dst="wallclock"), base, 1, zone) == ["2024-04-01 02:30"]


@pytest.mark.parametrize("interval", [0, -1, 1.5, True, "5", None, 1_000_000_001])
@pytest.mark.parametrize("cls", [SecondInterval, MinuteInterval, HourInterval])
def test_an_interval_is_a_whole_number(cls: Any, interval: Any) -> None:
    with pytest.raises(InvalidRecurrenceError, match=r"interval must be a whole number from [01] to 1000000000, got"):
        cls(interval)


class TestZero:
    """An interval of 0 counts nothing: the list alone says when."""

    def test_every_listed_hour_counts_however_close_it_is(self) -> None:
        listed = HourInterval(0, on_hours=(9, 12), on_minute=45)
        assert following(listed, utc("2026-11-15 09:30"), 3) == [
            "2026-11-15 09:45",
            "2026-11-15 12:45",
            "2026-11-16 09:45",
        ]
        assert following(HourInterval(1, on_hours=(9, 12), on_minute=45), utc("2026-11-15 09:30"), 1) == [
            "2026-11-15 12:45"
        ]

    def test_a_window_leaves_out_what_lies_outside(self) -> None:
        mornings = HourInterval(0, on_hours=(6, 9, 12), window=Window(time(8), time(10)))
        assert following(mornings, utc("2026-11-15 00:00"), 2) == ["2026-11-15 09:00", "2026-11-16 09:00"]

    def test_its_slots_are_its_own(self) -> None:
        assert HourInterval(0, on_hours=(9,)).fixed_slots
        assert not HourInterval(1, on_hours=(9,)).fixed_slots

    def test_words(self) -> None:
        listed = HourInterval(0, on_hours=(9, 12), on_minute=30)
        assert listed.describe() == "every day at 09:30 and 12:30"
        confined = HourInterval(0, on_hours=(9, 12), window=Window(time(8), time(10)))
        assert confined.describe() == "every day at 09:00 and 12:00, only from 08:00 to 10:00"

    def test_without_a_list_it_is_refused_with_the_reason(self) -> None:
        with pytest.raises(InvalidRecurrenceError, match=r"got 0; 0 needs on_hours$"):
            HourInterval(0, on_minute=30)

    def test_it_comes_back_from_json(self) -> None:
        listed = HourInterval(0, on_hours=(9, 12))
        assert trigger_from_dict(listed.to_dict()) == listed

    @settings(deadline=None)
    @given(some(st.integers(0, 23), 5, least=1), st.sampled_from([0, 30]), zones, policies, moments())
    def test_it_is_the_days_at_those_times(
        self, hours: tuple[int, ...], minute: int, zone: str, dst: str, now: datetime
    ) -> None:
        listed = HourInterval(0, on_hours=hours, on_minute=minute, tz=zone, dst=dst)
        days = DayInterval(on_times=tuple(time(hour, minute) for hour in hours), tz=zone, dst=dst)
        assert listed.get_next_occurrence(now) == days.get_next_occurrence(now)
        assert listed.leap(now, now + timedelta(days=9)) == days.leap(now, now + timedelta(days=9))


@pytest.mark.parametrize(
    ("cls", "fields", "message"),
    [
        (MinuteInterval, {"interval": 1, "on_second": 60}, r"on_second must be a whole number from 0 to 59.*got 60"),
        (HourInterval, {"interval": 1, "on_minute": -1}, r"on_minute must be a whole number from 0 to 59.*got -1"),
        (HourInterval, {"interval": 1, "on_hours": (9, 24)}, r"on_hours must be a whole number from 0 to 23, got 24"),
        (HourInterval, {"interval": 1, "on_hours": 9}, r"on_hours must be a list.*got 9"),
        (HourInterval, {"interval": 1, "on_hours": "9"}, r"on_hours must be a list.*got '9'"),
        (SecondInterval, {"interval": 1, "tz": 5}, r"tz must be the name of a time zone, got 5"),
        (SecondInterval, {"interval": 1, "dst": "twice"}, r"dst must be 'once' or 'wallclock', got 'twice'"),
        (SecondInterval, {"interval": 1, "window": "9-17"}, r"window must be of type Window, got '9-17'"),
    ],
)
def test_a_value_out_of_range_is_refused_by_the_name_of_its_field(
    cls: Any, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidRecurrenceError, match=message):
        cls(**fields)


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(UnknownTimezoneError, match="did you mean Europe/Berlin"):
        MinuteInterval(5, tz="Europe/Berln")


def test_lists_are_sorted_and_have_no_doubles() -> None:
    assert HourInterval(1, on_hours=(15, 9, 9)) == HourInterval(1, on_hours=(9, 15))


def test_an_interval_longer_than_the_calendar_never_comes() -> None:
    assert HourInterval(1_000_000_000).get_next_occurrence(TEN) is None
