"""A due schedule becomes runs: overlap, limits, stagger and the next fire."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.cron import Cron
from duly.model.policy import CatchUp, Overlap, Policy, Retry
from duly.model.run import Status
from duly.planning.fire import FirePlan, Situation, dispatch_at, holds_until, plan_fire
from duly.planning.overlap import stands_in_line
from duly.recurrence import Once

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
HOURLY = Cron("0 * * * *")
QUEUE = Policy(overlap=Overlap.QUEUE, queue_limit=2)
REPLACING = Policy(retry=Retry(superseded=True))


def plan(policy: Policy, late: timedelta = timedelta(0), **fields: Any) -> FirePlan:
    """A plan for a schedule that fires at noon, on the hour."""
    values: dict[str, Any] = {
        "next_fire_at": NOON,
        "next_run_at": NOON,
        "until_at": None,
        "max_runs": None,
        "fires": 0,
        "running": 0,
        "retrying": 0,
        "waiting": 0,
    }
    return plan_fire(HOURLY, policy, NOON + late, Situation(**{**values, **fields}))


def test_a_fire_becomes_a_pending_run_and_the_schedule_moves_on() -> None:
    made = plan(Policy())
    assert (made.fire_at, made.due_at, made.status, made.reason) == (NOON, NOON, Status.PENDING, None)
    assert (made.missed, made.supersede, made.fires) == (None, False, 1)
    assert (made.watermark, made.next_fire_at, made.next_run_at) == (NOON, NOON + HOUR, NOON + HOUR)


@pytest.mark.parametrize(
    ("policy", "running", "waiting", "status"),
    [
        (Policy(), 1, 0, Status.SKIPPED),
        (QUEUE, 0, 0, Status.PENDING),
        (QUEUE, 1, 0, Status.WAITING),
        (QUEUE, 1, 1, Status.WAITING),
        (QUEUE, 1, 2, Status.SKIPPED),
        (Policy(overlap=Overlap.PARALLEL), 99, 0, Status.PENDING),
    ],
)
def test_overlap_decides_the_status(policy: Policy, running: int, waiting: int, status: Status) -> None:
    made = plan(policy, running=running, waiting=waiting)
    assert (made.status, made.fire_at) == (status, NOON)
    assert (made.reason is not None) == (status is Status.SKIPPED)
    assert made.fires == (status is not Status.SKIPPED)
    assert made.next_fire_at == NOON + HOUR


@pytest.mark.parametrize(
    ("max_runs", "fires", "running", "goes_on"),
    [(None, 10**6, 0, True), (3, 0, 0, True), (3, 1, 0, True), (3, 2, 0, False), (1, 0, 0, False), (3, 2, 1, True)],
)
def test_a_series_ends_with_its_last_run_and_a_skipped_fire_is_no_run(
    max_runs: int | None, fires: int, running: int, goes_on: bool
) -> None:
    made = plan(Policy(), max_runs=max_runs, fires=fires, running=running)
    assert (made.next_fire_at is not None) == (made.next_run_at is not None) == goes_on


def test_missed_fires_do_not_count_as_runs() -> None:
    made = plan(Policy(catch_up=CatchUp.SKIP), timedelta(minutes=5), max_runs=1)
    assert made.missed is not None
    assert (made.fire_at, made.due_at, made.fires, made.next_fire_at) == (None, None, 0, NOON + HOUR)


def test_a_late_schedule_records_missed_fires_and_carries_out_the_latest() -> None:
    made = plan(Policy(), 3 * HOUR + timedelta(minutes=5))
    assert made.missed is not None
    assert (made.missed.count, made.fire_at, made.fires) == (3, NOON + 3 * HOUR, 1)


@pytest.mark.parametrize(
    ("policy", "running", "retrying", "status", "supersede"),
    [
        (REPLACING, 1, 1, Status.PENDING, True),
        (REPLACING, 1, 0, Status.SKIPPED, False),
        (REPLACING, 2, 1, Status.SKIPPED, False),  # another one is really running; what is skipped replaces nothing
        (REPLACING, 0, 0, Status.PENDING, False),
        (Policy(), 1, 1, Status.SKIPPED, False),
    ],
)
def test_a_retry_gives_way_to_the_next_fire_only_when_told_to(
    policy: Policy, running: int, retrying: int, status: Status, supersede: bool
) -> None:
    made = plan(policy, running=running, retrying=retrying)
    assert (made.status, made.supersede) == (status, supersede)


@pytest.mark.parametrize(
    ("running", "retrying", "waiting", "status"),
    [
        (1, 1, 0, Status.PENDING),
        (1, 1, 1, Status.WAITING),  # the first in line comes forward, and the fire stands behind it
        (1, 1, 2, Status.WAITING),  # which makes room in a line that was full
        (1, 1, 3, Status.SKIPPED),
        (1, 0, 2, Status.SKIPPED),
    ],
)
def test_the_place_of_a_replaced_run_goes_to_the_first_in_line(
    running: int, retrying: int, waiting: int, status: Status
) -> None:
    policy = replace(QUEUE, retry=Retry(superseded=True))
    made = plan(policy, running=running, retrying=retrying, waiting=waiting)
    replaces = retrying > 0 and status is not Status.SKIPPED
    assert (made.status, made.supersede, made.come_forward) == (status, replaces, min(waiting, 1) if replaces else 0)


def test_a_place_beyond_the_present_limit_stays_free() -> None:
    policy = replace(QUEUE, retry=Retry(superseded=True))  # two at once, from when that was allowed
    made = plan(policy, running=2, retrying=1, waiting=1)
    assert (made.status, made.supersede, made.come_forward) == (Status.WAITING, True, 0)


def test_nothing_is_replaced_when_nothing_fires() -> None:
    late = timedelta(minutes=5)
    policy = Policy(catch_up=CatchUp.SKIP, retry=Retry(superseded=True))
    assert not plan(policy, late, running=1, retrying=1).supersede
    assert not plan(REPLACING, -late, running=1, retrying=1).supersede


def test_before_its_time_nothing_changes() -> None:
    made = plan(Policy(), -timedelta(seconds=1))
    assert (made.fire_at, made.missed, made.fires, made.watermark, made.next_fire_at) == (None, None, 0, None, NOON)


def test_the_end_of_the_series() -> None:
    made = plan(Policy(), until_at=NOON)
    assert (made.fire_at, made.next_fire_at, made.next_run_at) == (NOON, None, None)


def test_the_stagger_is_part_of_the_dispatch_and_not_of_the_fire() -> None:
    policy = Policy(stagger_key="team", max_stagger_seconds=900)
    next_run_at = dispatch_at(HOURLY, policy, NOON)
    assert next_run_at is not None
    assert timedelta(0) < next_run_at - NOON <= timedelta(seconds=900)
    early = plan(policy, next_run_at - NOON - timedelta(seconds=1), next_run_at=next_run_at)
    assert early.fire_at is None
    made = plan(policy, next_run_at - NOON, next_run_at=next_run_at)
    assert (made.fire_at, made.due_at) == (NOON, next_run_at)
    assert (made.next_fire_at, made.next_run_at) == (NOON + HOUR, next_run_at + HOUR)


@given(key=st.text(min_size=1), cap=st.integers(0, 10_000))
def test_a_stagger_stays_below_its_cap_and_its_cadence(key: str, cap: int) -> None:
    policy = Policy(stagger_key=key, max_stagger_seconds=cap)
    at = dispatch_at(HOURLY, policy, NOON)
    assert at is not None
    assert timedelta(0) <= at - NOON <= timedelta(seconds=min(cap, 3599))
    assert at == dispatch_at(HOURLY, policy, NOON)


@given(key=st.text(min_size=1), seconds=st.integers(0, 1000))
def test_a_stagger_stays_within_the_calendar(key: str, seconds: int) -> None:
    last = datetime.max.replace(tzinfo=UTC) - timedelta(seconds=seconds)
    at = dispatch_at(Once(last), Policy(stagger_key=key, max_stagger_seconds=900), last)
    assert at is not None
    assert at >= last


def test_without_a_key_or_a_fire_there_is_no_stagger() -> None:
    assert dispatch_at(HOURLY, Policy(), NOON) == NOON
    assert dispatch_at(HOURLY, Policy(stagger_key="team"), None) is None
    assert dispatch_at(Once(NOON), Policy(stagger_key="team", max_stagger_seconds=0), NOON) == NOON


GRACES = [Policy(), QUEUE, REPLACING, Policy(misfire_grace=HOUR * 3, stagger_key="team"), Policy(catch_up=CatchUp.SKIP)]
LATE = st.integers(0, 3 * 3600).map(lambda seconds: timedelta(seconds=seconds))


@given(
    policy=st.sampled_from(GRACES),
    late=st.tuples(LATE, LATE),
    stagger=st.sampled_from([timedelta(0), timedelta(minutes=7)]),
    until_at=st.none() | LATE.map(lambda late: NOON + late),
    counts=st.tuples(st.none() | st.integers(1, 2), st.integers(0, 1), st.integers(0, 2)),
)
def test_a_decision_that_still_holds_is_the_one_that_would_be_made(
    policy: Policy,
    late: tuple[timedelta, timedelta],
    stagger: timedelta,
    until_at: datetime | None,
    counts: tuple[int | None, int, int],
) -> None:
    max_runs, running, waiting = counts
    situation = Situation(
        next_fire_at=NOON,
        next_run_at=NOON + stagger,
        until_at=until_at,
        max_runs=max_runs,
        fires=0,
        running=running,
        retrying=running,
        waiting=waiting,
    )
    before, now = (situation.next_run_at + each for each in late)
    decided = plan_fire(HOURLY, policy, before, situation)
    until = holds_until(decided, situation, policy.misfire_grace)
    if until is not None and now < until:
        assert decided == plan_fire(HOURLY, policy, now, situation)


def test_a_decision_holds_until_the_grace_ends_or_the_next_fire_comes() -> None:
    patient = Policy(misfire_grace=HOUR * 2)
    situation = Situation(
        next_fire_at=NOON,
        next_run_at=NOON,
        until_at=None,
        max_runs=None,
        fires=0,
        running=0,
        retrying=0,
        waiting=0,
    )
    decided = plan_fire(HOURLY, patient, NOON, situation)
    assert holds_until(decided, situation, HOUR * 2) == NOON + HOUR
    assert holds_until(decided, situation, HOUR / 2) == NOON + HOUR / 2 + timedelta.resolution
    assert holds_until(decided, situation, timedelta.max) is None
    assert holds_until(plan_fire(HOURLY, patient, NOON + HOUR, situation), situation, HOUR) is None


@pytest.mark.parametrize(
    ("policy", "waits"),
    [
        (Policy(), False),
        (QUEUE, True),
        (Policy(overlap=Overlap.PARALLEL), False),
        (Policy(overlap=Overlap.PARALLEL, max_parallel=2), True),
    ],
)
def test_which_policies_queue_runs(policy: Policy, waits: bool) -> None:
    assert stands_in_line(policy) is waits
