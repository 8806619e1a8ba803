"""How long an owner may be silent, and when it must stop by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.planning.lease import DEFAULT_LEASE, Lease, Owner, is_lost, pause_after

OWNER = Owner("node_a", "boot-1", 42, "9000", beat_at=100.0, lease=15.0)


def lost(owner: Owner = OWNER, boot_id: str = "boot-1", boottime: float = 100.0, started: str | None = "9000") -> bool:
    return is_lost(owner, boot_id=boot_id, boottime=boottime, pid_started=started)


@pytest.mark.parametrize(("boottime", "gone"), [(100, False), (114.9, False), (115, False), (115.001, True)])
def test_silence_longer_than_the_lease_loses_it(boottime: float, gone: bool) -> None:
    assert lost(boottime=boottime) is gone


def test_another_boot_leaves_nobody() -> None:
    assert lost(boot_id="boot-2", boottime=1.0)


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
