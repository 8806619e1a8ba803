"""Calling a run off, wherever it stands."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from duly.cron import Cron
from duly.errors import StoreUnavailableError
from duly.model.policy import Overlap, Policy, Retry
from duly.model.run import Status
from duly.recurrence import Once
from tests.sim.lab import START, Lab, in_lab

SOON = Once(START + timedelta(minutes=1))
MINUTELY = Cron("* * * * *")


@in_lab
async def test_one_that_nobody_has_claimed_is_cancelled_at_once(lab: Lab) -> None:
    async def task() -> None:
        raise AssertionError("it was called off")

    schedule = await lab.schedule(task, SOON)
    run = await lab.service.trigger(schedule)
    assert run.status is Status.PENDING
    cancelled = await lab.service.cancel_run(run.id, "changed my mind")
    assert (cancelled.status, cancelled.reason) == (Status.CANCELLED, "changed my mind")
    await lab.service.pause(schedule)
    await lab.node(task)
    await lab.pass_time(minutes=5)
    assert await lab.statuses() == [Status.CANCELLED]


@in_lab
async def test_one_that_waits_in_line_leaves_the_line_as_it_was(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(110)

    await lab.node(slow)
    schedule = await lab.schedule(slow, MINUTELY, Policy(overlap=Overlap.QUEUE))
    await lab.pass_time(minutes=3, seconds=1)
    _, second, third = await lab.runs()
    assert third.status is Status.WAITING
    await lab.service.cancel_run(third.id)
    await lab.service.pause(schedule)
    await lab.pass_time(minutes=10)
    assert await lab.statuses() == [Status.SUCCEEDED, Status.SUCCEEDED, Status.CANCELLED]
    assert second.status is Status.RUNNING


@in_lab
async def test_one_that_is_under_way_stops(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(3600)

    await lab.node(slow)
    await lab.schedule(slow, SOON)
    await lab.pass_time(seconds=70)
    asked = await lab.service.cancel_run((await lab.run()).id, "enough")
    assert (asked.status, asked.cancel_requested) == (Status.RUNNING, True)
    await lab.pass_time(seconds=1)
    run = await lab.run()
    assert (run.status, run.reason) == (Status.CANCELLED, "enough")


@in_lab
async def test_one_that_will_not_stop_and_then_fails_is_not_tried_again(lab: Lab) -> None:
    calls: list[int] = []

    async def stubborn() -> None:
        calls.append(1)
        try:
            await lab.clock.sleep(3600)
        except asyncio.CancelledError:
            await lab.clock.sleep(60)
            raise ValueError("broken off") from None

    await lab.node(stubborn)
    await lab.schedule(stubborn, SOON, Policy(retry=Retry(max_attempts=5)))
    await lab.pass_time(seconds=70)
    await lab.service.cancel_run((await lab.run()).id)
    await lab.pass_time(seconds=50)
    assert (await lab.run()).status is Status.RUNNING
    await lab.pass_time(hours=3)
    assert (await lab.run()).status is Status.CANCELLED
    assert len(calls) == 1


@in_lab
async def test_one_between_two_attempts_is_cancelled_at_once(lab: Lab) -> None:
    calls: list[int] = []

    async def broken() -> None:
        calls.append(1)
        raise ValueError("no")

    await lab.node(broken)
    await lab.schedule(broken, SOON, Policy(retry=Retry(max_attempts=5, delay=timedelta(hours=1))))
    await lab.pass_time(seconds=70)
    assert (await lab.run()).status is Status.PENDING
    assert (await lab.service.cancel_run((await lab.run()).id)).status is Status.CANCELLED
    await lab.pass_time(hours=12)
    assert len(calls) == 1


@in_lab
async def test_one_that_is_over_stays_as_it_is(lab: Lab) -> None:
    async def task() -> None:
        """Nothing to do."""

    await lab.node(task)
    await lab.schedule(task, SOON)
    await lab.pass_time(seconds=70)
    before = await lab.run()
    assert await lab.service.cancel_run(before.id) == before


@in_lab
async def test_one_whose_owner_died_is_not_taken_up_again(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(3600)

    node = await lab.node(slow)
    await lab.schedule(slow, SOON)
    await lab.pass_time(seconds=70)
    node.process.crash()
    await lab.service.cancel_run((await lab.run()).id, "enough")
    await lab.node(slow, name="b")
    await lab.pass_time(minutes=5)
    run = await lab.run()
    assert (run.status, run.reason, run.attempt) == (Status.CANCELLED, "enough", 1)


@in_lab
async def test_one_that_is_called_off_before_its_first_step_does_not_linger(lab: Lab) -> None:
    """The claim's answer got lost, and somebody cancelled before the engine took the run up."""
    calls: list[int] = []

    async def task() -> None:
        calls.append(1)

    node = await lab.node(task)
    await lab.schedule(task, SOON)
    original, lost = node.store.cycle, list[Any]()

    async def forgetful(turn):  # type: ignore[no-untyped-def]
        result = await original(turn)
        if result.claimed and not lost:
            lost.append(turn)
            await lab.service.cancel_run(result.claimed[0].run_id, "enough")
            raise StoreUnavailableError("the answer got lost")
        return result

    node.store.cycle = forgetful  # type: ignore[method-assign]
    await lab.pass_time(minutes=5)
    assert lost
    assert (await lab.run()).status is Status.CANCELLED
    assert calls == []
    assert len(node.engine.work) == 0


@in_lab
async def test_deleting_a_schedule_ends_its_runs(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(3600)

    await lab.node(slow)
    schedule = await lab.schedule(slow, MINUTELY, Policy(overlap=Overlap.QUEUE))
    await lab.pass_time(minutes=3, seconds=1)
    await lab.service.delete(schedule)
    await lab.pass_time(minutes=3)
    assert await lab.statuses() == [Status.CANCELLED] * 3
