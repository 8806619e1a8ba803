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
from tests.sim.cluster import START, VirtualCluster, with_cluster

SOON = Once(START + timedelta(minutes=1))
QUARTERS = Cron("*/15 * * * *")


@with_cluster
async def test_the_next_fire_supersedes_a_waiting_retry(cluster: VirtualCluster) -> None:
    calls: list[int] = []

    async def broken() -> None:
        calls.append(cluster.clock.now().minute)
        if len(calls) == 1:
            raise ValueError("no")

    await cluster.node(broken)
    retry = Retry(max_attempts=3, delay=timedelta(hours=1), superseded=True)
    await cluster.schedule(broken, QUARTERS, Policy(retry=retry))
    await cluster.pass_time(minutes=31)
    first, second = await cluster.runs()
    assert (first.status, first.reason) == (Status.FAILED, "superseded by the next fire")
    assert second.status is Status.SUCCEEDED
    assert calls == [15, 30]


@with_cluster
async def test_the_place_of_a_superseded_retry_goes_to_the_first_waiting_run_at_once(cluster: VirtualCluster) -> None:
    begun: list[tuple[int, int]] = []

    async def broken(run) -> None:  # type: ignore[no-untyped-def]
        begun.append((run.fire_at.minute, cluster.clock.now().minute))
        await cluster.clock.sleep(20 * 60)
        if len(begun) == 1:
            raise ValueError("no")

    await cluster.node(broken)
    retry = Retry(max_attempts=3, delay=timedelta(hours=1), superseded=True)
    await cluster.schedule(broken, QUARTERS, Policy(overlap=Overlap.QUEUE, retry=retry))
    await cluster.pass_time(minutes=66)
    # 15 fails at 35, while 30 stands in line; 45 closes it, and 30 has its turn
    assert begun == [(15, 15), (30, 45), (45, 5)]


@with_cluster
async def test_without_superseding_the_next_fire_is_skipped_while_a_retry_waits(cluster: VirtualCluster) -> None:
    async def broken() -> None:
        raise ValueError("no")

    await cluster.node(broken)
    await cluster.schedule(broken, QUARTERS, Policy(retry=Retry(max_attempts=2, delay=timedelta(minutes=20), jitter=0)))
    await cluster.pass_time(minutes=36)
    assert await cluster.statuses() == [Status.FAILED, Status.SKIPPED]


@with_cluster
async def test_exponential_retries_wait_longer_each_time_and_end(cluster: VirtualCluster) -> None:
    calls: list[float] = []

    async def broken() -> None:
        calls.append(cluster.clock.monotonic())
        raise ValueError("no")

    node = await cluster.node(broken)
    retry = Retry(max_attempts=4, delay=timedelta(minutes=1), backoff=Backoff.EXPONENTIAL, jitter=0)
    await cluster.schedule(broken, SOON, Policy(retry=retry))
    await cluster.pass_time(hours=1)
    assert calls == pytest.approx([60, 120, 240, 480])
    run = await cluster.run()
    assert (run.status, run.attempt, run.error) == (Status.FAILED, 4, "ValueError: no")
    assert len(node.told("run.retrying")) == 3
    assert len(node.told("run.failed")) == 1


@with_cluster
async def test_a_timed_out_attempt_has_ended_before_its_retry_begins(cluster: VirtualCluster) -> None:
    acting: list[str] = []

    async def slow() -> None:
        acting.append("in")
        try:
            await cluster.clock.sleep(3600)
        finally:
            await cluster.clock.sleep(60)
            acting.append("out")

    await cluster.node(slow)
    retry = Retry(max_attempts=2, delay=timedelta(0), jitter=0)
    await cluster.schedule(slow, SOON, Policy(timeout=timedelta(seconds=30), retry=retry))
    await cluster.pass_time(minutes=10)
    assert acting == ["in", "out", "in", "out"]
    run = await cluster.run()
    assert (run.status, run.error) == (Status.FAILED, "RunTimeoutError: timed out after 30 s")


