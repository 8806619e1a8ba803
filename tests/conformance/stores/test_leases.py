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
from tests.conformance.stores.world import LEASE, World, conformant, make_world


@pytest.fixture(params=("sqlite", "sqlite-inline"))
def file_world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Of those that keep everything in a file, which several containers may share."""
    with make_world(request.param, tmp_path) as made:
        yield made


def never(_policy: str, _attempt: int) -> bool:
    return False


@conformant
async def test_a_lease_expires_without_heartbeats(local_world: World) -> None:
    world = local_world
    await world.join("node_a", "node_b")
    await world.add(row := schedule())
    await world.started(run := new_run(row))
    pulse = world.store.pulse()
    for _ in range(5):
        world.clock.advance(LEASE)
        assert pulse.beat("node_a")
        assert pulse.beat("node_b")
        assert await world.store.rescue(world.now, never) == []
    world.clock.advance(LEASE)
    assert await world.store.rescue(world.now, never) == []  # exactly at its end it still holds
    pulse.beat("node_b")
    world.clock.advance(0.001)
    assert (await world.store.overview(world.now)).nodes == ["node_b"]
    assert await world.store.rescue(world.now, never) == [Rescued("node_a", look_again_in=LEASE / 2)]
    world.clock.advance(LEASE / 2)
    assert await world.store.rescue(world.now, never) == [Rescued("node_a", requeued=[run.id])]
    assert not pulse.beat("node_a")
    assert pulse.beat("node_b")
    pulse.close()


@conformant
async def test_a_late_beat_counts_before_a_rescue(local_world: World) -> None:
    world = local_world
    await world.join("node_a")
    pulse = world.store.pulse()
    world.clock.advance(10 * LEASE)
    assert pulse.beat("node_a")
    assert await world.store.rescue(world.now, never) == []
    pulse.close()


@conformant
async def test_a_silent_node_is_told_that_it_is_doubted_before_others_take_over(local_world: World) -> None:
    """It may only have waited for its turn to write: it has half a lease to answer, counted from the telling."""
    world = local_world
    await world.join("node_a")
    await world.add(row := schedule())
    await world.started(run := new_run(row))
    pulse = world.store.pulse()
    assert pulse.is_undoubted("node_a")
    world.clock.advance(99 * LEASE)
    assert pulse.is_undoubted("node_a"), "its silence counts from when it is noticed"
    for passed in (0.0, 2.0, 2.5):
        world.clock.advance(passed)
        [told] = await world.store.rescue(world.now, never)
        assert (told.node_id, told.requeued) == ("node_a", [])
        assert told.look_again_in == pytest.approx(LEASE / 2 - (world.clock.boottime() - 99 * LEASE))
        assert not pulse.is_undoubted("node_a")
    assert await world.statuses(run) == [Status.RUNNING]
    assert pulse.beat("node_a")
    assert pulse.is_undoubted("node_a")
    world.clock.advance(LEASE)
    assert await world.store.rescue(world.now, never) == []
    world.clock.advance(0.001)
    [told] = await world.store.rescue(world.now, never)
    assert told.look_again_in == LEASE / 2, "an old doubt does not count again"
    assert not pulse.is_undoubted("node_nobody")
    pulse.close()


@conformant
async def test_who_takes_over_has_watched_the_doubt_for_long_enough(file_world: World) -> None:
    """Another process may have written it down long before it was committed."""
    world = file_world
    await world.join("node_a")
    other = await world.another()
    world.clock.advance(LEASE + 1)
    assert await other.rescue(world.now, never) == [Rescued("node_a", look_again_in=LEASE / 2)]
    world.clock.advance(LEASE)
    assert await world.store.rescue(world.now, never) == [Rescued("node_a", look_again_in=LEASE / 2)]
    world.clock.advance(LEASE / 2)
    assert await world.store.rescue(world.now, never) == [Rescued("node_a")]
    assert await other.rescue(world.now, never) == []


@conformant
async def test_on_a_server_silence_counts_at_once(server_world: World) -> None:
    await server_world.join("node_a")
    pulse = server_world.store.pulse()
    assert not await asyncio.to_thread(pulse.is_undoubted, "node_a")
    pulse.close()


@conformant
async def test_registering_again_is_a_beat(local_world: World) -> None:
    world = local_world
    await world.join("node_a")
    world.clock.advance(10 * LEASE)
    await world.join("node_a")
    assert await world.store.rescue(world.now, never) == []


@conformant
async def test_a_wall_clock_that_jumps_ends_no_lease(local_world: World) -> None:
    world = local_world
    await world.join("node_a")
    await world.add(row := schedule())
    await world.started(run := new_run(row))
    for jump in (timedelta(days=9999), timedelta(days=-19_999)):
        world.clock.step(jump)
        assert await world.store.rescue(world.now, never) == []
    assert await world.statuses(run) == [Status.RUNNING]


@conformant
async def test_time_asleep_counts(local_world: World) -> None:
    world = local_world
    await world.join("node_a")
    world.clock.suspend(timedelta(seconds=LEASE + 1))
    assert await world.store.rescue(world.now, never) == [Rescued("node_a", look_again_in=LEASE / 2)]
    world.clock.suspend(timedelta(seconds=LEASE / 2))
    assert await world.store.rescue(world.now, never) == [Rescued("node_a")]


@conformant
async def test_a_lease_on_a_server_runs_out_by_the_clock_of_the_server(server_world: World) -> None:
    world = server_world
    await world.join("node_a")
    await world.store.register(replace(world.node("node_b"), lease_seconds=0.01))
    await world.add(row := schedule())
    await world.started(run := new_run(row), node_id="node_b")
    world.clock.advance(timedelta(days=9999))  # which says nothing about the server's
    async with asyncio.timeout(60):
        while not (rescued := await world.store.rescue(world.now, never)):
            pass
    assert rescued == [Rescued("node_b", requeued=[run.id])]
    assert await world.store.rescue(world.now, never) == []
    assert (await world.store.overview(world.now)).nodes == ["node_a"]


def in_container(world: World, node_id: str) -> NodeRecord:
    """A node in another container of this machine: its pid is that of another process here."""
    return replace(world.node(node_id), boot_id=f"{boot_id()} pid:[another]", host="container", pid_started="1")


def on_another_machine(world: World, node_id: str) -> NodeRecord:
    return replace(world.node(node_id), boot_id="another-boot pid:[1]", host="another-machine", pid_started="1")


@conformant
async def test_a_node_in_another_container_is_judged_by_its_beats(file_world: World) -> None:
    world = file_world
    await world.store.register(in_container(world, "node_a"))
    await world.join("node_b")
    await world.add(row := schedule())
    await world.started(begun := new_run(row))
    pulse = world.store.pulse()
    for _ in range(3):
        world.clock.advance(LEASE)
        assert pulse.beat("node_a")
        assert pulse.beat("node_b")
        assert await world.store.rescue(world.now, never) == []
    assert (await world.store.overview(world.now)).nodes == ["node_a", "node_b"]
    world.clock.advance(LEASE + 1)
    assert pulse.beat("node_b")
    assert await world.store.rescue(world.now, never) == [Rescued("node_a", look_again_in=LEASE / 2)]
    world.clock.advance(LEASE / 2)
    assert await world.store.rescue(world.now, never) == [Rescued("node_a", requeued=[begun.id])]
    pulse.close()


@conformant
async def test_a_node_of_an_earlier_boot_of_this_machine_is_gone_at_once(file_world: World) -> None:
    world = file_world
    before = replace(world.node("node_a"), boot_id="earlier-boot pid:[1]", host=socket.gethostname())
    await world.store.register(before)
    await world.add(row := schedule())
    await world.started(begun := new_run(row))
    assert await world.store.rescue(world.now, never) == [Rescued("node_a", requeued=[begun.id])]


@conformant
async def test_a_node_of_another_machine_is_gone_when_it_has_not_beaten_for_a_lease(file_world: World) -> None:
    """Its clock may be ahead of ours by years, or behind."""
    world = file_world
    world.clock.suspend(timedelta(days=900))
    await world.store.register(on_another_machine(world, "node_a"))
    world.clock.suspend(timedelta(days=900))
    assert await world.store.rescue(world.now, never) == []
    world.clock.advance(LEASE)
    assert await world.store.rescue(world.now, never) == []
    world.clock.advance(0.001)
    assert await world.store.rescue(world.now, never) == [Rescued("node_a")]


@conformant
async def test_a_file_that_a_living_node_of_another_machine_uses_is_refused(file_world: World) -> None:
    world = file_world
    await world.store.register(on_another_machine(world, "node_a"))
    pulse = world.store.pulse()
    joining = asyncio.ensure_future(world.join("node_b"))
    while world.clock.next_wake_up is None:  # noqa: ASYNC110  it will wait for a sign of life
        await asyncio.sleep(0)
    world.clock.advance(1)
    assert pulse.beat("node_a")
    pulse.close()
    world.clock.advance(LEASE / 3)
    with pytest.raises(StoreError, match="in use on another machine: node node_a on host 'another-machine' is alive"):
        await joining
    assert (await world.store.overview(world.now)).nodes == ["node_a"]


@conformant
async def test_a_file_that_was_left_by_another_machine_is_taken_over_after_a_lease(file_world: World) -> None:
    world = file_world
    await world.store.register(on_another_machine(world, "node_a"))
    joining = asyncio.ensure_future(world.join("node_b"))
    while not joining.done():
        if world.clock.next_wake_up is not None:
            assert world.clock.boottime() <= LEASE
            world.clock.advance(LEASE / 3)
        await asyncio.sleep(0)
    await joining
    assert await world.store.rescue(world.now, never) == [Rescued("node_a")]
    assert (await world.store.overview(world.now)).nodes == ["node_b"]


def test_a_place_names_the_machine_and_the_container() -> None:
    assert pid_space().startswith(boot_id())
