"""Days, weeks and months: the next listed slot, and the phase of a series."""

from datetime import time, timedelta
from typing import Any

import pytest

from duly.errors import InvalidRecurrenceError, NaiveDatetimeError
from duly.model.calendar import Month, Weekday
from duly.recurrence import DayInterval, MonthInterval, WeekInterval
from tests.unit.recurrence.helpers import WORKING_DAYS, following, local, utc

MON, TUE, WED, FRI, SUN = (Weekday(day) for day in (0, 1, 2, 4, 6))
NINE = (time(9),)
NOON = (time(12),)


class TestDays:
    def test_today_counts_while_the_time_is_still_to_come(self) -> None:
        daily = DayInterval(on_times=(time(13),))
        assert following(daily, utc("2026-11-15 12:30"), 2) == ["2026-11-15 13:00", "2026-11-16 13:00"]

    def test_every_listed_time_fires(self) -> None:
        daily = DayInterval(on_times=(time(17), time(9), time(14)))
        assert following(daily, utc("2026-11-15 09:00"), 4) == [
            "2026-11-15 14:00",
            "2026-11-15 17:00",
            "2026-11-16 09:00",
            "2026-11-16 14:00",
        ]

    def test_midnight_is_the_default(self) -> None:
        assert following(DayInterval(), utc("2026-11-15 00:00"), 1) == ["2026-11-16 00:00"]

    def test_listed_weekdays(self) -> None:
        weekdays = DayInterval(on_times=(time(8),), on_days=WORKING_DAYS)
        assert following(weekdays, utc("2026-11-13 08:00"), 2) == ["2026-11-16 08:00", "2026-11-17 08:00"]

    def test_the_phase_counts_from_an_occurrence(self) -> None:
        third = DayInterval(3, on_times=(time(9), time(17)))
        assert following(third, utc("2026-11-15 09:00"), 4) == [
            "2026-11-15 17:00",
            "2026-11-18 09:00",
            "2026-11-18 17:00",
            "2026-11-21 09:00",
        ]

    @pytest.mark.parametrize("base", ["2026-11-15 08:59:59.5", "2026-11-15 09:00:00.5", "2026-11-15 10:00"])
    def test_from_anywhere_else_the_next_listed_slot_begins_the_series(self, base: str) -> None:
        third = DayInterval(3, on_times=(time(9), time(17)))
        first = third.get_next_occurrence(utc(base))
        assert first in (utc("2026-11-15 09:00"), utc("2026-11-15 17:00"))

    def test_a_series_of_weekdays_waits_for_one_in_phase(self) -> None:
        other = DayInterval(2, on_times=NINE, on_days=(MON,))
        assert following(other, utc("2026-11-14 00:00"), 3) == [
            "2026-11-16 09:00",
            "2026-11-30 09:00",
            "2026-12-14 09:00",
        ]

    def test_an_anchor_fixes_the_phase_wherever_one_asks(self) -> None:
        third = DayInterval(3, on_times=NINE, anchor=utc("2026-11-15 12:00"))
        for base in ("2026-11-12 09:00", "2026-11-13 00:00", "2026-11-14 09:00", "2026-11-15 08:00"):
            assert third.get_next_occurrence(utc(base)) == utc("2026-11-15 09:00")
        assert following(third, utc("2026-11-15 09:00"), 1) == ["2026-11-18 09:00"]

    def test_zero_days_need_weekdays_and_mean_one(self) -> None:
        assert DayInterval(0, on_days=(MON,)) == DayInterval(1, on_days=(MON,))
        with pytest.raises(InvalidRecurrenceError, match="got 0; 0 needs on_days"):
            DayInterval(0)


