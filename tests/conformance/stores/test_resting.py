"""Schedules that nobody serves any more are not planned either."""

from __future__ import annotations

from tests.conformance.stores.builders import JOB, at, due_schedule
from tests.conformance.stores.world import World, conformant


@conformant
async def test_the_schedules_of_a_handler_that_nobody_serves_sleep(world: World) -> None:
    await world.join("node_a")
    await world.store.register(world.node("node_b", ["job:b"]))
    ours, other = due_schedule("ours", 5), due_schedule("other", 5, handler="job:b")
    await world.add(ours, other)
    await world.silence("node_a")
    await world.store.rest(JOB)
    asleep, awake = await world.store.get(ours.id), await world.store.get(other.id)
    assert asleep is not None
    assert (asleep.next_run_at, asleep.next_fire_at, asleep.enabled) == (None, at(5), True)
    assert awake == other


@conformant
async def test_what_somebody_else_still_serves_does_not_sleep(world: World) -> None:
    await world.join("node_a", "node_b")
    await world.add(row := due_schedule(seconds=5))
    await world.store.deregister("node_a", world.now)
    await world.store.rest(JOB)
    assert await world.store.get(row.id) == row
    await world.store.deregister("node_b", world.now)
    await world.store.rest(JOB)
    asleep = await world.store.get(row.id)
    assert asleep is not None
    assert asleep.next_run_at is None
