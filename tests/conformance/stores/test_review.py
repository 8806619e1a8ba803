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
from tests.conformance.stores.harness import StoreHarness, conformant

GONE = "project 'blog' is not there"
HOURLY = Cron("0 * * * *")


class MachineWithGaps:
    """A machine on which things may be missing."""

    def __init__(self, harness: StoreHarness, node_id: str = "node_a") -> None:
        self.missing: dict[str, str] = {}
        """Why, by the handler or the project it is about."""
        self.asked: list[Action] = []
        self.told: list[Event] = []
        harness.store.on_event(self._hear)
        self.review = Review(harness.store, harness.clock, self._missing, self._needs, own_node=lambda: node_id)

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


async def _made(harness: StoreHarness, name: str, what: Action, **fields: Any) -> StoredSchedule:
    draft = Draft(name=name, trigger=HOURLY, action=what, created_via="mcp")
    row = replace(to_row(draft, harness.now, lambda _job: None, random_bits), **fields)
    await harness.add(row)
    return row


def _prompt(text: str = "look", project: str = "blog") -> Prompt:
    return Prompt(text=text, targets=(Target(project),))


@conformant
async def test_a_schedule_rests_with_its_reason_and_goes_on_where_it_was(harness: StoreHarness) -> None:
    machine = MachineWithGaps(harness)
    resting, other = await _made(harness, "blog", _prompt()), await _made(harness, "shop", _prompt(project="shop"))
    machine.missing["project:blog"] = GONE
    assert await machine.review.look_at_all() == 1
    asleep = await harness.saved(resting.id)
    assert asleep == replace(resting, resting=GONE, resting_since=harness.now, next_run_at=None)
    assert await harness.saved(other.id) == other
    assert machine.news() == [("schedule.resting", {"name": "blog", "reason": GONE})]
    assert await harness.told() == ["schedule.resting"]
    assert await machine.review.look_at_all() == 0
    machine.missing.clear()
    harness.clock.advance(60)
    assert await machine.review.look_at_resting() == 1
    assert await harness.saved(resting.id) == resting
    assert machine.news() == [("schedule.awake", {"name": "blog"})]
    assert await harness.told() == ["schedule.resting", "schedule.awake"]


@conformant
async def test_another_reason_is_told_and_the_first_moment_is_kept(harness: StoreHarness) -> None:
    machine, row = MachineWithGaps(harness), await _made(harness, "blog", _prompt())
    machine.missing["project:blog"] = GONE
    await machine.review.look_at([row.id])
    since = harness.now
    machine.missing["project:blog"] = "it is no directory"
    harness.clock.advance(60)
    await machine.review.look_at_resting()
    after = await harness.saved(row.id)
    assert (after.resting, after.resting_since) == ("it is no directory", since)
    assert [kind for kind, _ in machine.news()] == ["schedule.resting", "schedule.resting"]


@conformant
async def test_a_node_does_not_put_to_rest_what_another_living_node_can_do(harness: StoreHarness) -> None:
    machine, row = MachineWithGaps(harness), await _made(harness, "blog", _prompt())
    machine.missing["project:blog"] = GONE
    await harness.store.register(
        harness.node("node_a", ["prompt:default", "project:blog"])
    )  # this one, before it looked
    await harness.store.register(harness.node("node_b", ["prompt:default", "project:blog"]))
    assert await machine.review.look_at_all() == 0
    await harness.store.register(harness.node("node_b", ["prompt:default"]))
    assert await machine.review.look_at_all() == 1
    await harness.store.register(harness.node("node_b", ["prompt:default", "project:blog"]))
    assert await machine.review.look_at_resting() == 1
    assert await harness.saved(row.id) == row
    await harness.silence("node_b")
    assert await machine.review.look_at_all() == 1


