"""Stopping in good order: finish, or hand back; nothing is owned by a node that is gone."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from duly.cron import Cron
from duly.errors import DulyError
from duly.model.run import Status
from duly.recurrence import Once
from tests.sim.lab import SETTINGS, START, Lab, in_lab

SOON = Once(START + timedelta(minutes=1))


@in_lab
async def test_what_ends_within_the_grace_time_is_finished(lab: Lab) -> None:
    async def quick() -> str:
        await lab.clock.sleep(4)
        return "done"

    node = await lab.node(quick)
    await lab.schedule(quick, SOON)
    await lab.pass_time(seconds=61)
    await lab.done(node.engine.stop(), seconds=10)
    run = await lab.run()
    assert (run.status, run.result) == (Status.SUCCEEDED, "done")
    assert (await lab.store.overview(lab.clock.now())).nodes == []


@in_lab
async def test_what_takes_longer_is_handed_back_and_taken_up_at_once(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(30)

    node = await lab.node(slow)
    await lab.schedule(slow, SOON)
    await lab.pass_time(seconds=61)
    await lab.done(node.engine.stop(), seconds=SETTINGS.grace)
    run = await lab.run()
    assert (run.status, run.attempt, run.owner) == (Status.PENDING, 0, None)
    await lab.node(slow, name="b")
    await lab.pass_time(seconds=31)
    run = await lab.run()
    assert (run.status, run.attempt) == (Status.SUCCEEDED, 1)


@in_lab
async def test_stopping_twice_is_harmless_and_starting_again_works(lab: Lab) -> None:
    async def task() -> None:
        """Nothing to do."""

    node = await lab.node(task)
    await lab.schedule(task, Cron("* * * * *"))
    await node.engine.stop()
    await node.engine.stop()
    await lab.pass_time(minutes=5)
    assert await lab.statuses() == []
    await node.engine.start()
    await lab.pass_time(minutes=1)
    assert Status.SUCCEEDED in await lab.statuses()


@in_lab
async def test_who_stops_a_second_time_waits_for_the_same_end(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(4)

    node = await lab.node(slow)
    await lab.schedule(slow, SOON)
    await lab.pass_time(seconds=61)
    ended: list[str] = []

    async def stop(who: str) -> None:
        async def then() -> None:
            ended.append(f"{who}: {(await lab.run()).status}, {lab.clock.monotonic():.0f} s")

        await node.engine.stop(then=then)

    stops = [asyncio.ensure_future(stop(who)) for who in ("first", "second")]
    await lab.pass_time(seconds=1)
    with pytest.raises(DulyError, match="running already"):
        await node.engine.start()
    await lab.pass_time(seconds=10)
    assert all(each.done() for each in stops)
    assert ended == ["first: succeeded, 64 s", "second: succeeded, 64 s"]
    await node.engine.start()
    assert node.engine.running


@in_lab
async def test_a_stop_whose_caller_goes_away_is_completed(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(4)

    node = await lab.node(slow)
    await lab.schedule(slow, SOON)
    await lab.pass_time(seconds=61)
    stopping = asyncio.ensure_future(node.engine.stop())
    await lab.pass_time(seconds=1)
    stopping.cancel()
    await lab.pass_time(seconds=10)
    assert stopping.cancelled()
    assert not node.engine.running
    assert (await lab.run()).status is Status.SUCCEEDED
    assert (await lab.store.overview(lab.clock.now())).nodes == []


@in_lab
async def test_a_claim_that_arrives_while_stopping_begins_nothing(lab: Lab) -> None:
    calls: list[str] = []

    async def task() -> None:
        calls.append("a")

    node = await lab.node(task)
    schedule = await lab.schedule(task, Cron("0 0 * * *"))
    await lab.pass_time(seconds=1)
    original = node.store.cycle

    async def slow(turn):  # type: ignore[no-untyped-def]
        result = await original(turn)
        await lab.clock.sleep(2)
        return result

    node.store.cycle = slow  # type: ignore[method-assign]
    await lab.service.trigger(schedule)
    await lab.pass_time(seconds=1)
    assert (await lab.run()).status is Status.RUNNING
    await lab.done(node.engine.stop(), seconds=30)
    assert calls == []
    run = await lab.run()
    assert (run.status, run.attempt, run.owner) == (Status.PENDING, 0, None)


@in_lab
async def test_a_run_that_cannot_be_stopped_keeps_its_owner_until_it_ends(lab: Lab) -> None:
    async def stubborn() -> str:
        until = lab.clock.monotonic() + 10 * SETTINGS.lease
        while lab.clock.monotonic() < until:
            try:
                await lab.clock.sleep(until - lab.clock.monotonic())
            except asyncio.CancelledError:
                continue
        return "at last"

    node = await lab.node(stubborn, settings=replace(SETTINGS, grace=0))
    other = await lab.node(stubborn, name="b")
    await lab.schedule(stubborn, SOON)
    await lab.pass_time(seconds=65)
    if not len(node.engine.work):
        node, other = other, node
    await lab.done(node.engine.stop(0), seconds=2)
    await lab.pass_time(seconds=5 * SETTINGS.lease)
    assert (await lab.run()).status is Status.RUNNING
    assert not other.told("run.started")
    await lab.pass_time(seconds=6 * SETTINGS.lease)
    run = await lab.run()
    assert (run.status, run.result, run.attempt) == (Status.SUCCEEDED, "at last", 1)
    assert len((await lab.store.overview(lab.clock.now())).nodes) == 1


@in_lab
async def test_a_run_that_gives_in_late_is_handed_back_by_the_node_that_stayed_for_it(lab: Lab) -> None:
    calls: list[float] = []

    async def hesitant() -> None:
        calls.append(lab.clock.monotonic())
        try:
            await lab.clock.sleep(10 * SETTINGS.lease)
        except asyncio.CancelledError:
            await lab.clock.sleep(30)
            raise

    node = await lab.node(hesitant)
    await lab.schedule(hesitant, SOON)
    await lab.pass_time(seconds=65)
    await lab.done(node.engine.stop(0), seconds=2)
    await node.engine.start()
    await lab.pass_time(seconds=26)
    assert (await lab.run()).status is Status.RUNNING
    await lab.pass_time(seconds=20 * SETTINGS.lease)
    run = await lab.run()
    assert (run.status, run.attempt, len(calls)) == (Status.SUCCEEDED, 1, 2)
    assert len((await lab.store.overview(lab.clock.now())).nodes) == 1
