"""Catch-up: tables for the rules, and a slow walk through all instants to compare them with."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.cron import Cron
from duly.model.policy import CatchUp, Policy
from duly.model.trigger import Trigger
from duly.planning.due import Decision, Missed, decide
from duly.recurrence import AnyOf, DayInterval, HourInterval, MinuteInterval, MonthInterval, Once, SecondInterval
from tests.support import tries

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOURLY = Cron("0 * * * *")
ONCE, SKIP = Policy(), Policy(catch_up=CatchUp.SKIP)
WINDOW = Policy(catch_up_window=timedelta(hours=3))
NO_STAGGER = timedelta(0)


def hours(count: float) -> timedelta:
    return timedelta(hours=count)


def ask(
    policy: Policy, now: datetime, trigger: Trigger = HOURLY, stagger: float = 0, until_at: datetime | None = None
) -> Decision:
    """What to do about a schedule whose next fire is at noon."""
    wait = timedelta(seconds=stagger)
    return decide(trigger, policy, next_fire_at=NOON, stagger=wait, now=now, until_at=until_at)


def test_nothing_is_due_before_its_time() -> None:
    assert ask(ONCE, NOON - timedelta(microseconds=1)) == Decision(None, None, None, NOON)


@pytest.mark.parametrize("policy", [ONCE, SKIP, WINDOW])
@pytest.mark.parametrize("late", [0, 0.000001, 59.9, 60])
def test_a_fire_on_time_is_carried_out_under_every_policy(policy: Policy, late: float) -> None:
    now = NOON + timedelta(seconds=late)
    assert ask(policy, now) == Decision(NOON, None, NOON, NOON + hours(1))


@pytest.mark.parametrize(
    ("policy", "late", "fires"),
    [
        (ONCE, 61, True),
        (ONCE, 3599, True),
        (SKIP, 60, True),
        (SKIP, 60.000001, False),
        (Policy(catch_up=CatchUp.SKIP, misfire_grace=timedelta(0)), 0, True),
        (Policy(catch_up=CatchUp.SKIP, misfire_grace=timedelta(0)), 0.000001, False),
        (Policy(catch_up=CatchUp.SKIP, misfire_grace=timedelta(minutes=30)), 1800, True),
        (Policy(catch_up=CatchUp.SKIP, misfire_grace=timedelta(minutes=30)), 1801, False),
        (Policy(catch_up_window=timedelta(seconds=90)), 90, True),
        (Policy(catch_up_window=timedelta(seconds=90)), 90.000001, False),
        (Policy(catch_up_window=timedelta(seconds=30)), 45, True),  # within the grace nothing is asked
        # the window is for catching up; without that it changes nothing
        (Policy(catch_up=CatchUp.SKIP, catch_up_window=timedelta(hours=9)), 61, False),
    ],
)
def test_beyond_the_grace_catch_up_decides(policy: Policy, late: float, fires: bool) -> None:
    decided = ask(policy, NOON + timedelta(seconds=late))
    assert (decided.fire_at is not None) == fires
    assert (decided.missed is None) == fires
    assert (decided.watermark, decided.next_fire_at) == (NOON, NOON + hours(1))


def test_of_many_missed_fires_only_the_latest_is_carried_out() -> None:
    decided = ask(ONCE, NOON + hours(5.5))
    assert decided.fire_at == decided.watermark == NOON + hours(5)
    assert decided.next_fire_at == NOON + hours(6)
    assert decided.missed == Missed(5, NOON, NOON + hours(4), "missed: only the latest is made up")


def test_of_two_missed_fires_one_is_missed_and_one_carried_out() -> None:
    decided = ask(ONCE, NOON + hours(1.5))
    assert decided.fire_at == NOON + hours(1)
    assert decided.missed == Missed(1, NOON, NOON, "missed: only the latest is made up")


def test_all_are_missed_when_catch_up_is_skip() -> None:
    decided = ask(SKIP, NOON + hours(5.5))
    assert decided.fire_at is None
    assert decided.missed == Missed(6, NOON, NOON + hours(5), "missed, 1800 s late: catch_up is skip")
    assert (decided.watermark, decided.next_fire_at) == (NOON + hours(5), NOON + hours(6))


def test_the_latest_is_on_time_although_those_before_were_missed() -> None:
    decided = ask(SKIP, NOON + hours(5) + timedelta(seconds=10))
    assert decided.fire_at == NOON + hours(5)
    assert decided.missed is not None
    assert (decided.missed.count, decided.missed.last_at) == (5, NOON + hours(4))


def test_the_window_is_measured_from_the_latest_missed_fire() -> None:
    daily = Cron("0 12 * * *")
    inside, outside = ask(WINDOW, NOON + hours(24 + 3), daily), ask(WINDOW, NOON + hours(24 + 3.001), daily)
    assert inside.fire_at == NOON + hours(24)
    assert outside.fire_at is None
    assert outside.missed is not None
    assert (outside.missed.count, outside.missed.first_at, outside.missed.last_at) == (2, NOON, NOON + hours(24))
    assert "catch_up_window 3:00:00" in outside.missed.reason
    assert outside.next_fire_at == NOON + hours(48)


@pytest.mark.parametrize(
    ("until", "now", "fire", "following"),
    [
        (1, 0, 0, 1),  # the boundary itself still happens
        (1, 1, 1, None),
        (1, 9, 1, None),  # due before the end, made up after it
        (0, 0, 0, None),
        (0.5, 0, 0, None),
        (-1, 5, None, None),  # the end was drawn before the next fire
        (-1, -2, None, None),
    ],
)
def test_until_is_inclusive_and_bounds_the_nominal_time_only(
    until: float, now: float, fire: float | None, following: float | None
) -> None:
    decided = ask(ONCE, NOON + hours(now), until_at=NOON + hours(until))
    assert decided.fire_at == (None if fire is None else NOON + hours(fire))
    assert decided.next_fire_at == (None if following is None else NOON + hours(following))


def test_fires_missed_before_until_at_are_recorded() -> None:
    decided = ask(SKIP, NOON + hours(99), until_at=NOON + hours(2.5))
    assert decided.missed is not None
    assert (decided.missed.count, decided.missed.last_at, decided.next_fire_at) == (3, NOON + hours(2), None)


def test_before_its_time_a_schedule_stays_as_it_is_when_the_end_is_not_reached() -> None:
    assert ask(ONCE, NOON - hours(1), until_at=NOON).next_fire_at == NOON


@pytest.mark.parametrize(("late", "fires"), [(299.999, False), (300, True), (360, True), (361, False)])
def test_the_stagger_delays_dispatch_and_does_not_make_anything_late(late: float, fires: bool) -> None:
    decided = ask(SKIP, NOON + timedelta(seconds=late), stagger=300)
    assert (decided.fire_at == NOON) == fires
    assert (decided.missed is not None) == (late > 360)


def test_a_staggered_fire_is_not_passed_over_before_its_turn() -> None:
    """With fifty minutes of stagger, at 13:10 noon has been dispatched for twenty minutes and one o'clock not yet."""
    decided = ask(ONCE, NOON + hours(1) + timedelta(minutes=10), stagger=3000)
    assert (decided.fire_at, decided.missed, decided.next_fire_at) == (NOON, None, NOON + hours(1))


