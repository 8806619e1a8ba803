"""Crashes: the instance vanishes without a word, only the store survives. On both stores."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest

from duly.declarative import Scheduler, SchedulerInitializationError, TaskState
from duly.engine.settings import EngineSettings
from tests.conformance.declarative.harness import DELAY, SchedulerHarness, at, scheduled

HOURLY = "0 * * * *"


def _no_node(*_: object) -> set[str]:
    return set()


@scheduled
async def test_an_orphaned_task_is_restarted_immediately(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    harness.work(seconds=600)
    scheduler = await harness.start(HOURLY)
    before = scheduler.identifier
    await harness.travel(seconds=30)
    await harness.crash(scheduler)
    harness.work(seconds=5)
    await harness.travel(minutes=7)
    again = await harness.start(HOURLY)
    assert harness.work().calls == [at(10, 0), at(10, 7, 30)]
    assert harness.last("TaskOrphaned").data == {"scheduler": "default", "task": "a", "previous_scheduler": before}
    assert harness.last("SchedulerInitializationCompleted").data["orphaned"] == 1
    assert harness.told[-1] == "TaskRunStarted"
    await harness.travel(hours=1)
    assert harness.work().calls[2:] == [at(11, 0)]
    assert again.tasks["a"].last_success_at == at(11, 0, 5)


@scheduled
async def test_an_orphaned_task_that_missed_times_is_restarted_once(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    harness.work(seconds=600)
    scheduler = await harness.start()
    await harness.travel(seconds=150)  # a follow-up waits as well
    await harness.crash(scheduler)
    harness.work(seconds=5)
    await harness.travel(hours=3)
    await harness.start()
    await harness.travel(seconds=29)
    assert harness.work().calls == [at(10, 0), at(13, 2, 30)]
    await harness.travel(seconds=1)
    assert harness.work().calls[2:] == [at(13, 3)]


@scheduled
async def test_an_orphaned_task_has_the_new_configuration(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    harness.work(seconds=600)
    scheduler = await harness.start(HOURLY, timedelta(hours=5))
    await harness.crash(scheduler)
    harness.work(fails=True)
    again = await harness.start("0 10 * * *", timedelta(minutes=2))
    assert again.tasks["a"].pending_retry_until == at(10, 2)
    assert [harness.count(name) for name in ("TaskOrphaned", "TaskOverridden")] == [1, 1]
    await harness.travel(minutes=3)
    assert harness.work().calls == [at(10, 0), at(10, 0), at(10, 2)]


@scheduled
async def test_an_orphaned_retry_is_restarted_immediately(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    harness.work(fails=True)
    scheduler = await harness.start(HOURLY, DELAY)
    for _ in range(4):
        await harness.travel(minutes=5)  # more failures than a poisonous run of others would be granted
    harness.work(seconds=600)
    await harness.travel(minutes=5)
    await harness.crash(scheduler)
    harness.relax()
    await harness.travel(minutes=10)
    again = await harness.start(HOURLY, DELAY)
    assert harness.work().calls[-1] == at(10, 35)
    assert again.tasks["a"].state is TaskState.AWAITING_RUN
    assert harness.count("TaskOrphaned") == 1


@scheduled
async def test_a_task_that_takes_its_process_down_is_restarted_again_and_again(
    durable_harness: SchedulerHarness,
) -> None:
    harness = durable_harness
    harness.work(seconds=600)
    for _ in range(6):
        scheduler = await harness.start(HOURLY)
        await harness.crash(scheduler)
        await harness.travel(seconds=10)
    assert len(harness.work().calls) == 6


@scheduled
async def test_an_orphan_that_is_no_longer_registered_never_runs(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    harness.work(seconds=600)
    scheduler = await harness.start(HOURLY)
    await harness.crash(scheduler)
    await harness.start_all(("b", HOURLY, harness.work("b"), DELAY))
    await harness.travel(hours=2)
    assert len(harness.work("a").calls) == 1
    assert harness.count("TaskOrphaned") == 0


@scheduled
async def test_a_retry_survives_a_crash(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    harness.work(fails=True)
    scheduler = await harness.start(HOURLY, timedelta(minutes=20))
    await harness.travel(minutes=1)
    await harness.crash(scheduler)
    harness.relax()
    again = await harness.start(HOURLY, timedelta(minutes=20))
    assert again.tasks["a"].pending_retry_until == at(10, 20)
    await harness.travel(minutes=30)
    assert harness.work().calls == [at(10, 0), at(10, 20)]
    assert harness.count("TaskRetryStarted") == 1


@scheduled
async def test_no_make_up_burst_after_a_crash(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    scheduler = await harness.start("15,30,45,0 * * * *")
    await harness.travel(minutes=1)
    await harness.crash(scheduler)
    await harness.travel(hours=1)
    await harness.start("15,30,45,0 * * * *")
    await harness.travel(minutes=13)
    assert harness.work().calls == [at(10, 0), at(11, 1)]


@pytest.mark.parametrize("step", ["save.inserted", "engine.joined"])
@scheduled
async def test_a_fault_in_the_middle_of_initialize_leaves_the_next_one_a_consistent_state(
    durable_harness: SchedulerHarness, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = durable_harness
    scheduler = await harness.start(HOURLY)
    await scheduler.stop()

    def torn(place: str) -> None:
        if place == step:
            raise OSError("torn apart")

    monkeypatch.setattr("duly.failpoints.hit", torn)
    with pytest.raises(SchedulerInitializationError, match="torn apart"):
        await scheduler.initialize([("a", "30 * * * *", harness.work(), DELAY)])
    monkeypatch.undo()
    await harness.travel(minutes=10)
    await scheduler.initialize([("a", "30 * * * *", harness.work(), DELAY)])
    await harness.travel(minutes=30)
    assert harness.work().calls == [at(10, 0), at(10, 30)]
    assert scheduler.tasks["a"].last_success_at == at(10, 30)


@scheduled
async def test_what_is_under_way_with_a_living_scheduler_is_left_alone(harness: SchedulerHarness) -> None:
    harness.work(seconds=90)
    first = await harness.start(HOURLY)
    second = await harness.start(HOURLY)
    await harness.travel(minutes=2)
    assert harness.work().calls == [at(10, 0)]
    assert harness.count("TaskOrphaned") == 0
    assert {str(each.state) for each in (first, second)} == {"running"}
    await harness.travel(hours=1)
    assert harness.work().calls == [at(10, 0), at(11, 0)]  # together they run it once


@scheduled
async def test_what_waits_behind_a_run_of_a_living_scheduler_is_left_alone_too(
    durable_harness: SchedulerHarness,
) -> None:
    harness = durable_harness
    harness.work(seconds=150)
    await harness.start("0,1 10 * * *")
    await harness.travel(seconds=70)  # 10:01 waits
    await harness.start("0,1 10 * * *")
    harness.work(seconds=5)
    await harness.travel(seconds=100)
    assert harness.work().calls == [at(10, 0), at(10, 2, 30)]


@scheduled
async def test_an_orphan_whose_lease_is_not_over_starts_once_when_it_is(
    harness: SchedulerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A scheduler on another machine does not know which engines of this process are dead.
    monkeypatch.setattr("duly.declarative.scheduler.started_engines.vanished", _no_node)
    settings = EngineSettings(threads=False, lease=15)
    harness.work(seconds=600)
    scheduler = await harness.start("0,1,2 * * * *", settings=settings)
    await harness.travel(seconds=50)
    await harness.crash(scheduler)
    harness.relax()
    await harness.start("0,1,2 * * * *", settings=settings)
    assert harness.count("TaskOrphaned") == 0
    await harness.travel(seconds=60)  # 10:01 comes before the lease is over
    [first, second] = harness.work().calls
    assert (first, at(10, 1) < second <= at(10, 1, 25)) == (at(10, 0), True)
    assert harness.told[-3:] == ["TaskOrphaned", "TaskRunStarted", "TaskRunCompleted"]
    await harness.travel_to(at(10, 2))
    assert harness.work().calls[2:] == [at(10, 2)]


@scheduled
async def test_a_living_scheduler_goes_on_when_another_of_its_name_stops(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    first = await harness.start("* * * * *")
    second = await harness.start("* * * * *")
    await harness.travel(minutes=1)
    await first.stop()
    await harness.travel(minutes=2)
    assert harness.work().calls == [at(10, minute) for minute in range(4)]
    await second.stop()
    await harness.travel(minutes=2)
    assert len(harness.work().calls) == 4


@scheduled
async def test_a_living_scheduler_goes_on_when_another_of_its_name_fails_to_start(
    harness: SchedulerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    await harness.start("* * * * *")

    def torn(place: str) -> None:
        if place == "save.inserted":
            raise OSError("torn apart")

    monkeypatch.setattr("duly.failpoints.hit", torn)
    with pytest.raises(SchedulerInitializationError, match="torn apart"):
        await harness.start("* * * * *")
    monkeypatch.undo()
    await harness.travel(minutes=2)
    assert harness.work().calls == [at(10, minute) for minute in range(3)]


def test_a_program_that_was_interrupted_can_stop_and_the_task_is_an_orphan(harness: SchedulerHarness) -> None:
    async def interrupted() -> None:
        raise KeyboardInterrupt

    with asyncio.Runner() as runner:
        # The attempt that was interrupted ends with it; the loop would say so in the log of a later test.
        runner.get_loop().set_exception_handler(lambda _loop, _context: None)
        with pytest.raises(KeyboardInterrupt):
            runner.run(harness.start_all(("a", HOURLY, interrupted, DELAY)))
        [scheduler] = harness._schedulers
        runner.run(asyncio.wait_for(scheduler.stop(), 60))
        runner.run(harness.start(HOURLY))
        assert len(harness.work().calls) == 1
        assert harness.count("TaskOrphaned") == 1
        runner.run(harness.close())


def test_a_scheduler_whose_event_loop_was_closed_is_gone(harness: SchedulerHarness) -> None:
    harness.work(seconds=600)

    async def cut_short() -> Scheduler:
        return await harness.start(HOURLY)

    scheduler = asyncio.run(cut_short())  # ends without a stop, as programs do that were interrupted
    scheduler._on_event = None
    harness._schedulers.clear()
    harness.relax()

    async def go_on() -> None:
        try:
            await harness.start(HOURLY)
        finally:
            await harness.close()

    asyncio.run(go_on())
    assert len(harness.work().calls) == 2
    assert harness.count("TaskOrphaned") == 1


@pytest.mark.parametrize("seconds", [0, 1, 59])
@scheduled
async def test_a_crash_right_after_a_run_does_not_run_it_again(
    durable_harness: SchedulerHarness, seconds: float
) -> None:
    harness = durable_harness
    scheduler = await harness.start()
    await harness.travel(seconds=seconds)
    await harness.crash(scheduler)
    await harness.start()
    assert harness.work().calls == [at(10, 0)]
    await harness.travel_to(at(10, 1))
    assert harness.work().calls == [at(10, 0), at(10, 1)]


# Others on the same store go on while a scheduler is gone: they plan its tasks and take back what it had under way.


def calls(harness: SchedulerHarness) -> list[datetime]:
    """Give the seconds in which the work was called, where two engines share a store.

    If one of them has the row of a run locked just then, the claim of the other passes over it on PostgreSQL, and comes
    back 50 ms later.
    """
    return [call.replace(microsecond=0) for call in harness.work().calls]


@scheduled
async def test_what_others_planned_meanwhile_is_one_run(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    scheduler = await harness.start()
    await harness.travel(seconds=30)
    await harness.crash(scheduler)
    await harness.start_all(("other", HOURLY, harness.work("other"), DELAY), name="other")
    await harness.travel(minutes=10)
    await harness.start()
    await harness.travel(seconds=29)
    assert calls(harness) == [at(10, 0), at(10, 10, 30)]
    await harness.travel(minutes=1, seconds=2)
    assert calls(harness)[2:] == [at(10, 11), at(10, 12)]


@scheduled
async def test_what_others_planned_for_a_task_that_never_ran_is_not_made_up(durable_harness: SchedulerHarness) -> None:
    harness = durable_harness
    scheduler = await harness.start("5 10 * * *")
    await harness.crash(scheduler)
    await harness.start_all(("other", HOURLY, harness.work("other"), DELAY), name="other")
    await harness.travel(minutes=10)
    await harness.start("5 10 * * *")
    await harness.travel(minutes=10)
    assert harness.work().calls == []
    await harness.travel_to(at(10, 5, 1, day=2))
    assert calls(harness) == [at(10, 5, day=2)]


@scheduled
async def test_what_others_planned_by_an_expression_that_was_replaced_is_called_off(
    durable_harness: SchedulerHarness,
) -> None:
    harness = durable_harness
    scheduler = await harness.start("0,5 10 * * *")
    await harness.crash(scheduler)
    await harness.start_all(("other", HOURLY, harness.work("other"), DELAY), name="other")
    await harness.travel(minutes=10)
    await harness.start("30 10 * * *")
    await harness.travel(minutes=30)
    assert calls(harness) == [at(10, 0), at(10, 30)]


@scheduled
async def test_an_orphan_that_others_noticed_first_is_still_one(
    harness: SchedulerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duly.declarative.scheduler.started_engines.vanished", _no_node)
    harness.work(seconds=600)
    scheduler = await harness.start("0 10 1 6 *")
    await harness.crash(scheduler)
    harness.relax()
    await harness.travel(days=8)  # the lease of virtual time
    await harness.start_all(("other", HOURLY, harness.work("other"), DELAY), name="other")
    await harness.travel(days=4)  # half of it, in which a silent one could answer
    again = await harness.start("0 10 1 6 *")
    await harness.travel(seconds=1)
    assert harness.count("TaskOrphaned") == 1
    assert calls(harness) == [at(10, 0), at(10, 0, day=13)]
    assert again.tasks["a"].state is TaskState.AWAITING_RUN


@scheduled
async def test_a_time_on_record_as_skipped_is_made_up_all_the_same(harness: SchedulerHarness) -> None:
    harness.work(seconds=200)
    scheduler = await harness.start()  # 10:01 waits, 10:02 and 10:03 are skipped
    await harness.travel(seconds=190)
    stopping = asyncio.ensure_future(scheduler.stop())
    await harness.travel(seconds=10)
    await stopping
    harness.relax()
    other = await harness.start("30 10 * * *")  # nothing is owed by this one, and what waited is called off
    await other.stop()
    assert len(harness.work().calls) == 1
    await harness.start()
    assert harness.work().calls == [at(10, 0), at(10, 3, 20)]


@scheduled
async def test_a_failure_while_stopping_is_retried_unless_a_cron_time_is_owed(harness: SchedulerHarness) -> None:
    for cron, expected in (("0 10 * * *", at(10, 6, 30)), ("0,1 10 * * *", at(10, 1, 40))):
        harness.work(seconds=90, fails=True)
        scheduler = await harness.start("0,1 10 * * *", DELAY, name=cron)
        await harness.travel(seconds=70)  # 10:01 has come, and waits
        stopping = asyncio.ensure_future(scheduler.stop())
        await harness.travel(seconds=20)
        await stopping
        harness.relax()
        await harness.travel(seconds=10)
        again = await harness.start(cron, DELAY, name=cron)
        await harness.travel(minutes=10)
        assert harness.work().calls[1:] == [expected]
        await again.stop()
        harness.clock.step(at(10, 0) - harness.clock.now())
        harness.work().calls.clear()
