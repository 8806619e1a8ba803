"""Several triggers as one."""

from datetime import time
from typing import Any

import pytest

from duly.cron import Cron
from duly.errors import InvalidRecurrenceError
from duly.model.calendar import Weekday
from duly.recurrence import (
    AnyOf,
    CronInterval,
    DayInterval,
    MinuteInterval,
    Once,
    RecurringTask,
    WeekInterval,
    any_of,
    every,
    skip_forward,
)
from tests.unit.recurrence.helpers import WEEKEND, WORKING_DAYS, following, utc

EARLY = DayInterval(on_times=(time(8),), on_days=WORKING_DAYS)
LATE = DayInterval(on_times=(time(10),), on_days=WEEKEND)
FRIDAY = utc("2026-11-13 08:00")


def test_the_earliest_comes_first() -> None:
    assert following(AnyOf(EARLY, LATE), FRIDAY, 4) == [
        "2026-11-14 10:00",
        "2026-11-15 10:00",
        "2026-11-16 08:00",
        "2026-11-17 08:00",
    ]


def test_occurrences_at_one_instant_are_one() -> None:
    union = AnyOf(Cron("0 8 * * *"), EARLY, Once(utc("2026-11-16 08:00")))
    assert following(union, FRIDAY, 3) == ["2026-11-14 08:00", "2026-11-15 08:00", "2026-11-16 08:00"]
    assert skip_forward(union, FRIDAY, utc("2026-11-16 08:00")).skipped == 3


def test_a_union_of_unions_is_a_union() -> None:
    assert AnyOf(AnyOf(EARLY, LATE), LATE, AnyOf(EARLY)) == AnyOf(EARLY, LATE)


def test_it_ends_when_all_have_ended() -> None:
    union = AnyOf(Once(FRIDAY), Once(utc("2026-11-14 08:00")))
    assert following(union, utc("2026-11-01 00:00"), 2) == ["2026-11-13 08:00", "2026-11-14 08:00"]
    assert union.get_next_occurrence(utc("2026-11-14 08:00")) is None


def test_elapsed_time_counts_from_the_last_occurrence_of_any_member() -> None:
    union = AnyOf(MinuteInterval(25), Cron("10 * * * *"))
    assert following(union, utc("2026-11-13 08:00"), 4) == [
        "2026-11-13 08:10",
        "2026-11-13 08:35",
        "2026-11-13 09:00",
        "2026-11-13 09:10",
    ]


def test_a_phase_needs_an_anchor_among_others() -> None:
    fortnightly = WeekInterval(2, on_days=(Weekday.MONDAY,), on_times=(time(9),))
    thursday = WeekInterval(on_days=(Weekday.THURSDAY,), on_times=(time(15),))
    assert following(AnyOf(fortnightly), FRIDAY, 2) == ["2026-11-16 09:00", "2026-11-30 09:00"]
    with pytest.raises(
        InvalidRecurrenceError, match=r"every 2 weeks on Monday at 09:00 counts from .*give it an anchor"
    ):
        AnyOf(fortnightly, thursday)
    anchored = WeekInterval(2, on_days=(Weekday.MONDAY,), on_times=(time(9),), anchor=FRIDAY)
    assert following(AnyOf(anchored, thursday), FRIDAY, 4) == [
        "2026-11-19 15:00",
        "2026-11-23 09:00",
        "2026-11-26 15:00",
        "2026-12-03 15:00",
    ]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ((), "AnyOf needs at least one trigger"),
        ((5,), "triggers must be of type Interval or Cron or CronInterval or Once, got 5"),
        ((RecurringTask(run_now=True),), "triggers must be of type Interval"),
    ],
)
def test_members_are_intervals(members: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InvalidRecurrenceError, match=message):
        AnyOf(*members)


def test_any_of_takes_chains() -> None:
    built = any_of(
        every(1).days().on(*WORKING_DAYS).at(8, 0), lambda chain: chain.every(1).days().on(*WEEKEND).at(10, 0)
    )
    assert built == AnyOf(EARLY, LATE)
    assert any_of(lambda chain: chain.cron("0 8 * * *"), LATE) == AnyOf(CronInterval("0 8 * * *"), LATE)


def test_any_of_refuses_chains_with_an_end() -> None:
    with pytest.raises(
        InvalidRecurrenceError, match="any_of takes bare intervals, got every day at 00:00, at most 3 times"
    ):
        any_of(every(1).days().max_runs(3))