def test_a_one_shot_is_over_afterwards() -> None:
    shot = Once(NOON)
    assert ask(ONCE, NOON, shot) == Decision(NOON, None, NOON, None)
    assert ask(ONCE, NOON + timedelta(days=999), shot).fire_at == NOON
    late = ask(SKIP, NOON + timedelta(days=999), shot)
    assert late.missed is not None
    assert (late.missed.count, late.next_fire_at) == (1, None)


def test_the_next_fire_comes_from_the_scheduled_time_not_from_now() -> None:
    decided = ask(ONCE, NOON + timedelta(seconds=7), MinuteInterval(5))
    assert decided.next_fire_at == NOON + timedelta(minutes=5)


@pytest.mark.parametrize(
    "trigger",
    [
        Cron("* * * * *"),
        Cron("*/5 9-17 * * mon-fri", tz="America/New_York"),
        Cron("30 2 29 2 *", tz="Europe/Berlin"),
        SecondInterval(1),
        MinuteInterval(7, tz="Europe/London"),
        HourInterval(5),
        DayInterval(3),
        MonthInterval(1, on_day=31),
        Once(NOON),
    ],
    ids=lambda trigger: trigger.describe(),
)
@pytest.mark.parametrize("policy", [ONCE, SKIP], ids=["once", "skip"])
def test_a_jump_to_the_year_2200_is_counted_not_walked(trigger: Trigger, policy: Policy) -> None:
    now = datetime(2200, 1, 1, tzinfo=UTC)
    began = time.process_time()
    decided = ask(policy, now, trigger)
    assert time.process_time() - began < 2
    assert decided.watermark is not None
    assert NOON <= decided.watermark <= now
    assert decided.next_fire_at is None or decided.next_fire_at > now
    if isinstance(trigger, SecondInterval):
        assert decided.missed is None or decided.missed.count == int((now - NOON).total_seconds())


