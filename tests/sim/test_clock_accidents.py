"""The wall clock is set back, set far ahead, or the machine sleeps: nothing stalls, nothing fires again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from duly.cron import Cron
from duly.model.policy import CatchUp, Policy
from duly.model.run import Status
from duly.recurrence import every
from tests.sim.lab import SETTINGS, START, Lab, in_lab

HOURLY = Cron("0 * * * *")


async def hourly() -> None:
    """Nothing to do."""


@in_lab
async def test_a_clock_that_was_set_back_is_told_of_and_refires_nothing(lab: Lab) -> None:
    node = await lab.node(hourly)
    await lab.schedule(hourly, HOURLY)
    await lab.pass_time(hours=3, minutes=30)
    lab.clock.step(timedelta(hours=-2))
    await lab.pass_time(seconds=SETTINGS.poll)
    (told,) = node.told("clock.stepped_back")
    assert told.data["seconds"] == 2 * 3600 - SETTINGS.poll
    await lab.pass_time(hours=2)
    assert [run.fire.fire_at.hour for run in await lab.runs()] == [1, 2, 3]
    await lab.pass_time(hours=1)
    assert [run.fire.fire_at.hour for run in await lab.runs()] == [1, 2, 3, 4]
    assert set(await lab.statuses()) == {Status.SUCCEEDED}


@in_lab
async def test_somebody_who_resumes_after_a_step_back_does_not_fire_again_either(lab: Lab) -> None:
    calls: list[datetime] = []

    async def task() -> None:
        calls.append(lab.clock.now())

    await lab.node(task)
    schedule = await lab.schedule(task, HOURLY)
    await lab.pass_time(hours=3, minutes=30)
    lab.clock.step(timedelta(hours=-2))
    await lab.service.pause(schedule)
    await lab.service.resume(schedule)
    await lab.pass_time(hours=3)
    assert [run.fire.fire_at.hour for run in await lab.runs()] == [1, 2, 3, 4]
    assert len(calls) == 4


@in_lab
async def test_two_centuries_at_once_cost_one_run_and_one_record(lab: Lab) -> None:
    node = await lab.node(hourly)
    await lab.schedule(hourly, every(1).minutes().recurring_task, name="minutely")
    await lab.schedule(hourly, HOURLY, name="once")
    skipping = await lab.schedule(hourly, HOURLY, Policy(catch_up=CatchUp.SKIP), name="skipping")
    await lab.pass_time(minutes=10)
    before = len(node.told("run.started"))
    lab.clock.step(datetime(2200, 1, 1, 0, 30, tzinfo=UTC) - lab.clock.now())
    await lab.pass_time(seconds=2 * SETTINGS.poll)
    assert len(node.told("run.started")) == before + 2
    missed = [run for run in await lab.runs() if run.status is Status.MISSED]
    assert len(missed) == 3
    (skipped,) = [run for run in missed if run.fire.schedule_id == skipping]
    assert skipped.first_skipped_at == START + timedelta(hours=1)
    assert skipped.skipped == (skipped.fire.fire_at - START) // timedelta(hours=1)
    state = (await lab.service.get(skipping)).state
    assert state.next_run_at == datetime(2200, 1, 1, 1, tzinfo=UTC)


@in_lab
async def test_a_machine_that_slept_makes_up_the_latest_fire(lab: Lab) -> None:
    await lab.node(hourly)
    await lab.schedule(hourly, HOURLY)
    await lab.pass_time(minutes=90)
    lab.clock.suspend(timedelta(hours=8))
    await lab.pass_time(seconds=SETTINGS.poll)
    runs = await lab.runs()
    assert [run.status for run in runs if run.fire.fire_at.hour in (1, 9)] == [Status.SUCCEEDED] * 2
    (missed,) = [run for run in runs if run.status is Status.MISSED]
    assert (missed.skipped, missed.fire.fire_at.hour) == (7, 8)


@in_lab
async def test_turns_are_counted_in_polls_not_in_seconds(lab: Lab) -> None:
    """An idle engine does nothing but look once per poll."""
    node = await lab.node(hourly, settings=replace(SETTINGS, lease=10**6, poll=600))
    turns = 0
    original = node.store.cycle

    async def counted(turn):  # type: ignore[no-untyped-def]
        nonlocal turns
        turns += 1
        return await original(turn)

    node.store.cycle = counted  # type: ignore[method-assign]
    await lab.pass_time(days=1)
    assert turns == 1 + 24 * 6
