"""Polling Lifecycle."""

from __future__ import annotations

import asyncio

from tests.conformance.declarative.harness import SchedulerHarness, polling, scheduled


@scheduled
async def test_polling_is_inactive_without_tasks(harness: SchedulerHarness) -> None:
    scheduler = await harness.start_all()
    assert polling(scheduler) == "inactive"
    await scheduler.stop()
    assert [name for name in harness.told if name.startswith("Polling")] == []
    assert harness.told[-1] == "SchedulerStopped"


@scheduled
async def test_inactive_to_active_with_the_first_task(harness: SchedulerHarness) -> None:
    scheduler = await harness.start("0 0 * * *")
    assert polling(scheduler) == "active"
    assert harness.count("PollingStarted") == 1


@scheduled
async def test_active_to_stopping_to_inactive(harness: SchedulerHarness) -> None:
    harness.work(seconds=30)
    scheduler = await harness.start("0 10 * * *")
    stopping = asyncio.ensure_future(scheduler.stop())
    await harness.quiet()
    assert polling(scheduler) == "stopping"
    assert harness.told[-1] == "PollingStopRequested"
    await harness.travel(seconds=30)
    await stopping
    assert polling(scheduler) == "inactive"
    assert harness.told[-2:] == ["PollingStopped", "SchedulerStopped"]


@scheduled
async def test_active_to_inactive_when_the_last_task_is_no_longer_registered(harness: SchedulerHarness) -> None:
    scheduler = await harness.start()
    await scheduler.stop()
    await scheduler.initialize([])
    assert polling(scheduler) == "inactive"
    await harness.travel(minutes=5)
    assert len(harness.work().calls) == 1
