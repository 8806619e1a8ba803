"""Polling Lifecycle."""

from __future__ import annotations

import asyncio

from tests.conformance.declarative.world import World, polling, scheduled


@scheduled
async def test_polling_is_inactive_without_tasks(world: World) -> None:
    scheduler = await world.start_all()
    assert polling(scheduler) == "inactive"
    await scheduler.stop()
    assert [name for name in world.told if name.startswith("Polling")] == []
    assert world.told[-1] == "SchedulerStopped"


@scheduled
async def test_inactive_to_active_with_the_first_task(world: World) -> None:
    scheduler = await world.start("0 0 * * *")
    assert polling(scheduler) == "active"
    assert world.count("PollingStarted") == 1


@scheduled
async def test_active_to_stopping_to_inactive(world: World) -> None:
    world.work(seconds=30)
    scheduler = await world.start("0 10 * * *")
    stopping = asyncio.ensure_future(scheduler.stop())
    await world.quiet()
    assert polling(scheduler) == "stopping"
    assert world.told[-1] == "PollingStopRequested"
    await world.travel(seconds=30)
    await stopping
    assert polling(scheduler) == "inactive"
    assert world.told[-2:] == ["PollingStopped", "SchedulerStopped"]


@scheduled
async def test_active_to_inactive_when_the_last_task_is_no_longer_registered(world: World) -> None:
    scheduler = await world.start()
    await scheduler.stop()
    await scheduler.initialize([])
    assert polling(scheduler) == "inactive"
    await world.travel(minutes=5)
    assert len(world.work().calls) == 1
