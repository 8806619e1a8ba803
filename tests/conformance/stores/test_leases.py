"""Leases on the clock of the machine: silence is judged by boot time, never by the wall clock."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

from duly.model.run import Status
from duly.ports.records import Rescued
from tests.conformance.stores.builders import new_run, schedule
from tests.conformance.stores.world import LEASE, World, conformant


def never(_policy: str, _attempt: int) -> bool:
    return False


@conformant
async def test_a_lease_runs_out_when_nobody_beats(local_world: World) -> None:
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
    assert await world.store.rescue(world.now, never) == [Rescued("node_a", requeued=[run.id])]
    assert not pulse.beat("node_a")
    assert pulse.beat("node_b")
    pulse.close()


@conformant
async def test_a_late_beat_counts_while_nobody_has_acted_on_the_silence(local_world: World) -> None:
    world = local_world
    await world.join("node_a")
    pulse = world.store.pulse()
    world.clock.advance(10 * LEASE)
    assert pulse.beat("node_a")
    assert await world.store.rescue(world.now, never) == []
    pulse.close()


@conformant
async def test_registering_again_is_a_beat(local_world: World) -> None:
    world = local_world
    await world.join("node_a")
    world.clock.advance(10 * LEASE)
    await world.join("node_a")
    assert await world.store.rescue(world.now, never) == []


@conformant
async def test_a_wall_clock_that_jumps_costs_nobody_his_lease(local_world: World) -> None:
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
