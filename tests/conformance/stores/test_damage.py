"""Schedules with times that cannot be decoded are quarantined and shown, never lost, and affect no others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from duly.cron import Cron
from duly.engine.planner import TickPlanner
from duly.entropy import random_bits
from duly.errors import DecodeError
from duly.model.policy import Policy
from duly.model.schedule import Source
from duly.planning import lifecycle
from duly.planning.places import Pool
from duly.ports.codec import encode_policy, encode_trigger
from duly.ports.records import SCHEDULE_COLUMNS, Plan, RunFilter, ScheduleFilter, StoredSchedule
from duly.ports.row_reader import READER
from duly.service.schedules.schedules import ScheduleService
from tests.conformance.stores.builders import JOB, START, Script, at, due_schedule, new_run
from tests.conformance.stores.damaging import TOO_EARLY, TOO_LATE, damage, stored
from tests.conformance.stores.harness import StoreHarness, conformant

TIMES = [each.name for each in SCHEDULE_COLUMNS if "datetime" in str(each.type)]
READABLE: dict[str, Any] = {"trigger": encode_trigger(Cron("0 9 * * *")), "policy": encode_policy(Policy())}


async def add(harness: StoreHarness) -> tuple[StoredSchedule, StoredSchedule]:
    """One to be damaged, and one beside it."""
    bad, good = due_schedule("bad", until_at=at(999)), due_schedule("good")
    await harness.add(bad, good)
    return bad, good


@pytest.mark.parametrize("value", [TOO_LATE, TOO_EARLY])
@pytest.mark.parametrize("column", TIMES)
@conformant
async def test_a_schedule_with_an_undecodable_time_is_shown_with_the_reason(
    shared_harness: StoreHarness, column: str, value: int
) -> None:
    harness = shared_harness
    bad, good = await add(harness)
    damage(harness, "schedules", column, value)
    deleted = column == "deleted_at"
    listed = await harness.store.schedules(ScheduleFilter(deleted=deleted))
    assert [row.name for row in listed] == (["bad"] if deleted else ["bad", "good"])
    found = await harness.saved(bad.id)
    assert f"schedule.{column} cannot be read" in str(found.quarantine)
    assert "save the schedule again under its name, or delete it" in str(found.quarantine)
    assert found.damage is not None
    assert list(found.damage.values) == [column]
    stand_in = getattr(found, column)
    assert replace(found, **{column: getattr(bad, column)}, quarantine=None) == bad
    assert (stand_in is not None) == (column in ("created_at", "updated_at", "deleted_at"))
    assert await harness.saved(good.id) == good
    if not deleted:
        assert await harness.store.find("default", "bad") == found


@pytest.mark.parametrize("column", ["until_at", "start_at", "created_at", "last_run_at", "watermark"])
@conformant
async def test_changing_another_column_leaves_an_undecodable_one_unchanged(
    shared_harness: StoreHarness, column: str
) -> None:
    harness = shared_harness
    bad, _ = await add(harness)
    damage(harness, "schedules", column, TOO_LATE)
    before = stored(harness, column)
    await harness.store.edit([bad.id], lambda row: replace(row, description="still there", updated_at=at(5)))
    assert stored(harness, column) == before
    assert ((await harness.saved(bad.id)).description, (await harness.saved(bad.id)).damage is None) == (
        "still there",
        False,
    )
    repaired: dict[str, Any] = {column: at(7)}
    await harness.store.edit([bad.id], lambda row: replace(row, **repaired))
    assert getattr(await harness.saved(bad.id), column) == at(7)
    assert (await harness.saved(bad.id)).damage is None


@pytest.mark.parametrize("value", [TOO_LATE, TOO_EARLY])
@pytest.mark.parametrize("column", ["next_run_at", "next_fire_at", "until_at"])
@conformant
async def test_the_engine_goes_on_beside_it(shared_harness: StoreHarness, column: str, value: int) -> None:
    harness = shared_harness
    bad, _ = await add(harness)
    damage(harness, "schedules", column, value)
    planner = Script()
    await harness.turn(planner=planner, plan_limit=5)
    told = {entry.name: (entry.next_fire_at, entry.next_run_at, entry.until_at) for entry in planner.asked}
    assert told.pop("good") == (START, START, None)
    assert told in ({"bad": (None, None, None)}, {})  # one that never comes due need not be planned
    await harness.store.plan([bad.id], by_hand := Script())
    assert (by_hand.only.name, by_hand.only.next_run_at) == ("bad", None)
    overview = await harness.store.overview(harness.now)
    assert overview.oldest_due_at is not None
    assert overview.oldest_due_at <= START


@conformant
async def test_what_cannot_be_planned_is_set_aside_and_the_others_run(shared_harness: StoreHarness) -> None:
    harness = shared_harness
    bad, good = due_schedule("bad", **READABLE, until_at=at(999)), due_schedule("good", **READABLE)
    await harness.add(bad, good)
    damage(harness, "schedules", "until_at", TOO_LATE)
    planner = TickPlanner(harness.now, [Pool(handlers={JOB}, size=5)], random_bits)
    result = await harness.turn(planner=planner, plan_limit=5, claim_limit=5)
    assert [run.name for run in result.claimed] == ["good"]
    aside = await harness.saved(bad.id)
    assert (aside.enabled, aside.disabled_by, aside.next_run_at) == (False, "quarantine", None)
    assert await harness.told() == ["schedule.quarantined"]
    assert (await harness.store.overview(harness.now)).quarantined == 1


@pytest.mark.parametrize("value", [TOO_LATE, TOO_EARLY])
@conformant
async def test_the_next_time_may_be_none_at_all(shared_harness: StoreHarness, value: int) -> None:
    harness = shared_harness
    await harness.add(due_schedule("bad"))
    damage(harness, "schedules", "next_run_at", value)
    wake = (await harness.turn()).next_wake
    assert wake is not None
    assert (wake > START) == (value > 0)


@conformant
async def test_a_definition_handed_in_again_puts_it_right(shared_harness: StoreHarness) -> None:
    harness = shared_harness
    bad, _ = await add(harness)
    for column in ("until_at", "created_at", "watermark", "next_run_at"):
        damage(harness, "schedules", column, TOO_EARLY)
    [kept] = await harness.store.save(
        [replace(bad, updated_at=at(3))], lambda before, incoming: lifecycle.merge(before, incoming, READER)
    )
    after = await harness.saved(bad.id)
    assert kept == bad.id
    assert (after.quarantine, after.damage, after.until_at) == (None, None, bad.until_at)


def service_of(harness: StoreHarness) -> ScheduleService:
    return ScheduleService(harness.store, harness.clock, lambda _job: None, random_bits)


@conformant
async def test_the_library_shows_it_and_lets_it_be_paused_and_deleted(shared_harness: StoreHarness) -> None:
    harness = shared_harness
    bad, good = await add(harness)
    damage(harness, "schedules", "until_at", TOO_LATE)
    service = service_of(harness)
    listed = {info.name: info for info in await service.schedules(ScheduleFilter())}
    assert listed["bad"].schedule is None
    assert "schedule.until_at" in str(listed["bad"].state.quarantine)
    assert (await service.find("bad")).state.quarantine == (await service.get(bad.id)).state.quarantine
    before = stored(harness, "until_at")
    await service.pause(bad.id)
    with pytest.raises(DecodeError, match=r"schedule\.until_at cannot be read"):
        await service.resume(bad.id)
    assert stored(harness, "until_at") == before
    assert (await harness.store.overview(harness.now)).quarantined == 1
    await service.delete(bad.id)
    assert [info.name for info in await service.schedules(ScheduleFilter())] == ["good"]
    assert (await harness.saved(good.id)).source == Source.DB


@conformant
async def test_runs_of_it_are_carried_out(shared_harness: StoreHarness) -> None:
    """What was recorded before the damage was done is not lost for it."""
    harness = shared_harness
    bad, _ = await add(harness)
    await harness.store.plan([bad.id], Script(Plan(runs=[run := new_run(bad, -5)])))
    damage(harness, "schedules", "until_at", TOO_LATE)
    assert [claimed.run_id for claimed in await harness.claim()] == [run.id]
    assert (await harness.seen(run.id)).handler == JOB


@pytest.mark.parametrize(
    ("column", "value"), [("due_at", TOO_EARLY), ("fire_at", TOO_EARLY), ("fire_at", TOO_LATE), ("origin", "odd")]
)
@conformant
async def test_an_undecodable_run_is_quarantined_and_the_others_are_carried_out(
    shared_harness: StoreHarness, column: str, value: object
) -> None:
    harness = shared_harness
    bad, good = await add(harness)
    await harness.put(new_run(bad, -9), fine := new_run(good, -5))
    damage(harness, "runs", column, value)
    assert [claimed.run_id for claimed in await harness.claim()] == [fine.id]
    assert (await harness.store.overview(harness.now)).running == 1
    [event] = await harness.journal()
    assert (event.kind.name, event.schedule_id, event.data["attempt"]) == ("run.dead", bad.id, 0)
    assert f"run.{column} cannot be read" in event.data["reason"]
    assert await harness.claim() == []


@conformant
async def test_a_dead_run_that_began_at_a_time_that_cannot_be_read_leaves_its_schedule_readable(
    shared_harness: StoreHarness,
) -> None:
    harness = shared_harness
    bad, _ = await add(harness)
    await harness.join("node_a")
    await harness.started(new_run(bad, -9))
    damage(harness, "runs", "started_at", TOO_LATE)
    await harness.silence("node_a")
    [rescued] = await harness.store.rescue(harness.now, lambda _policy, _lost: True)
    assert len(rescued.dead) == 1
    saved = await harness.saved(bad.id)
    assert (saved.last_status, saved.last_run_at, saved.damage) == ("dead", None, None)


OF_RUNS = [
    *((name, TOO_LATE) for name in ("fire_at", "due_at", "started_at", "finished_at", "first_skipped_at")),
    *((name, "{half") for name in ("origin", "status", "result", "progress")),
]


@pytest.mark.parametrize(("column", "value"), OF_RUNS)
@conformant
async def test_a_quarantined_run_is_shown_with_the_reason(
    shared_harness: StoreHarness, column: str, value: object
) -> None:
    harness = shared_harness
    bad, good = await add(harness)
    await harness.put(broken := new_run(bad, -9), fine := new_run(good, -5))
    before = await harness.seen(fine.id)
    damage(harness, "runs", column, value)
    listed = await harness.store.runs(RunFilter())
    assert sorted(run.name for run in listed) == ["bad", "good"]
    shown = await harness.seen(broken.id)
    assert f"run.{column} cannot be read" in str(shown.reason)
    assert shown in listed
    assert await harness.seen(fine.id) == before
    assert await harness.store.cancel(fine.id, harness.now, "enough") is not None
