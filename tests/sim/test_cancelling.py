"""Cancelling a run in each status."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from duly.cron import Cron
from duly.errors import StoreUnavailableError
from duly.model.policy import Overlap, Policy, Retry
from duly.model.run import Status
from duly.recurrence import Once
from tests.sim.cluster import START, VirtualCluster, with_cluster

SOON = Once(START + timedelta(minutes=1))
MINUTELY = Cron("* * * * *")


@with_cluster
async def test_a_pending_run_is_cancelled_at_once(cluster: VirtualCluster) -> None:
    async def task() -> None:
        raise AssertionError("it was called off")

    schedule = await cluster.schedule(task, SOON)
    run = await cluster.service.trigger(schedule)
    assert run.status is Status.PENDING
    cancelled = await cluster.service.cancel_run(run.id, "changed my mind")
    assert (cancelled.status, cancelled.reason) == (Status.CANCELLED, "changed my mind")
    await cluster.service.pause(schedule)
    await cluster.node(task)
    await cluster.pass_time(minutes=5)
    assert await cluster.statuses() == [Status.CANCELLED]


@with_cluster
async def test_cancelling_a_waiting_run_keeps_the_order_of_the_others(cluster: VirtualCluster) -> None:
    async def slow() -> None:
        await cluster.clock.sleep(110)

    await cluster.node(slow)
    schedule = await cluster.schedule(slow, MINUTELY, Policy(overlap=Overlap.QUEUE))
    await cluster.pass_time(minutes=3, seconds=1)
    _, second, third = await cluster.runs()
    assert third.status is Status.WAITING
    await cluster.service.cancel_run(third.id)
    await cluster.service.pause(schedule)
    await cluster.pass_time(minutes=10)
    assert await cluster.statuses() == [Status.SUCCEEDED, Status.SUCCEEDED, Status.CANCELLED]
    assert second.status is Status.RUNNING


@with_cluster
async def test_cancelling_a_running_run_stops_its_handler(cluster: VirtualCluster) -> None:
    async def slow() -> None:
        await cluster.clock.sleep(3600)

    await cluster.node(slow)
    await cluster.schedule(slow, SOON)
    await cluster.pass_time(seconds=70)
    asked = await cluster.service.cancel_run((await cluster.run()).id, "enough")
    assert (asked.status, asked.cancel_requested) == (Status.RUNNING, True)
    await cluster.pass_time(seconds=1)
    run = await cluster.run()
    assert (run.status, run.reason) == (Status.CANCELLED, "enough")


@with_cluster
async def test_a_cancelled_run_that_resists_and_then_fails_is_not_retried(cluster: VirtualCluster) -> None:
    calls: list[int] = []

    async def stubborn() -> None:
        calls.append(1)
        try:
            await cluster.clock.sleep(3600)
        except asyncio.CancelledError:
            await cluster.clock.sleep(60)
            raise ValueError("broken off") from None

    await cluster.node(stubborn)
    await cluster.schedule(stubborn, SOON, Policy(retry=Retry(max_attempts=5)))
    await cluster.pass_time(seconds=70)
    await cluster.service.cancel_run((await cluster.run()).id)
    await cluster.pass_time(seconds=50)
    assert (await cluster.run()).status is Status.RUNNING
    await cluster.pass_time(hours=3)
    assert (await cluster.run()).status is Status.CANCELLED
    assert len(calls) == 1


@with_cluster
async def test_a_run_between_two_attempts_is_cancelled_at_once(cluster: VirtualCluster) -> None:
    calls: list[int] = []

    async def broken() -> None:
        calls.append(1)
        raise ValueError("no")

    await cluster.node(broken)
    await cluster.schedule(broken, SOON, Policy(retry=Retry(max_attempts=5, delay=timedelta(hours=1))))
    await cluster.pass_time(seconds=70)
    assert (await cluster.run()).status is Status.PENDING
    assert (await cluster.service.cancel_run((await cluster.run()).id)).status is Status.CANCELLED
    await cluster.pass_time(hours=12)
    assert len(calls) == 1


@with_cluster
async def test_cancelling_a_run_that_has_ended_changes_nothing(cluster: VirtualCluster) -> None:
    async def task() -> None:
        """Nothing to do."""

    await cluster.node(task)
    await cluster.schedule(task, SOON)
    await cluster.pass_time(seconds=70)
    before = await cluster.run()
    assert await cluster.service.cancel_run(before.id) == before


@with_cluster
async def test_a_cancelled_run_of_a_crashed_engine_is_not_rescued(cluster: VirtualCluster) -> None:
    async def slow() -> None:
        await cluster.clock.sleep(3600)

    node = await cluster.node(slow)
    await cluster.schedule(slow, SOON)
    await cluster.pass_time(seconds=70)
    node.process.crash()
    await cluster.service.cancel_run((await cluster.run()).id, "enough")
    await cluster.node(slow, name="b")
    await cluster.pass_time(minutes=5)
    run = await cluster.run()
    assert (run.status, run.reason, run.attempt) == (Status.CANCELLED, "enough", 1)


@with_cluster
async def test_a_run_cancelled_between_claim_and_start_ends(cluster: VirtualCluster) -> None:
    """The claim's answer got lost, and a user cancelled the run before the engine began it."""
    calls: list[int] = []

    async def task() -> None:
        calls.append(1)

    node = await cluster.node(task)
    await cluster.schedule(task, SOON)
    original, lost = node.store.cycle, list[Any]()

    async def forgetful(turn):  # type: ignore[no-untyped-def]
        result = await original(turn)
        if result.claimed and not lost:
            lost.append(turn)
            await cluster.service.cancel_run(result.claimed[0].run_id, "enough")
            raise StoreUnavailableError("the answer got lost")
        return result

    node.store.cycle = forgetful  # type: ignore[method-assign]
    await cluster.pass_time(minutes=5)
    assert lost
    assert (await cluster.run()).status is Status.CANCELLED
    assert calls == []
    assert len(node.engine.work) == 0


@with_cluster
async def test_deleting_a_schedule_cancels_its_runs(cluster: VirtualCluster) -> None:
    async def slow() -> None:
        await cluster.clock.sleep(3600)

    await cluster.node(slow)
    schedule = await cluster.schedule(slow, MINUTELY, Policy(overlap=Overlap.QUEUE))
    await cluster.pass_time(minutes=3, seconds=1)
    await cluster.service.delete(schedule)
    await cluster.pass_time(minutes=3)
    assert await cluster.statuses() == [Status.CANCELLED] * 3