class TestWeeks:
    def test_monday_is_the_default(self) -> None:
        assert following(WeekInterval(), utc("2026-11-15 10:00"), 2) == ["2026-11-16 00:00", "2026-11-23 00:00"]

    def test_all_days_of_a_week_come_before_the_next_one(self) -> None:
        other = WeekInterval(2, on_days=(MON, FRI), on_times=NINE)
        assert following(other, utc("2026-11-15 10:00"), 4) == [
            "2026-11-16 09:00",
            "2026-11-20 09:00",
            "2026-11-30 09:00",
            "2026-12-04 09:00",
        ]

    def test_this_week_counts(self) -> None:
        assert following(WeekInterval(on_days=(WED,), on_times=NINE), utc("2026-11-18 08:00"), 1) == [
            "2026-11-18 09:00"
        ]

    def test_a_week_ends_on_sunday(self) -> None:
        third = WeekInterval(3, on_days=(MON, SUN), on_times=NINE)
        assert following(third, utc("2026-11-16 09:00"), 3) == [
            "2026-11-22 09:00",
            "2026-12-07 09:00",
            "2026-12-13 09:00",
        ]

    def test_an_anchor_is_any_moment_of_its_week(self) -> None:
        other = WeekInterval(2, on_days=(MON,), on_times=NINE, anchor=utc("2026-11-22 23:59"))
        assert following(other, utc("2026-11-17 00:00"), 1) == ["2026-11-30 09:00"]

    def test_the_week_of_an_anchor_is_that_of_its_zone(self) -> None:
        sunday_night = utc("2026-11-22 23:30")  # Monday in Berlin
        other = WeekInterval(2, on_days=(MON,), on_times=NINE, anchor=sunday_night, tz="Europe/Berlin")
        assert following(other, utc("2026-11-17 00:00"), 1, "Europe/Berlin") == ["2026-11-23 09:00"]


class TestMonths:
    def test_without_a_day_and_a_series_the_base_gives_the_day(self) -> None:
        assert following(MonthInterval(), utc("2026-11-15 10:00"), 2) == ["2026-12-15 00:00", "2027-01-15 00:00"]
        assert following(MonthInterval(2), utc("2026-01-15 10:00"), 2) == ["2026-03-15 00:00", "2026-05-15 00:00"]

    def test_a_time_of_the_same_day_is_still_to_come(self) -> None:
        noon = MonthInterval(2, on_times=NOON)
        assert following(noon, utc("2026-01-15 10:00"), 2) == ["2026-01-15 12:00", "2026-03-15 12:00"]

    def test_the_day_is_that_of_the_zone(self) -> None:
        tokyo = MonthInterval(tz="Asia/Tokyo")
        assert following(tokyo, utc("2026-11-15 20:00"), 1, "Asia/Tokyo") == ["2026-12-16 00:00"]

    def test_this_month_counts(self) -> None:
        fifteenth = MonthInterval(on_day=15, on_times=NOON)
        assert following(fifteenth, utc("2026-11-10 00:00"), 2) == ["2026-11-15 12:00", "2026-12-15 12:00"]

    def test_the_31st_is_clamped_and_does_not_drift(self) -> None:
        assert following(MonthInterval(on_day=31), utc("2027-12-31 00:00"), 5) == [
            "2028-01-31 00:00",
            "2028-02-29 00:00",
            "2028-03-31 00:00",
            "2028-04-30 00:00",
            "2028-05-31 00:00",
        ]

    def test_clamped_days_collapse(self) -> None:
        last_days = MonthInterval(on_days_of_month=(28, 30, 31))
        assert following(last_days, utc("2027-02-01 00:00"), 3) == [
            "2027-02-28 00:00",
            "2027-03-28 00:00",
            "2027-03-30 00:00",
        ]

    def test_first_and_last_weekday(self) -> None:
        first = MonthInterval(on_first=MON, on_times=NINE)
        assert following(first, utc("2026-11-15 00:00"), 2) == ["2026-12-07 09:00", "2027-01-04 09:00"]
        last = MonthInterval(on_last=FRI, on_times=(time(16),))
        assert following(last, utc("2026-11-15 00:00"), 2) == ["2026-11-27 16:00", "2026-12-25 16:00"]

    def test_every_such_weekday(self) -> None:
        tuesdays = MonthInterval(2, on_days=(TUE,))
        assert following(tuesdays, utc("2026-11-20 00:00"), 3) == [
            "2026-11-24 00:00",
            "2027-01-05 00:00",
            "2027-01-12 00:00",
        ]

    def test_listed_months(self) -> None:
        half_yearly = MonthInterval(on_day=15, on_times=NOON, on_months=(Month.JANUARY, Month.JULY))
        assert following(half_yearly, utc("2026-11-15 00:00"), 3) == [
            "2027-01-15 12:00",
            "2027-07-15 12:00",
            "2028-01-15 12:00",
        ]

    def test_the_first_listed_month_begins_the_phase(self) -> None:
        every_fifth = MonthInterval(5, on_day=1, on_months=(Month.MARCH,))
        assert following(every_fifth, utc("2026-11-15 00:00"), 2) == ["2027-03-01 00:00", "2032-03-01 00:00"]

    def test_an_anchor_that_never_meets_the_listed_months_is_refused(self) -> None:
        with pytest.raises(
            InvalidRecurrenceError, match=r"every 12 months from 2026-01-01 00:00 UTC never falls in June"
        ):
            MonthInterval(12, on_months=(Month.JUNE,), anchor=utc("2026-01-01 00:00"))

    def test_remaining_days_of_the_month_come_before_the_next_one_in_phase(self) -> None:
        third = MonthInterval(3, on_days_of_month=(10, 20), on_times=NINE)
        assert following(third, utc("2026-11-10 09:00"), 3) == [
            "2026-11-20 09:00",
            "2027-02-10 09:00",
            "2027-02-20 09:00",
        ]

    def test_contradicting_selectors_are_refused(self) -> None:
        with pytest.raises(InvalidRecurrenceError, match=r"takes one of on_day, .*, got on_day and on_first"):
            MonthInterval(on_day=15, on_first=MON)


