"""The laws of a pause with an end: nothing comes within it, and a resume brings back what it put off."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from duly import Cron
from duly.model.policy import Policy
from duly.model.trigger import Trigger
from duly.ports.codec import encode_policy, encode_trigger
from duly.ports.records import StoredSchedule
from duly.recurrence import Once
from duly.recurrence.early import Early
from duly.service.chat.pausing import PauseEnd, brought_back, is_paused, own_time, put_off
from tests.support import tries

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)

hours = st.integers(1, 400).map(lambda count: count * HOUR)
series = st.builds(lambda hour, days: Cron(f"0 {hour} * * {days}"), st.integers(0, 23), st.sampled_from("*15"))
bases = st.one_of(hours.map(lambda ahead: Once(NOW + ahead)), series)
triggers = st.builds(
    lambda base, leads: Early(base, tuple(leads)) if leads else base, bases, st.lists(hours, max_size=2, unique=True)
)


def _row(trigger: Trigger) -> StoredSchedule:
    first = trigger.get_next_occurrence(NOW)
    return StoredSchedule(
        id="sched_a",
        namespace="user",
        name="pill",
        trigger=encode_trigger(trigger),
        action="{}",
        policy=encode_policy(Policy()),
        handler="message",
        next_fire_at=first,
        next_run_at=first,
        created_at=NOW,
        updated_at=NOW,
    )


@settings(max_examples=tries(60))
@given(triggers, hours, st.integers(0, 9).map(lambda count: count * HOUR))
def test_nothing_comes_within_a_pause_and_a_resume_brings_it_back(
    trigger: Trigger, ahead: timedelta, morning: timedelta
) -> None:
    row = _row(trigger)
    end = PauseEnd(at=NOW + ahead + morning, day=NOW + ahead)
    paused = put_off(row, NOW, end)
    assert not is_paused(row, NOW)
    assert row.next_fire_at is not None
    if paused is None:
        assert row.next_fire_at >= end.day
        return
    assert row.next_fire_at < end.day
    assert paused.next_fire_at is not None
    assert paused.next_fire_at >= end.day
    assert is_paused(paused, NOW)
    own = own_time(paused)
    assert own is not None
    assert own >= paused.next_fire_at
    back = brought_back(paused, NOW)
    assert back is not None
    assert (back.trigger, back.next_fire_at, back.enabled) == (row.trigger, row.next_fire_at, True)
