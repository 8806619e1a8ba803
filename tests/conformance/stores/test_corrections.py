"""Correcting a clock that was ahead: its decisions are found, undone unless they were carried out, and counted."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import count
from typing import Any

from duly.cron import Cron
from duly.engine.correction import Corrector, corrections_for
from duly.engine.planner import TickPlanner
from duly.model.policy import CatchUp, Overlap, Policy, Retry
from duly.model.run import Origin, Status
from duly.model.trigger import Trigger
from duly.planning.clock_marks import Corrected
from duly.planning.places import Pool
from duly.ports.codec import encode_policy, encode_trigger
from duly.ports.records import CycleResult, RunFilter, StoredSchedule
from duly.recurrence import Once, every
from tests.conformance.stores.builders import JOB, START, at, ended, failed, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant

HOURLY = Cron("0 * * * *")
MONTH = timedelta(days=30)
HOUR = timedelta(hours=1)
_counted = count(1)


def numbers(_bits: int) -> int:
    """Instead of random bits: no two turns get the same ids."""
    return next(_counted) * 1_000_000


def planned(name: str, trigger: Trigger, policy: Policy | None = None, **fields: Any) -> StoredSchedule:
    """A schedule with a real trigger, due at the first of its times after the start."""
    fire_at = trigger.get_next_occurrence(START)
    values = {"trigger": encode_trigger(trigger), "policy": encode_policy(policy or Policy())}
    return schedule(name, **{**values, "next_fire_at": fire_at, "next_run_at": fire_at, **fields})


async def turn(harness: StoreHarness, now: datetime, *, claim: int = 0, room: int = 0) -> CycleResult:
    """A turn of an engine whose wall clock shows `now`."""
    planner = TickPlanner(now, [Pool(handlers=(JOB,), size=room)], numbers)
    return await harness.turn(now=now, planner=planner, plan_limit=100, claim_limit=claim)


async def put_right(harness: StoreHarness, now: datetime) -> Corrected:
    """A turn that notices, and the correction that follows."""
    assert (await turn(harness, now)).planned_ahead
    corrected = await Corrector(harness.store).go_on(now, "node_a", lambda: False)
    assert corrected is not None
    return corrected


async def fires(harness: StoreHarness, row: StoredSchedule) -> list[tuple[datetime, Origin, Status]]:
    runs = await harness.store.runs(RunFilter(schedule_id=row.id))
    return sorted((run.fire.fire_at, run.fire.origin, run.status) for run in runs)


@conformant
async def test_a_turn_tells_that_something_was_decided_ahead_of_it(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(planned("a", HOURLY))
    assert not (await turn(harness, at(10))).planned_ahead
    ahead = START + MONTH
    assert not (await turn(harness, ahead)).planned_ahead
    assert (await turn(harness, at(20))).planned_ahead
    assert not (await turn(harness, ahead - timedelta(seconds=5))).planned_ahead


@conformant
async def test_a_turn_that_does_nothing_decides_nothing(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(planned("a", Once(START + 2 * MONTH)))
    await turn(harness, START + MONTH)
    assert not (await turn(harness, at(20))).planned_ahead


@conformant
async def test_saving_and_editing_count_as_decisions(harness: StoreHarness) -> None:
    await harness.join("node_a")
    row = planned("a", HOURLY)
    await harness.add(row)
    await harness.add(planned("b", HOURLY, updated_at=START + HOUR))
    assert (await turn(harness, at(0))).planned_ahead
    assert not (await turn(harness, START + HOUR)).planned_ahead

    def change(found: StoredSchedule) -> StoredSchedule:
        found.updated_at = START + MONTH
        return found

    await harness.store.edit([row.id], change)
    assert (await turn(harness, START + HOUR)).planned_ahead


@conformant
async def test_a_schedule_goes_on_from_the_corrected_time(harness: StoreHarness) -> None:
    await harness.join("node_a")
    row = planned("a", HOURLY)
    await harness.add(row)
    await turn(harness, START + MONTH, room=1)
    assert (await harness.saved(row.id)).next_fire_at == START + MONTH + HOUR
    corrected = await put_right(harness, at(60))
    stands = await harness.saved(row.id)
    assert (stands.next_fire_at, stands.next_run_at, stands.watermark) == (START + HOUR, START + HOUR, at(60))
    assert (corrected.at, corrected.schedules, corrected.ahead_seconds) == (at(60), 1, (MONTH.total_seconds() - 60))
    assert (await harness.store.overview(at(60))).corrected == corrected
    [told] = [event for event in await harness.journal() if event.kind.name == "clock.corrected"]
    assert (told.node_id, told.data) == (
        "node_a",
        {"seconds": corrected.ahead_seconds, "schedules": 1, "runs": 0},
    )
    assert not (await turn(harness, at(61))).planned_ahead


@conformant
async def test_a_fire_that_was_carried_out_is_not_carried_out_again(harness: StoreHarness) -> None:
    await harness.join("node_a")
    row = planned("a", HOURLY, Policy(overlap=Overlap.PARALLEL), max_runs=3)
    await harness.add(row)
    [early] = (await turn(harness, START + 2 * HOUR, room=9)).claimed
    await put_right(harness, at(60))
    [first] = (await turn(harness, START + HOUR, room=9)).claimed
    stands = await harness.saved(row.id)
    assert (early.fire_at, first.fire_at) == (START + 2 * HOUR, START + HOUR)
    assert (stands.next_fire_at, stands.fires) == (START + 3 * HOUR, 2)
    assert (await turn(harness, START + 2 * HOUR, room=9)).planned == 0
    [last] = (await turn(harness, START + 3 * HOUR, room=9)).claimed
    stands = await harness.saved(row.id)
    assert (last.fire_at, stands.fires, stands.disabled_by) == (START + 3 * HOUR, 3, "finished")


@conformant
async def test_a_fire_that_was_only_recorded_as_missed_comes_when_its_time_does(harness: StoreHarness) -> None:
    await harness.join("node_a")
    row = planned("a", HOURLY, Policy(catch_up=CatchUp.SKIP, overlap=Overlap.PARALLEL))
    await harness.add(row)
    ahead = START + timedelta(days=1, minutes=30)
    await turn(harness, ahead, room=9)
    day = START + timedelta(days=1)
    assert await fires(harness, row) == [(day, Origin.SCHEDULE, Status.MISSED)]
    await put_right(harness, at(60))
    assert await fires(harness, row) == [(day, Origin.CLOCK, Status.MISSED)]
    [record] = await harness.store.runs(RunFilter(schedule_id=row.id))
    assert record.reason is not None
    assert record.reason.endswith("recorded while the clock was ahead: it fires when its time comes")
    for hour in range(1, 25):
        await turn(harness, START + hour * HOUR, room=99)
    assert (day, Origin.SCHEDULE, Status.RUNNING) in await fires(harness, row)


@conformant
async def test_records_of_two_wrong_spans_do_not_get_into_each_others_way(harness: StoreHarness) -> None:
    await harness.join("node_a")
    row = planned("a", HOURLY, Policy(catch_up=CatchUp.SKIP))
    await harness.add(row)
    for seconds in (60, 120):
        await turn(harness, START + timedelta(days=1, minutes=30))
        await put_right(harness, at(seconds))
    assert [each[1:] for each in await fires(harness, row)] == [(Origin.CLOCK, Status.MISSED)]


@conformant
async def test_a_run_that_was_never_begun_is_left_to_its_time(harness: StoreHarness) -> None:
    await harness.join("node_a")
    row = planned("a", HOURLY, Policy(overlap=Overlap.QUEUE))
    await harness.add(row)
    await turn(harness, START + 5 * HOUR)
    await turn(harness, START + 6 * HOUR)
    assert (await harness.saved(row.id)).fires == 2
    await put_right(harness, at(60))
    found = await fires(harness, row)
    assert [each[1:] for each in found if each[0] > START + 4 * HOUR] == [(Origin.CLOCK, Status.SKIPPED)] * 2
    assert (await harness.saved(row.id)).fires == 0
    result = await turn(harness, START + HOUR, claim=5, room=5)
    assert [run.fire_at for run in result.claimed] == [START + HOUR]


@conformant
async def test_a_series_that_ended_by_the_wrong_clock_goes_on(harness: StoreHarness) -> None:
    await harness.join("node_a")
    until = START + timedelta(days=3)
    series = planned("series", HOURLY, until_at=until)
    single = planned("single", Once(START + timedelta(days=2)))
    limited = planned("limited", HOURLY, max_runs=1)
    await harness.add(series, single, limited)
    await turn(harness, START + MONTH, room=9)
    for row in (series, single, limited):
        assert (await harness.saved(row.id)).disabled_by == "finished"
    await put_right(harness, at(60))
    stands = await harness.saved(series.id)
    assert (stands.enabled, stands.disabled_by, stands.next_fire_at) == (True, None, START + HOUR)
    for row in (single, limited):  # they were carried out
        ended_row = await harness.saved(row.id)
        assert (ended_row.enabled, ended_row.disabled_by, ended_row.next_run_at) == (False, "finished", None)
    assert "schedule.resumed" in await harness.told()


@conformant
async def test_a_pause_stays_and_what_rests_goes_on_resting(harness: StoreHarness) -> None:
    await harness.join("node_a")
    paused, resting = planned("paused", HOURLY), planned("resting", HOURLY)
    await harness.add(paused, resting)
    await turn(harness, START + MONTH, room=9)

    def pause(found: StoredSchedule) -> StoredSchedule:
        found.enabled, found.disabled_by, found.next_fire_at, found.next_run_at = False, "person", None, None
        return found

    def rest(found: StoredSchedule) -> StoredSchedule:
        found.resting, found.next_run_at = "no folder", None
        return found

    await harness.store.edit([paused.id], pause)
    await harness.store.edit([resting.id], rest)
    await put_right(harness, at(60))
    stands = await harness.saved(paused.id)
    assert (stands.enabled, stands.next_fire_at, stands.watermark) == (False, None, at(60))
    stands = await harness.saved(resting.id)
    assert (stands.enabled, stands.next_fire_at, stands.next_run_at) == (True, START + HOUR, None)


@conformant
async def test_a_fire_that_a_person_had_left_out_stays_left_out(harness: StoreHarness) -> None:
    await harness.join("node_a")
    counted = every(90).hours().recurring_task  # from its last fire: from now on it would come earlier
    asked = planned("asked", counted)
    assert asked.next_fire_at is not None
    following = counted.get_next_occurrence(asked.next_fire_at)
    asked.watermark, asked.next_fire_at, asked.next_run_at = asked.next_fire_at, following, following
    other = planned("other", HOURLY)
    await harness.add(asked, other)
    assert asked.watermark is not None
    left_out = new_run(asked, (asked.watermark - START).total_seconds(), Status.SKIPPED, skipped=1)
    await harness.put(left_out)
    await turn(harness, START + 3 * HOUR, room=9)
    corrected = await put_right(harness, at(60))
    assert corrected.schedules == 1
    assert await harness.saved(asked.id) == asked
    assert (await harness.seen(left_out.id)).fire.origin is Origin.SCHEDULE


@conformant
async def test_retries_wait_no_longer_than_their_policy_lets_them(harness: StoreHarness) -> None:
    await harness.join("node_a")
    policy = Policy(retry=Retry(max_attempts=5, delay=timedelta(minutes=10), jitter=0.0))
    row = planned("a", Once(at(10)), policy)
    await harness.add(row)
    [claimed] = (await turn(harness, at(10), room=1)).claimed
    ahead = MONTH.total_seconds()
    await harness.turn(failed(claimed, ahead, ahead + 600), now=at(ahead))
    await put_right(harness, at(60))
    assert (await harness.seen(claimed.run_id)).due_at == at(660)


@conformant
async def test_an_attempt_that_ended_while_the_clock_was_ahead_is_corrected_whenever_it_is_settled(
    harness: StoreHarness,
) -> None:
    await harness.join("node_a")
    row = planned("a", Once(at(10)), Policy(retry=Retry(max_attempts=5, delay=timedelta(minutes=10), jitter=0.0)))
    await harness.add(row)
    [claimed] = (await turn(harness, at(10), room=1)).claimed
    ahead = MONTH.total_seconds()
    await harness.turn(failed(claimed, ahead, ahead + 600), now=at(20))
    await put_right(harness, at(30))
    assert (await harness.seen(claimed.run_id)).due_at == at(630)


@conformant
async def test_runs_that_wait_for_a_wrong_time_are_due_earlier(harness: StoreHarness) -> None:
    await harness.join("node_a")
    row = planned("a", Once(at(10)))
    await harness.add(row)
    [claimed] = (await turn(harness, at(10), room=1)).claimed
    ahead = MONTH.total_seconds()
    later = ended(claimed, ahead, Status.PENDING, retry_at=at(ahead + 600), goes_on=True)
    await harness.turn(later, now=at(ahead))
    corrected = await put_right(harness, at(60))
    assert (await harness.seen(claimed.run_id)).due_at == at(60)
    assert corrected.runs == 1


@conformant
async def test_only_one_of_two_processes_tells_of_a_correction(harness: StoreHarness) -> None:
    await harness.join("node_a", "node_b")
    await harness.add(planned("a", HOURLY))
    await turn(harness, START + MONTH)
    step = await harness.store.begin_correction(at(60))
    assert step is not None
    assert await harness.store.begin_correction(at(60)) == step
    assert await harness.store.end_correction(step, "node_a") is not None
    assert await harness.store.end_correction(step, "node_a") is None
    assert await harness.store.begin_correction(at(60)) is None


@conformant
async def test_an_engine_that_dies_in_a_correction_leaves_it_to_the_next_one(harness: StoreHarness) -> None:
    await harness.join("node_a")
    rows = [planned(name, HOURLY) for name in "ab"]
    await harness.add(*rows)
    await turn(harness, START + MONTH)
    step = await harness.store.begin_correction(at(60))
    assert step is not None
    first = min(row.id for row in rows)
    await harness.store.place_again([first], step, lambda ahead: corrections_for(ahead, step.now))
    assert (await turn(harness, at(70))).planned_ahead
    corrected = await put_right(harness, at(80))
    assert corrected.schedules == 2
    assert {(await harness.saved(row.id)).next_fire_at for row in rows} == {START + HOUR}


@conformant
async def test_a_decision_that_comes_in_ahead_during_a_correction_is_corrected_after_it(harness: StoreHarness) -> None:
    await harness.join("node_a")
    row, late = planned("a", HOURLY), planned("b", HOURLY, updated_at=START + MONTH / 2)
    await harness.add(row)
    await turn(harness, START + MONTH)
    step = await harness.store.begin_correction(at(60))
    assert step is not None
    await harness.add(late)  # sent before the clock was set right, and slow
    assert (await turn(harness, START + MONTH / 2)).planned == 0
    await harness.store.end_correction(step, "node_a")
    assert (await put_right(harness, at(61))).at == at(61)
    assert (await harness.saved(late.id)).updated_at == at(61)


@conformant
async def test_many_schedules_are_put_right_in_batches(harness: StoreHarness) -> None:
    await harness.join("node_a")
    rows = [planned(f"s{number:04}", HOURLY) for number in range(1100)]
    await harness.add(*rows)
    planner = TickPlanner(START + MONTH, (), numbers)
    await harness.turn(now=START + MONTH, planner=planner, plan_limit=2000)
    corrected = await put_right(harness, at(60))
    assert corrected.schedules == 1100
    assert await harness.store.placed_ahead(at(60)) == []
