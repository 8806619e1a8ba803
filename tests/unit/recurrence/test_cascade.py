"""Several intervals in one task: every slot of the first gives one occurrence, and phases are kept."""

from bisect import bisect_right
from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from duly.cron import Cron
from duly.errors import InvalidRecurrenceError, TriggerDecodeError
from duly.model.calendar import Weekday
from duly.phrases import describe
from duly.recurrence import (
    DayInterval,
    HourInterval,
    MinuteInterval,
    MonthInterval,
    RecurringTask,
    SecondInterval,
    WeekInterval,
    Window,
    skip_forward,
    trigger_from_dict,
)
from tests.support import tries
from tests.unit.recurrence import oracle
from tests.unit.recurrence.helpers import following, utc
from tests.unit.recurrence.strategies import TIMES, WEEKDAYS, dated, moments, some, zones
from tests.unit.recurrence.test_oracle import walked

START = utc("2026-11-15 10:00")
ANCHOR = utc("2026-11-16 00:00")


class TestPhase:
    def test_every_third_day_stays_every_third_day(self) -> None:
        task = RecurringTask(day_interval=DayInterval(3, anchor=ANCHOR), hour_interval=HourInterval(14))
        assert following(task, START, 3) == ["2026-11-16 14:00", "2026-11-19 14:00", "2026-11-22 14:00"]

    def test_every_second_week_stays_every_second_week(self) -> None:
        task = RecurringTask(
            week_interval=WeekInterval(2, anchor=ANCHOR), day_interval=DayInterval(on_times=(time(9),))
        )
        assert following(task, START, 3) == ["2026-11-16 09:00", "2026-11-30 09:00", "2026-12-14 09:00"]

    @pytest.mark.parametrize(
        "fields",
        [
            {"day_interval": DayInterval(3), "hour_interval": HourInterval(14)},
            {"week_interval": WeekInterval(2), "day_interval": DayInterval()},
            {"week_interval": WeekInterval(), "day_interval": DayInterval(3)},
            {"month_interval": MonthInterval(2), "day_interval": DayInterval()},
            {"month_interval": MonthInterval(2, on_day=15), "hour_interval": HourInterval(9)},
        ],
    )
    def test_a_phase_that_cannot_be_kept_is_refused_with_the_reason(self, fields: dict[str, Any]) -> None:
        with pytest.raises(InvalidRecurrenceError, match=r"every \d .* counts from its own last .*give it an anchor"):
            RecurringTask(**fields)

    def test_a_stored_one_is_refused_with_the_reason_too(self) -> None:
        stored = RecurringTask(day_interval=DayInterval(3, anchor=ANCHOR), hour_interval=HourInterval(14)).to_dict()
        del stored["day_interval"]["anchor"]
        with pytest.raises(TriggerDecodeError, match="every 3 days at 00:00 counts from its own last occurrence"):
            trigger_from_dict(stored)

    def test_cron_wins_over_every_other_interval(self) -> None:
        fields: dict[str, Any] = {"day_interval": DayInterval(3), "hour_interval": HourInterval(14)}
        assert RecurringTask(cron_interval=Cron("0 0 * * *"), **fields).intervals == (Cron("0 0 * * *"),)

    def test_a_month_without_a_day_begins_with_its_series(self) -> None:
        task = RecurringTask(month_interval=MonthInterval(), hour_interval=HourInterval(14)).begun(START)
        assert following(task, START, 2) == ["2026-11-15 14:00", "2026-12-15 14:00"]