@conformant
async def test_what_a_daemon_does_not_answer_for_is_left_alone(harness: StoreHarness) -> None:
    machine = MachineWithGaps(harness)
    machine.missing |= {"job:gone": "no such job", "message": "never"}
    application = await _made(harness, "application", Job("gone"), created_via=None)
    paused = await _made(harness, "paused", Job("gone"), enabled=False, next_fire_at=None, next_run_at=None)
    assert (
        await machine.review.look_at_all() == await machine.review.look_at([application.id, paused.id, "sched_x"]) == 0
    )
    assert await harness.saved(application.id) == application
    assert await harness.saved(paused.id) == paused


@conformant
async def test_prompts_that_need_the_same_are_looked_up_once(harness: StoreHarness) -> None:
    machine = MachineWithGaps(harness)
    for number in range(3):
        await _made(harness, f"blog {number}", _prompt(f"words {number}"))
    await _made(harness, "shop", _prompt(project="shop"))
    await machine.review.look_at_all()
    assert len(machine.asked) == 2


@conformant
async def test_a_row_that_cannot_be_read_is_left_to_the_planner(harness: StoreHarness) -> None:
    await _made(harness, "damaged", Job("a"), action="{}")
    assert await MachineWithGaps(harness).review.look_at_all() == 0


@conformant
async def test_a_pause_survives_the_rest_and_the_rest_the_pause(harness: StoreHarness) -> None:
    machine, row = MachineWithGaps(harness), await _made(harness, "blog", _prompt())
    service = ScheduleService(harness.store, harness.clock, lambda _job: None, random_bits)
    machine.missing["project:blog"] = GONE
    await machine.review.look_at_all()
    await service.pause(row.id)
    paused = await harness.saved(row.id)
    assert (paused.enabled, paused.disabled_by, paused.resting) == (False, "person", GONE)
    await service.resume(row.id)
    asleep = await harness.saved(row.id)
    assert (asleep.enabled, asleep.next_fire_at, asleep.next_run_at) == (True, row.next_fire_at, None)
    await service.pause(row.id)
    machine.missing.clear()
    await machine.review.look_at_resting()
    still = await harness.saved(row.id)
    assert (still.enabled, still.disabled_by, still.resting, still.next_run_at) == (False, "person", None, None)


@conformant
async def test_skipping_the_next_fire_does_not_wake_it(harness: StoreHarness) -> None:
    machine, row = MachineWithGaps(harness), await _made(harness, "blog", _prompt())
    service = ScheduleService(harness.store, harness.clock, lambda _job: None, random_bits)
    machine.missing["project:blog"] = GONE
    await machine.review.look_at_all()
    await service.skip_next(row.id)
    asleep = await harness.saved(row.id)
    assert row.next_fire_at is not None
    assert (asleep.next_fire_at, asleep.next_run_at) == (row.next_fire_at + timedelta(hours=1), None)


@conformant
async def test_fires_missed_while_it_rested_are_made_up_by_its_policy(harness: StoreHarness) -> None:
    machine, jobs = MachineWithGaps(harness), JobRegistry(harness.clock)
    worked: list[str] = []

    async def work(run: Any) -> None:
        worked.append(run.name)

    jobs.register(work, "work")
    skip = encode_policy(Policy(catch_up=CatchUp.SKIP))
    await _made(harness, "made up", Job("work"))
    skipping = await _made(harness, "skipped", Job("work"), policy=skip)
    engine = Engine(harness.store, jobs, harness.clock, VIRTUAL)
    machine.missing["job:work"] = "no module named chores"
    await machine.review.look_at_all()
    harness.clock.advance(timedelta(hours=3, minutes=30))
    assert await engine.tick(harness.now) == 0
    machine.missing.clear()
    await machine.review.look_at_resting()
    await engine.tick(harness.now)
    assert worked == ["made up"]
    [missed] = await harness.store.runs(RunFilter(schedule_id=skipping.id))
    assert (str(missed.status), missed.skipped) == ("missed", 3)


@conformant
async def test_a_damaged_when_is_left_to_the_planner(harness: StoreHarness) -> None:
    row = await _made(harness, "damaged", Job("a"), trigger="{}", resting="no such job", next_run_at=None)
    await MachineWithGaps(harness).review.look_at_resting()
    after = await harness.saved(row.id)
    assert (after.resting, after.next_run_at) == (None, row.next_fire_at)