class TestClockChanges:
    BERLIN = "Europe/Berlin"

    def test_a_time_in_the_gap_runs_at_its_end(self) -> None:
        daily = DayInterval(on_times=(time(2, 30),), tz=self.BERLIN)
        assert following(daily, local("2024-03-30 12:00", self.BERLIN), 2, self.BERLIN) == [
            "2024-03-31 03:00",
            "2024-04-01 02:30",
        ]

    def test_times_that_fall_on_one_instant_are_one(self) -> None:
        daily = DayInterval(on_times=(time(2), time(2, 30), time(3)), tz=self.BERLIN)
        assert following(daily, local("2024-03-30 12:00", self.BERLIN), 2, self.BERLIN) == [
            "2024-03-31 03:00",
            "2024-04-01 02:00",
        ]

    def test_a_repeated_time_runs_in_the_first_pass(self) -> None:
        daily = DayInterval(on_times=(time(2, 30),), tz=self.BERLIN)
        assert daily.get_next_occurrence(local("2024-10-27 00:00", self.BERLIN)) == utc("2024-10-27 00:30")
        assert daily.get_next_occurrence(utc("2024-10-27 00:30")) == local("2024-10-28 02:30", self.BERLIN)

    def test_the_wall_clock_skips_and_repeats(self) -> None:
        daily = DayInterval(on_times=(time(2, 30),), tz=self.BERLIN, dst="wallclock")
        assert following(daily, local("2024-03-30 12:00", self.BERLIN), 1, self.BERLIN) == ["2024-04-01 02:30"]
        first = local("2024-10-27 02:30", self.BERLIN)
        assert daily.get_next_occurrence(first) == first + timedelta(hours=1)

    def test_the_phase_survives_a_gap(self) -> None:
        other = DayInterval(2, on_times=(time(2, 30),), tz=self.BERLIN)
        assert following(other, local("2024-03-29 02:30", self.BERLIN), 3, self.BERLIN) == [
            "2024-03-31 03:00",
            "2024-04-02 02:30",
            "2024-04-04 02:30",
        ]

    def test_a_day_that_never_was(self) -> None:
        apia = "Pacific/Apia"
        assert following(DayInterval(on_times=NINE, tz=apia), local("2011-12-29 09:00", apia), 2, apia) == [
            "2011-12-31 00:00",  # the 30th, at the end of the gap
            "2011-12-31 09:00",
        ]
        other = DayInterval(2, on_times=NINE, tz=apia)
        assert following(other, local("2011-12-28 09:00", apia), 3, apia) == [
            "2011-12-31 00:00",
            "2012-01-01 09:00",
            "2012-01-03 09:00",
        ]
        wall = DayInterval(on_times=NINE, tz=apia, dst="wallclock")
        assert following(wall, local("2011-12-29 09:00", apia), 1, apia) == ["2011-12-31 09:00"]

    def test_a_repeated_hour_around_midnight_keeps_its_order(self) -> None:
        zone = "America/St_Johns"  # 2010-11-07 00:01 became 23:01 of the day before
        late = DayInterval(on_times=(time(0), time(23, 30)), tz=zone, dst="wallclock")
        assert following(late, local("2010-11-06 23:00", zone), 5, zone) == [
            "2010-11-06 23:30",
            "2010-11-07 00:00",
            "2010-11-06 23:30",
            "2010-11-07 00:00",
            "2010-11-07 23:30",
        ]


