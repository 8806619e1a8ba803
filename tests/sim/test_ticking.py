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
from tests.sim.lab import SETTINGS, Lab, in_lab


@in_lab
async def test_a_tick_is_serial_ordered_and_counts_what_succeeded(lab: Lab) -> None:
    acting: list[str] = []

    async def task(name: str) -> None:
        acting.append(f"{name} in")
        await lab.clock.sleep(5)
        acting.append(f"{name} out")
        if name == "second":
            raise ValueError("no")

    node = await lab.node(task, start=False)
    for name, minute in (("third", 30), ("first", 10), ("second", 20), ("not yet", 50)):
        await lab.schedule(task, Cron(f"{minute} * * * *"), name=name, args={"name": name})
    await lab.pass_time(minutes=40)
    assert await lab.done(node.engine.tick(lab.clock.now()), seconds=30) == 2
    assert acting == [f"{name} {what}" for name in ("first", "second", "third") for what in ("in", "out")]
    assert sorted(await lab.statuses()) == [Status.FAILED, Status.SUCCEEDED, Status.SUCCEEDED]
    assert (await lab.store.overview(lab.clock.now())).nodes == []
    assert await lab.done(node.engine.tick(lab.clock.now()), seconds=1) == 0


@in_lab
async def test_a_retry_is_taken_up_by_a_later_tick(lab: Lab) -> None:
    calls: list[int] = []

    async def task() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("no")

    node = await lab.node(task, start=False)
    await lab.schedule(task, Cron("0 * * * *"), Policy(retry=Retry(max_attempts=2)))
    await lab.pass_time(hours=1)
    assert await node.engine.tick(lab.clock.now()) == 0
    await lab.pass_time(minutes=1)
    assert await node.engine.tick(lab.clock.now()) == 1
    assert (await lab.run()).attempt == 2


@in_lab
async def test_a_running_engine_ticks_by_itself(lab: Lab) -> None:
    node = await lab.node()
    with pytest.raises(DulyError, match="ticks by itself"):
        await node.engine.tick(lab.clock.now())


@in_lab
async def test_a_tick_that_loses_its_lease_claims_nothing_more(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(2 * SETTINGS.lease)

    node = await lab.node(slow, start=False)
    await lab.schedule(slow, Cron("0 * * * *"), name="one")
    await lab.schedule(slow, Cron("0 * * * *"), name="two")
    await lab.pass_time(hours=1)
    lab.weather.cut_off("a", 0)

    async def cut_off() -> None:
        await lab.clock.sleep(10)
        lab.weather.cut_off("a", SETTINGS.lease)

    breaking = cut_off()
    await lab.done(_both(node.engine.tick(lab.clock.now()), breaking), seconds=4 * SETTINGS.lease)
    assert "" not in {run.owner for run in await lab.runs()}
    await lab.node(slow, name="b")
    await lab.pass_time(hours=1)
    assert [run.status for run in await lab.runs() if run.fire.fire_at.hour == 1] == [Status.SUCCEEDED] * 2


@in_lab
async def test_a_tick_whose_claim_is_answered_after_its_lease_leaves_the_run_to_others(lab: Lab) -> None:
    began: list[int] = []

    async def task(run: Context) -> None:
        began.append(run.run.fence)
        await lab.clock.sleep(4 * SETTINGS.lease)

    node = await lab.node(task, start=False)
    await lab.schedule(task, Cron("0 * * * *"))
    await lab.pass_time(hours=1)
    ask = node.store.cycle

    async def answered_late(turn: Cycle) -> CycleResult:
        result = await ask(turn)
        lab.weather.cut_off("a", 3 * SETTINGS.lease)
        await lab.clock.sleep(3 * SETTINGS.lease)
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node.store, "cycle", answered_late)
        ticking = asyncio.ensure_future(node.engine.tick(lab.clock.now()))
        await lab.node(task, name="b")
        await lab.pass_time(minutes=10)
    assert (began, await ticking) == ([3], 0)
    assert (await lab.run()).status is Status.SUCCEEDED


@in_lab
async def test_a_tick_that_is_cancelled_stops_what_it_began_before_others_may_begin_it(lab: Lab) -> None:
    acting: list[str] = []

    async def slow(run: Context) -> None:
        acting.append(f"{run.run.fence} in")
        try:
            await lab.clock.sleep(3600)
        finally:
            acting.append(f"{run.run.fence} out")

    node = await lab.node(slow, start=False)
    await lab.schedule(slow, Cron("0 * * * *"))
    await lab.pass_time(hours=1)
    ticking = asyncio.ensure_future(node.engine.tick(lab.clock.now()))
    await lab.pass_time(seconds=5)
    ticking.cancel()
    await lab.pass_time(seconds=5)
    assert ticking.cancelled()
    run = await lab.run()
    assert (run.status, run.attempt, run.owner) == (Status.PENDING, 0, None)
    await lab.node(slow, name="b")
    await lab.pass_time(seconds=30)
    assert acting == ["1 in", "1 out", "3 in"]
    assert (await lab.store.overview(lab.clock.now())).nodes == [lab.nodes[1].engine.node_id]


