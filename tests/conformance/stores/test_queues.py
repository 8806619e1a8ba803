"""Queues: runs of a schedule that wait for each other, and when they begin."""

from __future__ import annotations

from dataclasses import replace

import pytest

from duly.model.policy import Overlap, Policy
from duly.model.run import Status
from duly.ports.codec import encode_policy
from duly.ports.records import NewRun, Plan, StoredSchedule
from tests.conformance.stores.builders import Script, advance, at, due_schedule, ended, failed, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant

QUEUE = encode_policy(Policy(overlap=Overlap.QUEUE))
ANY_NUMBER = encode_policy(Policy(overlap=Overlap.PARALLEL))
PENDING, RUNNING, WAITING, CANCELLED = Status.PENDING, Status.RUNNING, Status.WAITING, Status.CANCELLED


def at_once(number: int) -> str:
    return encode_policy(Policy(overlap=Overlap.PARALLEL, max_parallel=number))


def placed(row: StoredSchedule, seconds: float) -> NewRun:
    return new_run(row, seconds, in_line=True)


def behind(row: StoredSchedule, seconds: float) -> NewRun:
    return new_run(row, seconds, WAITING, in_line=True)


@conformant
async def test_the_first_waiting_run_becomes_pending_when_a_place_is_free(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    # recorded out of order: the nominal time counts, not the order of arrival
    line = [behind(row, -3), behind(row, -5), behind(row, 30)]
    [run] = await harness.started(placed(row, -9))
    await harness.put(*line)
    harness.clock.advance(10)
    result = await harness.turn(ended(run, 9), claim_limit=5)
    assert [claimed.run_id for claimed in result.claimed] == [line[1].id]
    assert await harness.statuses(*line) == [WAITING, RUNNING, WAITING]
    assert result.claimed[0].due_at == at(10)  # it could not have been earlier
    result = await harness.turn(ended(result.claimed[0], 10, Status.FAILED), claim_limit=5)
    assert [claimed.run_id for claimed in result.claimed] == [line[0].id]
    await harness.turn(ended(result.claimed[0], 10))
    seen = await harness.seen(line[2].id)
    assert (seen.status, seen.due_at) == (PENDING, at(30))  # its own time has not come


@conformant
async def test_each_free_place_lets_one_come_forward(harness: StoreHarness) -> None:
    row, other = schedule("a", policy=at_once(2)), schedule("b")
    await harness.add(row, other)
    first, second, third = await harness.started(placed(row, -9), placed(row, -8), placed(other, -9))
    line, elsewhere = [behind(row, seconds) for seconds in (-7, -6, -5)], behind(other, -7)
    await harness.put(*line, elsewhere)
    await harness.turn(ended(first), ended(second), ended(third))
    assert await harness.statuses(*line, elsewhere) == [PENDING, PENDING, WAITING, PENDING]


@conformant
async def test_waiting_runs_begin_when_the_run_they_waited_for_ends(harness: StoreHarness) -> None:
    """As a backfill does behind a run whose policy knows no line, or a fire after the policy was changed."""
    row, other = schedule("a"), schedule("b")
    await harness.add(row, other)
    [run] = await harness.started(new_run(row, -9))
    pending = new_run(other, -9)
    await harness.put(waits := behind(row, -8), pending, elsewhere := behind(other, -8))
    await harness.turn(ended(run))
    await harness.store.cancel(pending.id, at(0), "enough")
    assert await harness.statuses(waits, elsewhere) == [PENDING, PENDING]


@conformant
async def test_with_unlimited_places_queued_runs_wait_only_for_each_other(harness: StoreHarness) -> None:
    await harness.add(row := schedule(policy=ANY_NUMBER))
    beside, _ = await harness.started(new_run(row, -9), new_run(row, -8))
    [first] = await harness.started(placed(row, -7))
    await harness.put(*(line := [behind(row, -6), behind(row, -5)]))
    await harness.turn(ended(beside))
    assert await harness.statuses(*line) == [WAITING, WAITING]
    await harness.turn(ended(first))
    assert await harness.statuses(*line) == [PENDING, WAITING]


@conformant
async def test_fewer_places_are_fewer_places_from_now_on(harness: StoreHarness) -> None:
    await harness.add(row := schedule(policy=at_once(3)))
    runs = await harness.started(*(placed(row, seconds) for seconds in (-9, -8, -7)))
    await harness.put(*(line := [behind(row, seconds) for seconds in (-6, -5, -4)]))
    await harness.store.edit([row.id], lambda stored: replace(stored, policy=QUEUE))
    await harness.turn(ended(runs[0]))
    await harness.turn(ended(runs[1]))
    assert await harness.statuses(*line) == [WAITING, WAITING, WAITING]
    await harness.turn(ended(runs[2]))
    assert await harness.statuses(*line) == [PENDING, WAITING, WAITING]


@conformant
@pytest.mark.parametrize("way", ["edit", "save"])
async def test_more_places_are_taken_at_once(harness: StoreHarness, way: str) -> None:
    await harness.add(row := schedule(policy=QUEUE), other := schedule("b", policy=QUEUE))
    await harness.put(placed(row, -9), *(line := [behind(row, seconds) for seconds in (-8, -7, -6)]))
    await harness.put(placed(other, -9), elsewhere := behind(other, -8))
    policies = {row.id: at_once(3), other.id: QUEUE}
    if way == "edit":
        await harness.store.edit(list(policies), lambda stored: replace(stored, policy=policies[stored.id]))
    else:
        await harness.store.save([row, other], lambda _before, stored: replace(stored, policy=policies[stored.id]))
    assert await harness.statuses(*line, elsewhere) == [PENDING, PENDING, WAITING, WAITING]


@conformant
async def test_runs_with_an_undecodable_policy_begin_one_by_one(harness: StoreHarness) -> None:
    await harness.add(row := schedule(policy="{"))
    first, second = await harness.started(placed(row, -9), placed(row, -8))
    await harness.put(*(line := [behind(row, -7), behind(row, -6)]))
    await harness.turn(ended(first))
    assert await harness.statuses(*line) == [WAITING, WAITING]
    await harness.turn(ended(second))
    assert await harness.statuses(*line) == [PENDING, WAITING]


@conformant
async def test_a_run_between_two_attempts_keeps_its_place(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(placed(row, -9))
    await harness.put(waits := behind(row, -8))
    await harness.turn(failed(run, 0, retry_seconds=5))
    assert await harness.statuses(waits) == [WAITING]
    harness.clock.advance(5)
    [run] = await harness.claim()
    await harness.turn(ended(run, 5))
    assert await harness.statuses(waits) == [PENDING]


@conformant
async def test_a_refused_or_repeated_settlement_frees_no_place(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(placed(row, -9))
    line = [behind(row, -8), behind(row, -7), behind(row, -6)]
    await harness.put(*line)
    await harness.turn(ended(run), ended(run))
    await harness.turn(ended(run))
    assert await harness.statuses(*line) == [PENDING, WAITING, WAITING]


@conformant
async def test_a_retry_that_was_called_off_frees_its_place(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(placed(row, -9))
    await harness.put(waits := behind(row, -8))
    await harness.store.cancel(run.run_id, at(0), "enough")
    await harness.turn(failed(run, 0, retry_seconds=5))
    assert await harness.statuses(waits) == [PENDING]


@conformant
async def test_a_pending_run_that_is_cancelled_gives_its_place_away(harness: StoreHarness) -> None:
    await harness.add(row := schedule(policy=at_once(2)))
    await harness.started(placed(row, -9))
    pending, *line = placed(row, -8), behind(row, -7), behind(row, -6)
    await harness.put(pending, *line)
    await harness.store.cancel(pending.id, at(0), "enough")
    assert await harness.statuses(pending, *line) == [CANCELLED, PENDING, WAITING]


@conformant
async def test_a_waiting_run_that_is_cancelled_had_no_place_to_give(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    await harness.started(running := placed(row, -9))
    line = [behind(row, seconds) for seconds in (-8, -7, -6)]
    await harness.put(*line)
    await harness.store.cancel(line[0].id, at(0), "enough")
    assert await harness.statuses(running, *line) == [RUNNING, CANCELLED, WAITING, WAITING]


@conformant
async def test_a_new_fire_takes_the_place_of_the_run_it_replaces(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule())
    [run] = await harness.started(placed(row, -9))
    await harness.put(waits := behind(row, -8))
    await harness.turn(failed(run, 0, retry_seconds=5))
    fire = placed(row, 0)
    plan = Plan([advance(row, 60, supersede=True)], [fire])
    await harness.turn(planner=Script(plan), plan_limit=1)
    assert await harness.statuses(fire, waits) == [PENDING, WAITING]


@conformant
@pytest.mark.parametrize("status", [WAITING, Status.SKIPPED])
async def test_a_new_fire_that_closes_a_run_without_taking_its_place_lets_a_waiting_run_begin(
    harness: StoreHarness, status: Status
) -> None:
    await harness.add(row := due_schedule())
    [run] = await harness.started(placed(row, -9))
    await harness.put(first := behind(row, -8), second := behind(row, -7))
    await harness.turn(failed(run, 0, retry_seconds=5))
    fire = new_run(row, 0, status, in_line=True)
    plan = Plan([advance(row, 60, supersede=True, come_forward=1)], [fire])
    result = await harness.turn(planner=Script(plan), plan_limit=1, claim_limit=1)
    assert [claimed.run_id for claimed in result.claimed] == [first.id]
    assert await harness.statuses(second, fire) == [WAITING, status]


@conformant
async def test_places_that_a_new_fire_frees_beyond_its_own_go_to_waiting_runs(harness: StoreHarness) -> None:
    row, other = due_schedule("a"), due_schedule("b")
    await harness.add(row, other)
    runs = await harness.started(*(placed(row, seconds) for seconds in (-9, -8, -7)), placed(other, -9))
    await harness.put(*(line := [behind(row, -6), behind(row, -5), behind(row, -4)]), elsewhere := behind(other, -6))
    await harness.turn(*(failed(run, 0, retry_seconds=5) for run in runs))
    fire, beside = placed(row, 0), new_run(other, 0, WAITING)
    moved = [advance(row, 60, supersede=True, come_forward=2), advance(other, 60, supersede=True, come_forward=1)]
    plan = Plan(moved, [fire, beside])
    await harness.turn(planner=Script(plan), plan_limit=2)
    assert await harness.statuses(fire, *line) == [PENDING, PENDING, PENDING, WAITING]
    assert await harness.statuses(beside, elsewhere) == [WAITING, PENDING]


@conformant
async def test_the_place_of_a_fire_known_before_goes_to_the_next_that_is_new(harness: StoreHarness) -> None:
    row, other = schedule("a"), schedule("b")
    await harness.add(row, other)
    await harness.put(new_run(row, -9, Status.MISSED), new_run(other, -9, Status.MISSED))
    line, elsewhere = [behind(row, -8), behind(row, -7)], behind(other, -8)
    plan = Plan(runs=[placed(row, -9), *line, new_run(other, -9), elsewhere])
    await harness.store.plan([row.id, other.id], Script(plan))
    assert await harness.statuses(*line) == [PENDING, WAITING]
    assert await harness.statuses(elsewhere) == [PENDING]


@conformant
async def test_a_run_handed_back_keeps_its_place(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule())
    await harness.started(run := placed(row, -9))
    await harness.put(waits := behind(row, -8))
    await harness.store.deregister("node_a", at(0))
    assert await harness.statuses(run, waits) == [PENDING, WAITING]


@conformant
async def test_a_run_that_was_called_off_and_handed_back_frees_its_place(harness: StoreHarness) -> None:
    await harness.join("node_a", "node_b")
    row, other = schedule("a", policy=at_once(2)), schedule("b", policy=at_once(2))
    await harness.add(row, other)
    await harness.started(left := placed(row, -9), node_id="node_a")
    await harness.started(lost := placed(other, -9), node_id="node_b")
    # another place of each line is taken, so that no line has come to a stop
    await harness.started(placed(row, -8), placed(other, -8), node_id="node_c")
    first, second = behind(row, -7), behind(other, -7)
    await harness.put(first, second)
    await harness.store.register(harness.node("node_c"))
    for run in (left, lost):
        await harness.store.cancel(run.id, at(0), "enough")
    await harness.store.deregister("node_a", at(0))
    assert await harness.statuses(left, first) == [CANCELLED, PENDING]
    await harness.silence("node_b")
    await harness.store.rescue(at(0), lambda _policy, _attempt: False)
    assert await harness.statuses(lost, second) == [CANCELLED, PENDING]


@conformant
async def test_a_dead_run_frees_its_place(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule())
    await harness.started(run := placed(row, -9))
    await harness.put(waits := behind(row, -8))
    await harness.silence("node_a")
    await harness.store.rescue(at(0), lambda _policy, _attempt: True)
    assert await harness.statuses(run, waits) == [Status.DEAD, PENDING]


@conformant
async def test_a_rescue_promotes_waiting_runs_that_were_left_behind(harness: StoreHarness) -> None:
    row, other, moving = schedule("a"), schedule("b"), schedule("c")
    await harness.add(row, other, moving)
    line = [behind(row, -8), behind(row, -7), behind(other, -8), behind(moving, -8)]
    history = [new_run(each, -99, Status.MISSED) for each in (row, other, moving)]  # which holds no place
    await harness.put(*history, *line, placed(moving, -9))
    await harness.store.rescue(at(0), lambda _policy, _attempt: False)
    assert await harness.statuses(*line) == [PENDING, WAITING, PENDING, WAITING]
    await harness.store.rescue(at(0), lambda _policy, _attempt: False)
    assert await harness.statuses(*line) == [PENDING, WAITING, PENDING, WAITING]