@pytest.mark.parametrize(
    ("cls", "fields", "message"),
    [
        (DayInterval, {"interval": -1}, r"interval must be a whole number from 0 to .*got -1"),
        (WeekInterval, {"interval": 0}, r"interval must be a whole number from 1 to .*got 0"),
        (DayInterval, {"interval": 0, "on_times": (time(9),)}, r"got 0; 0 needs on_days$"),
        (WeekInterval, {"interval": 0, "on_times": (time(9),)}, r"got 0; 0 needs on_days$"),
        (MonthInterval, {"interval": 0}, r"got 0; 0 needs on_days or on_months$"),
        (MonthInterval, {"interval": 0, "on_day": 15}, r"got 0; 0 needs on_days or on_months$"),
        (MonthInterval, {"interval": 0, "on_days_of_month": (1, 15)}, r"got 0; 0 needs on_days or on_months$"),
        (DayInterval, {"on_times": ("09:00",)}, r"on_times must be a time of day.*got '09:00'"),
        (DayInterval, {"on_times": (time(9, 0, 0, 1),)}, r"on_times must be a time of day .*in whole seconds"),
        (DayInterval, {"on_times": time(9)}, r"on_times must be a list"),
        (WeekInterval, {"on_days": (7,)}, r"on_days must be a weekday, Monday \(0\) to Sunday \(6\), got 7"),
        (WeekInterval, {"on_days": (True,)}, r"on_days must be a weekday.*got True"),
        (MonthInterval, {"on_day": 0}, r"on_day must be a whole number from 1 to 31.*got 0"),
        (MonthInterval, {"on_day": 32}, r"on_day must be a whole number from 1 to 31.*got 32"),
        (MonthInterval, {"on_months": (13,)}, r"on_months must be a month from 1 \(January\) to 12, got 13"),
        (MonthInterval, {"on_first": "mon"}, r"on_first must be a weekday.*got 'mon'"),
        (DayInterval, {"anchor": "2026"}, r"anchor must be a datetime with a time zone.*got '2026'"),
    ],
)
def test_a_value_out_of_range_is_refused_by_the_name_of_its_field(
    cls: Any, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidRecurrenceError, match=message):
        cls(**fields)


@pytest.mark.parametrize(
    ("cls", "fields"),
    [
        (DayInterval, {"on_days": (MON, FRI)}),
        (WeekInterval, {"on_days": (MON, FRI)}),
        (MonthInterval, {"on_days": (MON, FRI)}),
        (MonthInterval, {"on_day": 15, "on_months": (Month.JANUARY, Month.JULY)}),
        (MonthInterval, {"on_months": (Month.JUNE,)}),
    ],
)
def test_an_interval_of_0_is_every_listed_one(cls: Any, fields: dict[str, Any]) -> None:
    assert cls(0, **fields) == cls(1, **fields)


def test_a_naive_anchor_is_refused() -> None:
    with pytest.raises(NaiveDatetimeError, match="anchor"):
        DayInterval(2, anchor=utc("2026-11-15 00:00").replace(tzinfo=None))


def test_numbers_become_names() -> None:
    numbers: dict[str, Any] = {"on_days": (4, 0), "on_months": [7]}
    assert MonthInterval(**numbers) == MonthInterval(on_days=(MON, FRI), on_months=(Month.JULY,))


def test_a_slot_that_never_comes_ends_in_none() -> None:
    gap_only = MonthInterval(
        on_last=SUN, on_months=(Month.MARCH,), on_times=(time(2, 30),), tz="Europe/Berlin", dst="wallclock"
    )
    assert gap_only.get_next_occurrence(utc("9000-01-01 00:00")) is None
