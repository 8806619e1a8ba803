"""Leases on virtual time: which engine owns a run, when it loses the run, and how it notices."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from duly.cron import Cron
from duly.model.policy import Backoff, Overlap, Policy, Retry
from duly.model.run import Status
from duly.recurrence import Once
from tests.sim.cluster import SETTINGS, START, Node, VirtualCluster, with_cluster

QUARTERS = Cron("*/15 * * * *")
SOON = Once(START + timedelta(minutes=1))


@with_cluster
async def test_the_settlement_of_an_engine_that_was_frozen_is_refused(cluster: VirtualCluster) -> None:
    returned: list[str] = []

    def job(name: str):  # type: ignore[no-untyped-def]
        async def slow() -> str:
            await frozen.process.clock.sleep(90) if name == "a" else await cluster.clock.sleep(300)
            returned.append(name)
            return name

        return slow

    frozen = await cluster.node(start=False, name="a")
    frozen.jobs.register(job("a"))
    await frozen.engine.start()
    await cluster.schedule("slow", SOON)
    await cluster.pass_time(seconds=65)
    frozen.process.freeze()
    await cluster.node(job("b"), name="b")
    await cluster.pass_time(seconds=3 * SETTINGS.lease)
    frozen.process.thaw()
    await cluster.pass_time(minutes=10)
    assert [event.run_id for event in frozen.told("run.lease_lost")] == [(await cluster.run()).id]
    run = await cluster.run()
    assert (run.status, run.result, run.attempt) == (Status.SUCCEEDED, "b", 2)


@with_cluster
async def test_a_slow_handler_keeps_its_lease(cluster: VirtualCluster) -> None:
    async def slow() -> None:
        await cluster.clock.sleep(20 * SETTINGS.lease)

    node = await cluster.node(slow)
    await cluster.node(slow, name="b")
    await cluster.schedule(slow, SOON)
    await cluster.pass_time(seconds=60 + 20 * SETTINGS.lease)
    run = await cluster.run()
    assert (run.status, run.attempt) == (Status.SUCCEEDED, 1)
    assert not node.told("run.lease_lost")


@with_cluster
async def test_the_runs_of_a_crashed_engine_are_rescued_by_another(cluster: VirtualCluster) -> None:
    async def slow() -> None:
        await cluster.clock.sleep(30)

    first = await cluster.node(slow)
    await cluster.node(name="b")
    await cluster.schedule(slow, SOON)
    await cluster.pass_time(seconds=65)
    first.process.crash()
    second = await cluster.node(slow, name="c")
    await cluster.pass_time(seconds=2 * SETTINGS.lease)
    run = await cluster.run()
    assert (run.status, run.attempt, run.fence) == (Status.SUCCEEDED, 2, 3)
    assert len(second.told("run.started")) == 1


@with_cluster
async def test_an_engine_that_wakes_from_a_long_sleep_keeps_its_runs(cluster: VirtualCluster) -> None:
    """It looks for silent nodes before it beats again, and finds its own name: a doubt, which its beat answers."""
    calls: list[float] = []

    async def slow() -> None:
        calls.append(cluster.clock.monotonic())
        await cluster.clock.sleep(30)

    node = await cluster.node(slow)
    await cluster.schedule(slow, Once(START + timedelta(seconds=22)))
    await cluster.pass_time(seconds=24)
    cluster.clock.suspend(timedelta(seconds=10 * SETTINGS.lease))
    await cluster.pass_time(seconds=SETTINGS.lease / 2 - 24)
    [doubted] = cluster.data.tables.nodes.values()
    assert doubted.doubted_at is not None
    await cluster.pass_time(seconds=31)
    run = await cluster.run()
    assert (run.status, run.attempt, len(calls)) == (Status.SUCCEEDED, 1, 1)
    assert not node.told("run.lease_lost")


@with_cluster
async def test_an_engine_that_cannot_be_sure_of_its_lease_claims_nothing(cluster: VirtualCluster) -> None:
    """Others may have taken over: until its next heartbeat, a claim would only waste an attempt."""

    async def task() -> None:
        """Nothing to do."""

    node = await cluster.node(task)
    schedule = await cluster.schedule(task, QUARTERS)
    await cluster.pass_time(seconds=1)
    cluster.clock.suspend(timedelta(seconds=10 * SETTINGS.lease))
    await cluster.service.trigger(schedule)
    node.engine.wake()
    await cluster.pass_time(seconds=1)
    assert (await cluster.run()).status is Status.PENDING
    await cluster.pass_time(seconds=SETTINGS.lease / 3)
    run = await cluster.run()
    assert (run.status, run.attempt) == (Status.SUCCEEDED, 1)


@with_cluster
async def test_failed_attempts_do_not_make_an_endlessly_retried_run_dead(cluster: VirtualCluster) -> None:
    calls: list[int] = []

    async def flaky() -> None:
        calls.append(1)
        if len(calls) == 6:
            cluster.nodes[0].process.crash()
            await cluster.nodes[0].process.gate()
        if len(calls) < 8:
            raise ValueError("not yet")

    retry = Retry(max_attempts=None, delay=timedelta(seconds=1), backoff=Backoff.CONSTANT, jitter=0)
    await cluster.schedule(flaky, SOON, Policy(retry=retry))
    await cluster.node(flaky)
    await cluster.pass_time(minutes=5)
    await cluster.node(flaky, name="b")
    await cluster.pass_time(minutes=5)
    run = await cluster.run()
    assert (run.status, run.attempt, run.lost) == (Status.SUCCEEDED, 8, 1)


@with_cluster
async def test_a_run_that_kills_its_process_ends_dead_and_its_neighbours_succeed(cluster: VirtualCluster) -> None:
    nodes: list[Node] = []

    async def poison() -> None:
        nodes[-1].process.crash()
        await nodes[-1].process.gate()

    async def neighbour() -> None:
        """Nothing to do."""

    bad = await cluster.schedule(poison, SOON, Policy(retry=Retry(max_attempts=2)))
    good = await cluster.schedule(neighbour, QUARTERS, Policy(overlap=Overlap.PARALLEL))
    for number in range(8):
        nodes.append(await cluster.node(poison, neighbour, name=f"n{number}"))
        await cluster.pass_time(minutes=10)
    run = await cluster.run(bad)
    assert (run.status, run.attempt) == (Status.DEAD, 7)
    assert "fell silent" in str(run.reason)
    assert await cluster.statuses(good) == [Status.SUCCEEDED] * 5, "and those that died with it were done again"
    assert [event.kind.name for _, event in await cluster.store.journal(0, 1000)].count("run.dead") == 1


@with_cluster
async def test_long_runs_that_die_with_a_killing_run_each_time_succeed(cluster: VirtualCluster) -> None:
    nodes: list[Node] = []

    async def poison() -> None:
        await nodes[-1].process.clock.sleep(30)
        nodes[-1].process.crash()
        await nodes[-1].process.gate()

    async def neighbour() -> None:
        await nodes[-1].process.clock.sleep(7200)

    good = [await cluster.schedule(neighbour, SOON, Policy(), name=f"good-{number}") for number in range(5)]
    bad = await cluster.schedule(poison, SOON, Policy())
    while not nodes or (await cluster.run(bad)).status is not Status.DEAD:
        if not nodes or nodes[-1].process.gone:
            nodes.append(await cluster.node(poison, neighbour, name=f"n{len(nodes)}"))
        await cluster.pass_time(minutes=15)
    await cluster.pass_time(hours=12)
    assert [(await cluster.run(each)).status for each in good] == [Status.SUCCEEDED] * 5
    assert 7 < len(nodes) < 16


@with_cluster
async def test_a_blocked_loop_is_reported_within_three_polls(cluster: VirtualCluster) -> None:
    node = await cluster.node()
    original, hanging = node.store.cycle, asyncio.Event()

    async def slow(turn):  # type: ignore[no-untyped-def]
        await hanging.wait()
        return await original(turn)

    await cluster.pass_time(seconds=1)
    node.store.cycle = slow  # type: ignore[method-assign]
    await cluster.pass_time(seconds=3 * SETTINGS.poll + SETTINGS.lease / 3)
    assert not node.told("engine.resumed")
    (stalled,) = node.told("engine.stalled")
    assert stalled.data["seconds"] > 3 * SETTINGS.poll
    assert (await node.engine.health()).light == "red"
    hanging.set()
    await cluster.pass_time(seconds=SETTINGS.lease)
    assert len(node.told("engine.resumed")) == 1
    assert (await node.engine.health()).light == "green"


@with_cluster
async def test_an_idle_loop_is_not_reported_as_blocked(cluster: VirtualCluster) -> None:
    node = await cluster.node()
    await cluster.pass_time(minutes=10)
    assert not node.told("engine.stalled")


@with_cluster
async def test_a_run_claimed_again_by_its_old_process_is_not_confused_with_the_abandoned_attempt(
    cluster: VirtualCluster,
) -> None:
    """The old call still acts when the same engine claims the run anew, and the answer to that claim gets lost."""
    from duly.errors import StoreUnavailableError

    calls: list[float] = []

    async def stubborn() -> None:
        calls.append(cluster.clock.monotonic())
        until = cluster.clock.monotonic() + 20 * SETTINGS.lease
        while len(calls) == 1 and cluster.clock.monotonic() < until and not cluster.disturbances.finished:
            try:
                await cluster.clock.sleep(until - cluster.clock.monotonic())
            except asyncio.CancelledError:
                continue

    node = await cluster.node(stubborn)
    other = await cluster.node(name="b")
    await cluster.schedule(stubborn, SOON)
    await cluster.pass_time(seconds=65)
    cluster.disturbances.cut_off("a", 2 * SETTINGS.lease)
    original, lost = node.store.cycle, list[Any]()

    async def forgetful(turn):  # type: ignore[no-untyped-def]
        result = await original(turn)
        if result.claimed and not lost:
            lost.append(turn)
            raise StoreUnavailableError("the answer got lost")
        return result

    node.store.cycle = forgetful  # type: ignore[method-assign]
    await cluster.pass_time(seconds=4 * SETTINGS.lease)
    assert lost
    assert len(calls) == 2
    assert other.engine.running
    assert (await cluster.run()).status is Status.SUCCEEDED
