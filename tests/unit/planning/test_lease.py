"""Leases: how long an owner may miss beats, and when it must stop by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.planning.lease import (
    DEFAULT_LEASE,
    Lease,
    Nearness,
    Owner,
    OwnerState,
    Place,
    judge,
    nearness,
    pause_after,
)

ALIVE, SILENT, GONE = OwnerState

HERE = Place("boot-1 pid:[1]", "host")
OWNER = Owner(node_id="node_a", place=HERE, pid=42, pid_started="9000", beat_at=100.0, lease=15.0)


def verdict(
    owner: Owner = OWNER,
    here: Place = HERE,
    boottime: float = 100.0,
    started: str | None = "9000",
    unchanged_for: float = 0.0,
) -> OwnerState:
    return judge(owner, here=here, boottime=boottime, pid_started=started, unchanged_for=unchanged_for)


@pytest.mark.parametrize(
    ("boottime", "expected"), [(100, ALIVE), (114.9, ALIVE), (115, ALIVE), (115.001, SILENT), (9e9, SILENT)]
)
def test_no_beat_for_longer_than_the_lease_is_silence(boottime: float, expected: OwnerState) -> None:
    assert verdict(boottime=boottime) is expected


def test_an_owner_from_an_earlier_boot_is_gone() -> None:
    assert verdict(here=Place("boot-2 pid:[1]", "host"), boottime=1.0) is GONE


@pytest.mark.parametrize("place", ["boot-1 pid:[2]", "boot-1"])  # another container; one that does not tell
@pytest.mark.parametrize("started", [None, "9000", "9001"])
def test_an_owner_in_another_container_is_judged_by_its_beats_alone(place: str, started: str | None) -> None:
    owner = replace(OWNER, place=Place(place, "container"))
    assert nearness(owner, HERE) is Nearness.SAME_MACHINE
    assert verdict(owner, started=started, boottime=115.0, unchanged_for=99.0) is ALIVE
    assert verdict(owner, started=started, boottime=115.001) is SILENT


def test_an_owner_on_another_machine_is_judged_by_changes_of_its_beat() -> None:
    owner = replace(OWNER, place=Place("boot-2 pid:[1]", "elsewhere"))
    assert nearness(owner, HERE) is Nearness.ELSEWHERE
    assert verdict(owner, started=None, boottime=10**9) is ALIVE
    assert verdict(owner, started=None, unchanged_for=15.0) is ALIVE
    assert verdict(owner, unchanged_for=15.001) is GONE


def test_a_system_that_tells_nothing_is_one_machine() -> None:
    unknown = Place("unknown", "host")
    owner = replace(OWNER, place=unknown)
    assert nearness(owner, unknown) is Nearness.BESIDE
    assert [verdict(owner, here=unknown, started=started) for started in ("9000", None)] == [ALIVE, GONE]


@pytest.mark.parametrize("started", [None, "9001", ""])
def test_a_process_that_is_gone_or_another_one_has_no_lease_to_wait_for(started: str | None) -> None:
    assert verdict(started=started) is GONE


def test_an_owner_whose_last_beat_is_ahead_of_the_clock_is_alive() -> None:
    assert verdict(boottime=0.0) is ALIVE


@given(seconds=st.floats(0.001, 1e6))
def test_an_owner_stops_before_others_may_take_over(seconds: float) -> None:
    lease = Lease(seconds)
    assert lease.beat_every * 2 < seconds  # one lost beat is no harm
    assert not lease.must_stop(lease.beat_every)
    assert lease.must_stop(seconds * 0.999)
    last = replace(OWNER, lease=seconds, beat_at=0.0)
    assert verdict(last, boottime=seconds * 0.75) is ALIVE


@given(seconds=st.floats(0.001, 1e6))
def test_an_owner_that_looked_stops_before_a_doubt_can_have_stood_for_long_enough(seconds: float) -> None:
    lease = Lease(seconds)
    tries = 2 * lease.retry_every  # one to wait for the lock, one until the next try
    assert not lease.must_stop(seconds * 99, tries)
    assert lease.must_stop(seconds * 99, lease.time_to_answer * 0.999)
    assert lease.beat_every < lease.time_to_answer, "who beats as usual answers in time"


def test_the_default_is_fifteen_seconds() -> None:
    assert Lease() == Lease(DEFAULT_LEASE)
    assert (Lease().seconds, Lease().beat_every) == (15, 5)
    assert [Lease().must_stop(since) for since in (0, 11.2, 11.25, 99)] == [False, False, True, True]


def test_pauses_grow_and_stay_short() -> None:
    pauses = [pause_after(failures) for failures in range(1, 12)]
    assert pauses[:4] == [0.1, 0.2, 0.4, 0.8]
    assert pauses == sorted(pauses)
    assert pause_after(10**9) == max(pauses) == 5.0