class TestSlots:
    def test_a_slot_that_is_moved_past_the_next_one_is_not_lost(self) -> None:
        task = RecurringTask(day_interval=DayInterval(), hour_interval=HourInterval(30))
        assert following(task, START, 3) == ["2026-11-16 06:00", "2026-11-17 06:00", "2026-11-18 06:00"]

    def test_each_of_several_times_gives_its_own(self) -> None:
        times = (time(9), time(14), time(17))
        task = RecurringTask(day_interval=DayInterval(on_times=times), hour_interval=HourInterval(6))
        assert following(task, START, 4) == [
            "2026-11-15 15:00",
            "2026-11-15 20:00",
            "2026-11-15 23:00",
            "2026-11-16 15:00",
        ]

    def test_slots_that_are_moved_to_one_instant_are_one_occurrence(self) -> None:
        mondays = Window(time(9), time(17), frozenset([Weekday.MONDAY]))
        task = RecurringTask(day_interval=DayInterval(), hour_interval=HourInterval(1, window=mondays))
        assert following(task, START, 3) == ["2026-11-16 09:00", "2026-11-23 09:00", "2026-11-30 09:00"]

    def test_elapsed_time_counts_from_the_last_occurrence(self) -> None:
        task = RecurringTask(minute_interval=MinuteInterval(5), second_interval=SecondInterval(5))
        assert following(task, START, 2) == ["2026-11-15 10:05:05", "2026-11-15 10:10:10"]

    def test_a_move_of_a_century_is_found_without_a_walk(self) -> None:
        task = RecurringTask(day_interval=DayInterval(), hour_interval=HourInterval(1_000_000))
        assert following(task, START, 2) == ["2026-11-15 16:00", "2026-11-16 16:00"]
        assert skip_forward(task, START, START + timedelta(days=36_525)).skipped == 36_525


def test_the_description_in_every_language_matches_the_fires() -> None:
    task = RecurringTask(day_interval=DayInterval(3, anchor=ANCHOR), hour_interval=HourInterval(14), max_runs=2)
    words = "every 3 days at 00:00, counted from 2026-11-16 00:00 UTC, each moved on by 14 hours"
    assert task.describe() == f"{words}, at most 2 times"
    assert describe(task, "de") == f"{words}, insgesamt 2 Mal"


# beside brute force

HORIZON = timedelta(days=40)
REACH = timedelta(days=20)
"""No move of the intervals below goes further."""
Move = Callable[[datetime], datetime]

calendar = dated(st.none(), moments(timedelta(days=60))).filter(lambda each: each.has_phase)
listed: dict[str, Any] = {"on_times": some(TIMES), "on_days": some(WEEKDAYS), "tz": zones}
finer: dict[str, st.SearchStrategy[Any]] = {
    "week_interval": st.builds(WeekInterval, **listed),
    "day_interval": st.builds(DayInterval, **listed),
    "hour_interval": st.integers(1, 60).map(HourInterval),
    "minute_interval": st.integers(1, 200).map(lambda count: MinuteInterval(count * 15)),
}
ORDER = ("month_interval", *finer)


@st.composite
def cascades(draw: st.DrawFn) -> RecurringTask:
    """A calendar interval, and one or two that move it on: others of the calendar, or elapsed time."""
    first = draw(calendar)
    kinds = draw(st.lists(st.sampled_from(ORDER[ORDER.index(first.KIND) + 1 :]), min_size=1, max_size=2, unique=True))
    return RecurringTask(**{first.KIND: first}, **{kind: draw(finer[kind]) for kind in kinds})


def by_hand(interval: Any, base: datetime, end: datetime) -> Move | None:
    """How an interval moves instants between two others, found by walking real time; None where it is ambiguous."""
    if isinstance(interval, HourInterval | MinuteInterval):
        step = timedelta(seconds=interval.interval * interval.SECONDS)
        return lambda instant: instant + step
    slots = oracle.series(interval, base, end)
    return None if slots is None else lambda instant: slots[bisect_right(slots, instant)]


@settings(deadline=None, max_examples=tries(60))
@given(cascades(), moments())
@example(RecurringTask(day_interval=DayInterval(3, anchor=ANCHOR), hour_interval=HourInterval(14)), START)
def test_every_slot_in_phase_is_moved_and_no_other(task: RecurringTask, base: datetime) -> None:
    first, *others = task.intervals
    assert isinstance(first, DayInterval | WeekInterval | MonthInterval)
    end = base + HORIZON
    slots = oracle.series(first, base - REACH, end)
    moves = [by_hand(each, base - REACH, end + 2 * REACH) for each in others]
    assume(slots is not None and None not in moves)
    assert slots is not None
    expected = set()
    for instant in slots:
        for move in moves:
            assert move is not None
            instant = move(instant)  # each moves on what the one before it gave
        expected.add(instant)
    assert walked(task, base, end) == sorted(instant for instant in expected if base < instant <= end)
