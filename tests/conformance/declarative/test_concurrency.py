"""Concurrency & Reentrancy."""

from __future__ import annotations

import asyncio

import pytest

from duly.declarative import SchedulerAlreadyActiveError, TaskState
from duly.errors import DulyError
from tests.conformance.declarative.world import DELAY, EVERY_MINUTE, World, at, scheduled, state

# Parallel Execution


@scheduled
async def test_any_number_of_tasks_must_be_able_to_execute_concurrently(world: World) -> None:
    names = [f"task {number}" for number in range(700)]
    scheduler = await world.start_all(
        *((name, "0 10 * * *", world.work(name, seconds=3600), DELAY) for name in names),
        ("quick", "1 10 * * *", world.work("quick"), DELAY),
    )
    await world.travel(minutes=1)
    running = [name for name, task in scheduler.tasks.items() if task.state is TaskState.RUNNING]
    assert running == names
    assert world.work("quick").calls == [at(10, 1)]


@scheduled
async def test_each_task_must_execute_serially(durable_world: World) -> None:
    world = durable_world
    world.work(seconds=90)
    await world.start()
    await world.travel(minutes=10)
    assert world.work().most_at_once == 1
    assert world.work().calls == [
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
async def test_concurrent_calls_of_initialize_are_allowed_and_one_wins(world: World) -> None:
    scheduler = world.scheduler()

    async def attempt() -> str:
        try:
            await scheduler.initialize([("a", EVERY_MINUTE, world.work(), DELAY)])
        except SchedulerAlreadyActiveError as error:
            return error.current_state
        return "won"

    outcomes = await asyncio.gather(*(attempt() for _ in range(5)))
    assert outcomes == ["won"] + ["initializing"] * 4
    await world.travel(minutes=1)
    assert world.work().calls == [at(10, 0), at(10, 1)]


@scheduled
async def test_stop_during_initialize_waits_for_it_and_then_stops(world: World) -> None:
    scheduler = world.scheduler()
    started = scheduler.initialize([("a", "1 10 * * *", world.work(), DELAY)])
    await asyncio.wait_for(scheduler.stop(), 60)
    assert started.done()  # type: ignore[attr-defined]
    assert state(scheduler) == "stopped"
    assert world.told.index("SchedulerInitializationCompleted") < world.told.index("SchedulerStopRequested")
    await world.travel(minutes=5)
    assert world.work().calls == []


@scheduled
async def test_stop_during_an_initialize_that_fails_returns(world: World) -> None:
    world.store = "/proc/nowhere/duly.db"
    scheduler = world.scheduler()
    started = asyncio.ensure_future(scheduler.initialize([("a", EVERY_MINUTE, world.work(), DELAY)]))
    await asyncio.wait_for(scheduler.stop(), 60)
    assert state(scheduler) == "uninitialized"
    assert started.exception() is not None


@scheduled
async def test_stop_before_initialize_and_again_and_again_is_safe(world: World) -> None:
    scheduler = world.scheduler()
    await scheduler.stop()
    await scheduler.stop()
    assert (state(scheduler), world.told) == ("uninitialized", [])
    await scheduler.initialize([("a", EVERY_MINUTE, world.work(), DELAY)])
    await asyncio.gather(*(scheduler.stop() for _ in range(3)))
    await scheduler.stop()
    assert state(scheduler) == "stopped"
    assert (world.count("SchedulerStopRequested"), world.count("SchedulerStopped")) == (1, 1)


@scheduled
async def test_a_caller_who_waits_for_a_stop_may_be_cancelled(world: World) -> None:
    world.work(seconds=60)
    scheduler = await world.start("0 10 * * *")
    impatient = asyncio.ensure_future(scheduler.stop())
    await world.quiet()
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    assert state(scheduler) == "stopping"
    await world.travel(seconds=60)
    assert state(scheduler) == "stopped"


# Resource Management


@scheduled
async def test_stop_must_wait_for_all_running_tasks_however_long_they_take(durable_world: World) -> None:
    world = durable_world
    world.work("long", seconds=7200)
    scheduler = await world.start_all(
        ("long", "0 10 * * *", world.work("long"), DELAY), ("short", EVERY_MINUTE, world.work("short"), DELAY)
    )
    stopping = asyncio.ensure_future(scheduler.stop())
    await world.travel(hours=1, minutes=59)
    assert not stopping.done()
    assert len(world.work("short").calls) == 1  # nothing more starts
    await world.travel(minutes=1)
    await asyncio.wait_for(stopping, 60)
    assert world.work("long").ended == [at(12, 0)]
    again = await world.start("0 10 * * *")
    assert again.state == "running"


@scheduled
async def test_resources_are_released_even_if_a_task_fails_while_stopping(world: World) -> None:
    world.work(seconds=30, fails=True)
    scheduler = await world.start("0 10 * * *", DELAY)
    stopping = asyncio.ensure_future(scheduler.stop())
    await world.travel(seconds=30)
    await stopping
    assert world.told[-3:] == ["TaskRunFailed", "PollingStopped", "SchedulerStopped"]
    assert world.clock.next_wake_up is None  # no task waits for anything any more
    world.relax()
    await world.start("0 10 * * *", DELAY)
    await world.travel(minutes=10)
    assert world.work().calls == [at(10, 0), at(10, 5, 30)]


@scheduled
async def test_a_time_that_passes_while_stopping_is_made_up_after_the_next_start(world: World) -> None:
    world.work(seconds=150)
    scheduler = await world.start()
    stopping = asyncio.ensure_future(scheduler.stop())
    await world.travel(seconds=150)
    await stopping
    assert len(world.work().calls) == 1
    world.relax()
    await world.start()
    await world.travel(seconds=10)
    assert world.work().calls == [at(10, 0), at(10, 2, 30)]


@scheduled
async def test_a_follow_up_that_was_waiting_when_stopped_is_the_one_run_after_the_next_start(world: World) -> None:
    world.work(seconds=90)
    scheduler = await world.start()
    await world.travel(seconds=70)  # 10:01 has passed and waits
    stopping = asyncio.ensure_future(scheduler.stop())
    await world.travel(seconds=20)
    await stopping
    world.relax()
    await world.travel(minutes=10)
    await world.start()
    await world.travel(seconds=20)
    assert world.work().calls == [at(10, 0), at(10, 11, 30)]
    await world.travel(seconds=10)
    assert world.work().calls[2:] == [at(10, 12)]


@scheduled
async def test_failures_must_not_affect_other_running_tasks(world: World) -> None:
    broken, slow = world.work("broken", fails=True), world.work("slow", seconds=30)
    scheduler = await world.start_all(
        ("broken", EVERY_MINUTE, broken, DELAY),
        ("slow", EVERY_MINUTE, slow, DELAY),
        ("fine", EVERY_MINUTE, world.work("fine"), DELAY),
    )
    await world.travel(minutes=2, seconds=30)
    assert slow.ended == [at(10, minute, 30) for minute in range(3)]
    assert len(world.work("fine").calls) == 3
    assert scheduler.tasks["broken"].last_success_at is None


@scheduled
async def test_a_callback_may_not_start_the_scheduler_again(world: World) -> None:
    scheduler = world.scheduler()
    errors = []

    async def meddles() -> None:
        try:
            scheduler.initialize([])
        except SchedulerAlreadyActiveError as error:
            errors.append(error.current_state)

    await scheduler.initialize([("a", EVERY_MINUTE, meddles, DELAY)])
    await world.quiet()
    assert errors == ["running"]


@scheduled
async def test_a_callback_cannot_wait_for_its_own_end_but_may_ask_for_the_stop(world: World) -> None:
    scheduler = world.scheduler()
    refusals, stops = [], []

    async def last_one() -> None:
        try:
            await scheduler.stop()
        except DulyError as error:
            refusals.append(str(error))
        stops.append(asyncio.ensure_future(scheduler.stop()))

    await scheduler.initialize([("a", EVERY_MINUTE, last_one, DELAY)])
    await world.quiet()
    assert "use create_task()" in refusals[0]
    await asyncio.wait_for(stops[0], 60)
    assert state(scheduler) == "stopped"


@scheduled
async def test_a_task_that_only_a_newer_scheduler_of_the_name_knows_does_not_fail_in_an_older_one(world: World) -> None:
    old = await world.start("0 * * * *")
    both = [(name, "0 * * * *", world.work(name), DELAY) for name in "ab"]
    await (await world.start_all(*both)).stop()
    world.events.clear()
    await world.travel_to(at(11, 0, 30))
    assert at(11, 0) in world.work("a").calls
    assert [event.kind.name for event in world.events if event.data.get("name", event.data.get("task")) == "b"] == []
    await world.start_all(*both)
    await old.stop()
    await world.travel(seconds=10)
    assert at(11, 0, 30) <= world.work("b").calls[-1] <= at(11, 0, 40)
