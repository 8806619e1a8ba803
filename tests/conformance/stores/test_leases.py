"""Leases on the clock of the machine: silence is judged by boot time, never by the wall clock."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from duly.errors import StoreError
from duly.model.run import Status
from duly.ports.records import NodeRecord, Rescued
from duly.processes import boot_id, pid_space
from tests.conformance.stores.builders import new_run, schedule
from tests.conformance.stores.harness import LEASE, StoreHarness, conformant, make_harness


@pytest.fixture(params=("sqlite", "sqlite-inline"))
def file_world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreHarness]:
    """Of those that keep everything in a file, which several containers may share."""
    with make_harness(request.param, tmp_path) as made:
        yield made


def never(_policy: str, _attempt: int) -> bool:
    return False


@conformant
async def test_a_lease_expires_without_heartbeats(local_harness: StoreHarness) -> None:
    harness = local_harness
    await harness.join("node_a", "node_b")
    await harness.add(row := schedule())
    await harness.started(run := new_run(row))
    pulse = harness.store.pulse()
    for _ in range(5):
        harness.clock.advance(LEASE)
        assert pulse.beat("node_a")
        assert pulse.beat("node_b")
        assert await harness.store.rescue(harness.now, never) == []
    harness.clock.advance(LEASE)
    assert await harness.store.rescue(harness.now, never) == []  # exactly at its end it still holds
    pulse.beat("node_b")
    harness.clock.advance(0.001)
    assert (await harness.store.overview(harness.now)).nodes == ["node_b"]
    assert await harness.store.rescue(harness.now, never) == [Rescued("node_a", look_again_in=LEASE / 2)]
    harness.clock.advance(LEASE / 2)
    assert await harness.store.rescue(harness.now, never) == [Rescued("node_a", requeued=[run.id])]
    assert not pulse.beat("node_a")
    assert pulse.beat("node_b")
    pulse.close()


@conformant
async def test_a_late_beat_counts_before_a_rescue(local_harness: StoreHarness) -> None:
    harness = local_harness
    await harness.join("node_a")
    pulse = harness.store.pulse()
    harness.clock.advance(10 * LEASE)
    assert pulse.beat("node_a")
    assert await harness.store.rescue(harness.now, never) == []
    pulse.close()


@conformant
async def test_a_silent_node_is_told_that_it_is_doubted_before_others_take_over(local_harness: StoreHarness) -> None:
    """It may only have waited for its turn to write: it has half a lease to answer, counted from the telling."""
    harness = local_harness
    await harness.join("node_a")
    await harness.add(row := schedule())
    await harness.started(run := new_run(row))
    pulse = harness.store.pulse()
    assert pulse.is_undoubted("node_a")
    harness.clock.advance(99 * LEASE)
    assert pulse.is_undoubted("node_a"), "its silence counts from when it is noticed"
    for passed in (0.0, 2.0, 2.5):
        harness.clock.advance(passed)
        [told] = await harness.store.rescue(harness.now, never)
        assert (told.node_id, told.requeued) == ("node_a", [])
        assert told.look_again_in == pytest.approx(LEASE / 2 - (harness.clock.boottime() - 99 * LEASE))
        assert not pulse.is_undoubted("node_a")
    assert await harness.statuses(run) == [Status.RUNNING]
    assert pulse.beat("node_a")
    assert pulse.is_undoubted("node_a")
    harness.clock.advance(LEASE)
    assert await harness.store.rescue(harness.now, never) == []
    harness.clock.advance(0.001)
    [told] = await harness.store.rescue(harness.now, never)
    assert told.look_again_in == LEASE / 2, "an old doubt does not count again"
    assert not pulse.is_undoubted("node_nobody")
    pulse.close()


@conformant
async def test_who_takes_over_has_watched_the_doubt_for_long_enough(file_world: StoreHarness) -> None:
    """Another process may have written it down long before it was committed."""
    harness = file_world
    await harness.join("node_a")
    other = await harness.another()
    harness.clock.advance(LEASE + 1)
    assert await other.rescue(harness.now, never) == [Rescued("node_a", look_again_in=LEASE / 2)]
    harness.clock.advance(LEASE)
    assert await harness.store.rescue(harness.now, never) == [Rescued("node_a", look_again_in=LEASE / 2)]
    harness.clock.advance(LEASE / 2)
    assert await harness.store.rescue(harness.now, never) == [Rescued("node_a")]
    assert await other.rescue(harness.now, never) == []


@conformant
async def test_on_a_server_silence_counts_at_once(server_harness: StoreHarness) -> None:
    await server_harness.join("node_a")
    pulse = server_harness.store.pulse()
    assert not await asyncio.to_thread(pulse.is_undoubted, "node_a")
    pulse.close()


@conformant
async def test_registering_again_is_a_beat(local_harness: StoreHarness) -> None:
    harness = local_harness
    await harness.join("node_a")
    harness.clock.advance(10 * LEASE)
    await harness.join("node_a")
    assert await harness.store.rescue(harness.now, never) == []


@conformant
async def test_a_wall_clock_that_jumps_ends_no_lease(local_harness: StoreHarness) -> None:
    harness = local_harness
    await harness.join("node_a")
    await harness.add(row := schedule())
    await harness.started(run := new_run(row))
    for jump in (timedelta(days=9999), timedelta(days=-19_999)):
        harness.clock.step(jump)
        assert await harness.store.rescue(harness.now, never) == []
    assert await harness.statuses(run) == [Status.RUNNING]


@conformant
async def test_time_asleep_counts(local_harness: StoreHarness) -> None:
    harness = local_harness
    await harness.join("node_a")
    harness.clock.suspend(timedelta(seconds=LEASE + 1))
    assert await harness.store.rescue(harness.now, never) == [Rescued("node_a", look_again_in=LEASE / 2)]
    harness.clock.suspend(timedelta(seconds=LEASE / 2))
    assert await harness.store.rescue(harness.now, never) == [Rescued("node_a")]


@conformant
async def test_a_lease_on_a_server_runs_out_by_the_clock_of_the_server(server_harness: StoreHarness) -> None:
    harness = server_harness
    await harness.join("node_a")
    await harness.store.register(replace(harness.node("node_b"), lease_seconds=0.01))
    await harness.add(row := schedule())
    await harness.started(run := new_run(row), node_id="node_b")
    harness.clock.advance(timedelta(days=9999))  # which says nothing about the server's
    async with asyncio.timeout(60):
        while not (rescued := await harness.store.rescue(harness.now, never)):
            pass
    assert rescued == [Rescued("node_b", requeued=[run.id])]
    assert await harness.store.rescue(harness.now, never) == []
    assert (await harness.store.overview(harness.now)).nodes == ["node_a"]


def in_container(harness: StoreHarness, node_id: str) -> NodeRecord:
    """A node in another container of this machine: its pid is that of another process here."""
    return replace(harness.node(node_id), boot_id=f"{boot_id()} pid:[another]", host="container", pid_started="1")


def on_another_machine(harness: StoreHarness, node_id: str) -> NodeRecord:
    return replace(harness.node(node_id), boot_id="another-boot pid:[1]", host="another-machine", pid_started="1")


@conformant
async def test_a_node_in_another_container_is_judged_by_its_beats(file_world: StoreHarness) -> None:
    harness = file_world
    await harness.store.register(in_container(harness, "node_a"))
    await harness.join("node_b")
    await harness.add(row := schedule())
    await harness.started(begun := new_run(row))
    pulse = harness.store.pulse()
    for _ in range(3):
        harness.clock.advance(LEASE)
        assert pulse.beat("node_a")
        assert pulse.beat("node_b")
        assert await harness.store.rescue(harness.now, never) == []
    assert (await harness.store.overview(harness.now)).nodes == ["node_a", "node_b"]
    harness.clock.advance(LEASE + 1)
    assert pulse.beat("node_b")
    assert await harness.store.rescue(harness.now, never) == [Rescued("node_a", look_again_in=LEASE / 2)]
    harness.clock.advance(LEASE / 2)
    assert await harness.store.rescue(harness.now, never) == [Rescued("node_a", requeued=[begun.id])]
    pulse.close()


@conformant
async def test_a_node_of_an_earlier_boot_of_this_machine_is_gone_at_once(file_world: StoreHarness) -> None:
    harness = file_world
    before = replace(harness.node("node_a"), boot_id="earlier-boot pid:[1]", host=socket.gethostname())
    await harness.store.register(before)
    await harness.add(row := schedule())
    await harness.started(begun := new_run(row))
    assert await harness.store.rescue(harness.now, never) == [Rescued("node_a", requeued=[begun.id])]


@conformant
async def test_a_node_of_another_machine_is_gone_when_it_has_not_beaten_for_a_lease(file_world: StoreHarness) -> None:
    """Its clock may be ahead of ours by years, or behind."""
    harness = file_world
    harness.clock.suspend(timedelta(days=900))
    await harness.store.register(on_another_machine(harness, "node_a"))
    harness.clock.suspend(timedelta(days=900))
    assert await harness.store.rescue(harness.now, never) == []
    harness.clock.advance(LEASE)
    assert await harness.store.rescue(harness.now, never) == []
    harness.clock.advance(0.001)
    assert await harness.store.rescue(harness.now, never) == [Rescued("node_a")]


@conformant
async def test_a_file_that_a_living_node_of_another_machine_uses_is_refused(file_world: StoreHarness) -> None:
    harness = file_world
    await harness.store.register(on_another_machine(harness, "node_a"))
    pulse = harness.store.pulse()
    joining = asyncio.ensure_future(harness.join("node_b"))
    while harness.clock.next_wake_up is None:  # noqa: ASYNC110  it will wait for a sign of life
        await asyncio.sleep(0)
    harness.clock.advance(1)
    assert pulse.beat("node_a")
    pulse.close()
    harness.clock.advance(LEASE / 3)
    with pytest.raises(StoreError, match="in use on another machine: node node_a on host 'another-machine' is alive"):
        await joining
    assert (await harness.store.overview(harness.now)).nodes == ["node_a"]


@conformant
async def test_a_file_that_was_left_by_another_machine_is_taken_over_after_a_lease(file_world: StoreHarness) -> None:
    harness = file_world
    await harness.store.register(on_another_machine(harness, "node_a"))
    joining = asyncio.ensure_future(harness.join("node_b"))
    while not joining.done():
        if harness.clock.next_wake_up is not None:
            assert harness.clock.boottime() <= LEASE
            harness.clock.advance(LEASE / 3)
        await asyncio.sleep(0)
    await joining
    assert await harness.store.rescue(harness.now, never) == [Rescued("node_a")]
    assert (await harness.store.overview(harness.now)).nodes == ["node_b"]


def test_a_place_names_the_machine_and_the_container() -> None:
    assert pid_space().startswith(boot_id())
