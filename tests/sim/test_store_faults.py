"""The store is gone for a while, or forgets to answer: work pauses, says so, and goes on by itself."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from duly.cron import Cron
from duly.errors import StoreUnavailableError
from duly.model.run import Status
from tests.sim.faults import Rates
from tests.sim.lab import SETTINGS, Lab, in_lab

QUARTERS = Cron("*/15 * * * *")


async def task() -> None:
    """Nothing to do."""


@in_lab
async def test_an_outage_is_told_of_and_ends_by_itself(lab: Lab) -> None:
    node = await lab.node(task)
    await lab.schedule(task, QUARTERS)
    await lab.pass_time(minutes=10)
    lab.weather.cut_off("*", 40 * 60)
    await lab.pass_time(minutes=39)
    assert len(node.told("store.unavailable")) == 1
    assert not node.told("store.recovered")
    assert (await node.engine.health()).light == "red"
    await lab.pass_time(minutes=2)
    (recovered,) = node.told("store.recovered")
    assert 0 <= recovered.data["seconds"] - 40 * 60 + SETTINGS.poll <= 2 * SETTINGS.poll
    assert (await node.engine.health()).light == "green"
    assert sorted(await lab.statuses()) == [Status.MISSED, Status.SUCCEEDED]


@in_lab
async def test_an_outage_as_short_as_a_blink_loses_no_lease(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(600)

    node = await lab.node(slow)
    await lab.schedule(slow, QUARTERS)
    await lab.pass_time(minutes=16)
    lab.weather.cut_off("*", SETTINGS.lease / 2)
    await lab.pass_time(minutes=12)
    assert not node.told("run.lease_lost")
    assert (await lab.run()).attempt == 1
    assert await lab.statuses() == [Status.SUCCEEDED]


@in_lab
async def test_an_owner_that_cannot_renew_its_lease_stops_before_others_take_over(lab: Lab) -> None:
    acting: list[str] = []

    def job(name: str):  # type: ignore[no-untyped-def]
        async def slow() -> None:
            acting.append(f"{name} begins {lab.clock.monotonic():.0f}")
            try:
                await lab.clock.sleep(600)
            finally:
                acting.append(f"{name} ends {lab.clock.monotonic():.0f}")

        return slow

    first = await lab.node(job("a"), name="a")
    await lab.schedule("slow", QUARTERS)
    await lab.pass_time(minutes=15, seconds=5)
    await lab.node(job("b"), name="b")
    lab.weather.cut_off("a", 10 * SETTINGS.lease)
    await lab.pass_time(minutes=14)
    assert len(first.told("run.lease_lost")) == 1
    stopped, taken_over = (int(line.split()[-1]) for line in acting[1:3])
    assert acting[1].startswith("a ends")
    assert acting[2].startswith("b begins")
    assert stopped < taken_over
    assert await lab.statuses() == [Status.SUCCEEDED]


@in_lab
async def test_a_node_that_waits_for_a_locked_store_keeps_its_runs(lab: Lab) -> None:
    """The lock lasts for many leases; nobody can take over meanwhile, and afterwards the owner answers first."""
    calls: list[str] = []

    def job(name: str):  # type: ignore[no-untyped-def]
        async def slow() -> None:
            calls.append(name)
            await lab.clock.sleep(1800)

        return slow

    owner = await lab.node(job("a"), name="a")
    await lab.schedule("slow", QUARTERS)
    await lab.pass_time(minutes=15, seconds=5)
    await lab.node(job("b"), name="b")
    lab.weather.lock(9.7 * SETTINGS.lease)
    await lab.pass_time(seconds=9 * SETTINGS.lease)
    assert owner.engine.status.leased, "it may go on"
    await lab.pass_time(minutes=40)
    assert calls[0] == "a"
    first, *_ = await lab.runs()
    assert (first.status, first.attempt) == (Status.SUCCEEDED, 1)
    assert [event.kind.name for _, event in await lab.store.journal(0, 1000)].count("node.lost") == 0
    assert not owner.told("run.lease_lost")


@in_lab
async def test_a_node_that_is_doubted_and_cannot_answer_stops_before_others_take_over(lab: Lab) -> None:
    """Others can write and it cannot: then its looks show the doubt, and it has to stop in time."""
    acting: list[tuple[str, float]] = []

    def job(name: str):  # type: ignore[no-untyped-def]
        async def slow() -> None:
            acting.append((f"{name} begins", lab.clock.monotonic()))
            try:
                await lab.clock.sleep(600)
            finally:
                acting.append((f"{name} ends", lab.clock.monotonic()))

        return slow

    first = await lab.node(job("a"), name="a")
    await lab.schedule("slow", QUARTERS)
    await lab.pass_time(minutes=15, seconds=5)
    await lab.node(job("b"), name="b")
    heart = first.engine._membership._heartbeat
    assert heart is not None

    def cannot(_node_id: str) -> bool:
        raise StoreUnavailableError("its writes never get through")

    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(heart._pulse, "beat", cannot)
    await lab.pass_time(minutes=14)
    begun, stopped, taken_over = acting[:3]
    assert (begun[0], stopped[0], taken_over[0].split()[1]) == ("a begins", "a ends", "begins")
    assert stopped[1] < taken_over[1]
    assert len(first.told("run.lease_lost")) == 1


@in_lab
async def test_a_claim_whose_answer_got_lost_is_taken_up_all_the_same(lab: Lab) -> None:
    node = await lab.node(task)
    await lab.schedule(task, QUARTERS)
    original, lost = node.store.cycle, list[Any]()

    async def forgetful(turn):  # type: ignore[no-untyped-def]
        result = await original(turn)
        if result.claimed and not lost:
            lost.append(turn)
            raise StoreUnavailableError("the answer got lost")
        return result

    node.store.cycle = forgetful  # type: ignore[method-assign]
    await lab.pass_time(minutes=16)
    assert lost
    run = await lab.run()
    assert (run.status, run.attempt) == (Status.SUCCEEDED, 1)


@in_lab
async def test_an_outcome_whose_answer_got_lost_is_accepted_once(lab: Lab) -> None:
    node = await lab.node(task)
    schedule = await lab.schedule(task, QUARTERS)
    original, lost = node.store.cycle, list[Any]()

    async def forgetful(turn):  # type: ignore[no-untyped-def]
        result = await original(turn)
        if turn.settlements and not lost:
            lost.append(turn)
            raise StoreUnavailableError("the answer got lost")
        return result

    node.store.cycle = forgetful  # type: ignore[method-assign]
    await lab.pass_time(minutes=16)
    assert lost
    assert not node.told("run.lease_lost")
    assert (await lab.run()).status is Status.SUCCEEDED
    row = await lab.store.get(schedule)
    assert row is not None
    assert row.total_runs == 1


@in_lab
async def test_a_start_that_fails_leaves_no_node_behind(lab: Lab) -> None:
    node = await lab.node(task, start=False)
    original = node.store.rescue

    async def refused(*_: object) -> None:
        raise StoreUnavailableError("not now")

    node.store.rescue = refused  # type: ignore[method-assign, assignment]
    with pytest.raises(StoreUnavailableError):
        await node.engine.start()
    assert (await lab.store.overview(lab.clock.now())).nodes == []
    node.store.rescue = original  # type: ignore[method-assign]
    await node.engine.start()
    assert len((await lab.store.overview(lab.clock.now())).nodes) == 1


@in_lab
async def test_a_lease_lost_while_telling_of_a_new_job_is_not_overlooked(lab: Lab) -> None:
    node = await lab.node(task)
    await lab.schedule(task, QUARTERS)
    await lab.pass_time(minutes=1)
    original, waiting = node.store.register, asyncio.Event()

    async def slow(record):  # type: ignore[no-untyped-def]
        await waiting.wait()
        await original(record)

    node.store.register = slow  # type: ignore[method-assign]
    node.engine.serves_more()
    await lab.pass_time(seconds=1)
    lab.weather.cut_off("a", SETTINGS.lease)
    await lab.pass_time(seconds=SETTINGS.lease)
    waiting.set()
    await lab.pass_time(minutes=30)
    assert await lab.statuses() == [Status.SUCCEEDED] * 2
    (alive,) = (await lab.store.overview(lab.clock.now())).nodes
    assert {run.owner for run in await lab.runs()} == {None}
    assert alive


@in_lab
async def test_hints_are_only_hints(lab: Lab) -> None:
    """An engine that hears of nothing finds a new schedule with its next poll."""
    await lab.node(task, rates=Rates(lost_hints=1), settings=replace(SETTINGS, poll=30))
    await lab.pass_time(seconds=1)
    schedule = await lab.schedule(task, QUARTERS)
    await lab.service.trigger(schedule)
    await lab.pass_time(seconds=28)
    assert await lab.statuses() == [Status.PENDING]
    await lab.pass_time(seconds=2)
    assert await lab.statuses() == [Status.SUCCEEDED]