triggers = st.one_of(
    st.sampled_from(["* * * * *", "*/7 * * * *", "0 */3 * * *", "30 2 * * *", "15 4 1 * *", "0 0 * * sun"]).map(Cron),
    st.sampled_from(["30 2 * * *", "*/30 * * * *"]).map(lambda text: Cron(text, tz="Europe/Berlin")),
    st.integers(1, 5000).map(SecondInterval),
    st.integers(1, 500).map(MinuteInterval),
    st.integers(1, 30).map(HourInterval),
    st.integers(1, 9).map(lambda count: DayInterval(count, anchor=NOON)),
    st.integers(0, 86400).map(lambda seconds: Once(NOON + timedelta(seconds=seconds))),
    st.tuples(st.integers(20, 500), st.integers(20, 500)).map(lambda two: AnyOf(*map(MinuteInterval, two))),
)
policies = st.builds(
    Policy,
    catch_up=st.sampled_from(CatchUp),
    catch_up_window=st.none() | st.integers(1, 100_000).map(lambda seconds: timedelta(seconds=seconds)),
    misfire_grace=st.integers(0, 10_000).map(lambda seconds: timedelta(seconds=seconds)),
)
steps = st.lists(st.integers(0, 200_000), min_size=1, max_size=8)
ends = st.none() | st.integers(0, 1_000_000)


def walk(trigger: Trigger, first: datetime, until: datetime) -> list[datetime]:
    """Every occurrence from the first on, one by one."""
    found: list[datetime] = []
    upcoming: datetime | None = first
    while upcoming is not None and upcoming <= until and len(found) < 3000:
        found.append(upcoming)
        upcoming = trigger.get_next_occurrence(upcoming)
    return found


@settings(deadline=None, max_examples=tries(150))
@given(
    trigger=triggers, policy=policies, steps=steps, stagger=st.integers(0, 4000), end=st.none() | st.integers(0, 10**6)
)
def test_every_nominal_time_is_accounted_for_exactly_once(
    trigger: Trigger, policy: Policy, steps: list[int], stagger: int, end: int | None
) -> None:
    first = trigger.get_next_occurrence(NOON)
    if first is None:
        return
    until_at = None if end is None else NOON + timedelta(seconds=end)
    delay = timedelta(seconds=stagger)
    now, next_fire_at = NOON, first
    for step in steps:
        now += timedelta(seconds=step)
        decided = decide(trigger, policy, next_fire_at=next_fire_at, stagger=delay, now=now, until_at=until_at)
        bound = now - delay if until_at is None else min(now - delay, until_at)
        due = walk(trigger, next_fire_at, bound)
        if len(due) >= 3000:
            return
        _check(decided, due)
        if due:
            next_after = trigger.get_next_occurrence(due[-1])
            in_bounds = next_after is not None and (until_at is None or next_after <= until_at)
            assert decided.next_fire_at == (next_after if in_bounds else None)
        if decided.next_fire_at is None:
            return
        assert decided.next_fire_at > bound
        next_fire_at = decided.next_fire_at


def _check(decided: Decision, due: list[datetime]) -> None:
    made_up = [] if decided.fire_at is None else [decided.fire_at]
    passed = due[: len(due) - len(made_up)]
    assert due[len(passed) :] == made_up
    assert decided.watermark == (due[-1] if due else None)
    if not passed:
        assert decided.missed is None
    else:
        assert decided.missed is not None
        assert decided.missed.reason
        assert (decided.missed.count, decided.missed.first_at, decided.missed.last_at) == (
            len(passed),
            passed[0],
            passed[-1],
        )