@with_cluster
async def test_a_handler_that_cancels_itself_has_failed_and_is_retried(cluster: VirtualCluster) -> None:
    """No user cancelled the run, so the attempt failed like any other."""

    async def confused() -> None:
        inner = asyncio.ensure_future(asyncio.sleep(3600))
        inner.cancel()
        await inner

    await cluster.node(confused)
    await cluster.schedule(confused, SOON, Policy(retry=Retry(max_attempts=2, delay=timedelta(seconds=1), jitter=0)))
    await cluster.pass_time(minutes=5)
    run = await cluster.run()
    assert (run.status, run.attempt) == (Status.FAILED, 2)


@with_cluster
async def test_max_runs_disables_the_schedule_with_its_last_fire(cluster: VirtualCluster) -> None:
    async def task() -> None:
        """Nothing to do."""

    await cluster.node(task)
    schedule = await cluster.schedule(task, QUARTERS, max_runs=3)
    await cluster.pass_time(hours=3)
    assert await cluster.statuses() == [Status.SUCCEEDED] * 3
    state = (await cluster.service.get(schedule)).state
    assert (state.enabled, state.next_run_at, state.disabled_by, state.fires) == (False, None, "finished", 3)
    assert [event.kind.name for _, event in await cluster.store.journal(0, 99)].count("schedule.finished") == 1


@with_cluster
async def test_until_includes_its_own_instant_and_disables_the_schedule_after_it(cluster: VirtualCluster) -> None:
    async def task() -> None:
        """Nothing to do."""

    await cluster.node(task)
    schedule = await cluster.schedule(task, QUARTERS, until_at=START + timedelta(minutes=30))
    await cluster.pass_time(hours=3)
    assert [run.fire.fire_at.minute for run in await cluster.runs()] == [15, 30]
    assert (await cluster.service.get(schedule)).state.disabled_by == "finished"


@with_cluster
async def test_a_fire_due_before_until_is_caught_up_after_it(cluster: VirtualCluster) -> None:
    async def task() -> None:
        """Nothing to do."""

    await cluster.schedule(task, QUARTERS, until_at=START + timedelta(minutes=35))
    await cluster.pass_time(hours=3)
    await cluster.node(task)
    await cluster.pass_time(minutes=1)
    missed, made_up = sorted(await cluster.runs(), key=lambda run: run.fire.fire_at)
    assert (missed.status, missed.fire.fire_at.minute) == (Status.MISSED, 15)
    assert (made_up.status, made_up.fire.fire_at.minute) == (Status.SUCCEEDED, 30)


@with_cluster
async def test_queued_runs_go_in_order_and_fires_beyond_the_limit_are_skipped(cluster: VirtualCluster) -> None:
    served: list[datetime] = []

    async def slow(run) -> None:  # type: ignore[no-untyped-def]
        served.append(run.fire_at)
        await cluster.clock.sleep(50 * 60)

    await cluster.node(slow)
    schedule = await cluster.schedule(slow, QUARTERS, Policy(overlap=Overlap.QUEUE, queue_limit=2))
    await cluster.pass_time(hours=1, minutes=1)
    await cluster.service.pause(schedule)
    await cluster.pass_time(hours=3)
    assert [at.minute for at in served] == [15, 30, 45]
    (skipped,) = [run for run in await cluster.runs() if run.status is Status.SKIPPED]
    assert skipped.reason == "overlap: the queue is full (2 waiting)"


@with_cluster
async def test_triggering_twice_in_one_instant_gives_two_runs(cluster: VirtualCluster) -> None:
    async def task() -> None:
        """Nothing to do."""

    schedule = await cluster.schedule(task, QUARTERS, Policy(overlap=Overlap.PARALLEL))
    first, second = await cluster.service.trigger(schedule), await cluster.service.trigger(schedule)
    assert first.id != second.id
    assert first.key != second.key
    await cluster.node(task)
    await cluster.pass_time(seconds=1)
    assert await cluster.statuses() == [Status.SUCCEEDED] * 2


