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
from duly.ports.codec import READER, encode_policy, encode_trigger
from duly.ports.records import SCHEDULE_COLUMNS, Plan, RunFilter, ScheduleFilter, StoredSchedule
from duly.service.schedules.schedules import ScheduleService
from tests.conformance.stores.builders import JOB, START, Script, at, due_schedule, new_run
from tests.conformance.stores.damaging import TOO_EARLY, TOO_LATE, damage, stored
from tests.conformance.stores.world import World, conformant

TIMES = [each.name for each in SCHEDULE_COLUMNS if "datetime" in str(each.type)]
READABLE: dict[str, Any] = {"trigger": encode_trigger(Cron("0 9 * * *")), "policy": encode_policy(Policy())}


async def add(world: World) -> tuple[StoredSchedule, StoredSchedule]:
    """One to be damaged, and one beside it."""
    bad, good = due_schedule("bad", until_at=at(999)), due_schedule("good")
    await world.add(bad, good)
    return bad, good


@pytest.mark.parametrize("value", [TOO_LATE, TOO_EARLY])
@pytest.mark.parametrize("column", TIMES)
@conformant
async def test_a_schedule_with_an_undecodable_time_is_shown_with_the_reason(
    shared_world: World, column: str, value: int
) -> None:
    world = shared_world
    bad, good = await add(world)
    damage(world, "schedules", column, value)
    deleted = column == "deleted_at"
    listed = await world.store.schedules(ScheduleFilter(deleted=deleted))
    assert [row.name for row in listed] == (["bad"] if deleted else ["bad", "good"])
    found = await world.saved(bad.id)
    assert f"schedule.{column} cannot be read" in str(found.quarantine)
    assert "save the schedule again under its name, or delete it" in str(found.quarantine)
    assert found.damage is not None
    assert list(found.damage.values) == [column]
    stand_in = getattr(found, column)
    assert replace(found, **{column: getattr(bad, column)}, quarantine=None) == bad
    assert (stand_in is not None) == (column in ("created_at", "updated_at", "deleted_at"))
    assert await world.saved(good.id) == good
    if not deleted:
        assert await world.store.find("default", "bad") == found


@pytest.mark.parametrize("column", ["until_at", "start_at", "created_at", "last_run_at", "watermark"])
@conformant
async def test_changing_another_column_leaves_an_undecodable_one_unchanged(shared_world: World, column: str) -> None:
    world = shared_world
    bad, _ = await add(world)
    damage(world, "schedules", column, TOO_LATE)
    before = stored(world, column)
    await world.store.edit([bad.id], lambda row: replace(row, description="still there", updated_at=at(5)))
    assert stored(world, column) == before
    assert ((await world.saved(bad.id)).description, (await world.saved(bad.id)).damage is None) == (
        "still there",
        False,
    )
    repaired: dict[str, Any] = {column: at(7)}
    await world.store.edit([bad.id], lambda row: replace(row, **repaired))
    assert getattr(await world.saved(bad.id), column) == at(7)
    assert (await world.saved(bad.id)).damage is None


@pytest.mark.parametrize("value", [TOO_LATE, TOO_EARLY])
@pytest.mark.parametrize("column", ["next_run_at", "next_fire_at", "until_at"])
@conformant
async def test_the_engine_goes_on_beside_it(shared_world: World, column: str, value: int) -> None:
    world = shared_world
    bad, _ = await add(world)
    damage(world, "schedules", column, value)
    planner = Script()
    await world.turn(planner=planner, plan_limit=5)
    told = {entry.name: (entry.next_fire_at, entry.next_run_at, entry.until_at) for entry in planner.asked}
    assert told.pop("good") == (START, START, None)
    assert told in ({"bad": (None, None, None)}, {})  # one that never comes due need not be planned
    await world.store.plan([bad.id], by_hand := Script())
    assert (by_hand.only.name, by_hand.only.next_run_at) == ("bad", None)
    overview = await world.store.overview(world.now)
    assert overview.oldest_due_at is not None
    assert overview.oldest_due_at <= START


@conformant
async def test_what_cannot_be_planned_is_set_aside_and_the_others_run(shared_world: World) -> None:
    world = shared_world
    bad, good = due_schedule("bad", **READABLE, until_at=at(999)), due_schedule("good", **READABLE)
    await world.add(bad, good)
    damage(world, "schedules", "until_at", TOO_LATE)
    planner = TickPlanner(world.now, [Pool(handlers={JOB}, size=5)], random_bits)
    result = await world.turn(planner=planner, plan_limit=5, claim_limit=5)
    assert [run.name for run in result.claimed] == ["good"]
    aside = await world.saved(bad.id)
    assert (aside.enabled, aside.disabled_by, aside.next_run_at) == (False, "quarantine", None)
    assert await world.told() == ["schedule.quarantined"]
    assert (await world.store.overview(world.now)).quarantined == 1


