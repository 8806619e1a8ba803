"""Concurrency & Reentrancy."""

from __future__ import annotations

import asyncio

import pytest

from duly.declarative import SchedulerAlreadyActiveError, TaskState
from duly.errors import DulyError
from tests.conformance.declarative.harness import DELAY, EVERY_MINUTE, SchedulerHarness, at, scheduled, state

# Parallel Execution


@scheduled
async def test_any_number_of_tasks_must_be_able_to_execute_concurrently(harness: SchedulerHarness) -> None:
    names = [f"task {number}" for number in range(700)]
    scheduler = await harness.start_all(
        *((name, "0 10 * * *", harness.work(name, seconds=3600), DELAY) for name in names),
        ("quick", "1 10 * * *", harness.work("quick"), DELAY),
    )
    await harness.travel(minutes=1)
    running = [name for name, task in scheduler.tasks.items() if task.state is TaskState.RUNNING]
    assert running == names
    assert harness.work("quick").calls == [at(10, 1)]


@scheduled
async def test_each_task_must_execute_serially(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    harness.work(seconds=90)
    await harness.start()
    await harness.travel(minutes=10)
    assert harness.work().most_at_once == 1
    assert harness.work().calls == [
        at(10, 0),
        at(10, 1, 30),
        at(10, 3),
        at(10, 4, 30),
        at(10, 6),
        at(10, 7, 30),
        at(10, 9),
    ]


# Reentrancy Protection


@scheduled
async def test_concurrent_calls_of_initialize_are_allowed_and_one_wins(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()

    async def attempt() -> str:
        try:
            await scheduler.initialize([("a", EVERY_MINUTE, harness.work(), DELAY)])
        except SchedulerAlreadyActiveError as error:
            return error.current_state
        return "won"

    outcomes = await asyncio.gather(*(attempt() for _ in range(5)))
    assert outcomes == ["won"] + ["initializing"] * 4
    await harness.travel(minutes=1)
    assert harness.work().calls == [at(10, 0), at(10, 1)]


@scheduled
async def test_stop_during_initialize_waits_for_it_and_then_stops(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    started = scheduler.initialize([("a", "1 10 * * *", harness.work(), DELAY)])
    await asyncio.wait_for(scheduler.stop(), 60)
    assert started.done()  # type: ignore[attr-defined]
    assert state(scheduler) == "stopped"
    assert harness.told.index("SchedulerInitializationCompleted") < harness.told.index("SchedulerStopRequested")
    await harness.travel(minutes=5)
    assert harness.work().calls == []


@scheduled
async def test_stop_during_an_initialize_that_fails_returns(harness: SchedulerHarness) -> None:
    harness.store = "/proc/nowhere/duly.db"
    scheduler = harness.scheduler()
    started = asyncio.ensure_future(scheduler.initialize([("a", EVERY_MINUTE, harness.work(), DELAY)]))
    await asyncio.wait_for(scheduler.stop(), 60)
    assert state(scheduler) == "uninitialized"
    assert started.exception() is not None


@scheduled
async def test_stop_before_initialize_and_again_and_again_is_safe(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    await scheduler.stop()
    await scheduler.stop()
    assert (state(scheduler), harness.told) == ("uninitialized", [])
    await scheduler.initialize([("a", EVERY_MINUTE, harness.work(), DELAY)])
    await asyncio.gather(*(scheduler.stop() for _ in range(3)))
    await scheduler.stop()
    assert state(scheduler) == "stopped"
    assert (harness.count("SchedulerStopRequested"), harness.count("SchedulerStopped")) == (1, 1)


@scheduled
async def test_a_caller_who_waits_for_a_stop_may_be_cancelled(harness: SchedulerHarness) -> None:
    harness.work(seconds=60)
    scheduler = await harness.start("0 10 * * *")
    impatient = asyncio.ensure_future(scheduler.stop())
    await harness.quiet()
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    assert state(scheduler) == "stopping"
    await harness.travel(seconds=60)
    assert state(scheduler) == "stopped"


# Resource Management


@scheduled
async def test_stop_must_wait_for_all_running_tasks_however_long_they_take(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    harness.work("long", seconds=7200)
    scheduler = await harness.start_all(
        ("long", "0 10 * * *", harness.work("long"), DELAY), ("short", EVERY_MINUTE, harness.work("short"), DELAY)
    )
    stopping = asyncio.ensure_future(scheduler.stop())
    await harness.travel(hours=1, minutes=59)
    assert not stopping.done()
    assert len(harness.work("short").calls) == 1  # nothing more starts
    await harness.travel(minutes=1)
    await asyncio.wait_for(stopping, 60)
    assert harness.work("long").ended == [at(12, 0)]
    again = await harness.start("0 10 * * *")
    assert again.state == "running"


@scheduled
async def test_resources_are_released_even_if_a_task_fails_while_stopping(harness: SchedulerHarness) -> None:
    harness.work(seconds=30, fails=True)
    scheduler = await harness.start("0 10 * * *", DELAY)
    stopping = asyncio.ensure_future(scheduler.stop())
    await harness.travel(seconds=30)
    await stopping
    assert harness.told[-3:] == ["TaskRunFailed", "PollingStopped", "SchedulerStopped"]
    assert harness.clock.next_wake_up is None  # no task waits for anything any more
    harness.relax()
    await harness.start("0 10 * * *", DELAY)
    await harness.travel(minutes=10)
    assert harness.work().calls == [at(10, 0), at(10, 5, 30)]


@scheduled
async def test_a_time_that_passes_while_stopping_is_made_up_after_the_next_start(harness: SchedulerHarness) -> None:
    harness.work(seconds=150)
    scheduler = await harness.start()
    stopping = asyncio.ensure_future(scheduler.stop())
    await harness.travel(seconds=150)
    await stopping
    assert len(harness.work().calls) == 1
    harness.relax()
    await harness.start()
    await harness.travel(seconds=10)
    assert harness.work().calls == [at(10, 0), at(10, 2, 30)]


@scheduled
async def test_a_follow_up_that_was_waiting_when_stopped_is_the_one_run_after_the_next_start(
    harness: SchedulerHarness,
) -> None:
    harness.work(seconds=90)
    scheduler = await harness.start()
    await harness.travel(seconds=70)  # 10:01 has passed and waits
    stopping = asyncio.ensure_future(scheduler.stop())
    await harness.travel(seconds=20)
    await stopping
    harness.relax()
    await harness.travel(minutes=10)
    await harness.start()
    await harness.travel(seconds=20)
    assert harness.work().calls == [at(10, 0), at(10, 11, 30)]
    await harness.travel(seconds=10)
    assert harness.work().calls[2:] == [at(10, 12)]


@scheduled
async def test_failures_must_not_affect_other_running_tasks(harness: SchedulerHarness) -> None:
    broken, slow = harness.work("broken", fails=True), harness.work("slow", seconds=30)
    scheduler = await harness.start_all(
        ("broken", EVERY_MINUTE, broken, DELAY),
        ("slow", EVERY_MINUTE, slow, DELAY),
        ("fine", EVERY_MINUTE, harness.work("fine"), DELAY),
    )
    await harness.travel(minutes=2, seconds=30)
    assert slow.ended == [at(10, minute, 30) for minute in range(3)]
    assert len(harness.work("fine").calls) == 3
    assert scheduler.tasks["broken"].last_success_at is None


@scheduled
async def test_a_callback_may_not_start_the_scheduler_again(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    errors = []

    async def meddles() -> None:
        try:
            scheduler.initialize([])
        except SchedulerAlreadyActiveError as error:
            errors.append(error.current_state)

    await scheduler.initialize([("a", EVERY_MINUTE, meddles, DELAY)])
    await harness.quiet()
    assert errors == ["running"]


@scheduled
async def test_a_callback_cannot_wait_for_its_own_end_but_may_ask_for_the_stop(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    refusals, stops = [], []

    async def last_one() -> None:
        try:
            await scheduler.stop()
        except DulyError as error:
            refusals.append(str(error))
        stops.append(asyncio.ensure_future(scheduler.stop()))

    await scheduler.initialize([("a", EVERY_MINUTE, last_one, DELAY)])
    await harness.quiet()
    assert "use create_task()" in refusals[0]
    await asyncio.wait_for(stops[0], 60)
    assert state(scheduler) == "stopped"


@scheduled
async def test_a_task_that_only_a_newer_scheduler_of_the_name_knows_does_not_fail_in_an_older_one(
    harness: SchedulerHarness,
) -> None:
    old = await harness.start("0 * * * *")
    both = [(name, "0 * * * *", harness.work(name), DELAY) for name in "ab"]
    await (await harness.start_all(*both)).stop()
    harness.events.clear()
    await harness.travel_to(at(11, 0, 30))
    assert at(11, 0) in harness.work("a").calls
    assert [event.kind.name for event in harness.events if event.data.get("name", event.data.get("task")) == "b"] == []
    await harness.start_all(*both)
    await old.stop()
    await harness.travel(seconds=10)
    assert at(11, 0, 30) <= harness.work("b").calls[-1] <= at(11, 0, 40)