@with_cluster
async def test_a_staggered_run_never_waits_longer_than_the_fire_after_it(cluster: VirtualCluster) -> None:
    """However unevenly the fires come, they are dispatched in their order."""

    async def task() -> None:
        """Nothing to do."""

    await cluster.node(task)
    uneven = any_of(QUARTERS, Once(START + timedelta(minutes=14, seconds=50)))
    schedule = await cluster.schedule(task, uneven, Policy(stagger_key="some", max_stagger_seconds=600))
    await cluster.pass_time(hours=1)
    due = [run.due_at for run in await cluster.runs(schedule)]
    assert due == sorted(due)
    assert len(due) == len(set(due))


@with_cluster
async def test_new_limits_leave_the_next_fire_where_it_is(cluster: VirtualCluster) -> None:
    """A first run that is behind a series does not come again because its end was moved."""

    async def task() -> None:
        """Nothing to do."""

    await cluster.node(task)
    when = as_trigger(run_at(START + timedelta(minutes=5)).then().every(20).minutes())
    schedule = await cluster.schedule(task, when, max_runs=50)
    await cluster.pass_time(hours=1)
    assert await cluster.schedule(task, when, max_runs=60) == schedule
    state = (await cluster.service.get(schedule)).state
    assert (state.next_run_at, state.fires) == (START + timedelta(minutes=65), 3)
    await cluster.pass_time(minutes=30)
    assert [run.fire.fire_at.minute for run in await cluster.runs()] == [5, 25, 45, 5, 25]


@with_cluster
async def test_an_until_before_the_next_fire_finishes_the_schedule_at_once(cluster: VirtualCluster) -> None:
    async def task() -> None:
        """Nothing to do."""

    schedule = await cluster.schedule(task, QUARTERS)
    await cluster.service.skip_next(schedule)
    await cluster.schedule(task, QUARTERS, until_at=START + timedelta(minutes=20))
    state = (await cluster.service.get(schedule)).state
    assert (state.enabled, state.disabled_by, state.next_run_at) == (False, "finished", None)


@with_cluster
async def test_resuming_does_not_catch_up_fires_of_the_pause(cluster: VirtualCluster) -> None:
    async def task() -> None:
        """Nothing to do."""

    await cluster.node(task)
    when = as_trigger(run_at(START + timedelta(minutes=5)).then().every(20).minutes())
    schedule = await cluster.schedule(task, when)
    await cluster.service.pause(schedule)
    await cluster.pass_time(minutes=10)
    await cluster.service.resume(schedule)
    assert (await cluster.service.get(schedule)).state.next_run_at == START + timedelta(minutes=30)
    once = await cluster.schedule(task, as_trigger(run_at(START + timedelta(minutes=20))), name="once")
    await cluster.service.pause(once)
    await cluster.pass_time(minutes=30)
    with pytest.raises(InvalidInputError, match="has ended"):
        await cluster.service.resume(once)


@with_cluster
async def test_a_finished_schedule_with_a_higher_limit_goes_on_from_now(cluster: VirtualCluster) -> None:
    async def task() -> None:
        """Nothing to do."""

    await cluster.node(task)
    when = as_trigger(every(15).minutes())
    schedule = await cluster.schedule(task, when, max_runs=2)
    await cluster.pass_time(hours=1)
    await cluster.schedule(task, when, max_runs=3)
    state = (await cluster.service.get(schedule)).state
    assert (state.enabled, state.next_run_at) == (True, START + timedelta(minutes=75))


@with_cluster
async def test_a_backfill_uses_the_free_places_and_does_not_block_queued_runs(cluster: VirtualCluster) -> None:
    at_once: set[int] = set()
    acting: list[str] = []

    async def slow(run) -> None:  # type: ignore[no-untyped-def]
        acting.append(run.key)
        at_once.add(len(acting))
        await cluster.clock.sleep(60)
        acting.remove(run.key)

    await cluster.node(slow)
    schedule = await cluster.schedule(slow, QUARTERS, Policy(overlap=Overlap.PARALLEL, max_parallel=2))
    await cluster.pass_time(minutes=61)
    runs = await cluster.service.backfill(schedule, START, START + timedelta(hours=1))
    assert [run.fire.fire_at.minute for run in runs] == [0, 15, 30, 45, 0]
    await cluster.pass_time(minutes=3)
    assert {run.status for run in await cluster.runs()} == {Status.SUCCEEDED}
    assert at_once == {1, 2}


