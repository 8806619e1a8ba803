"""The wall clock is set back, set far ahead, or the machine sleeps: nothing stalls, nothing fires again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from duly.cron import Cron
from duly.model.policy import CatchUp, Policy
from duly.model.run import Status
from duly.recurrence import every
from tests.sim.cluster import SETTINGS, START, VirtualCluster, with_cluster

HOURLY = Cron("0 * * * *")


async def hourly() -> None:
    """Nothing to do."""


@with_cluster
async def test_a_clock_set_back_is_reported_and_fires_nothing_twice(cluster: VirtualCluster) -> None:
    node = await cluster.node(hourly)
    await cluster.schedule(hourly, HOURLY)
    await cluster.pass_time(hours=3, minutes=30)
    cluster.clock.step(timedelta(hours=-2))
    await cluster.pass_time(seconds=SETTINGS.poll)
    (told,) = node.told("clock.stepped_back")
    assert told.data["seconds"] == 2 * 3600 - SETTINGS.poll
    await cluster.pass_time(hours=2)
    assert [run.fire.fire_at.hour for run in await cluster.runs()] == [1, 2, 3]
    await cluster.pass_time(hours=1)
    assert [run.fire.fire_at.hour for run in await cluster.runs()] == [1, 2, 3, 4]
    assert set(await cluster.statuses()) == {Status.SUCCEEDED}


@with_cluster
async def test_resuming_after_a_clock_was_set_back_fires_nothing_twice(cluster: VirtualCluster) -> None:
    calls: list[datetime] = []

    async def task() -> None:
        calls.append(cluster.clock.now())

    await cluster.node(task)
    schedule = await cluster.schedule(task, HOURLY)
    await cluster.pass_time(hours=3, minutes=30)
    cluster.clock.step(timedelta(hours=-2))
    await cluster.service.pause(schedule)
    await cluster.service.resume(schedule)
    await cluster.pass_time(hours=3)
    assert [run.fire.fire_at.hour for run in await cluster.runs()] == [1, 2, 3, 4]
    assert len(calls) == 4


@with_cluster
async def test_a_jump_of_two_centuries_costs_one_run_and_one_record(cluster: VirtualCluster) -> None:
    node = await cluster.node(hourly)
    await cluster.schedule(hourly, every(1).minutes().recurring_task, name="minutely")
    await cluster.schedule(hourly, HOURLY, name="once")
    skipping = await cluster.schedule(hourly, HOURLY, Policy(catch_up=CatchUp.SKIP), name="skipping")
    await cluster.pass_time(minutes=10)
    before = len(node.told("run.started"))
    cluster.clock.step(datetime(2200, 1, 1, 0, 30, tzinfo=UTC) - cluster.clock.now())
    await cluster.pass_time(seconds=2 * SETTINGS.poll)
    assert len(node.told("run.started")) == before + 2
    missed = [run for run in await cluster.runs() if run.status is Status.MISSED]
    assert len(missed) == 3
    (skipped,) = [run for run in missed if run.fire.schedule_id == skipping]
    assert skipped.first_skipped_at == START + timedelta(hours=1)
    assert skipped.skipped == (skipped.fire.fire_at - START) // timedelta(hours=1)
    state = (await cluster.service.get(skipping)).state
    assert state.next_run_at == datetime(2200, 1, 1, 1, tzinfo=UTC)


@with_cluster
async def test_a_machine_that_slept_catches_up_the_latest_fire(cluster: VirtualCluster) -> None:
    await cluster.node(hourly)
    await cluster.schedule(hourly, HOURLY)
    await cluster.pass_time(minutes=90)
    cluster.clock.suspend(timedelta(hours=8))
    await cluster.pass_time(seconds=SETTINGS.poll)
    runs = await cluster.runs()
    assert [run.status for run in runs if run.fire.fire_at.hour in (1, 9)] == [Status.SUCCEEDED] * 2
    (missed,) = [run for run in runs if run.status is Status.MISSED]
    assert (missed.skipped, missed.fire.fire_at.hour) == (7, 8)


@with_cluster
async def test_an_idle_engine_ticks_once_per_poll(cluster: VirtualCluster) -> None:
    """An idle engine does nothing but look once per poll."""
    node = await cluster.node(hourly, settings=replace(SETTINGS, lease=10**6, poll=600))
    turns = 0
    original = node.store.cycle

    async def counted(turn):  # type: ignore[no-untyped-def]
        nonlocal turns
        turns += 1
        return await original(turn)

    node.store.cycle = counted  # type: ignore[method-assign]
    await cluster.pass_time(days=1)
    assert turns == 1 + 24 * 6