@pytest.mark.parametrize("value", [TOO_LATE, TOO_EARLY])
@conformant
async def test_the_next_time_may_be_none_at_all(shared_world: World, value: int) -> None:
    world = shared_world
    await world.add(due_schedule("bad"))
    damage(world, "schedules", "next_run_at", value)
    wake = (await world.turn()).next_wake
    assert wake is not None
    assert (wake > START) == (value > 0)


@conformant
async def test_a_definition_handed_in_again_puts_it_right(shared_world: World) -> None:
    world = shared_world
    bad, _ = await add(world)
    for column in ("until_at", "created_at", "watermark", "next_run_at"):
        damage(world, "schedules", column, TOO_EARLY)
    [kept] = await world.store.save(
        [replace(bad, updated_at=at(3))], lambda before, incoming: lifecycle.merge(before, incoming, READER)
    )
    after = await world.saved(bad.id)
    assert kept == bad.id
    assert (after.quarantine, after.damage, after.until_at, after.version) == (None, None, bad.until_at, 2)


def service_of(world: World) -> ScheduleService:
    return ScheduleService(world.store, world.clock, lambda _name, _args: None, random_bits)


@conformant
async def test_the_library_shows_it_and_lets_it_be_paused_and_deleted(shared_world: World) -> None:
    world = shared_world
    bad, good = await add(world)
    damage(world, "schedules", "until_at", TOO_LATE)
    service = service_of(world)
    listed = {info.name: info for info in await service.schedules(ScheduleFilter())}
    assert listed["bad"].schedule is None
    assert "schedule.until_at" in str(listed["bad"].state.quarantine)
    assert (await service.find("bad")).state.quarantine == (await service.get(bad.id)).state.quarantine
    before = stored(world, "until_at")
    await service.pause(bad.id)
    with pytest.raises(DecodeError, match=r"schedule\.until_at cannot be read"):
        await service.resume(bad.id)
    assert stored(world, "until_at") == before
    assert (await world.store.overview(world.now)).quarantined == 1
    await service.delete(bad.id)
    assert [info.name for info in await service.schedules(ScheduleFilter())] == ["good"]
    assert (await world.saved(good.id)).source == Source.DB


@conformant
async def test_runs_of_it_are_carried_out(shared_world: World) -> None:
    """What was recorded before the damage was done is not lost for it."""
    world = shared_world
    bad, _ = await add(world)
    await world.store.plan([bad.id], Script(Plan(runs=[run := new_run(bad, -5)])))
    damage(world, "schedules", "until_at", TOO_LATE)
    assert [claimed.run_id for claimed in await world.claim()] == [run.id]
    assert (await world.seen(run.id)).handler == JOB


@pytest.mark.parametrize(
    ("column", "value"), [("due_at", TOO_EARLY), ("fire_at", TOO_EARLY), ("fire_at", TOO_LATE), ("origin", "odd")]
)
@conformant
async def test_an_undecodable_run_is_quarantined_and_the_others_are_carried_out(
    shared_world: World, column: str, value: object
) -> None:
    world = shared_world
    bad, good = await add(world)
    await world.put(new_run(bad, -9), fine := new_run(good, -5))
    damage(world, "runs", column, value)
    assert [claimed.run_id for claimed in await world.claim()] == [fine.id]
    assert (await world.store.overview(world.now)).running == 1
    [event] = await world.journal()
    assert (event.kind.name, event.schedule_id, event.data["attempt"]) == ("run.dead", bad.id, 0)
    assert f"run.{column} cannot be read" in event.data["reason"]
    assert await world.claim() == []


@conformant
async def test_a_dead_run_that_began_at_a_time_that_cannot_be_read_leaves_its_schedule_readable(
    shared_world: World,
) -> None:
    world = shared_world
    bad, _ = await add(world)
    await world.join("node_a")
    await world.started(new_run(bad, -9))
    damage(world, "runs", "started_at", TOO_LATE)
    await world.silence("node_a")
    [rescued] = await world.store.rescue(world.now, lambda _policy, _lost: True)
    assert len(rescued.dead) == 1
    saved = await world.saved(bad.id)
    assert (saved.last_status, saved.last_run_at, saved.damage) == ("dead", None, None)


OF_RUNS = [
    *((name, TOO_LATE) for name in ("fire_at", "due_at", "started_at", "finished_at", "first_skipped_at")),
    *((name, "{half") for name in ("origin", "status", "result", "progress")),
]


@pytest.mark.parametrize(("column", "value"), OF_RUNS)
@conformant
async def test_a_quarantined_run_is_shown_with_the_reason(shared_world: World, column: str, value: object) -> None:
    world = shared_world
    bad, good = await add(world)
    await world.put(broken := new_run(bad, -9), fine := new_run(good, -5))
    before = await world.seen(fine.id)
    damage(world, "runs", column, value)
    listed = await world.store.runs(RunFilter())
    assert sorted(run.name for run in listed) == ["bad", "good"]
    shown = await world.seen(broken.id)
    assert f"run.{column} cannot be read" in str(shown.reason)
    assert shown in listed
    assert await world.store.last_statuses([bad.id], 1) == {bad.id: [shown.status]}
    assert await world.seen(fine.id) == before
    assert await world.store.cancel(fine.id, world.now, "enough") is not None