@with_cluster
async def test_a_backfill_of_a_parallel_schedule_does_not_wait_for_other_runs(cluster: VirtualCluster) -> None:
    async def slow() -> None:
        await cluster.clock.sleep(20 * 60)  # longer than until the next fire: one of them always runs

    await cluster.node(slow)
    schedule = await cluster.schedule(slow, QUARTERS, Policy(overlap=Overlap.PARALLEL))
    await cluster.pass_time(minutes=31)
    await cluster.service.backfill(schedule, START + timedelta(minutes=1), START + timedelta(minutes=31))
    await cluster.pass_time(minutes=41)
    past = [run.status for run in await cluster.runs(schedule) if run.fire.origin is Origin.BACKFILL]
    assert past == [Status.SUCCEEDED] * 2


@with_cluster
async def test_a_repeated_backfill_goes_on_where_the_first_one_ended(cluster: VirtualCluster) -> None:
    async def task() -> None:
        """Nothing to do."""

    await cluster.node(task)
    schedule = await cluster.schedule(task, QUARTERS)
    await cluster.pass_time(minutes=61)
    await cluster.service.backfill(schedule, START, START + timedelta(minutes=15))
    await cluster.pass_time(seconds=1)
    again = await cluster.service.backfill(schedule, START, START + timedelta(minutes=45))
    assert [run.fire.fire_at.minute for run in again] == [30, 45]
    await cluster.pass_time(seconds=1)
    past = [run.status for run in await cluster.runs(schedule) if run.fire.origin is Origin.BACKFILL]
    assert past == [Status.SUCCEEDED] * 4


@with_cluster
async def test_skipping_the_last_fire_finishes_the_schedule(cluster: VirtualCluster) -> None:
    schedule = await cluster.schedule("task", SOON)
    info = await cluster.service.skip_next(schedule)
    assert (info.state.enabled, info.state.next_run_at, info.state.disabled_by) == (False, None, "finished")
    told = [event.kind.name for _, event in await cluster.store.journal(0, 99)]
    assert told.count("schedule.finished") == 1


@with_cluster
async def test_a_fire_skipped_in_advance_stays_skipped_after_pause_and_resume(cluster: VirtualCluster) -> None:
    hourly = await cluster.schedule("hourly", Cron("0 * * * *"))
    once = await cluster.schedule("once", SOON)
    for schedule in (hourly, once):
        await cluster.service.skip_next(schedule)
    await cluster.service.pause(hourly)
    assert (await cluster.service.resume(hourly)).state.next_fire_at == START + timedelta(hours=2)
    with pytest.raises(InvalidInputError, match="has ended: give it a new time"):
        await cluster.service.resume(once)


@with_cluster
async def test_several_fires_skipped_in_advance_stay_skipped_after_pause_and_resume(cluster: VirtualCluster) -> None:
    hourly = await cluster.schedule("hourly", Cron("0 * * * *"))
    for _ in range(3):
        await cluster.service.skip_next(hourly)
    await cluster.service.pause(hourly)
    assert (await cluster.service.resume(hourly)).state.next_fire_at == START + timedelta(hours=4)


@with_cluster
async def test_fires_skipped_in_advance_do_not_delay_a_new_trigger(cluster: VirtualCluster) -> None:
    schedule = await cluster.schedule("hourly", Cron("0 * * * *"))
    for _ in range(3):
        await cluster.service.skip_next(schedule)
    await cluster.service.pause(schedule)
    assert await cluster.schedule("hourly", Cron("*/15 * * * *")) == schedule
    assert (await cluster.service.resume(schedule)).state.next_fire_at == START + timedelta(minutes=15)
