"""Stopping an engine: its runs end or are released; a stopped engine owns no run."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from duly.cron import Cron
from duly.errors import DulyError
from duly.model.run import Status
from duly.recurrence import Once
from tests.sim.cluster import SETTINGS, START, VirtualCluster, with_cluster

SOON = Once(START + timedelta(minutes=1))


@with_cluster
async def test_a_run_that_ends_within_the_grace_time_succeeds(cluster: VirtualCluster) -> None:
    async def quick() -> str:
        await cluster.clock.sleep(4)
        return "done"

    node = await cluster.node(quick)
    await cluster.schedule(quick, SOON)
    await cluster.pass_time(seconds=61)
    await cluster.done(node.engine.stop(), seconds=10)
    run = await cluster.run()
    assert (run.status, run.result) == (Status.SUCCEEDED, "done")
    assert (await cluster.store.overview(cluster.clock.now())).nodes == []


@with_cluster
async def test_a_run_that_takes_longer_than_the_grace_time_is_released_and_claimed_again_at_once(
    cluster: VirtualCluster,
) -> None:
    async def slow() -> None:
        await cluster.clock.sleep(30)

    node = await cluster.node(slow)
    await cluster.schedule(slow, SOON)
    await cluster.pass_time(seconds=61)
    await cluster.done(node.engine.stop(), seconds=SETTINGS.grace)
    run = await cluster.run()
    assert (run.status, run.attempt, run.owner) == (Status.PENDING, 0, None)
    await cluster.node(slow, name="b")
    await cluster.pass_time(seconds=31)
    run = await cluster.run()
    assert (run.status, run.attempt) == (Status.SUCCEEDED, 1)


@with_cluster
async def test_stopping_twice_is_harmless_and_starting_again_works(cluster: VirtualCluster) -> None:
    async def task() -> None:
        """Nothing to do."""

    node = await cluster.node(task)
    await cluster.schedule(task, Cron("* * * * *"))
    await node.engine.stop()
    await node.engine.stop()
    await cluster.pass_time(minutes=5)
    assert await cluster.statuses() == []
    await node.engine.start()
    await cluster.pass_time(minutes=1)
    assert Status.SUCCEEDED in await cluster.statuses()


@with_cluster
async def test_a_second_stop_waits_for_the_same_end(cluster: VirtualCluster) -> None:
    async def slow() -> None:
        await cluster.clock.sleep(4)

    node = await cluster.node(slow)
    await cluster.schedule(slow, SOON)
    await cluster.pass_time(seconds=61)
    ended: list[str] = []

    async def stop(who: str) -> None:
        async def then() -> None:
            ended.append(f"{who}: {(await cluster.run()).status}, {cluster.clock.monotonic():.0f} s")

        await node.engine.stop(then=then)

    stops = [asyncio.ensure_future(stop(who)) for who in ("first", "second")]
    await cluster.pass_time(seconds=1)
    with pytest.raises(DulyError, match="running already"):
        await node.engine.start()
    await cluster.pass_time(seconds=10)
    assert all(each.done() for each in stops)
    assert ended == ["first: succeeded, 64 s", "second: succeeded, 64 s"]
    await node.engine.start()
    assert node.engine.running


@with_cluster
async def test_a_stop_is_completed_although_its_caller_is_cancelled(cluster: VirtualCluster) -> None:
    async def slow() -> None:
        await cluster.clock.sleep(4)

    node = await cluster.node(slow)
    await cluster.schedule(slow, SOON)
    await cluster.pass_time(seconds=61)
    stopping = asyncio.ensure_future(node.engine.stop())
    await cluster.pass_time(seconds=1)
    stopping.cancel()
    await cluster.pass_time(seconds=10)
    assert stopping.cancelled()
    assert not node.engine.running
    assert (await cluster.run()).status is Status.SUCCEEDED
    assert (await cluster.store.overview(cluster.clock.now())).nodes == []


@with_cluster
async def test_a_run_claimed_while_stopping_is_not_begun(cluster: VirtualCluster) -> None:
    calls: list[str] = []

    async def task() -> None:
        calls.append("a")

    node = await cluster.node(task)
    schedule = await cluster.schedule(task, Cron("0 0 * * *"))
    await cluster.pass_time(seconds=1)
    original = node.store.cycle

    async def slow(turn):  # type: ignore[no-untyped-def]
        result = await original(turn)
        await cluster.clock.sleep(2)
        return result

    node.store.cycle = slow  # type: ignore[method-assign]
    await cluster.service.trigger(schedule)
    await cluster.pass_time(seconds=1)
    assert (await cluster.run()).status is Status.RUNNING
    await cluster.done(node.engine.stop(), seconds=30)
    assert calls == []
    run = await cluster.run()
    assert (run.status, run.attempt, run.owner) == (Status.PENDING, 0, None)


@with_cluster
async def test_an_engine_stays_registered_until_a_run_that_resists_has_ended(cluster: VirtualCluster) -> None:
    async def stubborn() -> str:
        until = cluster.clock.monotonic() + 10 * SETTINGS.lease
        while cluster.clock.monotonic() < until:
            try:
                await cluster.clock.sleep(until - cluster.clock.monotonic())
            except asyncio.CancelledError:
                continue
        return "at last"

    node = await cluster.node(stubborn, settings=replace(SETTINGS, grace=0))
    other = await cluster.node(stubborn, name="b")
    await cluster.schedule(stubborn, SOON)
    await cluster.pass_time(seconds=65)
    if not len(node.engine.work):
        node, other = other, node
    await cluster.done(node.engine.stop(0), seconds=2)
    await cluster.pass_time(seconds=5 * SETTINGS.lease)
    assert (await cluster.run()).status is Status.RUNNING
    assert not other.told("run.started")
    await cluster.pass_time(seconds=6 * SETTINGS.lease)
    run = await cluster.run()
    assert (run.status, run.result, run.attempt) == (Status.SUCCEEDED, "at last", 1)
    assert len((await cluster.store.overview(cluster.clock.now())).nodes) == 1


@with_cluster
async def test_a_run_that_stops_late_is_released_by_the_engine_that_stayed_for_it(cluster: VirtualCluster) -> None:
    calls: list[float] = []

    async def hesitant() -> None:
        calls.append(cluster.clock.monotonic())
        try:
            await cluster.clock.sleep(10 * SETTINGS.lease)
        except asyncio.CancelledError:
            await cluster.clock.sleep(30)
            raise

    node = await cluster.node(hesitant)
    await cluster.schedule(hesitant, SOON)
    await cluster.pass_time(seconds=65)
    await cluster.done(node.engine.stop(0), seconds=2)
    await node.engine.start()
    await cluster.pass_time(seconds=26)
    assert (await cluster.run()).status is Status.RUNNING
    await cluster.pass_time(seconds=20 * SETTINGS.lease)
    run = await cluster.run()
    assert (run.status, run.attempt, len(calls)) == (Status.SUCCEEDED, 1, 2)
    assert len((await cluster.store.overview(cluster.clock.now())).nodes) == 1
