"""Planning inside the transaction: what the planner gets, and how its plan is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from duly.model.events import RUN_MISSED, RUN_STARTED, SCHEDULE_FINISHED, SCHEDULE_QUARANTINED, Event
from duly.model.run import Origin, Status
from duly.planning.places import Pool
from duly.ports.records import Due, Plan
from tests.conformance.stores.builders import (
    JOB,
    START,
    Script,
    advance,
    at,
    due_schedule,
    ended,
    every,
    failed,
    names,
    new_run,
    schedule,
)
from tests.conformance.stores.harness import StoreHarness, conformant


@conformant
async def test_what_is_due_is_planned_the_most_overdue_first(harness: StoreHarness) -> None:
    rows = [due_schedule("c", 0), due_schedule("a", -9), due_schedule("later", 1), due_schedule("b", -5)]
    await harness.add(*rows, schedule("never"))
    planner = Script()
    await harness.turn(planner=planner, plan_limit=10)
    assert names(planner.asked) == ["a", "b", "c"]


@conformant
async def test_the_plan_limit_holds_and_the_rest_follows(harness: StoreHarness) -> None:
    await harness.add(*(due_schedule(name, seconds) for seconds, name in enumerate("abcde", start=-9)))
    planned = []
    while (result := await harness.turn(planner=every(100), plan_limit=2)).planned:
        planned.append((result.planned, result.recorded))
    assert planned == [(2, 2), (2, 2), (1, 1)]


@pytest.mark.parametrize("asked", [{"planner": None, "plan_limit": 5}, {"planner": every(60), "plan_limit": 0}])
@conformant
async def test_nothing_is_planned_without_planner_or_limit(harness: StoreHarness, asked: dict[str, object]) -> None:
    await harness.add(row := due_schedule())
    result = await harness.turn(**asked)
    assert (result.planned, result.recorded, result.next_wake) == (0, 0, START)
    assert await harness.saved(row.id) == row


@conformant
async def test_a_planner_is_not_asked_about_nothing(harness: StoreHarness) -> None:
    planner = Script()
    result = await harness.turn(planner=planner, plan_limit=5)
    assert (planner.asked, result.planned, result.next_wake) == ([], 0, None)


@conformant
async def test_the_planner_sees_the_schedule_as_it_is(harness: StoreHarness) -> None:
    row = due_schedule(
        "a",
        namespace="butler",
        trigger="{damaged",
        action='{"kind": "job"}',
        policy='{"overlap": "queue"}',
        handler="job:z",
        next_fire_at=at(-60),
        next_run_at=at(-30),
        until_at=at(600),
        max_runs=7,
        fires=3,
    )
    await harness.add(row)
    planner = Script()
    await harness.turn(planner=planner, plan_limit=1)
    texts = row.id, "butler", "a", "{damaged", '{"kind": "job"}', '{"overlap": "queue"}', "job:z"
    expected = Due(*texts, at(-60), at(-30), at(600), 7, 3, enabled=True)
    assert planner.only == expected
    given = Script()
    await harness.store.plan([row.id], given)
    assert given.only == expected


@pytest.mark.parametrize("text", ["", " ", "\n", '\\"', "{\x1e}", "\x1e\x1e", '{"ü": "\U0001f600"}', "null"])
@conformant
async def test_what_a_damaged_row_says_is_not_taken_for_its_neighbours(harness: StoreHarness, text: str) -> None:
    damaged = due_schedule("b", -5, trigger=text, action=text, policy=text)
    neighbours = [due_schedule(name, seconds, trigger=f'{{"of": "{name}"}}') for name, seconds in (("a", -9), ("c", 0))]
    await harness.add(damaged, *neighbours)
    planner = Script()
    await harness.turn(planner=planner, plan_limit=10)
    before, between, after = planner.asked
    assert [(each.name, each.trigger, each.action, each.policy) for each in (before, after)] == [
        (each.name, each.trigger, each.action, each.policy) for each in neighbours
    ]
    same = text.replace("\x1e", "\x1f")  # as damaged as it was
    assert {between.trigger, between.action, between.policy} <= {text, same}


@conformant
async def test_the_planner_is_told_what_is_under_way(harness: StoreHarness) -> None:
    row, other = due_schedule("a"), due_schedule("b")
    await harness.add(row, other)
    running = await harness.started(new_run(row, -9), new_run(row, -8), new_run(row, -7), new_run(row, -6))
    await harness.turn(failed(running[0], 0, retry_seconds=60), ended(running[1]))
    await harness.put(
        new_run(row, -5),
        new_run(row, -4, Status.WAITING),
        new_run(row, -3, Status.WAITING),
        new_run(row, -2, Status.SKIPPED),
        new_run(other, -1, Status.WAITING),
    )
    planner = Script()
    await harness.turn(planner=planner, plan_limit=5)
    counts = {entry.name: (entry.running, entry.retrying, entry.waiting) for entry in planner.asked}
    # two run, one waits for its next attempt, one is pending
    assert counts == {"a": (4, 1, 2), "b": (0, 0, 1)}


@conformant
async def test_a_plan_is_written_down_whole(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule("a", watermark=at(-120)))
    missed = new_run(row, -60, Status.MISSED, reason="no engine ran", skipped=3, first_skipped_at=at(-180))
    fire = new_run(row, 0)
    step = advance(row, 60, next_run_at=at(75))
    told = [Event(RUN_MISSED, START, row.id, missed.id, data={"count": 3}), Event(RUN_STARTED, START, row.id)]
    result = await harness.turn(planner=Script(Plan([step], [missed, fire], told)), plan_limit=1)
    assert (result.planned, result.recorded, result.claimed) == (1, 2, [])
    assert result.next_wake == START  # the fire, which is not claimed yet
    assert await harness.statuses(missed, fire) == [Status.MISSED, Status.PENDING]
    moved = replace(row, next_fire_at=at(60), next_run_at=at(75), watermark=START, fires=1)
    assert await harness.saved(row.id) == moved
    assert await harness.journal() == [told[0]]


@conformant
async def test_a_watermark_never_goes_away(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule("a", watermark=at(-120)))
    await harness.turn(planner=Script(Plan([advance(row, 60, watermark=None)])), plan_limit=1)
    assert (await harness.saved(row.id)).watermark == at(-120)


@conformant
async def test_a_schedule_that_has_ended_does_not_fire_again(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule("a"))
    plan = Plan([advance(row, None)], [new_run(row)], [Event(SCHEDULE_FINISHED, START, row.id)])
    await harness.turn(planner=Script(plan), plan_limit=1, claim_limit=1)
    saved = await harness.saved(row.id)
    assert (saved.enabled, saved.next_fire_at, saved.next_run_at) == (False, None, None)
    assert (saved.disabled_by, saved.fires) == ("finished", 1)
    harness.clock.advance(timedelta(days=9999))
    planner = Script()
    result = await harness.turn(planner=planner, plan_limit=1)
    assert (planner.asked, result.next_wake) == ([], None)


@conformant
async def test_a_row_that_cannot_be_read_is_set_aside_and_shown(harness: StoreHarness) -> None:
    bad, good = due_schedule("bad", trigger="{"), due_schedule("good")
    await harness.add(bad, good)
    aside = advance(bad, None, next_fire_at=bad.next_fire_at, watermark=None, fires=0, quarantine="not JSON")
    told = Event(SCHEDULE_QUARANTINED, START, bad.id, data={"reason": "not JSON"})
    plan = Plan([aside, advance(good, 60)], [new_run(good)], [told])
    await harness.turn(planner=Script(plan), plan_limit=5)
    saved = await harness.saved(bad.id)
    assert (saved.quarantine, saved.enabled, saved.disabled_by) == ("not JSON", False, "quarantine")
    assert (saved.next_fire_at, saved.next_run_at, saved.trigger) == (START, None, "{")
    planner = Script()
    harness.clock.advance(60)
    await harness.turn(planner=planner, plan_limit=5)
    assert names(planner.asked) == ["good"]
    assert (await harness.store.overview(harness.now)).quarantined == 1


@conformant
async def test_a_fire_is_recorded_once_by_all_planners_together(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule("a"))
    first, again = new_run(row), new_run(row, status=Status.RUNNING)
    await harness.turn(planner=Script(Plan([advance(row, 0)], [first])), plan_limit=1)
    result = await harness.turn(planner=Script(Plan([advance(row, 60)], [again])), plan_limit=1)
    assert (result.planned, result.recorded, result.claimed) == (1, 0, [])
    assert await harness.store.get_run(again.id) is None
    seen = await harness.seen(first.id)
    assert (seen.status, seen.attempt, seen.owner) == (Status.PENDING, 0, None)
    assert (await harness.saved(row.id)).next_fire_at == at(60)


@conformant
async def test_the_same_fire_twice_in_one_plan_is_recorded_once(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule("a"))
    runs = [new_run(row), new_run(row)]
    result = await harness.turn(planner=Script(Plan([advance(row, 60)], runs)), plan_limit=1)
    assert result.recorded == 1
    assert await harness.store.get_run(runs[1].id) is None


@conformant
async def test_origin_and_schedule_are_part_of_a_fires_identity(harness: StoreHarness) -> None:
    row, other = due_schedule("a"), due_schedule("b")
    await harness.add(row, other)
    runs = [new_run(row, 0, origin=origin) for origin in Origin] + [new_run(other, 0), new_run(row, 0.000001)]
    assert len((await harness.store.plan([row.id, other.id], Script(Plan(runs=runs)))).runs) == len(Origin) + 2


@conformant
async def test_a_fire_is_not_repeated_after_its_run_has_ended(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule("a"))
    [run] = await harness.started(new_run(row))
    await harness.turn(ended(run))
    result = await harness.turn(planner=Script(Plan([advance(row, 60)], [new_run(row)])), plan_limit=1, claim_limit=5)
    assert (result.recorded, result.claimed) == (0, [])


@conformant
async def test_a_run_may_be_claimed_at_its_birth(harness: StoreHarness) -> None:
    row = due_schedule("a", namespace="butler", action='{"kind": "prompt"}', policy='{"timeout": 5}', handler="job:z")
    await harness.add(row)
    born = new_run(row, 0, Status.RUNNING, due_at=at(-5))
    result = await harness.turn(planner=Script(Plan([advance(row, 60)], [born])), plan_limit=1, claim_limit=1)
    [claimed] = result.claimed
    assert (claimed.run_id, claimed.schedule_id, claimed.namespace, claimed.name) == (born.id, row.id, "butler", "a")
    assert (claimed.origin, claimed.fire_at, claimed.due_at) == (Origin.SCHEDULE, START, at(-5))
    assert (claimed.handler, claimed.attempt, claimed.fence) == ("job:z", 1, 1)
    assert (claimed.action, claimed.policy) == ('{"kind": "prompt"}', '{"timeout": 5}')
    seen = await harness.seen(born.id)
    assert (seen.status, seen.owner, seen.started_at) == (Status.RUNNING, "node_a", harness.now)
    assert (seen.attempt, seen.fence, seen.finished_at) == (1, 1, None)
    assert (await harness.turn(ended(claimed))).refused == []


@conformant
async def test_births_take_room_from_the_claims(harness: StoreHarness) -> None:
    first, second = due_schedule("a"), due_schedule("b")
    await harness.add(first, second)
    await harness.put(*(new_run(second, -number) for number in range(1, 4)))
    born = new_run(first, 0, Status.RUNNING)
    plan = Script(Plan([advance(first, 60)], [born]))
    result = await harness.turn(planner=plan, plan_limit=1, claim_limit=3)
    assert result.claimed[0].run_id == born.id
    assert len(result.claimed) == 3


@conformant
async def test_a_new_fire_replaces_those_that_wait_for_another_attempt(harness: StoreHarness) -> None:
    row, other = due_schedule("a"), due_schedule("b")
    await harness.add(row, other)
    runs = [new_run(row, -9), new_run(row, -8), new_run(other, -9)]
    retried, _, elsewhere = await harness.started(*runs)
    await harness.turn(failed(retried, 0, retry_seconds=5), failed(elsewhere, 0, retry_seconds=5))
    untried, fire = new_run(row, -7), new_run(row, 0)
    await harness.put(untried)
    plan = Plan([advance(row, 60, supersede=True), advance(other, 60)], [fire])
    await harness.turn(planner=Script(plan), plan_limit=5)
    seen = await harness.seen(retried.run_id)
    assert (seen.status, seen.finished_at, seen.reason) == (Status.FAILED, START, "superseded by the next fire")
    assert (seen.error, seen.attempt, seen.fence) == ("boom", 1, 1)
    saved = await harness.saved(row.id)  # a task that only ever fails shows it, however often it is replaced
    assert (saved.last_status, saved.last_result, saved.last_run_at) == ("failed", '{"error": "boom"}', START)
    assert (saved.consecutive_failures, saved.total_runs) == (1, 1)
    assert await harness.statuses(runs[1], runs[2], untried, fire) == [Status.RUNNING] + [Status.PENDING] * 3
    [told] = [event for event in await harness.journal() if event.run_id == retried.run_id]
    assert (told.kind.name, told.schedule_id, told.at) == ("run.failed", row.id, START)
    assert told.data == {"name": "a", "error": "boom", "attempt": 1, "reason": "superseded by the next fire"}
    assert (await harness.turn(failed(retried, 0, retry_seconds=5))).refused == []  # said before
    assert (await harness.seen(retried.run_id)).status is Status.FAILED


@conformant
async def test_a_run_in_which_nothing_went_wrong_is_replaced_without_having_failed(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule("a"))
    [going_on] = await harness.started(new_run(row, -9))
    await harness.turn(ended(going_on, 0, Status.PENDING, retry_at=at(5), goes_on=True))
    plan = Plan([advance(row, 60, supersede=True)], [new_run(row, 0)])
    await harness.turn(planner=Script(plan), plan_limit=5)
    seen = await harness.seen(going_on.run_id)
    assert (seen.status, seen.finished_at, seen.reason) == (Status.CANCELLED, START, "superseded by the next fire")
    saved = await harness.saved(row.id)
    assert (saved.last_status, saved.last_result, saved.total_runs) == ("cancelled", None, 1)
    assert saved.consecutive_failures == 0


@conformant
async def test_a_run_that_was_claimed_and_never_begun_is_as_it_was(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule("a"))
    await harness.put(new := new_run(row, -9))
    before = await harness.seen(new.id)
    [claimed] = (await harness.turn(claim_limit=1)).claimed
    assert claimed.attempt == 1
    result = await harness.turn(ended(claimed, 0, Status.PENDING, retry_at=claimed.due_at))
    assert result.refused == []
    seen = await harness.seen(new.id)
    assert replace(seen, fence=before.fence, started_at=before.started_at) == before
    assert (await harness.saved(row.id)).total_runs == 0
    [again] = (await harness.turn(claim_limit=1)).claimed
    assert (again.attempt, again.fence) == (1, claimed.fence + 1)


@conformant
async def test_runs_are_claimed_beyond_the_places_where_no_owner_waits(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule("a"), owned := due_schedule("b", namespace="user:ana"))
    runs = [new_run(row, -9 + each) for each in range(4)]
    await harness.put(*runs)
    pool = Pool(handlers=[row.handler], size=1, ahead=2)
    result = await harness.turn(handlers=[row.handler], pools=[pool])
    assert [each.run_id for each in result.claimed] == [each.id for each in runs[:3]]
    await harness.turn(*(ended(each, 0, Status.PENDING, retry_at=each.due_at) for each in result.claimed))
    await harness.put(new_run(owned, -20))
    result = await harness.turn(handlers=[row.handler], pools=[pool])
    assert len(result.claimed) == 1


@conformant
async def test_planning_is_undone_when_the_planner_raises(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule("a"))

    def broken(_due: Sequence[Due]) -> Plan:
        raise ZeroDivisionError

    for attempt in (harness.turn(planner=broken, plan_limit=1), harness.store.plan([row.id], broken)):
        with pytest.raises(ZeroDivisionError):
            await attempt
    assert await harness.saved(row.id) == row


@conformant
async def test_given_schedules_are_planned_whether_or_not_they_are_due(harness: StoreHarness) -> None:
    rows = [due_schedule("later", 600), schedule("never", enabled=False), due_schedule("now"), due_schedule("other")]
    gone = due_schedule("gone", deleted_at=at(-1))
    await harness.add(*rows, gone)
    planner = Script()
    await harness.store.plan([*(row.id for row in rows[:3]), gone.id, "sched_nobody"], planner)
    assert sorted(names(planner.asked)) == ["later", "never", "now"]
    assert {entry.name: entry.enabled for entry in planner.asked} == {"later": True, "never": False, "now": True}


@conformant
async def test_planning_given_schedules_tells_what_was_recorded(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a", enabled=False))
    manual = new_run(row, 0, origin=Origin.MANUAL)
    again, fresh = new_run(row, 0, origin=Origin.MANUAL), new_run(row, 1, origin=Origin.MANUAL)
    told = Event(SCHEDULE_FINISHED, START, row.id)
    first = await harness.store.plan([row.id], Script(Plan(runs=[manual], events=[told])))
    second = await harness.store.plan([row.id], Script(Plan(runs=[again, fresh])))
    assert (first.runs, second.runs) == ([manual], [fresh])
    assert await harness.saved(row.id) == row  # planned without moving on
    assert await harness.journal() == [told]
    assert {run.run_id for run in await harness.claim()} == {manual.id}
    assert (await harness.turn()).next_wake == at(1)


@conformant
async def test_events_of_a_turn_are_written_with_it(harness: StoreHarness) -> None:
    told = [Event(SCHEDULE_FINISHED, START, "sched_x", "run_y", "node_a", {"n": 1}), Event(RUN_STARTED, START)]
    await harness.turn(events=told)
    assert await harness.journal() == [told[0]]


@conformant
async def test_a_job_without_a_serving_node_is_planned_all_the_same(harness: StoreHarness) -> None:
    await harness.add(due_schedule("a", handler="job:unknown"))
    result = await harness.turn(planner=every(60), plan_limit=1, claim_limit=5, handlers=(JOB,))
    assert (result.recorded, result.claimed) == (1, [])
    assert result.next_wake == at(60)
