"""Schedules rest while something they need is missing, and go on by themselves: on every store."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from duly.cron import Cron
from duly.engine.engine import Engine
from duly.engine.settings import VIRTUAL
from duly.entropy import random_bits
from duly.jobs.dispatcher import JobRegistry
from duly.model.action import Action, Job, Prompt, Target
from duly.model.events import SCHEDULE_AWAKE, SCHEDULE_RESTING, Event
from duly.model.policy import CatchUp, Policy
from duly.ports.codec import encode_policy
from duly.ports.records import RunFilter, StoredSchedule
from duly.service.schedules.drafts import Draft, to_row
from duly.service.schedules.resting import Review
from duly.service.schedules.schedules import ScheduleService
from tests.conformance.stores.world import World, conformant

GONE = "project 'blog' is not there"
HOURLY = Cron("0 * * * *")


class Place:
    """A machine on which things may be missing."""

    def __init__(self, world: World, node_id: str = "node_a") -> None:
        self.missing: dict[str, str] = {}
        """Why, by the handler or the project it is about."""
        self.asked: list[Action] = []
        self.told: list[Event] = []
        world.store.on_event(self._hear)
        self.review = Review(world.store, world.clock, self._missing, self._needs, own_node=lambda: node_id)

    def _hear(self, event: Event) -> None:
        if event.kind in (SCHEDULE_RESTING, SCHEDULE_AWAKE):
            self.told.append(event)

    def _missing(self, action: Action) -> str | None:
        self.asked.append(action)
        return next((self.missing[each] for each in sorted(self._needs(action)) if each in self.missing), None)

    def _needs(self, action: Action) -> frozenset[str]:
        targets = action.targets if isinstance(action, Prompt) else ()
        return frozenset([action.handler, *(f"project:{target.project_id}" for target in targets)])

    def news(self) -> list[tuple[str, dict[str, Any]]]:
        told = [(event.kind.name, event.data) for event in self.told]
        self.told.clear()
        return told


async def _made(world: World, name: str, what: Action, **fields: Any) -> StoredSchedule:
    draft = Draft(name=name, trigger=HOURLY, action=what, created_via="mcp")
    row = replace(to_row(draft, world.now, lambda _name, _args: None, random_bits), **fields)
    await world.add(row)
    return row


def _prompt(text: str = "look", project: str = "blog") -> Prompt:
    return Prompt(text=text, targets=(Target(project),))


@conformant
async def test_a_schedule_rests_with_its_reason_and_goes_on_where_it_was(world: World) -> None:
    place = Place(world)
    resting, other = await _made(world, "blog", _prompt()), await _made(world, "shop", _prompt(project="shop"))
    place.missing["project:blog"] = GONE
    assert await place.review.look_at_all() == 1
    asleep = await world.saved(resting.id)
    assert asleep == replace(resting, resting=GONE, resting_since=world.now, next_run_at=None)
    assert await world.saved(other.id) == other
    assert place.news() == [("schedule.resting", {"name": "blog", "reason": GONE})]
    assert await world.told() == ["schedule.resting"]
    assert await place.review.look_at_all() == 0
    place.missing.clear()
    world.clock.advance(60)
    assert await place.review.look_at_resting() == 1
    assert await world.saved(resting.id) == resting
    assert place.news() == [("schedule.awake", {"name": "blog"})]
    assert await world.told() == ["schedule.resting", "schedule.awake"]


@conformant
async def test_another_reason_is_told_and_the_first_moment_is_kept(world: World) -> None:
    place, row = Place(world), await _made(world, "blog", _prompt())
    place.missing["project:blog"] = GONE
    await place.review.look_at([row.id])
    since = world.now
    place.missing["project:blog"] = "it is no directory"
    world.clock.advance(60)
    await place.review.look_at_resting()
    after = await world.saved(row.id)
    assert (after.resting, after.resting_since) == ("it is no directory", since)
    assert [kind for kind, _ in place.news()] == ["schedule.resting", "schedule.resting"]


@conformant
async def test_a_node_does_not_put_to_rest_what_another_living_node_can_do(world: World) -> None:
    place, row = Place(world), await _made(world, "blog", _prompt())
    place.missing["project:blog"] = GONE
    await world.store.register(world.node("node_a", ["prompt:default", "project:blog"]))  # this one, before it looked
    await world.store.register(world.node("node_b", ["prompt:default", "project:blog"]))
    assert await place.review.look_at_all() == 0
    await world.store.register(world.node("node_b", ["prompt:default"]))
    assert await place.review.look_at_all() == 1
    await world.store.register(world.node("node_b", ["prompt:default", "project:blog"]))
    assert await place.review.look_at_resting() == 1
    assert await world.saved(row.id) == row
    await world.silence("node_b")
    assert await place.review.look_at_all() == 1


@conformant
async def test_what_a_daemon_does_not_answer_for_is_left_alone(world: World) -> None:
    place = Place(world)
    place.missing |= {"job:gone": "no such job", "message": "never"}
    application = await _made(world, "application", Job("gone"), created_via=None)
    paused = await _made(world, "paused", Job("gone"), enabled=False, next_fire_at=None, next_run_at=None)
    assert await place.review.look_at_all() == await place.review.look_at([application.id, paused.id, "sched_x"]) == 0
    assert await world.saved(application.id) == application
    assert await world.saved(paused.id) == paused


@conformant
async def test_prompts_that_need_the_same_are_looked_up_once(world: World) -> None:
    place = Place(world)
    for number in range(3):
        await _made(world, f"blog {number}", _prompt(f"words {number}"))
    await _made(world, "shop", _prompt(project="shop"))
    await place.review.look_at_all()
    assert len(place.asked) == 2


@conformant
async def test_a_row_that_cannot_be_read_is_left_to_the_planner(world: World) -> None:
    await _made(world, "damaged", Job("a"), action="{}")
    assert await Place(world).review.look_at_all() == 0


@conformant
async def test_a_pause_survives_the_rest_and_the_rest_the_pause(world: World) -> None:
    place, row = Place(world), await _made(world, "blog", _prompt())
    service = ScheduleService(world.store, world.clock, lambda _name, _args: None, random_bits)
    place.missing["project:blog"] = GONE
    await place.review.look_at_all()
    await service.pause(row.id)
    paused = await world.saved(row.id)
    assert (paused.enabled, paused.disabled_by, paused.resting) == (False, "person", GONE)
    await service.resume(row.id)
    asleep = await world.saved(row.id)
    assert (asleep.enabled, asleep.next_fire_at, asleep.next_run_at) == (True, row.next_fire_at, None)
    await service.pause(row.id)
    place.missing.clear()
    await place.review.look_at_resting()
    still = await world.saved(row.id)
    assert (still.enabled, still.disabled_by, still.resting, still.next_run_at) == (False, "person", None, None)


@conformant
async def test_skipping_the_next_fire_does_not_wake_it(world: World) -> None:
    place, row = Place(world), await _made(world, "blog", _prompt())
    service = ScheduleService(world.store, world.clock, lambda _name, _args: None, random_bits)
    place.missing["project:blog"] = GONE
    await place.review.look_at_all()
    await service.skip_next(row.id)
    asleep = await world.saved(row.id)
    assert row.next_fire_at is not None
    assert (asleep.next_fire_at, asleep.next_run_at) == (row.next_fire_at + timedelta(hours=1), None)


@conformant
async def test_fires_missed_while_it_rested_are_made_up_by_its_policy(world: World) -> None:
    place, jobs = Place(world), JobRegistry(world.clock)
    worked: list[str] = []

    async def work(run: Any) -> None:
        worked.append(run.name)

    jobs.register(work, "work")
    skip = encode_policy(Policy(catch_up=CatchUp.SKIP))
    await _made(world, "made up", Job("work"))
    skipping = await _made(world, "skipped", Job("work"), policy=skip)
    engine = Engine(world.store, jobs, world.clock, VIRTUAL)
    place.missing["job:work"] = "no module named chores"
    await place.review.look_at_all()
    world.clock.advance(timedelta(hours=3, minutes=30))
    assert await engine.tick(world.now) == 0
    place.missing.clear()
    await place.review.look_at_resting()
    await engine.tick(world.now)
    assert worked == ["made up"]
    [missed] = await world.store.runs(RunFilter(schedule_id=skipping.id))
    assert (str(missed.status), missed.skipped) == ("missed", 3)


@conformant
async def test_a_damaged_when_is_left_to_the_planner(world: World) -> None:
    row = await _made(world, "damaged", Job("a"), trigger="{}", resting="no such job", next_run_at=None)
    await Place(world).review.look_at_resting()
    after = await world.saved(row.id)
    assert (after.resting, after.next_run_at) == (None, row.next_fire_at)
