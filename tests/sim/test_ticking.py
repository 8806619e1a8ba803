"""`tick()` by hand: everything that is due, one after the other, in the order it fell due."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest

from duly.cron import Cron
from duly.engine.context import Context
from duly.errors import DulyError, StoreUnavailableError
from duly.model.policy import Policy, Retry
from duly.model.run import Status
from duly.ports.records import Cycle, CycleResult
from tests.sim.cluster import SETTINGS, VirtualCluster, with_cluster


@with_cluster
async def test_a_tick_runs_in_order_one_at_a_time_and_counts_successes(cluster: VirtualCluster) -> None:
    acting: list[str] = []

    async def task(name: str) -> None:
        acting.append(f"{name} in")
        await cluster.clock.sleep(5)
        acting.append(f"{name} out")
        if name == "second":
            raise ValueError("no")

    node = await cluster.node(task, start=False)
    for name, minute in (("third", 30), ("first", 10), ("second", 20), ("not yet", 50)):
        await cluster.schedule(task, Cron(f"{minute} * * * *"), name=name, args={"name": name})
    await cluster.pass_time(minutes=40)
    assert await cluster.done(node.engine.tick(cluster.clock.now()), seconds=30) == 2
    assert acting == [f"{name} {what}" for name in ("first", "second", "third") for what in ("in", "out")]
    assert sorted(await cluster.statuses()) == [Status.FAILED, Status.SUCCEEDED, Status.SUCCEEDED]
    assert (await cluster.store.overview(cluster.clock.now())).nodes == []
    assert await cluster.done(node.engine.tick(cluster.clock.now()), seconds=1) == 0


@with_cluster
async def test_a_later_tick_carries_out_a_retry(cluster: VirtualCluster) -> None:
    calls: list[int] = []

    async def task() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("no")

    node = await cluster.node(task, start=False)
    await cluster.schedule(task, Cron("0 * * * *"), Policy(retry=Retry(max_attempts=2)))
    await cluster.pass_time(hours=1)
    assert await node.engine.tick(cluster.clock.now()) == 0
    await cluster.pass_time(minutes=1)
    assert await node.engine.tick(cluster.clock.now()) == 1
    assert (await cluster.run()).attempt == 2


@with_cluster
async def test_a_running_engine_ticks_by_itself(cluster: VirtualCluster) -> None:
    node = await cluster.node()
    with pytest.raises(DulyError, match="ticks by itself"):
        await node.engine.tick(cluster.clock.now())


@with_cluster
async def test_a_tick_that_loses_its_lease_claims_nothing_more(cluster: VirtualCluster) -> None:
    async def slow() -> None:
        await cluster.clock.sleep(2 * SETTINGS.lease)

    node = await cluster.node(slow, start=False)
    await cluster.schedule(slow, Cron("0 * * * *"), name="one")
    await cluster.schedule(slow, Cron("0 * * * *"), name="two")
    await cluster.pass_time(hours=1)
    cluster.disturbances.cut_off("a", 0)

    async def cut_off() -> None:
        await cluster.clock.sleep(10)
        cluster.disturbances.cut_off("a", SETTINGS.lease)

    breaking = cut_off()
    await cluster.done(_both(node.engine.tick(cluster.clock.now()), breaking), seconds=4 * SETTINGS.lease)
    assert "" not in {run.owner for run in await cluster.runs()}
    await cluster.node(slow, name="b")
    await cluster.pass_time(hours=1)
    assert [run.status for run in await cluster.runs() if run.fire.fire_at.hour == 1] == [Status.SUCCEEDED] * 2


@with_cluster
async def test_a_tick_whose_claim_is_answered_after_its_lease_does_not_carry_out_the_run(
    cluster: VirtualCluster,
) -> None:
    began: list[int] = []

    async def task(run: Context) -> None:
        began.append(run.run.fence)
        await cluster.clock.sleep(4 * SETTINGS.lease)

    node = await cluster.node(task, start=False)
    await cluster.schedule(task, Cron("0 * * * *"))
    await cluster.pass_time(hours=1)
    ask = node.store.cycle

    async def answered_late(turn: Cycle) -> CycleResult:
        result = await ask(turn)
        cluster.disturbances.cut_off("a", 3 * SETTINGS.lease)
        await cluster.clock.sleep(3 * SETTINGS.lease)
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node.store, "cycle", answered_late)
        ticking = asyncio.ensure_future(node.engine.tick(cluster.clock.now()))
        await cluster.node(task, name="b")
        await cluster.pass_time(minutes=10)
    assert (began, await ticking) == ([3], 0)
    assert (await cluster.run()).status is Status.SUCCEEDED


@with_cluster
async def test_a_cancelled_tick_ends_its_handlers_before_others_may_claim_their_runs(cluster: VirtualCluster) -> None:
    acting: list[str] = []

    async def slow(run: Context) -> None:
        acting.append(f"{run.run.fence} in")
        try:
            await cluster.clock.sleep(3600)
        finally:
            acting.append(f"{run.run.fence} out")

    node = await cluster.node(slow, start=False)
    await cluster.schedule(slow, Cron("0 * * * *"))
    await cluster.pass_time(hours=1)
    ticking = asyncio.ensure_future(node.engine.tick(cluster.clock.now()))
    await cluster.pass_time(seconds=5)
    ticking.cancel()
    await cluster.pass_time(seconds=5)
    assert ticking.cancelled()
    run = await cluster.run()
    assert (run.status, run.attempt, run.owner) == (Status.PENDING, 0, None)
    await cluster.node(slow, name="b")
    await cluster.pass_time(seconds=30)
    assert acting == ["1 in", "1 out", "3 in"]
    assert (await cluster.store.overview(cluster.clock.now())).nodes == [cluster.nodes[1].engine.node_id]


@with_cluster
async def test_a_tick_retries_a_failed_settlement_once(cluster: VirtualCluster) -> None:
    async def task() -> None:
        """Nothing to do."""

    node = await cluster.node(task, start=False)
    await cluster.schedule(task, Cron("0 * * * *"))
    await cluster.pass_time(hours=1)
    ask, calls = node.store.cycle, itertools.count(1)

    async def fails_once(turn: Cycle) -> CycleResult:
        if next(calls) == 2:
            raise StoreUnavailableError("just now")
        return await ask(turn)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node.store, "cycle", fails_once)
        with pytest.raises(StoreUnavailableError, match="just now"):
            await node.engine.tick(cluster.clock.now())
    assert (await cluster.run()).status is Status.SUCCEEDED


@with_cluster
async def test_a_settlement_waits_for_a_store_that_is_locked_for_longer_than_a_lease(cluster: VirtualCluster) -> None:
    """The tick keeps its node alive meanwhile, so no other node takes it for lost and carries out the run again."""
    calls: list[int] = []

    async def task(run: Context) -> None:
        calls.append(run.run.fence)
        await cluster.clock.sleep(10)
        cluster.disturbances.lock(5 * SETTINGS.lease)

    node = await cluster.node(task, start=False)
    other = await cluster.node(name="b")
    await cluster.schedule(task, Cron("0 * * * *"))
    await cluster.pass_time(hours=1)
    ticking = asyncio.ensure_future(node.engine.tick(cluster.clock.now()))
    await cluster.pass_time(seconds=4 * SETTINGS.lease)
    assert not ticking.done()
    await cluster.pass_time(seconds=4 * SETTINGS.lease)
    with pytest.raises(StoreUnavailableError, match="the store is locked"):
        await ticking
    run = await cluster.run()
    assert (run.status, run.attempt, calls) == (Status.SUCCEEDED, 1, [1])
    assert not other.told("node.lost")
    assert (await cluster.store.overview(cluster.clock.now())).nodes == [other.engine.node_id]


@with_cluster
async def test_a_settlement_waits_no_longer_than_the_lease_for_an_unreachable_store(
    cluster: VirtualCluster,
) -> None:
    async def task() -> None:
        await cluster.clock.sleep(10)
        cluster.disturbances.cut_off("a", 100 * SETTINGS.lease)

    node = await cluster.node(task, start=False)
    await cluster.schedule(task, Cron("0 * * * *"))
    await cluster.pass_time(hours=1)
    ticking = asyncio.ensure_future(node.engine.tick(cluster.clock.now()))
    await cluster.pass_time(seconds=10 + SETTINGS.lease)
    assert ticking.done()
    with pytest.raises(StoreUnavailableError, match="no connection"):
        await ticking


@with_cluster
async def test_a_tick_that_waits_for_a_locked_store_can_be_cancelled(cluster: VirtualCluster) -> None:
    async def task() -> None:
        cluster.disturbances.lock(5 * SETTINGS.lease)

    node = await cluster.node(task, start=False)
    await cluster.schedule(task, Cron("0 * * * *"))
    await cluster.pass_time(hours=1)
    ticking = asyncio.ensure_future(node.engine.tick(cluster.clock.now()))
    await cluster.pass_time(seconds=SETTINGS.lease)
    assert not ticking.done()
    ticking.cancel()
    await cluster.pass_time(seconds=15)  # the last settlement and the farewell wait for the lock for 5 seconds each
    assert ticking.cancelled()


@with_cluster
async def test_two_ticks_at_once_do_not_unregister_each_others_node(cluster: VirtualCluster) -> None:
    async def slow() -> None:
        await cluster.clock.sleep(30)

    node = await cluster.node(slow, start=False)
    await cluster.schedule(slow, Cron("0 * * * *"))
    await cluster.pass_time(hours=1)
    first = asyncio.ensure_future(node.engine.tick(cluster.clock.now()))
    await cluster.pass_time(seconds=5)
    for again in (node.engine.tick(cluster.clock.now()), node.engine.start()):
        with pytest.raises(DulyError, match="busy with a tick"):
            await again
    await cluster.pass_time(seconds=30)
    assert await first == 1
    assert (await cluster.run()).status is Status.SUCCEEDED


async def _both(*works: Any) -> Any:
    return await asyncio.gather(*works)
