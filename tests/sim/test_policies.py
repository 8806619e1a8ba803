"""Policies at work in a running engine: the rules themselves are tested as tables elsewhere."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest

from duly.cron import Cron
from duly.errors import InvalidInputError
from duly.model.policy import Backoff, Overlap, Policy, Retry
from duly.model.run import Origin, Status
from duly.recurrence import Once, any_of, as_trigger, every, run_at
from tests.sim.lab import START, Lab, in_lab

SOON = Once(START + timedelta(minutes=1))
QUARTERS = Cron("*/15 * * * *")


@in_lab
async def test_a_retry_that_still_waits_is_superseded_by_the_next_fire(lab: Lab) -> None:
    calls: list[int] = []

    async def broken() -> None:
        calls.append(lab.clock.now().minute)
        if len(calls) == 1:
            raise ValueError("no")

    await lab.node(broken)
    retry = Retry(max_attempts=3, delay=timedelta(hours=1), superseded=True)
    await lab.schedule(broken, QUARTERS, Policy(retry=retry))
    await lab.pass_time(minutes=31)
    first, second = await lab.runs()
    assert (first.status, first.reason) == (Status.FAILED, "superseded by the next fire")
    assert second.status is Status.SUCCEEDED
    assert calls == [15, 30]


@in_lab
async def test_the_place_of_a_superseded_retry_goes_to_the_first_in_line_at_once(lab: Lab) -> None:
    begun: list[tuple[int, int]] = []

    async def broken(run) -> None:  # type: ignore[no-untyped-def]
        begun.append((run.fire_at.minute, lab.clock.now().minute))
        await lab.clock.sleep(20 * 60)
        if len(begun) == 1:
            raise ValueError("no")

    await lab.node(broken)
    retry = Retry(max_attempts=3, delay=timedelta(hours=1), superseded=True)
    await lab.schedule(broken, QUARTERS, Policy(overlap=Overlap.QUEUE, retry=retry))
    await lab.pass_time(minutes=66)
    # 15 fails at 35, while 30 stands in line; 45 closes it, and 30 has its turn
    assert begun == [(15, 15), (30, 45), (45, 5)]


@in_lab
async def test_without_that_the_next_fire_is_skipped_while_a_retry_waits(lab: Lab) -> None:
    async def broken() -> None:
        raise ValueError("no")

    await lab.node(broken)
    await lab.schedule(broken, QUARTERS, Policy(retry=Retry(max_attempts=2, delay=timedelta(minutes=20), jitter=0)))
    await lab.pass_time(minutes=36)
    assert await lab.statuses() == [Status.FAILED, Status.SKIPPED]


@in_lab
async def test_retries_wait_longer_each_time_and_end(lab: Lab) -> None:
    calls: list[float] = []

    async def broken() -> None:
        calls.append(lab.clock.monotonic())
        raise ValueError("no")

    node = await lab.node(broken)
    retry = Retry(max_attempts=4, delay=timedelta(minutes=1), backoff=Backoff.EXPONENTIAL, jitter=0)
    await lab.schedule(broken, SOON, Policy(retry=retry))
    await lab.pass_time(hours=1)
    assert calls == [60, 120, 240, 480]
    run = await lab.run()
    assert (run.status, run.attempt, run.error) == (Status.FAILED, 4, "ValueError: no")
    assert len(node.told("run.retrying")) == 3
    assert len(node.told("run.failed")) == 1


@in_lab
async def test_a_timeout_cancels_confirms_and_only_then_tries_again(lab: Lab) -> None:
    acting: list[str] = []

    async def slow() -> None:
        acting.append("in")
        try:
            await lab.clock.sleep(3600)
        finally:
            await lab.clock.sleep(60)
            acting.append("out")

    await lab.node(slow)
    retry = Retry(max_attempts=2, delay=timedelta(0), jitter=0)
    await lab.schedule(slow, SOON, Policy(timeout=timedelta(seconds=30), retry=retry))
    await lab.pass_time(minutes=10)
    assert acting == ["in", "out", "in", "out"]
    run = await lab.run()
    assert (run.status, run.error) == (Status.FAILED, "RunTimeoutError: timed out after 30 s")


@in_lab
async def test_a_handler_that_is_cancelled_by_something_of_its_own_has_failed(lab: Lab) -> None:
    """Nobody asked it to stop, so it is a failure like any other, and tried again."""

    async def confused() -> None:
        inner = asyncio.ensure_future(asyncio.sleep(3600))
        inner.cancel()
        await inner

    await lab.node(confused)
    await lab.schedule(confused, SOON, Policy(retry=Retry(max_attempts=2, delay=timedelta(seconds=1), jitter=0)))
    await lab.pass_time(minutes=5)
    run = await lab.run()
    assert (run.status, run.attempt) == (Status.FAILED, 2)


@in_lab
async def test_max_runs_disables_the_schedule_with_its_last_fire(lab: Lab) -> None:
    async def task() -> None:
        """Nothing to do."""

    await lab.node(task)
    schedule = await lab.schedule(task, QUARTERS, max_runs=3)
    await lab.pass_time(hours=3)
    assert await lab.statuses() == [Status.SUCCEEDED] * 3
    state = (await lab.service.get(schedule)).state
    assert (state.enabled, state.next_run_at, state.disabled_by, state.fires) == (False, None, "finished", 3)
    assert [event.kind.name for _, event in await lab.store.journal(0, 99)].count("schedule.finished") == 1


@in_lab
async def test_until_includes_its_own_instant_and_disables_after_it(lab: Lab) -> None:
    async def task() -> None:
        """Nothing to do."""

    await lab.node(task)
    schedule = await lab.schedule(task, QUARTERS, until_at=START + timedelta(minutes=30))
    await lab.pass_time(hours=3)
    assert [run.fire.fire_at.minute for run in await lab.runs()] == [15, 30]
    assert (await lab.service.get(schedule)).state.disabled_by == "finished"


@in_lab
async def test_a_fire_due_before_until_is_made_up_after_it(lab: Lab) -> None:
    async def task() -> None:
        """Nothing to do."""

    await lab.schedule(task, QUARTERS, until_at=START + timedelta(minutes=35))
    await lab.pass_time(hours=3)
    await lab.node(task)
    await lab.pass_time(minutes=1)
    missed, made_up = sorted(await lab.runs(), key=lambda run: run.fire.fire_at)
    assert (missed.status, missed.fire.fire_at.minute) == (Status.MISSED, 15)
    assert (made_up.status, made_up.fire.fire_at.minute) == (Status.SUCCEEDED, 30)


@in_lab
async def test_a_queue_is_served_in_order_up_to_its_limit(lab: Lab) -> None:
    served: list[datetime] = []

    async def slow(run) -> None:  # type: ignore[no-untyped-def]
        served.append(run.fire_at)
        await lab.clock.sleep(50 * 60)

    await lab.node(slow)
    schedule = await lab.schedule(slow, QUARTERS, Policy(overlap=Overlap.QUEUE, queue_limit=2))
    await lab.pass_time(hours=1, minutes=1)
    await lab.service.pause(schedule)
    await lab.pass_time(hours=3)
    assert [at.minute for at in served] == [15, 30, 45]
    (skipped,) = [run for run in await lab.runs() if run.status is Status.SKIPPED]
    assert skipped.reason == "overlap: the queue is full (2 waiting)"


@in_lab
async def test_firing_by_hand_twice_in_one_instant_gives_two_runs(lab: Lab) -> None:
    async def task() -> None:
        """Nothing to do."""

    schedule = await lab.schedule(task, QUARTERS, Policy(overlap=Overlap.PARALLEL))
    first, second = await lab.service.trigger(schedule), await lab.service.trigger(schedule)
    assert first.id != second.id
    assert first.key != second.key
    await lab.node(task)
    await lab.pass_time(seconds=1)
    assert await lab.statuses() == [Status.SUCCEEDED] * 2


@in_lab
async def test_a_staggered_run_never_waits_longer_than_the_fire_after_it(lab: Lab) -> None:
    """However unevenly the fires come, they are dispatched in their order."""

    async def task() -> None:
        """Nothing to do."""

    await lab.node(task)
    uneven = any_of(QUARTERS, Once(START + timedelta(minutes=14, seconds=50)))
    schedule = await lab.schedule(task, uneven, Policy(stagger_key="some", max_stagger_seconds=600))
    await lab.pass_time(hours=1)
    due = [run.due_at for run in await lab.runs(schedule)]
    assert due == sorted(due)
    assert len(due) == len(set(due))


@in_lab
async def test_new_limits_leave_the_next_fire_where_it_is(lab: Lab) -> None:
    """A first run that is behind a series does not come again because its end was moved."""

    async def task() -> None:
        """Nothing to do."""

    await lab.node(task)
    when = as_trigger(run_at(START + timedelta(minutes=5)).then().every(20).minutes())
    schedule = await lab.schedule(task, when, max_runs=50)
    await lab.pass_time(hours=1)
    assert await lab.schedule(task, when, max_runs=60) == schedule
    state = (await lab.service.get(schedule)).state
    assert (state.next_run_at, state.fires) == (START + timedelta(minutes=65), 3)
    await lab.pass_time(minutes=30)
    assert [run.fire.fire_at.minute for run in await lab.runs()] == [5, 25, 45, 5, 25]


@in_lab
async def test_an_end_drawn_before_the_next_fire_finishes_the_series_at_once(lab: Lab) -> None:
    async def task() -> None:
        """Nothing to do."""

    schedule = await lab.schedule(task, QUARTERS)
    await lab.service.skip_next(schedule)
    await lab.schedule(task, QUARTERS, until_at=START + timedelta(minutes=20))
    state = (await lab.service.get(schedule)).state
    assert (state.enabled, state.disabled_by, state.next_run_at) == (False, "finished", None)


@in_lab
async def test_resuming_makes_up_nothing_that_passed_during_the_pause(lab: Lab) -> None:
    async def task() -> None:
        """Nothing to do."""

    await lab.node(task)
    when = as_trigger(run_at(START + timedelta(minutes=5)).then().every(20).minutes())
    schedule = await lab.schedule(task, when)
    await lab.service.pause(schedule)
    await lab.pass_time(minutes=10)
    await lab.service.resume(schedule)
    assert (await lab.service.get(schedule)).state.next_run_at == START + timedelta(minutes=30)
    once = await lab.schedule(task, as_trigger(run_at(START + timedelta(minutes=20))), name="once")
    await lab.service.pause(once)
    await lab.pass_time(minutes=30)
    with pytest.raises(InvalidInputError, match="has ended"):
        await lab.service.resume(once)


@in_lab
async def test_a_series_that_ended_goes_on_from_now_when_it_is_given_more(lab: Lab) -> None:
    async def task() -> None:
        """Nothing to do."""

    await lab.node(task)
    when = as_trigger(every(15).minutes())
    schedule = await lab.schedule(task, when, max_runs=2)
    await lab.pass_time(hours=1)
    await lab.schedule(task, when, max_runs=3)
    state = (await lab.service.get(schedule)).state
    assert (state.enabled, state.next_run_at) == (True, START + timedelta(minutes=75))


@in_lab
async def test_a_backfill_takes_the_places_there_are_and_leaves_the_line_moving(lab: Lab) -> None:
    at_once: set[int] = set()
    acting: list[str] = []

    async def slow(run) -> None:  # type: ignore[no-untyped-def]
        acting.append(run.key)
        at_once.add(len(acting))
        await lab.clock.sleep(60)
        acting.remove(run.key)

    await lab.node(slow)
    schedule = await lab.schedule(slow, QUARTERS, Policy(overlap=Overlap.PARALLEL, max_parallel=2))
    await lab.pass_time(minutes=61)
    runs = await lab.service.backfill(schedule, START, START + timedelta(hours=1))
    assert [run.fire.fire_at.minute for run in runs] == [0, 15, 30, 45, 0]
    await lab.pass_time(minutes=3)
    assert {run.status for run in await lab.runs()} == {Status.SUCCEEDED}
    assert at_once == {1, 2}


@in_lab
async def test_a_backfill_does_not_wait_for_runs_it_need_not_wait_for(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(20 * 60)  # longer than until the next fire: one of them always runs

    await lab.node(slow)
    schedule = await lab.schedule(slow, QUARTERS, Policy(overlap=Overlap.PARALLEL))
    await lab.pass_time(minutes=31)
    await lab.service.backfill(schedule, START + timedelta(minutes=1), START + timedelta(minutes=31))
    await lab.pass_time(minutes=41)
    past = [run.status for run in await lab.runs(schedule) if run.fire.origin is Origin.BACKFILL]
    assert past == [Status.SUCCEEDED] * 2


@in_lab
async def test_a_backfill_made_again_goes_on_where_the_first_one_ended(lab: Lab) -> None:
    async def task() -> None:
        """Nothing to do."""

    await lab.node(task)
    schedule = await lab.schedule(task, QUARTERS)
    await lab.pass_time(minutes=61)
    await lab.service.backfill(schedule, START, START + timedelta(minutes=15))
    await lab.pass_time(seconds=1)
    again = await lab.service.backfill(schedule, START, START + timedelta(minutes=45))
    assert [run.fire.fire_at.minute for run in again] == [30, 45]
    await lab.pass_time(seconds=1)
    past = [run.status for run in await lab.runs(schedule) if run.fire.origin is Origin.BACKFILL]
    assert past == [Status.SUCCEEDED] * 4


@in_lab
async def test_skipping_the_last_fire_finishes_the_series_and_says_so(lab: Lab) -> None:
    schedule = await lab.schedule("task", SOON)
    info = await lab.service.skip_next(schedule)
    assert (info.state.enabled, info.state.next_run_at, info.state.disabled_by) == (False, None, "finished")
    told = [event.kind.name for _, event in await lab.store.journal(0, 99)]
    assert told.count("schedule.finished") == 1


@in_lab
async def test_a_fire_skipped_ahead_stays_skipped_through_a_pause(lab: Lab) -> None:
    hourly = await lab.schedule("hourly", Cron("0 * * * *"))
    once = await lab.schedule("once", SOON)
    for schedule in (hourly, once):
        await lab.service.skip_next(schedule)
    await lab.service.pause(hourly)
    assert (await lab.service.resume(hourly)).state.next_fire_at == START + timedelta(hours=2)
    with pytest.raises(InvalidInputError, match="has ended and cannot be resumed"):
        await lab.service.resume(once)


@in_lab
async def test_all_fires_skipped_ahead_stay_skipped_through_a_pause(lab: Lab) -> None:
    hourly = await lab.schedule("hourly", Cron("0 * * * *"))
    for _ in range(3):
        await lab.service.skip_next(hourly)
    await lab.service.pause(hourly)
    assert (await lab.service.resume(hourly)).state.next_fire_at == START + timedelta(hours=4)


@in_lab
async def test_a_new_trigger_is_not_held_up_by_what_was_skipped_of_the_old_one(lab: Lab) -> None:
    schedule = await lab.schedule("hourly", Cron("0 * * * *"))
    for _ in range(3):
        await lab.service.skip_next(schedule)
    await lab.service.pause(schedule)
    assert await lab.schedule("hourly", Cron("*/15 * * * *")) == schedule
    assert (await lab.service.resume(schedule)).state.next_fire_at == START + timedelta(minutes=15)
