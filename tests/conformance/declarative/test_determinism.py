"""Determinism & Idempotency."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from duly.declarative import SchedulerAlreadyActiveError
from tests.conformance.declarative.harness import DELAY, EVERY_MINUTE, SchedulerHarness, at, scheduled

CRONS = {"every": EVERY_MINUTE, "hourly": "0 * * * *", "late": "55 9 * * *", "odd": "1,3,7 10 * * *"}


async def some_history(harness: SchedulerHarness) -> None:
    harness.work("odd", fails=True)
    scheduler = await harness.start_all(*((name, cron, harness.work(name), DELAY) for name, cron in CRONS.items()))
    await harness.travel(minutes=4)
    await scheduler.stop()


@scheduled
async def test_same_registrations_state_and_time_give_the_same_decisions(
    harness: SchedulerHarness, tmp_path: Path
) -> None:
    await some_history(harness)
    started = []
    for number in range(2):
        copy = SchedulerHarness(str(tmp_path / f"copy-{number}.db"), at(11, 17, 20))
        shutil.copy(harness.store, copy.store)
        scheduler = await copy.start_all(*((name, cron, copy.work(name), DELAY) for name, cron in CRONS.items()))
        await copy.travel(minutes=50)
        await scheduler.stop()
        started.append({name: work.calls for name, work in copy.callbacks.items()})
    assert started[0] == started[1]
    assert started[0]["hourly"] == [at(11, 17, 20), at(12, 0)]
    assert started[0]["late"] == []


@scheduled
async def test_initialize_twice_has_no_additional_effect(harness: SchedulerHarness) -> None:
    registrations = [("a", EVERY_MINUTE, harness.work(), DELAY)]
    scheduler = await harness.start_all(*registrations)
    for _ in range(3):
        with pytest.raises(SchedulerAlreadyActiveError):
            scheduler.initialize(registrations)
    await harness.travel(minutes=2)
    assert len(harness.work().calls) == 3  # not duplicated


@scheduled
async def test_initializing_again_with_identical_registrations_changes_nothing(harness: SchedulerHarness) -> None:
    for _ in range(4):
        scheduler = await harness.start("0 * * * *")
        await harness.travel(minutes=1)
        await scheduler.stop()
    assert harness.work().calls == [at(10, 0)]
    assert harness.count("TaskOverridden") == 0


@scheduled
async def test_override_detection_works_across_several_calls(harness: SchedulerHarness) -> None:
    for cron in ("0 * * * *", "5 * * * *", "5 * * * *", "0 * * * *"):
        scheduler = await harness.start(cron)
        await scheduler.stop()
    changes = [
        (event.data["previous_cron"], event.data["cron"])
        for event in harness.events
        if event.kind.name == "TaskOverridden"
    ]
    assert changes == [("0 * * * *", "5 * * * *"), ("5 * * * *", "0 * * * *")]
