"""Task Lifecycle: awaiting a run, running, awaiting a retry."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from duly.declarative import TaskState, TaskStatus
from duly.zones import iso
from tests.conformance.declarative.harness import DELAY, EVERY_MINUTE, SchedulerHarness, at, scheduled

HOURLY = "0 * * * *"


@scheduled
async def test_a_task_is_in_exactly_one_state(harness: SchedulerHarness) -> None:
    harness.work(seconds=30, fails=True)
    scheduler = await harness.start("1 10 * * *", timedelta(minutes=2))
    seen = []
    for moment in (at(10, 0, 30), at(10, 1, 10), at(10, 2), at(10, 3, 31), at(10, 4, 5)):
        await harness.travel_to(moment)
        seen.append(scheduler.tasks["a"].state)
        if moment == at(10, 2):
            harness.work(seconds=30)
    assert seen == [
        TaskState.AWAITING_RUN,
        TaskState.RUNNING,
        TaskState.AWAITING_RETRY,
        TaskState.RUNNING,
        TaskState.AWAITING_RUN,
    ]


# From AwaitingRun to Running


@scheduled
async def test_case_a_the_current_minute_matches_and_the_task_has_not_been_run_this_minute(
    harness: SchedulerHarness,
) -> None:
    scheduler = await harness.start("1 * * * *")
    await harness.travel(minutes=1)
    assert harness.told[-2:] == ["TaskRunStarted", "TaskRunCompleted"]
    assert harness.last("TaskRunStarted").data["scheduled_at"] == iso(at(10, 1))
    assert scheduler.tasks["a"].last_attempt_at == at(10, 1)
    await harness.travel(seconds=59)
    assert harness.work().calls == [at(10, 1)]


@scheduled
async def test_case_b_a_time_that_was_missed_is_made_up(harness: SchedulerHarness) -> None:
    scheduler = await harness.start(HOURLY)
    await scheduler.stop()
    await harness.travel(minutes=95)
    await harness.start(HOURLY)
    assert harness.work().calls == [at(10, 0), at(11, 35)]
    assert harness.last("TaskRunStarted").data["scheduled_at"] == iso(at(11, 0))


@scheduled
async def test_case_b_except_if_the_task_has_never_run_before(harness: SchedulerHarness) -> None:
    scheduler = await harness.start("30 10 * * *")
    await harness.travel(minutes=20)
    await scheduler.stop()
    await harness.travel(minutes=20)
    await harness.start("30 10 * * *")
    await harness.travel(minutes=30)
    assert harness.work().calls == []
    await harness.travel_to(at(10, 30, day=2))
    assert harness.work().calls == [at(10, 30, day=2)]


@scheduled
async def test_a_task_that_has_never_run_makes_nothing_up_after_a_sleep_of_the_machine(
    harness: SchedulerHarness,
) -> None:
    await harness.start("30 10 * * *")
    await harness.travel(minutes=20)
    harness.clock.suspend(timedelta(hours=1))
    await harness.travel(hours=1)
    assert harness.work().calls == []
    await harness.travel_to(at(10, 30, day=2))
    assert harness.work().calls == [at(10, 30, day=2)]


@scheduled
async def test_a_task_that_has_never_run_starts_at_once_when_the_restart_hits_its_minute(
    harness: SchedulerHarness,
) -> None:
    scheduler = await harness.start("30 10 * * *")
    await scheduler.stop()
    await harness.travel(minutes=30, seconds=40)
    await harness.start("30 10 * * *")
    assert harness.work().calls == [at(10, 30, 40)]


# From Running to AwaitingRun


@scheduled
async def test_success_records_its_time_and_clears_the_retry(harness: SchedulerHarness) -> None:
    harness.work(seconds=20, fails=True)
    scheduler = await harness.start(HOURLY, timedelta(minutes=1))
    await harness.travel(seconds=30)
    harness.work(seconds=20)
    await harness.travel(minutes=2)
    assert scheduler.tasks["a"] == TaskStatus(TaskState.AWAITING_RUN, at(10, 1, 20), at(10, 1, 40), None)
    assert harness.last("TaskRunCompleted").data == {"scheduler": "default", "task": "a", "seconds": 20.0}


# From Running to AwaitingRetry


@scheduled
async def test_failure_schedules_a_retry_after_the_delay(harness: SchedulerHarness) -> None:
    harness.work(seconds=10, fails=True)
    scheduler = await harness.start(HOURLY, DELAY)
    await harness.travel(seconds=10)
    assert scheduler.tasks["a"] == TaskStatus(TaskState.AWAITING_RETRY, at(10, 0), None, at(10, 5, 10))
    told = harness.last("TaskRunFailed").data
    assert told["error"] == "RuntimeError: told to fail"
    assert told["pending_retry_until"] == iso(at(10, 5, 10))
    assert 'raise RuntimeError("told to fail")' in told["traceback"]


@scheduled
async def test_a_task_is_retried_until_it_succeeds(harness: SchedulerHarness) -> None:
    harness.work(fails=True)
    await harness.start(HOURLY, timedelta(minutes=10))
    await harness.travel(minutes=35)
    harness.relax()
    await harness.travel(minutes=20)
    assert harness.work().calls == [at(10, minute) for minute in (0, 10, 20, 30, 40)]
    assert harness.count("TaskRunFailed") == 4
    assert harness.count("TaskRetryStarted") == 4
    assert harness.count("TaskRunStarted") == 1


@pytest.mark.parametrize(("delay", "waits"), [(0, 1), (0.25, 1), (1, 1), (1.5, 1.5)])
@scheduled
async def test_a_retry_delay_is_never_shorter_than_a_second_in_effect(
    harness: SchedulerHarness, delay: float, waits: float
) -> None:
    harness.work(fails=True)
    await harness.start(HOURLY, timedelta(seconds=delay))
    await harness.travel(seconds=waits * 3)
    assert harness.work().calls == [at(10, 0, waits * number) for number in range(4)]


@pytest.mark.parametrize("raised", [SystemExit(3), GeneratorExit(), asyncio.CancelledError(), BaseException()])
@scheduled
async def test_even_what_is_not_an_exception_is_a_failure(harness: SchedulerHarness, raised: BaseException) -> None:
    async def leaves() -> None:
        raise raised

    scheduler = await harness.start_all(("a", HOURLY, leaves, DELAY))
    assert scheduler.tasks["a"].pending_retry_until == at(10, 5)
    await asyncio.wait_for(scheduler.stop(), 60)


@scheduled
async def test_a_callback_that_cancels_itself_has_failed_unless_it_ends_first(harness: SchedulerHarness) -> None:
    async def too_early() -> None:
        if (here := asyncio.current_task()) is not None:
            here.cancel()
        await asyncio.sleep(0)

    async def too_late() -> None:
        if (here := asyncio.current_task()) is not None:
            here.cancel()

    scheduler = await harness.start_all(("early", HOURLY, too_early, DELAY), ("late", HOURLY, too_late, DELAY))
    assert scheduler.tasks["early"].pending_retry_until == at(10, 5)
    assert scheduler.tasks["late"].last_success_at == at(10, 0)


# From AwaitingRetry to Running


@scheduled
async def test_a_retry_starts_when_its_time_is_reached(harness: SchedulerHarness) -> None:
    harness.work(fails=True)
    scheduler = await harness.start(HOURLY, timedelta(seconds=90))
    await harness.travel(seconds=89)
    assert len(harness.work().calls) == 1
    harness.work(seconds=30)
    await harness.travel(seconds=1)
    assert harness.told[-1] == "TaskRetryStarted"
    assert harness.last("TaskRetryStarted").data["attempt"] == 2
    assert scheduler.tasks["a"] == TaskStatus(TaskState.RUNNING, at(10, 1, 30), None, None)


# From AwaitingRetry to AwaitingRun


@scheduled
async def test_a_cron_time_supersedes_the_retry(harness: SchedulerHarness) -> None:
    harness.work(fails=True)
    await harness.start("0,2 10 * * *", DELAY)
    harness.relax()
    await harness.travel(minutes=10)
    assert harness.work().calls == [at(10, 0), at(10, 2)]
    assert harness.told[-4:] == ["TaskRunFailed", "TaskRetryPreempted", "TaskRunStarted", "TaskRunCompleted"]
    assert harness.last("TaskRetryPreempted").data["pending_retry_until"] == iso(at(10, 5))


@scheduled
async def test_a_retry_and_a_cron_time_at_the_same_moment_are_one_run(harness: SchedulerHarness) -> None:
    harness.work(fails=True)
    await harness.start("0,5 10 * * *", DELAY)
    harness.relax()
    await harness.travel(minutes=10)
    assert harness.work().calls == [at(10, 0), at(10, 5)]
    assert harness.told[-3:] == ["TaskRetryPreempted", "TaskRunStarted", "TaskRunCompleted"]


@scheduled
async def test_a_cron_time_missed_while_stopped_supersedes_the_retry(harness: SchedulerHarness) -> None:
    harness.work(fails=True)
    scheduler = await harness.start("0,2 10 * * *", timedelta(hours=2))
    await scheduler.stop()
    harness.relax()
    await harness.travel(minutes=10)
    await harness.start("0,2 10 * * *", timedelta(hours=2))
    await harness.travel(hours=3)
    assert harness.work().calls == [at(10, 0), at(10, 10)]
    assert harness.told[-3:] == ["TaskRetryPreempted", "TaskRunStarted", "TaskRunCompleted"]


@scheduled
async def test_times_that_pass_while_a_task_runs_become_one_follow_up(harness: SchedulerHarness) -> None:
    harness.work(seconds=200)
    await harness.start()
    await harness.travel(seconds=199)
    assert harness.work().calls == [at(10, 0)]
    harness.work(seconds=10)
    await harness.travel(seconds=30)
    assert harness.work().calls == [at(10, 0), at(10, 3, 20)]
    await harness.travel(minutes=1)
    assert harness.work().calls[2:] == [at(10, 4)]


@scheduled
async def test_a_failure_after_the_next_time_has_come_is_followed_up_not_retried(harness: SchedulerHarness) -> None:
    harness.work(seconds=90, fails=True)
    scheduler = await harness.start("0,1 10 * * *", DELAY)
    await harness.travel(seconds=89)
    harness.work(seconds=5)
    await harness.travel(seconds=2)
    assert harness.told[-3:] == ["TaskRunFailed", "TaskRetryPreempted", "TaskRunStarted"]
    await harness.travel(minutes=30)
    assert harness.work().calls == [at(10, 0), at(10, 1, 30)]
    assert scheduler.tasks["a"] == TaskStatus(TaskState.AWAITING_RUN, at(10, 1, 30), at(10, 1, 35), None)


# Timestamp Management


@scheduled
async def test_timestamps_are_maintained_over_a_restart(harness: SchedulerHarness) -> None:
    harness.work(seconds=5)
    scheduler = await harness.start("0,30 * * * *", timedelta(minutes=20))
    await harness.travel(minutes=29)
    harness.work(seconds=5, fails=True)
    await harness.travel(minutes=2)
    expected = TaskStatus(TaskState.AWAITING_RETRY, at(10, 30), at(10, 0, 5), at(10, 50, 5))
    assert scheduler.tasks["a"] == expected
    await scheduler.stop()
    assert scheduler.tasks["a"] == expected
    again = await harness.start("0,30 * * * *", timedelta(minutes=20))
    assert again.tasks["a"] == expected
    await harness.travel_to(at(10, 50, 5))
    assert harness.told[-1] == "TaskRetryStarted"


@scheduled
async def test_timestamps_outlive_the_history(harness: SchedulerHarness) -> None:
    harness.work(seconds=5)
    scheduler = await harness.start("0 10 1 6 *")
    await harness.travel(days=60)
    assert harness.work().calls == [at(10, 0)]
    await scheduler.stop()
    again = await harness.start("0 10 1 6 *")
    assert again.tasks["a"].last_success_at == at(10, 0, 5)
    assert again.tasks["a"].last_attempt_at == at(10, 0, 5)  # the run itself is forgotten: its end is what is left
    await harness.travel(days=1)
    assert len(harness.work().calls) == 1


@scheduled
async def test_timestamps_of_different_tasks_do_not_mix(harness: SchedulerHarness) -> None:
    scheduler = await harness.start_all(
        ("a", EVERY_MINUTE, harness.work("a"), DELAY), ("b", "1 10 * * *", harness.work("b", fails=True), DELAY)
    )
    await harness.travel(minutes=2)
    assert scheduler.tasks["a"] == TaskStatus(TaskState.AWAITING_RUN, at(10, 2), at(10, 2), None)
    assert scheduler.tasks["b"] == TaskStatus(TaskState.AWAITING_RETRY, at(10, 1), None, at(10, 6))
    assert repr(scheduler.tasks) == repr(dict(scheduler.tasks))
