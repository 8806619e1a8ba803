"""Crashes: the instance vanishes without a word, only the store survives. On both stores."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from duly.declarative import Scheduler, SchedulerInitializationError, TaskState
from duly.engine.settings import EngineSettings
from tests.conformance.declarative.world import DELAY, World, at, scheduled

HOURLY = "0 * * * *"


def _no_node(*_: object) -> set[str]:
    return set()


@scheduled
async def test_an_orphaned_task_is_restarted_immediately(durable_world: World) -> None:
    world = durable_world
    world.work(seconds=600)
    scheduler = await world.start(HOURLY)
    before = scheduler.identifier
    await world.travel(seconds=30)
    await world.crash(scheduler)
    world.work(seconds=5)
    await world.travel(minutes=7)
    again = await world.start(HOURLY)
    assert world.work().calls == [at(10, 0), at(10, 7, 30)]
    assert world.last("TaskOrphaned").data == {"scheduler": "default", "task": "a", "previous_scheduler": before}
    assert world.last("SchedulerInitializationCompleted").data["orphaned"] == 1
    assert world.told[-1] == "TaskRunStarted"
    await world.travel(hours=1)
    assert world.work().calls[2:] == [at(11, 0)]
    assert again.tasks["a"].last_success_at == at(11, 0, 5)


@scheduled
async def test_an_orphaned_task_that_missed_times_is_restarted_once(durable_world: World) -> None:
    world = durable_world
    world.work(seconds=600)
    scheduler = await world.start()
    await world.travel(seconds=150)  # a follow-up waits as well
    await world.crash(scheduler)
    world.work(seconds=5)
    await world.travel(hours=3)
    await world.start()
    await world.travel(seconds=29)
    assert world.work().calls == [at(10, 0), at(13, 2, 30)]
    await world.travel(seconds=1)
    assert world.work().calls[2:] == [at(13, 3)]


@scheduled
async def test_an_orphaned_task_has_the_new_configuration(durable_world: World) -> None:
    world = durable_world
    world.work(seconds=600)
    scheduler = await world.start(HOURLY, timedelta(hours=5))
    await world.crash(scheduler)
    world.work(fails=True)
    again = await world.start("0 10 * * *", timedelta(minutes=2))
    assert again.tasks["a"].pending_retry_until == at(10, 2)
    assert [world.count(name) for name in ("TaskOrphaned", "TaskOverridden")] == [1, 1]
    await world.travel(minutes=3)
    assert world.work().calls == [at(10, 0), at(10, 0), at(10, 2)]


@scheduled
async def test_an_orphaned_retry_is_restarted_immediately(durable_world: World) -> None:
    world = durable_world
    world.work(fails=True)
    scheduler = await world.start(HOURLY, DELAY)
    for _ in range(4):
        await world.travel(minutes=5)  # more failures than a poisonous run of others would be granted
    world.work(seconds=600)
    await world.travel(minutes=5)
    await world.crash(scheduler)
    world.relax()
    await world.travel(minutes=10)
    again = await world.start(HOURLY, DELAY)
    assert world.work().calls[-1] == at(10, 35)
    assert again.tasks["a"].state is TaskState.AWAITING_RUN
    assert world.count("TaskOrphaned") == 1


@scheduled
async def test_a_task_that_takes_its_process_down_is_restarted_again_and_again(durable_world: World) -> None:
    world = durable_world
    world.work(seconds=600)
    for _ in range(6):
        scheduler = await world.start(HOURLY)
        await world.crash(scheduler)
        await world.travel(seconds=10)
    assert len(world.work().calls) == 6


@scheduled
async def test_an_orphan_that_is_no_longer_registered_never_runs(durable_world: World) -> None:
    world = durable_world
    world.work(seconds=600)
    scheduler = await world.start(HOURLY)
    await world.crash(scheduler)
    await world.start_all(("b", HOURLY, world.work("b"), DELAY))
    await world.travel(hours=2)
    assert len(world.work("a").calls) == 1
    assert world.count("TaskOrphaned") == 0


@scheduled
async def test_a_retry_survives_a_crash(durable_world: World) -> None:
    world = durable_world
    world.work(fails=True)
    scheduler = await world.start(HOURLY, timedelta(minutes=20))
    await world.travel(minutes=1)
    await world.crash(scheduler)
    world.relax()
    again = await world.start(HOURLY, timedelta(minutes=20))
    assert again.tasks["a"].pending_retry_until == at(10, 20)
    await world.travel(minutes=30)
    assert world.work().calls == [at(10, 0), at(10, 20)]
    assert world.count("TaskRetryStarted") == 1


@scheduled
async def test_no_make_up_burst_after_a_crash(durable_world: World) -> None:
    world = durable_world
    scheduler = await world.start("15,30,45,0 * * * *")
    await world.travel(minutes=1)
    await world.crash(scheduler)
    await world.travel(hours=1)
    await world.start("15,30,45,0 * * * *")
    await world.travel(minutes=13)
    assert world.work().calls == [at(10, 0), at(11, 1)]


@pytest.mark.parametrize("step", ["save.inserted", "engine.joined"])
@scheduled
async def test_a_fault_in_the_middle_of_initialize_leaves_the_next_one_a_consistent_state(
    durable_world: World, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = durable_world
    scheduler = await world.start(HOURLY)
    await scheduler.stop()

    def torn(place: str) -> None:
        if place == step:
            raise OSError("torn apart")

    monkeypatch.setattr("duly.failpoints.hit", torn)
    with pytest.raises(SchedulerInitializationError, match="torn apart"):
        await scheduler.initialize([("a", "30 * * * *", world.work(), DELAY)])
    monkeypatch.undo()
    await world.travel(minutes=10)
    await scheduler.initialize([("a", "30 * * * *", world.work(), DELAY)])
    await world.travel(minutes=30)
    assert world.work().calls == [at(10, 0), at(10, 30)]
    assert scheduler.tasks["a"].last_success_at == at(10, 30)


@scheduled
async def test_what_is_under_way_with_a_living_scheduler_is_left_alone(world: World) -> None:
    world.work(seconds=90)
    first = await world.start(HOURLY)
    second = await world.start(HOURLY)
    await world.travel(minutes=2)
    assert world.work().calls == [at(10, 0)]
    assert world.count("TaskOrphaned") == 0
    assert {str(each.state) for each in (first, second)} == {"running"}
    await world.travel(hours=1)
    assert world.work().calls == [at(10, 0), at(11, 0)]  # together they run it once


@scheduled
async def test_what_waits_behind_a_run_of_a_living_scheduler_is_left_alone_too(durable_world: World) -> None:
    world = durable_world
    world.work(seconds=150)
    await world.start("0,1 10 * * *")
    await world.travel(seconds=70)  # 10:01 waits
    await world.start("0,1 10 * * *")
    world.work(seconds=5)
    await world.travel(seconds=100)
    assert world.work().calls == [at(10, 0), at(10, 2, 30)]


@scheduled
async def test_an_orphan_whose_lease_is_not_over_starts_once_when_it_is(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A scheduler on another machine does not know which engines of this process are dead.
    monkeypatch.setattr("duly.declarative.scheduler.started_engines.vanished", _no_node)
    settings = EngineSettings(threads=False, lease=15)
    world.work(seconds=600)
    scheduler = await world.start("0,1,2 * * * *", settings=settings)
    await world.travel(seconds=50)
    await world.crash(scheduler)
    world.relax()
    await world.start("0,1,2 * * * *", settings=settings)
    assert world.count("TaskOrphaned") == 0
    await world.travel(seconds=60)  # 10:01 comes before the lease is over
    [first, second] = world.work().calls
    assert (first, at(10, 1) < second <= at(10, 1, 25)) == (at(10, 0), True)
    assert world.told[-3:] == ["TaskOrphaned", "TaskRunStarted", "TaskRunCompleted"]
    await world.travel_to(at(10, 2))
    assert world.work().calls[2:] == [at(10, 2)]


@scheduled
async def test_a_living_scheduler_goes_on_when_another_of_its_name_stops(durable_world: World) -> None:
    world = durable_world
    first = await world.start("* * * * *")
    second = await world.start("* * * * *")
    await world.travel(minutes=1)
    await first.stop()
    await world.travel(minutes=2)
    assert world.work().calls == [at(10, minute) for minute in range(4)]
    await second.stop()
    await world.travel(minutes=2)
    assert len(world.work().calls) == 4


@scheduled
async def test_a_living_scheduler_goes_on_when_another_of_its_name_fails_to_start(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.start("* * * * *")

    def torn(place: str) -> None:
        if place == "save.inserted":
            raise OSError("torn apart")

    monkeypatch.setattr("duly.failpoints.hit", torn)
    with pytest.raises(SchedulerInitializationError, match="torn apart"):
        await world.start("* * * * *")
    monkeypatch.undo()
    await world.travel(minutes=2)
    assert world.work().calls == [at(10, minute) for minute in range(3)]


def test_a_program_that_was_interrupted_can_stop_and_the_task_is_an_orphan(world: World) -> None:
    async def interrupted() -> None:
        raise KeyboardInterrupt

    with asyncio.Runner() as runner:
        # The attempt that was interrupted ends with it; the loop would say so in the log of a later test.
        runner.get_loop().set_exception_handler(lambda _loop, _context: None)
        with pytest.raises(KeyboardInterrupt):
            runner.run(world.start_all(("a", HOURLY, interrupted, DELAY)))
        [scheduler] = world._schedulers
        runner.run(asyncio.wait_for(scheduler.stop(), 60))
        runner.run(world.start(HOURLY))
        assert len(world.work().calls) == 1
        assert world.count("TaskOrphaned") == 1
        runner.run(world.close())


def test_a_scheduler_whose_event_loop_was_closed_is_gone(world: World) -> None:
    world.work(seconds=600)

    async def cut_short() -> Scheduler:
        return await world.start(HOURLY)

    scheduler = asyncio.run(cut_short())  # ends without a stop, as programs do that were interrupted
    scheduler._on_event = None
    world._schedulers.clear()
    world.relax()

    async def go_on() -> None:
        try:
            await world.start(HOURLY)
        finally:
            await world.close()

    asyncio.run(go_on())
    assert len(world.work().calls) == 2
    assert world.count("TaskOrphaned") == 1


@pytest.mark.parametrize("seconds", [0, 1, 59])
@scheduled
async def test_a_crash_right_after_a_run_does_not_run_it_again(durable_world: World, seconds: float) -> None:
    world = durable_world
    scheduler = await world.start()
    await world.travel(seconds=seconds)
    await world.crash(scheduler)
    await world.start()
    assert world.work().calls == [at(10, 0)]
    await world.travel_to(at(10, 1))
    assert world.work().calls == [at(10, 0), at(10, 1)]


# Others on the same store go on while a scheduler is gone: they plan its tasks and take back what it had under way.


@scheduled
async def test_what_others_planned_meanwhile_is_one_run(durable_world: World) -> None:
    world = durable_world
    scheduler = await world.start()
    await world.travel(seconds=30)
    await world.crash(scheduler)
    await world.start_all(("other", HOURLY, world.work("other"), DELAY), name="other")
    await world.travel(minutes=10)
    await world.start()
    await world.travel(seconds=29)
    assert world.work().calls == [at(10, 0), at(10, 10, 30)]
    await world.travel(minutes=1, seconds=1)
    assert world.work().calls[2:] == [at(10, 11), at(10, 12)]


@scheduled
async def test_what_others_planned_for_a_task_that_never_ran_is_not_made_up(durable_world: World) -> None:
    world = durable_world
    scheduler = await world.start("5 10 * * *")
    await world.crash(scheduler)
    await world.start_all(("other", HOURLY, world.work("other"), DELAY), name="other")
    await world.travel(minutes=10)
    await world.start("5 10 * * *")
    await world.travel(minutes=10)
    assert world.work().calls == []
    await world.travel_to(at(10, 5, day=2))
    assert world.work().calls == [at(10, 5, day=2)]


@scheduled
async def test_what_others_planned_by_an_expression_that_was_replaced_is_called_off(durable_world: World) -> None:
    world = durable_world
    scheduler = await world.start("0,5 10 * * *")
    await world.crash(scheduler)
    await world.start_all(("other", HOURLY, world.work("other"), DELAY), name="other")
    await world.travel(minutes=10)
    await world.start("30 10 * * *")
    await world.travel(minutes=30)
    assert world.work().calls == [at(10, 0), at(10, 30)]


@scheduled
async def test_an_orphan_that_others_noticed_first_is_still_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duly.declarative.scheduler.started_engines.vanished", _no_node)
    world.work(seconds=600)
    scheduler = await world.start("0 10 1 6 *")
    await world.crash(scheduler)
    world.relax()
    await world.travel(days=8)  # the lease of virtual time
    await world.start_all(("other", HOURLY, world.work("other"), DELAY), name="other")
    await world.travel(days=4)  # half of it, in which a silent one could answer
    again = await world.start("0 10 1 6 *")
    assert world.count("TaskOrphaned") == 1
    assert world.work().calls == [at(10, 0), at(10, 0, day=13)]
    assert again.tasks["a"].state is TaskState.AWAITING_RUN


@scheduled
async def test_a_time_on_record_as_skipped_is_made_up_all_the_same(world: World) -> None:
    world.work(seconds=200)
    scheduler = await world.start()  # 10:01 waits, 10:02 and 10:03 are skipped
    await world.travel(seconds=190)
    stopping = asyncio.ensure_future(scheduler.stop())
    await world.travel(seconds=10)
    await stopping
    world.relax()
    other = await world.start("30 10 * * *")  # nothing is owed by this one, and what waited is called off
    await other.stop()
    assert len(world.work().calls) == 1
    await world.start()
    assert world.work().calls == [at(10, 0), at(10, 3, 20)]


@scheduled
async def test_a_failure_while_stopping_is_retried_unless_a_cron_time_is_owed(world: World) -> None:
    for cron, expected in (("0 10 * * *", at(10, 6, 30)), ("0,1 10 * * *", at(10, 1, 40))):
        world.work(seconds=90, fails=True)
        scheduler = await world.start("0,1 10 * * *", DELAY, name=cron)
        await world.travel(seconds=70)  # 10:01 has come, and waits
        stopping = asyncio.ensure_future(scheduler.stop())
        await world.travel(seconds=20)
        await stopping
        world.relax()
        await world.travel(seconds=10)
        again = await world.start(cron, DELAY, name=cron)
        await world.travel(minutes=10)
        assert world.work().calls[1:] == [expected]
        await again.stop()
        world.clock.step(at(10, 0) - world.clock.now())
        world.work().calls.clear()
