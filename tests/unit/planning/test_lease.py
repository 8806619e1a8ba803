"""How long an owner may be silent, and when it must stop by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.planning.lease import DEFAULT_LEASE, Lease, Nearness, Owner, Place, is_lost, nearness, pause_after

HERE = Place("boot-1 pid:[1]", "host")
OWNER = Owner(node_id="node_a", place=HERE, pid=42, pid_started="9000", beat_at=100.0, lease=15.0)


def lost(
    owner: Owner = OWNER,
    here: Place = HERE,
    boottime: float = 100.0,
    started: str | None = "9000",
    unchanged_for: float = 0.0,
) -> bool:
    return is_lost(owner, here=here, boottime=boottime, pid_started=started, unchanged_for=unchanged_for)


@pytest.mark.parametrize(("boottime", "gone"), [(100, False), (114.9, False), (115, False), (115.001, True)])
def test_silence_longer_than_the_lease_loses_it(boottime: float, gone: bool) -> None:
    assert lost(boottime=boottime) is gone


def test_another_boot_of_this_machine_leaves_nobody() -> None:
    assert lost(here=Place("boot-2 pid:[1]", "host"), boottime=1.0)


@pytest.mark.parametrize("place", ["boot-1 pid:[2]", "boot-1"])  # another container; one that does not tell
@pytest.mark.parametrize("started", [None, "9000", "9001"])
def test_the_pid_of_another_container_says_nothing_and_its_silence_everything(place: str, started: str | None) -> None:
    owner = replace(OWNER, place=Place(place, "container"))
    assert nearness(owner, HERE) is Nearness.SAME_MACHINE
    assert not lost(owner, started=started, boottime=115.0, unchanged_for=99.0)
    assert lost(owner, started=started, boottime=115.001)


def test_of_another_machine_only_a_beat_that_does_not_change_says_something() -> None:
    owner = replace(OWNER, place=Place("boot-2 pid:[1]", "elsewhere"))
    assert nearness(owner, HERE) is Nearness.ELSEWHERE
    assert not lost(owner, started=None, boottime=10**9)
    assert not lost(owner, started=None, unchanged_for=15.0)
    assert lost(owner, unchanged_for=15.001)


def test_a_system_that_tells_nothing_is_one_machine() -> None:
    unknown = Place("unknown", "host")
    owner = replace(OWNER, place=unknown)
    assert nearness(owner, unknown) is Nearness.BESIDE
    assert [lost(owner, here=unknown, started=started) for started in ("9000", None)] == [False, True]


@pytest.mark.parametrize("started", [None, "9001", ""])
def test_a_process_that_is_gone_or_another_one_has_no_lease_to_wait_for(started: str | None) -> None:
    assert lost(started=started)


def test_a_clock_behind_the_last_beat_takes_nobody_for_dead() -> None:
    assert not lost(boottime=0.0)


@given(seconds=st.floats(0.001, 1e6))
def test_an_owner_stops_before_others_may_take_over(seconds: float) -> None:
    lease = Lease(seconds)
    assert lease.beat_every * 2 < seconds  # one lost beat is no harm
    assert not lease.must_stop(lease.beat_every)
    assert lease.must_stop(seconds * 0.999)
    last = replace(OWNER, lease=seconds, beat_at=0.0)
    assert not lost(last, boottime=seconds * 0.75)


def test_the_default_is_fifteen_seconds() -> None:
    assert Lease() == Lease(DEFAULT_LEASE)
    assert (Lease().seconds, Lease().beat_every) == (15, 5)
    assert [Lease().must_stop(since) for since in (0, 11.2, 11.25, 99)] == [False, False, True, True]


def test_pauses_grow_and_stay_short() -> None:
    pauses = [pause_after(failures) for failures in range(1, 12)]
    assert pauses[:4] == [0.1, 0.2, 0.4, 0.8]
    assert pauses == sorted(pauses)
    assert pause_after(10**9) == max(pauses) == 5.0
