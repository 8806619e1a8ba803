"""Who owns a run, who has lost it, and who finds out."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from duly.cron import Cron
from duly.model.policy import Backoff, Overlap, Policy, Retry
from duly.model.run import Status
from duly.recurrence import Once
from tests.sim.lab import SETTINGS, START, Lab, Node, in_lab

QUARTERS = Cron("*/15 * * * *")
SOON = Once(START + timedelta(minutes=1))


@in_lab
async def test_the_outcome_of_a_node_that_was_frozen_is_refused(lab: Lab) -> None:
    returned: list[str] = []

    def job(name: str):  # type: ignore[no-untyped-def]
        async def slow() -> str:
            await frozen.process.clock.sleep(90) if name == "a" else await lab.clock.sleep(300)
            returned.append(name)
            return name

        return slow

    frozen = await lab.node(start=False, name="a")
    frozen.jobs.register(job("a"))
    await frozen.engine.start()
    await lab.schedule("slow", SOON)
    await lab.pass_time(seconds=65)
    frozen.process.freeze()
    await lab.node(job("b"), name="b")
    await lab.pass_time(seconds=3 * SETTINGS.lease)
    frozen.process.thaw()
    await lab.pass_time(minutes=10)
    assert [event.run_id for event in frozen.told("run.lease_lost")] == [(await lab.run()).id]
    run = await lab.run()
    assert (run.status, run.result, run.attempt) == (Status.SUCCEEDED, "b", 2)


@in_lab
async def test_a_slow_handler_keeps_its_lease(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(20 * SETTINGS.lease)

    node = await lab.node(slow)
    await lab.node(slow, name="b")
    await lab.schedule(slow, SOON)
    await lab.pass_time(seconds=60 + 20 * SETTINGS.lease)
    run = await lab.run()
    assert (run.status, run.attempt) == (Status.SUCCEEDED, 1)
    assert not node.told("run.lease_lost")


@in_lab
async def test_what_a_crashed_node_had_under_way_is_done_by_another(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(30)

    first = await lab.node(slow)
    await lab.node(name="b")
    await lab.schedule(slow, SOON)
    await lab.pass_time(seconds=65)
    first.process.crash()
    second = await lab.node(slow, name="c")
    await lab.pass_time(seconds=2 * SETTINGS.lease)
    run = await lab.run()
    assert (run.status, run.attempt, run.fence) == (Status.SUCCEEDED, 2, 3)
    assert len(second.told("run.started")) == 1


@in_lab
async def test_a_node_that_finds_itself_silent_after_a_long_sleep_keeps_its_work(lab: Lab) -> None:
    """It looks for silent nodes before it beats again, and finds its own name: a doubt, which its beat answers."""
    calls: list[float] = []

    async def slow() -> None:
        calls.append(lab.clock.monotonic())
        await lab.clock.sleep(30)

    node = await lab.node(slow)
    await lab.schedule(slow, Once(START + timedelta(seconds=22)))
    await lab.pass_time(seconds=24)
    lab.clock.suspend(timedelta(seconds=10 * SETTINGS.lease))
    await lab.pass_time(seconds=SETTINGS.lease / 2 - 24)
    [doubted] = lab.data.tables.nodes.values()
    assert doubted.doubted_at is not None
    await lab.pass_time(seconds=31)
    run = await lab.run()
    assert (run.status, run.attempt, len(calls)) == (Status.SUCCEEDED, 1, 1)
    assert not node.told("run.lease_lost")


@in_lab
async def test_a_node_that_cannot_be_sure_of_its_lease_claims_nothing(lab: Lab) -> None:
    """Others may have taken over: until its heart has beaten again, a claim would only waste an attempt."""

    async def task() -> None:
        """Nothing to do."""

    node = await lab.node(task)
    schedule = await lab.schedule(task, QUARTERS)
    await lab.pass_time(seconds=1)
    lab.clock.suspend(timedelta(seconds=10 * SETTINGS.lease))
    await lab.service.trigger(schedule)
    node.engine.wake()
    await lab.pass_time(seconds=1)
    assert (await lab.run()).status is Status.PENDING
    await lab.pass_time(seconds=SETTINGS.lease / 3)
    run = await lab.run()
    assert (run.status, run.attempt) == (Status.SUCCEEDED, 1)


@in_lab
async def test_failures_make_no_poison_of_a_run_that_never_gives_up(lab: Lab) -> None:
    calls: list[int] = []

    async def flaky() -> None:
        calls.append(1)
        if len(calls) == 6:
            lab.nodes[0].process.crash()
            await lab.nodes[0].process.gate()
        if len(calls) < 8:
            raise ValueError("not yet")

    retry = Retry(max_attempts=None, delay=timedelta(seconds=1), backoff=Backoff.CONSTANT, jitter=0)
    await lab.schedule(flaky, SOON, Policy(retry=retry))
    await lab.node(flaky)
    await lab.pass_time(minutes=5)
    await lab.node(flaky, name="b")
    await lab.pass_time(minutes=5)
    run = await lab.run()
    assert (run.status, run.attempt, run.lost) == (Status.SUCCEEDED, 8, 1)


@in_lab
async def test_poison_stops_and_its_neighbours_live(lab: Lab) -> None:
    nodes: list[Node] = []

    async def poison() -> None:
        nodes[-1].process.crash()
        await nodes[-1].process.gate()

    async def neighbour() -> None:
        """Nothing to do."""

    bad = await lab.schedule(poison, SOON, Policy(retry=Retry(max_attempts=2)))
    good = await lab.schedule(neighbour, QUARTERS, Policy(overlap=Overlap.PARALLEL))
    for number in range(5):
        nodes.append(await lab.node(poison, neighbour, name=f"n{number}"))
        await lab.pass_time(minutes=10)
    run = await lab.run(bad)
    assert (run.status, run.attempt) == (Status.DEAD, 3)
    assert "fell silent" in str(run.reason)
    assert await lab.statuses(good) == [Status.SUCCEEDED] * 3, "and those that died with it were done again"
    assert [event.kind.name for _, event in await lab.store.journal(0, 1000)].count("run.dead") == 1


@in_lab
async def test_long_neighbours_that_die_with_poison_each_time_live(lab: Lab) -> None:
    nodes: list[Node] = []

    async def poison() -> None:
        await nodes[-1].process.clock.sleep(30)
        nodes[-1].process.crash()
        await nodes[-1].process.gate()

    async def neighbour() -> None:
        await nodes[-1].process.clock.sleep(7200)

    good = [await lab.schedule(neighbour, SOON, Policy(), name=f"good-{number}") for number in range(5)]
    bad = await lab.schedule(poison, SOON, Policy())
    for number in range(16):
        if not nodes or nodes[-1].process.gone:
            nodes.append(await lab.node(poison, neighbour, name=f"n{number}"))
        await lab.pass_time(minutes=15)
    await lab.pass_time(hours=4)
    assert (await lab.run(bad)).status is Status.DEAD
    assert [(await lab.run(each)).status for each in good] == [Status.SUCCEEDED] * 5
    assert 3 < len(nodes) < 16


@in_lab
async def test_a_loop_that_stands_still_is_noticed_within_three_polls(lab: Lab) -> None:
    node = await lab.node()
    original, hanging = node.store.cycle, asyncio.Event()

    async def slow(turn):  # type: ignore[no-untyped-def]
        await hanging.wait()
        return await original(turn)

    await lab.pass_time(seconds=1)
    node.store.cycle = slow  # type: ignore[method-assign]
    await lab.pass_time(seconds=3 * SETTINGS.poll + SETTINGS.lease / 3)
    assert not node.told("engine.resumed")
    (stalled,) = node.told("engine.stalled")
    assert stalled.data["seconds"] > 3 * SETTINGS.poll
    assert (await node.engine.health()).light == "red"
    hanging.set()
    await lab.pass_time(seconds=SETTINGS.lease)
    assert len(node.told("engine.resumed")) == 1
    assert (await node.engine.health()).light == "green"


@in_lab
async def test_an_idle_loop_is_not_taken_for_one_that_stands_still(lab: Lab) -> None:
    node = await lab.node()
    await lab.pass_time(minutes=10)
    assert not node.told("engine.stalled")


@in_lab
async def test_a_run_that_came_back_to_its_old_process_is_not_confused_with_the_abandoned_one(lab: Lab) -> None:
    """The old call still acts when the same engine claims the run anew, and the answer to that claim gets lost."""
    from duly.errors import StoreUnavailableError

    calls: list[float] = []

    async def stubborn() -> None:
        calls.append(lab.clock.monotonic())
        until = lab.clock.monotonic() + 20 * SETTINGS.lease
        while len(calls) == 1 and lab.clock.monotonic() < until and not lab.weather.over:
            try:
                await lab.clock.sleep(until - lab.clock.monotonic())
            except asyncio.CancelledError:
                continue

    node = await lab.node(stubborn)
    other = await lab.node(name="b")
    await lab.schedule(stubborn, SOON)
    await lab.pass_time(seconds=65)
    lab.weather.cut_off("a", 2 * SETTINGS.lease)
    original, lost = node.store.cycle, list[Any]()

    async def forgetful(turn):  # type: ignore[no-untyped-def]
        result = await original(turn)
        if result.claimed and not lost:
            lost.append(turn)
            raise StoreUnavailableError("the answer got lost")
        return result

    node.store.cycle = forgetful  # type: ignore[method-assign]
    await lab.pass_time(seconds=4 * SETTINGS.lease)
    assert lost
    assert len(calls) == 2
    assert other.engine.running
    assert (await lab.run()).status is Status.SUCCEEDED