@in_lab
async def test_a_settlement_that_failed_is_tried_once_more_before_the_tick_gives_up(lab: Lab) -> None:
    async def task() -> None:
        """Nothing to do."""

    node = await lab.node(task, start=False)
    await lab.schedule(task, Cron("0 * * * *"))
    await lab.pass_time(hours=1)
    ask, calls = node.store.cycle, itertools.count(1)

    async def fails_once(turn: Cycle) -> CycleResult:
        if next(calls) == 2:
            raise StoreUnavailableError("just now")
        return await ask(turn)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node.store, "cycle", fails_once)
        with pytest.raises(StoreUnavailableError, match="just now"):
            await node.engine.tick(lab.clock.now())
    assert (await lab.run()).status is Status.SUCCEEDED


@in_lab
async def test_an_outcome_waits_for_a_store_that_is_locked_for_longer_than_a_lease(lab: Lab) -> None:
    """The tick keeps its node alive meanwhile, so no other node takes it for lost and carries out the run again."""
    calls: list[int] = []

    async def task(run: Context) -> None:
        calls.append(run.run.fence)
        await lab.clock.sleep(10)
        lab.weather.lock(5 * SETTINGS.lease)

    node = await lab.node(task, start=False)
    other = await lab.node(name="b")
    await lab.schedule(task, Cron("0 * * * *"))
    await lab.pass_time(hours=1)
    ticking = asyncio.ensure_future(node.engine.tick(lab.clock.now()))
    await lab.pass_time(seconds=4 * SETTINGS.lease)
    assert not ticking.done()
    await lab.pass_time(seconds=4 * SETTINGS.lease)
    with pytest.raises(StoreUnavailableError, match="the store is locked"):
        await ticking
    run = await lab.run()
    assert (run.status, run.attempt, calls) == (Status.SUCCEEDED, 1, [1])
    assert not other.told("node.lost")
    assert (await lab.store.overview(lab.clock.now())).nodes == [other.engine.node_id]


@in_lab
async def test_an_outcome_waits_no_longer_than_the_lease_for_a_store_that_cannot_be_reached(lab: Lab) -> None:
    async def task() -> None:
        await lab.clock.sleep(10)
        lab.weather.cut_off("a", 100 * SETTINGS.lease)

    node = await lab.node(task, start=False)
    await lab.schedule(task, Cron("0 * * * *"))
    await lab.pass_time(hours=1)
    ticking = asyncio.ensure_future(node.engine.tick(lab.clock.now()))
    await lab.pass_time(seconds=10 + SETTINGS.lease)
    assert ticking.done()
    with pytest.raises(StoreUnavailableError, match="no connection"):
        await ticking


@in_lab
async def test_a_tick_that_waits_for_a_locked_store_can_be_cancelled(lab: Lab) -> None:
    async def task() -> None:
        lab.weather.lock(5 * SETTINGS.lease)

    node = await lab.node(task, start=False)
    await lab.schedule(task, Cron("0 * * * *"))
    await lab.pass_time(hours=1)
    ticking = asyncio.ensure_future(node.engine.tick(lab.clock.now()))
    await lab.pass_time(seconds=SETTINGS.lease)
    assert not ticking.done()
    ticking.cancel()
    await lab.pass_time(seconds=15)  # the last settlement and the farewell wait for the lock for 5 seconds each
    assert ticking.cancelled()


@in_lab
async def test_two_ticks_do_not_take_the_node_from_each_other(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(30)

    node = await lab.node(slow, start=False)
    await lab.schedule(slow, Cron("0 * * * *"))
    await lab.pass_time(hours=1)
    first = asyncio.ensure_future(node.engine.tick(lab.clock.now()))
    await lab.pass_time(seconds=5)
    for again in (node.engine.tick(lab.clock.now()), node.engine.start()):
        with pytest.raises(DulyError, match="busy with a tick"):
            await again
    await lab.pass_time(seconds=30)
    assert await first == 1
    assert (await lab.run()).status is Status.SUCCEEDED


async def _both(*works: Any) -> Any:
    return await asyncio.gather(*works)
