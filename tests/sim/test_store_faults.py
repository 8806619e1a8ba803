"""The store is away for a while, or its answers get lost: engines report it, wait, and go on by themselves."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from duly.cron import Cron
from duly.errors import StoreUnavailableError
from duly.model.run import Status
from tests.sim.cluster import SETTINGS, VirtualCluster, with_cluster
from tests.sim.faults import Rates

QUARTERS = Cron("*/15 * * * *")


async def task() -> None:
    """Nothing to do."""


@with_cluster
async def test_an_engine_reports_an_outage_and_goes_on_by_itself_after_it(cluster: VirtualCluster) -> None:
    node = await cluster.node(task)
    await cluster.schedule(task, QUARTERS)
    await cluster.pass_time(minutes=10)
    cluster.disturbances.cut_off("*", 40 * 60)
    await cluster.pass_time(minutes=39)
    assert len(node.told("store.unavailable")) == 1
    assert not node.told("store.recovered")
    assert (await node.engine.health()).light == "red"
    await cluster.pass_time(minutes=2)
    (recovered,) = node.told("store.recovered")
    assert 0 <= recovered.data["seconds"] - 40 * 60 + SETTINGS.poll <= 2 * SETTINGS.poll
    assert (await node.engine.health()).light == "green"
    assert sorted(await cluster.statuses()) == [Status.MISSED, Status.SUCCEEDED]


@with_cluster
async def test_an_outage_shorter_than_the_lease_loses_no_lease(cluster: VirtualCluster) -> None:
    async def slow() -> None:
        await cluster.clock.sleep(600)

    node = await cluster.node(slow)
    await cluster.schedule(slow, QUARTERS)
    await cluster.pass_time(minutes=16)
    cluster.disturbances.cut_off("*", SETTINGS.lease / 2)
    await cluster.pass_time(minutes=12)
    assert not node.told("run.lease_lost")
    assert (await cluster.run()).attempt == 1
    assert await cluster.statuses() == [Status.SUCCEEDED]


@with_cluster
async def test_an_engine_that_cannot_renew_its_lease_stops_its_runs_before_others_rescue_them(
    cluster: VirtualCluster,
) -> None:
    acting: list[str] = []

    def job(name: str):  # type: ignore[no-untyped-def]
        async def slow() -> None:
            acting.append(f"{name} begins {cluster.clock.monotonic():.0f}")
            try:
                await cluster.clock.sleep(600)
            finally:
                acting.append(f"{name} ends {cluster.clock.monotonic():.0f}")

        return slow

    first = await cluster.node(job("a"), name="a")
    await cluster.schedule("slow", QUARTERS)
    await cluster.pass_time(minutes=15, seconds=5)
    await cluster.node(job("b"), name="b")
    cluster.disturbances.cut_off("a", 10 * SETTINGS.lease)
    await cluster.pass_time(minutes=14)
    assert len(first.told("run.lease_lost")) == 1
    stopped, taken_over = (int(line.split()[-1]) for line in acting[1:3])
    assert acting[1].startswith("a ends")
    assert acting[2].startswith("b begins")
    assert stopped < taken_over
    assert await cluster.statuses() == [Status.SUCCEEDED]


@with_cluster
async def test_an_engine_that_waits_for_a_locked_store_keeps_its_runs(cluster: VirtualCluster) -> None:
    """No engine can rescue while the lock lasts; after it, the owner renews its lease before others rescue."""
    calls: list[str] = []

    def job(name: str):  # type: ignore[no-untyped-def]
        async def slow() -> None:
            calls.append(name)
            await cluster.clock.sleep(1800)

        return slow

    owner = await cluster.node(job("a"), name="a")
    await cluster.schedule("slow", QUARTERS)
    await cluster.pass_time(minutes=15, seconds=5)
    await cluster.node(job("b"), name="b")
    cluster.disturbances.lock(9.7 * SETTINGS.lease)
    await cluster.pass_time(seconds=9 * SETTINGS.lease)
    assert owner.engine.status.leased, "it may go on"
    await cluster.pass_time(minutes=40)
    assert calls[0] == "a"
    first, *_ = await cluster.runs()
    assert (first.status, first.attempt) == (Status.SUCCEEDED, 1)
    assert [event.kind.name for _, event in await cluster.store.journal(0, 1000)].count("node.lost") == 0
    assert not owner.told("run.lease_lost")


@with_cluster
async def test_a_doubted_engine_that_cannot_answer_stops_its_runs_before_others_rescue_them(
    cluster: VirtualCluster,
) -> None:
    """Other engines can write and this one cannot: it reads that it is doubted, and stops its runs in time."""
    acting: list[tuple[str, float]] = []

    def job(name: str):  # type: ignore[no-untyped-def]
        async def slow() -> None:
            acting.append((f"{name} begins", cluster.clock.monotonic()))
            try:
                await cluster.clock.sleep(600)
            finally:
                acting.append((f"{name} ends", cluster.clock.monotonic()))

        return slow

    first = await cluster.node(job("a"), name="a")
    await cluster.schedule("slow", QUARTERS)
    await cluster.pass_time(minutes=15, seconds=5)
    await cluster.node(job("b"), name="b")
    heart = first.engine._membership._heartbeat
    assert heart is not None

    def cannot(_node_id: str) -> bool:
        raise StoreUnavailableError("its writes never get through")

    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(heart._pulse, "beat", cannot)
    await cluster.pass_time(minutes=14)
    begun, stopped, taken_over = acting[:3]
    assert (begun[0], stopped[0], taken_over[0].split()[1]) == ("a begins", "a ends", "begins")
    assert stopped[1] < taken_over[1]
    assert len(first.told("run.lease_lost")) == 1


@with_cluster
async def test_a_run_whose_claim_lost_its_answer_is_still_carried_out(cluster: VirtualCluster) -> None:
    node = await cluster.node(task)
    await cluster.schedule(task, QUARTERS)
    original, lost = node.store.cycle, list[Any]()

    async def forgetful(turn):  # type: ignore[no-untyped-def]
        result = await original(turn)
        if result.claimed and not lost:
            lost.append(turn)
            raise StoreUnavailableError("the answer got lost")
        return result

    node.store.cycle = forgetful  # type: ignore[method-assign]
    await cluster.pass_time(minutes=16)
    assert lost
    run = await cluster.run()
    assert (run.status, run.attempt) == (Status.SUCCEEDED, 1)


@with_cluster
async def test_a_settlement_that_lost_its_answer_is_accepted_once(cluster: VirtualCluster) -> None:
    node = await cluster.node(task)
    schedule = await cluster.schedule(task, QUARTERS)
    original, lost = node.store.cycle, list[Any]()

    async def forgetful(turn):  # type: ignore[no-untyped-def]
        result = await original(turn)
        if turn.settlements and not lost:
            lost.append(turn)
            raise StoreUnavailableError("the answer got lost")
        return result

    node.store.cycle = forgetful  # type: ignore[method-assign]
    await cluster.pass_time(minutes=16)
    assert lost
    assert not node.told("run.lease_lost")
    assert (await cluster.run()).status is Status.SUCCEEDED
    row = await cluster.store.get(schedule)
    assert row is not None
    assert row.total_runs == 1


@with_cluster
async def test_a_failed_start_leaves_no_node_in_the_store(cluster: VirtualCluster) -> None:
    node = await cluster.node(task, start=False)
    original = node.store.rescue

    async def refused(*_: object) -> None:
        raise StoreUnavailableError("not now")

    node.store.rescue = refused  # type: ignore[method-assign, assignment]
    with pytest.raises(StoreUnavailableError):
        await node.engine.start()
    assert (await cluster.store.overview(cluster.clock.now())).nodes == []
    node.store.rescue = original  # type: ignore[method-assign]
    await node.engine.start()
    assert len((await cluster.store.overview(cluster.clock.now())).nodes) == 1


@with_cluster
async def test_a_lease_lost_while_registering_a_new_job_is_noticed(cluster: VirtualCluster) -> None:
    node = await cluster.node(task)
    await cluster.schedule(task, QUARTERS)
    await cluster.pass_time(minutes=1)
    original, waiting = node.store.register, asyncio.Event()

    async def slow(record):  # type: ignore[no-untyped-def]
        await waiting.wait()
        await original(record)

    node.store.register = slow  # type: ignore[method-assign]
    node.engine.serves_more()
    await cluster.pass_time(seconds=1)
    cluster.disturbances.cut_off("a", SETTINGS.lease)
    await cluster.pass_time(seconds=SETTINGS.lease)
    waiting.set()
    await cluster.pass_time(minutes=30)
    assert await cluster.statuses() == [Status.SUCCEEDED] * 2
    (alive,) = (await cluster.store.overview(cluster.clock.now())).nodes
    assert {run.owner for run in await cluster.runs()} == {None}
    assert alive


@with_cluster
async def test_a_new_schedule_fires_within_a_poll_when_every_change_hint_is_lost(cluster: VirtualCluster) -> None:
    """Change hints only save time: the next poll finds every new schedule."""
    await cluster.node(task, rates=Rates(lost_hints=1), settings=replace(SETTINGS, poll=30))
    await cluster.pass_time(seconds=1)
    schedule = await cluster.schedule(task, QUARTERS)
    await cluster.service.trigger(schedule)
    await cluster.pass_time(seconds=28)
    assert await cluster.statuses() == [Status.PENDING]
    await cluster.pass_time(seconds=2)
    assert await cluster.statuses() == [Status.SUCCEEDED]
