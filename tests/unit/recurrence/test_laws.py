"""Laws that hold for every trigger, from every moment."""

import copy
import pickle
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.errors import NaiveDatetimeError
from duly.model.trigger import Trigger
from duly.recurrence import SkipForward, skip_forward
from tests.support import tries
from tests.unit.recurrence.strategies import elapsed, intervals, moments, tasks, triggers, unions, windows

FAR = timedelta(days=8)


def iterated(trigger: Trigger, scheduled: datetime, now: datetime) -> SkipForward | None:
    """What `skip_forward` promises, the long way; None when that would take too long."""
    skipped = 0
    last = None
    current = scheduled
    while (upcoming := trigger.get_next_occurrence(current)) is not None and upcoming <= now:
        skipped = skipped + 1
        last = upcoming
        current = upcoming
        if skipped > 3000:
            return None
    return SkipForward(upcoming, skipped, last)


@settings(deadline=None)
@given(triggers, moments())
def test_occurrences_are_in_utc_and_rise(trigger: Trigger, current: datetime) -> None:
    for _ in range(6):
        following = trigger.get_next_occurrence(current)
        if following is None:
            break
        assert following > current
        assert following.tzinfo is UTC
        current = following


@settings(deadline=None)
@given(triggers, moments(), st.integers(-23, 23))
def test_only_the_instant_counts_not_its_zone(trigger: Trigger, current: datetime, hours: int) -> None:
    elsewhere = current.astimezone(timezone(timedelta(hours=hours)))
    assert trigger.get_next_occurrence(elsewhere) == trigger.get_next_occurrence(current)


@settings(deadline=None)
@given(triggers)
def test_a_naive_datetime_names_no_instant(trigger: Trigger) -> None:
    with pytest.raises(NaiveDatetimeError):
        trigger.get_next_occurrence(datetime(2026, 11, 15, 10))  # noqa: DTZ001


@settings(deadline=None)
@given(intervals.filter(lambda each: each.fixed_slots), moments(), st.integers(1, 10_000))
def test_fixed_slots_do_not_depend_on_where_one_asks(interval: Any, current: datetime, seconds: int) -> None:
    slot = interval.get_next_occurrence(current)
    if slot is not None and current + timedelta(seconds=seconds) < slot:
        assert interval.get_next_occurrence(current + timedelta(seconds=seconds)) == slot


@settings(deadline=None)
@given(triggers, st.integers(0, 400_000), st.sampled_from([-12, 0, 14]))
def test_the_calendar_ends_quietly(trigger: Trigger, seconds: int, hours: int) -> None:
    last = datetime.max.replace(tzinfo=timezone(timedelta(hours=hours)))
    current: datetime | None = last - timedelta(seconds=seconds)
    for _ in range(5):
        current = None if current is None else trigger.get_next_occurrence(current)
    skip_forward(trigger, last - timedelta(seconds=seconds), last)


@settings(deadline=None)
@given(triggers, st.integers(0, 400_000), st.sampled_from([-12, 0, 14]))
def test_the_calendar_begins_quietly(trigger: Trigger, seconds: int, hours: int) -> None:
    first = datetime.min.replace(tzinfo=timezone(timedelta(hours=hours)))
    trigger.get_next_occurrence(first + timedelta(seconds=seconds))


@settings(deadline=None, max_examples=tries(250))
@given(
    st.one_of(triggers, tasks(), unions(), elapsed(windows()), intervals),
    moments(),
    st.timedeltas(timedelta(hours=-1), FAR) | st.timedeltas(timedelta(0), timedelta(days=300)),
    st.booleans(),
)
def test_skipping_is_walking(trigger: Trigger, scheduled: datetime, ahead: timedelta, from_a_slot: bool) -> None:
    if from_a_slot:
        scheduled = trigger.get_next_occurrence(scheduled) or scheduled
    expected = iterated(trigger, scheduled, scheduled + ahead)
    if expected is not None:
        assert skip_forward(trigger, scheduled, scheduled + ahead) == expected


@settings(deadline=None)
@given(triggers, moments(), st.timedeltas(timedelta(0), timedelta(days=2000)), st.integers(0, 100))
def test_skipping_in_two_strides_is_skipping_once(
    trigger: Trigger, scheduled: datetime, ahead: timedelta, percent: int
) -> None:
    whole = skip_forward(trigger, scheduled, scheduled + ahead)
    first = skip_forward(trigger, scheduled, scheduled + ahead * percent / 100)
    second = skip_forward(trigger, first.last_missed or scheduled, scheduled + ahead)
    assert second.next_run == whole.next_run
    assert first.skipped + second.skipped == whole.skipped
    assert (second.last_missed or first.last_missed) == whole.last_missed


@settings(deadline=None)
@given(triggers)
def test_triggers_are_values(trigger: Any) -> None:
    assert pickle.loads(pickle.dumps(trigger)) == trigger  # noqa: S301
    assert copy.deepcopy(trigger) == trigger
    assert hash(copy.copy(trigger)) == hash(trigger)
    with pytest.raises((AttributeError, TypeError)):  # TypeError: how a slotted dataclass refuses a new attribute
        trigger.interval = 2
