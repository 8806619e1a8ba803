"""Months without a day take it from the beginning of their series, once and for all."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.errors import InvalidRecurrenceError, NaiveDatetimeError
from duly.model.calendar import Month, Weekday
from duly.model.trigger import Trigger
from duly.recurrence import (
    AnyOf,
    DayInterval,
    MonthInterval,
    RecurringTask,
    any_of,
    begun,
    every,
    first_run,
    is_same_series,
    run_at,
    run_delayed,
    run_now,
    trigger_from_dict,
)
from duly.service.schedules.preview import preview
from tests.unit.recurrence.helpers import following, utc
from tests.unit.recurrence.strategies import moments, open_months, triggers

JANUARY_15 = utc("2026-01-15 10:00")
OLD_MONTH: dict[str, Any] = {
    "v": 1,
    "kind": "month_interval",
    "interval": 1,
    "tz": "UTC",
    "dst": "once",
    "on_days_of_month": [],
    "on_days": [],
    "on_times": [],
    "on_months": [],
}
"""The JSON that the first release wrote for `MonthInterval()`."""


def days(trigger: Trigger, made: datetime, count: int = 4) -> list[str]:
    """The days of the first fires of a series that is made at a moment."""
    return [f"{fire:%Y-%m-%d}" for fire in preview(trigger, made, count)]


def test_the_moment_it_is_made_gives_the_day_and_the_phase() -> None:
    assert days(every(2).months(), JANUARY_15) == ["2026-03-15", "2026-05-15", "2026-07-15", "2026-09-15"]


def test_run_now_begins_the_series() -> None:
    assert days(run_now().then().every(2).months(), JANUARY_15) == [
        "2026-01-15",
        "2026-03-15",
        "2026-05-15",
        "2026-07-15",
    ]


def test_run_at_begins_the_series() -> None:
    chain = run_at(utc("2026-02-20 09:00")).then().every(2).months()
    assert days(chain, JANUARY_15, 3) == ["2026-02-20", "2026-04-20", "2026-06-20"]


def test_a_delayed_first_run_begins_the_series() -> None:
    chain = run_delayed(timedelta(days=3)).then().every(1).months()
    assert days(chain, JANUARY_15, 3) == ["2026-01-18", "2026-02-18", "2026-03-18"]


def test_the_31st_is_clamped_and_does_not_drift() -> None:
    made = utc("2026-01-31 10:00")
    assert days(every(1).months(), made) == ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]


def test_a_leap_day_comes_back_every_year() -> None:
    made = utc("2024-02-29 10:00")
    assert days(every(12).months(), made) == ["2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"]


def test_the_day_is_that_of_the_wall_clock() -> None:
    tokyo = every(1).months().in_timezone("Asia/Tokyo")
    began = begun(tokyo, utc("2026-01-15 20:00"))
    assert following(began, utc("2026-01-15 20:00"), 1, "Asia/Tokyo") == ["2026-02-16 00:00"]


def test_listed_months_begin_the_phase() -> None:
    assert days(every(12).months().in_months(Month.JUNE), JANUARY_15, 2) == ["2026-06-15", "2027-06-15"]


def test_an_anchor_gives_the_phase_and_the_beginning_the_day() -> None:
    chain = every(2).months().counting_from(utc("2025-12-01 00:00"))
    assert days(chain, JANUARY_15, 2) == ["2026-02-15", "2026-04-15"]


def test_days_and_weeks_take_nothing_from_their_beginning() -> None:
    for chain in (every(2).days(), every(2).weeks(), every(1).months().on_day(3)):
        assert begun(chain, JANUARY_15) == chain.build()
    assert days(every(1).days(), JANUARY_15, 1) == ["2026-01-16"]
    assert days(every(1).weeks(), JANUARY_15, 1) == ["2026-01-19"]


def test_the_first_run_is_that_of_the_series() -> None:
    assert first_run(every(2).months(), JANUARY_15) == utc("2026-03-15 00:00")


def test_a_union_of_one_begins_too() -> None:
    assert days(any_of(every(2).months()), JANUARY_15, 2) == ["2026-03-15", "2026-05-15"]
    assert days(RecurringTask(any_of=AnyOf(MonthInterval(2))), JANUARY_15, 1) == ["2026-03-15"]


def test_among_others_a_month_names_its_day() -> None:
    daily = DayInterval(on_times=(time(9),))
    with pytest.raises(InvalidRecurrenceError, match=r"every month on its starting day .*: name its day$"):
        AnyOf(MonthInterval(), daily)
    with pytest.raises(InvalidRecurrenceError, match="name its day and give it an anchor"):
        AnyOf(MonthInterval(2), daily)
    assert AnyOf(MonthInterval(start=date(2026, 1, 15)), daily).fixed_slots


def test_a_day_and_a_beginning_contradict_each_other() -> None:
    with pytest.raises(InvalidRecurrenceError, match="got on_first and start"):
        MonthInterval(on_first=Weekday.MONDAY, start=date(2026, 1, 15))


@pytest.mark.parametrize("start", ["today", 15, datetime(2026, 1, 15, tzinfo=UTC)])
def test_a_beginning_is_a_date(start: Any) -> None:
    with pytest.raises(InvalidRecurrenceError, match="start must be the date on which the series began"):
        MonthInterval(start=start)


def test_a_series_begins_at_an_instant() -> None:
    with pytest.raises(NaiveDatetimeError, match="now"):
        begun(MonthInterval(), JANUARY_15.replace(tzinfo=None))


@pytest.mark.parametrize(
    ("trigger", "words"),
    [
        (MonthInterval(), "every month on its starting day at 00:00"),
        (MonthInterval(start=date(2026, 1, 15)), "every month on the 15th at 00:00"),
        (MonthInterval(2, start=date(2026, 1, 15)), "every 2 months on the 15th at 00:00, counted from 2026-01-15"),
        (MonthInterval(start=None), "every month on the 1st at 00:00"),
        (MonthInterval(on_months=(Month.JUNE,)), "on its starting day of June at 00:00"),
    ],
)
def test_words(trigger: Trigger, words: str) -> None:
    assert trigger.describe() == words


class TestStoredBefore:
    def test_a_month_without_a_day_keeps_the_first(self) -> None:
        old = trigger_from_dict(OLD_MONTH)
        assert following(old, JANUARY_15, 2) == ["2026-02-01 00:00", "2026-03-01 00:00"]
        assert old.describe() == "every month on the 1st at 00:00"
        assert begun(old, JANUARY_15) == old
        assert old.to_dict() == OLD_MONTH

    def test_every_second_month_counts_from_its_last_run_as_it_did(self) -> None:
        old = trigger_from_dict({**OLD_MONTH, "interval": 2})
        assert following(old, JANUARY_15, 2) == ["2026-02-01 00:00", "2026-04-01 00:00"]

    def test_a_union_keeps_its_month(self) -> None:
        daily = DayInterval(on_times=(time(9),)).to_dict()
        old = trigger_from_dict({"v": 1, "kind": "any_of", "triggers": [OLD_MONTH, daily]})
        assert following(old, utc("2026-01-31 10:00"), 2) == ["2026-02-01 00:00", "2026-02-01 09:00"]

    def test_it_is_the_same_series_as_the_one_a_program_says_again(self) -> None:
        assert is_same_series(trigger_from_dict(OLD_MONTH), begun(MonthInterval(), JANUARY_15))
        assert not is_same_series(trigger_from_dict(OLD_MONTH), MonthInterval(on_day=1))


def test_a_series_is_the_same_whenever_it_began() -> None:
    chain = run_now().then().every(2).months().at(9, 0)
    first = begun(chain, JANUARY_15)
    second = begun(chain, utc("2026-02-20 08:00"))
    assert first != second
    assert is_same_series(first, second)
    assert not is_same_series(first, begun(every(3).months().at(9, 0), JANUARY_15))


@settings(deadline=None)
@given(open_months(st.none(), st.none()), moments())
def test_an_open_interval_asked_once_is_a_series_that_begins_there(interval: MonthInterval, now: datetime) -> None:
    assert interval.get_next_occurrence(now) == interval.begun(now).get_next_occurrence(now)


@settings(deadline=None)
@given(triggers, moments(), moments())
def test_a_series_begins_once(trigger: Any, now: datetime, later: datetime) -> None:
    began = begun(trigger, now)
    assert begun(began, later) == began
    assert is_same_series(began, trigger)
    assert trigger_from_dict(began.to_dict()) == began
