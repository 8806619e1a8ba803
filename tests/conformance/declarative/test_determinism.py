"""Determinism & Idempotency."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from duly.declarative import SchedulerAlreadyActiveError
from tests.conformance.declarative.world import DELAY, EVERY_MINUTE, World, at, scheduled

CRONS = {"every": EVERY_MINUTE, "hourly": "0 * * * *", "late": "55 9 * * *", "odd": "1,3,7 10 * * *"}


async def some_history(world: World) -> None:
    world.work("odd", fails=True)
    scheduler = await world.start_all(*((name, cron, world.work(name), DELAY) for name, cron in CRONS.items()))
    await world.travel(minutes=4)
    await scheduler.stop()


@scheduled
async def test_same_registrations_state_and_time_give_the_same_decisions(world: World, tmp_path: Path) -> None:
    await some_history(world)
    started = []
    for number in range(2):
        copy = World(str(tmp_path / f"copy-{number}.db"), at(11, 17, 20))
        shutil.copy(world.store, copy.store)
        scheduler = await copy.start_all(*((name, cron, copy.work(name), DELAY) for name, cron in CRONS.items()))
        await copy.travel(minutes=50)
        await scheduler.stop()
        started.append({name: work.calls for name, work in copy.callbacks.items()})
    assert started[0] == started[1]
    assert started[0]["hourly"] == [at(11, 17, 20), at(12, 0)]
    assert started[0]["late"] == []


@scheduled
async def test_initialize_twice_has_no_additional_effect(world: World) -> None:
    registrations = [("a", EVERY_MINUTE, world.work(), DELAY)]
    scheduler = await world.start_all(*registrations)
    for _ in range(3):
        with pytest.raises(SchedulerAlreadyActiveError):
            scheduler.initialize(registrations)
    await world.travel(minutes=2)
    assert len(world.work().calls) == 3  # not duplicated


@scheduled
async def test_initializing_again_with_identical_registrations_changes_nothing(world: World) -> None:
    for _ in range(4):
        scheduler = await world.start("0 * * * *")
        await world.travel(minutes=1)
        await scheduler.stop()
    assert world.work().calls == [at(10, 0)]
    assert world.count("TaskOverridden") == 0


@scheduled
async def test_override_detection_works_across_several_calls(world: World) -> None:
    for cron in ("0 * * * *", "5 * * * *", "5 * * * *", "0 * * * *"):
        scheduler = await world.start(cron)
        await scheduler.stop()
    changes = [
        (event.data["previous_cron"], event.data["cron"])
        for event in world.events
        if event.kind.name == "TaskOverridden"
    ]
    assert changes == [("0 * * * *", "5 * * * *"), ("5 * * * *", "0 * * * *")]
