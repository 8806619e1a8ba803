"""How attempts end: outcomes, retries, settlements that come late, twice or from the wrong owner."""

from __future__ import annotations

from dataclasses import replace

import pytest

from duly.model.run import Status
from duly.ports.records import Plan, Settlement
from tests.conformance.stores.builders import Script, advance, at, due_schedule, ended, failed, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant


@conformant
async def test_a_success_is_recorded_with_its_result(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    result = await harness.turn(ended(run, 5, result='{"answer": [42, null, "é"]}'))
    assert result.refused == []
    seen = await harness.seen(run.run_id)
    assert (seen.status, seen.finished_at, seen.owner) == (Status.SUCCEEDED, at(5), None)
    assert (seen.result, seen.error, seen.reason) == ({"answer": [42, None, "é"]}, None, None)
    assert (seen.attempt, seen.fence, seen.started_at) == (1, 1, harness.now)


@conformant
async def test_a_failure_is_recorded_with_its_error(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    await harness.turn(ended(run, 5, Status.FAILED, error="ValueError: boom", reason="gave up"))
    seen = await harness.seen(run.run_id)
    assert (seen.status, seen.finished_at, seen.owner) == (Status.FAILED, at(5), None)
    assert (seen.result, seen.error, seen.reason) == (None, "ValueError: boom", "gave up")


@conformant
async def test_a_schedule_remembers_its_last_run(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    outcomes = [
        (Status.FAILED, {"error": "boom"}, '{"error": "boom"}', 1, at(1)),
        (Status.FAILED, {"error": 'say "no"'}, '{"error": "say \\"no\\""}', 2, at(1)),
        (Status.DEAD, {}, None, 3, at(1)),
        (Status.SUCCEEDED, {"result": "[1, 2]"}, "[1, 2]", 0, None),
        (Status.SUCCEEDED, {}, None, 0, None),
        (Status.FAILED, {"error": "boom", "result": "1"}, '{"error": "boom"}', 1, at(6)),
    ]
    for number, (status, fields, last, failures, since) in enumerate(outcomes, start=1):
        [run] = await harness.started(new_run(row, -number))
        await harness.turn(ended(run, number, status, **fields))
        saved = await harness.saved(row.id)
        assert (saved.last_status, saved.last_result, saved.last_run_at) == (status, last, at(number))
        assert (saved.consecutive_failures, saved.total_runs, saved.failing_since) == (failures, number, since)
    assert replace(saved, **{name: getattr(row, name) for name in NOTED}) == row


NOTED = ("last_status", "last_result", "last_run_at", "consecutive_failures", "total_runs", "failing_since")


@conformant
async def test_calling_a_run_off_is_no_failure(harness: StoreHarness) -> None:
    await harness.add(row := schedule(consecutive_failures=2))
    [run] = await harness.started(new_run(row))
    await harness.turn(ended(run, 1, Status.CANCELLED))
    saved = await harness.saved(row.id)
    assert (saved.last_status, saved.last_run_at, saved.consecutive_failures) == (Status.CANCELLED, at(1), 2)


@conformant
async def test_a_skipped_run_leaves_what_the_schedule_remembers_of_the_last_one(harness: StoreHarness) -> None:
    await harness.add(row := schedule(consecutive_failures=1))
    first, second = await harness.started(new_run(row, -2), new_run(row, -1))
    await harness.turn(ended(first, 1, Status.FAILED, error="boom"))
    before = await harness.saved(row.id)
    await harness.turn(ended(second, 60, Status.SKIPPED, reason="the gate said no"))
    assert await harness.saved(row.id) == before
    assert (before.last_run_at, before.last_status, before.total_runs) == (at(1), Status.FAILED, 1)
    assert (await harness.seen(second.run_id)).reason == "the gate said no"


@conformant
async def test_planning_a_skipped_or_missed_fire_leaves_when_the_schedule_last_ran(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule())
    [ran] = await harness.started(new_run(row, -5))
    await harness.turn(ended(ran, 1))
    recorded = [new_run(row, -3, Status.MISSED, skipped=2), new_run(row, -1, Status.SKIPPED, skipped=1)]
    harness.clock.advance(60)
    await harness.turn(planner=Script(Plan(runs=recorded)), plan_limit=1)
    assert await harness.statuses(*recorded) == [Status.MISSED, Status.SKIPPED]
    saved = await harness.saved(row.id)
    assert (saved.last_run_at, saved.last_status, saved.total_runs) == (at(1), Status.SUCCEEDED, 1)


@conformant
async def test_a_run_that_the_next_fire_replaces_ran_when_its_last_attempt_began(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule())
    [retried] = await harness.started(new_run(row, -9))
    await harness.turn(failed(retried, 1, retry_seconds=600))
    harness.clock.advance(60)
    plan = Plan([advance(row, 120, supersede=True)], [new_run(row, 0)])
    await harness.turn(planner=Script(plan), plan_limit=1)
    saved = await harness.saved(row.id)
    assert (await harness.seen(retried.run_id)).finished_at == at(60)
    assert (saved.last_status, saved.last_run_at) == (Status.FAILED, at(0))


@conformant
async def test_a_failed_attempt_comes_back_when_told(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [first] = await harness.started(new_run(row))
    await harness.turn(failed(first, 1, retry_seconds=60))
    seen = await harness.seen(first.run_id)
    assert (seen.status, seen.due_at, seen.owner, seen.finished_at) == (Status.PENDING, at(60), None, None)
    assert (seen.attempt, seen.fence, seen.error, seen.reason) == (1, 1, "boom", "will be retried")
    assert (await harness.saved(row.id)).total_runs == 0
    assert await harness.claim() == []
    assert (await harness.turn()).next_wake == at(60)

    harness.clock.advance(60)
    [second] = await harness.claim("node_b")
    assert (second.run_id, second.attempt, second.fence) == (first.run_id, 2, 2)
    assert (second.fire_at, second.due_at) == (first.fire_at, at(60))
    await harness.turn(ended(second, 61, result="1"), node_id="node_b")
    seen = await harness.seen(first.run_id)
    assert (seen.status, seen.attempt, seen.error, seen.reason) == (Status.SUCCEEDED, 2, None, None)
    assert (seen.started_at, seen.finished_at) == (at(60), at(61))
    saved = await harness.saved(row.id)
    assert (saved.total_runs, saved.consecutive_failures, saved.last_status) == (1, 0, Status.SUCCEEDED)


@conformant
async def test_a_settlement_that_comes_too_late_is_refused(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [stale] = await harness.started(new_run(row))
    await harness.turn(failed(stale, 1, retry_seconds=0))
    [fresh] = await harness.claim("node_b")
    for late in (ended(stale, 2, result='"late"'), failed(stale, 2, retry_seconds=5)):
        assert (await harness.turn(late)).refused == [stale.run_id]
    seen = await harness.seen(stale.run_id)
    assert (seen.status, seen.owner, seen.fence, seen.result) == (Status.RUNNING, "node_b", 2, None)
    assert (await harness.turn(ended(fresh, 3), node_id="node_b")).refused == []
    assert (await harness.turn(ended(stale, 4, Status.FAILED, error="late"))).refused == [stale.run_id]
    assert (await harness.seen(stale.run_id)).status is Status.SUCCEEDED
    assert (await harness.saved(row.id)).total_runs == 1


@conformant
async def test_a_settlement_of_nothing_is_refused(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    await harness.put(pending := new_run(row))
    unknown = Settlement("run_nobody", row.id, 1, Status.SUCCEEDED, at(1))
    unclaimed = Settlement(pending.id, row.id, 1, Status.SUCCEEDED, at(1))
    assert (await harness.turn(unknown, unclaimed)).refused == ["run_nobody", pending.id]
    assert await harness.statuses(pending) == [Status.PENDING]
    assert (await harness.saved(row.id)).total_runs == 0


@pytest.mark.parametrize("again", ["final", "retry"])
@conformant
async def test_a_settlement_repeated_is_accepted_and_counts_once(harness: StoreHarness, again: str) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    settlement = ended(run, 1, Status.FAILED, error="boom") if again == "final" else failed(run, 1, 60)
    first, second = await harness.turn(settlement), await harness.turn(settlement)
    assert first.refused == second.refused == []
    assert (await harness.saved(row.id)).total_runs == (1 if again == "final" else 0)
    seen = await harness.seen(run.run_id)
    assert (seen.status, seen.error) == (Status.FAILED if again == "final" else Status.PENDING, "boom")


@conformant
async def test_the_same_settlement_twice_in_one_turn_counts_once(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    assert (await harness.turn(ended(run, 1), ended(run, 1))).refused == []
    assert (await harness.saved(row.id)).total_runs == 1


@conformant
async def test_many_are_settled_in_one_turn_each_for_itself(harness: StoreHarness) -> None:
    rows = [schedule(f"s{number}") for number in range(20)]
    await harness.add(*rows)
    claimed = await harness.started(*(new_run(row) for row in rows))
    good, bad = claimed[:10], [replace(run, fence=99) for run in claimed[10:]]
    result = await harness.turn(*(ended(run, 1) for run in [*bad, *good]))
    assert sorted(result.refused) == sorted(run.run_id for run in bad)
    totals = [(await harness.saved(row.id)).total_runs for row in rows]
    assert totals == [1] * 10 + [0] * 10


@conformant
async def test_runs_of_one_schedule_settled_together_count_in_their_order(harness: StoreHarness) -> None:
    good, bad, off = Status.SUCCEEDED, Status.FAILED, Status.CANCELLED
    before = at(-60)
    for number, (order, failures, since) in enumerate(
        [
            ((bad, bad, off), 4, before),
            ((bad, good, bad), 1, at(7)),
            ((good, off, bad, bad), 2, at(7)),
            ((bad, bad, good), 0, None),
            ((off, off), 2, before),
        ]
    ):
        await harness.add(row := schedule(f"s{number}", consecutive_failures=2, total_runs=1, failing_since=before))
        runs = await harness.started(*(new_run(row, -number) for number in range(len(order))))
        await harness.turn(
            *(ended(run, 9 - n, status) for n, (run, status) in enumerate(zip(runs, order, strict=True)))
        )
        saved = await harness.saved(row.id)
        assert (saved.consecutive_failures, saved.total_runs) == (failures, 1 + len(order))
        assert saved.failing_since == since
        assert (saved.last_status, saved.last_run_at) == (order[-1], at(10 - len(order)))


@conformant
async def test_a_retry_of_a_run_that_was_asked_to_stop_is_cancelled(harness: StoreHarness) -> None:
    await harness.add(row := schedule(consecutive_failures=1))
    [run] = await harness.started(new_run(row))
    await harness.store.cancel(run.run_id, at(1), "not today")
    assert (await harness.turn(failed(run, 2, retry_seconds=60))).refused == []
    seen = await harness.seen(run.run_id)
    assert (seen.status, seen.finished_at, seen.owner) == (Status.CANCELLED, at(2), None)
    assert (seen.error, seen.reason) == ("boom", "not today")
    assert (await harness.turn()).next_wake is None
    saved = await harness.saved(row.id)
    assert (saved.last_status, saved.total_runs, saved.consecutive_failures) == (Status.CANCELLED, 1, 1)
    [told] = await harness.journal()
    assert (told.kind.name, told.run_id, told.schedule_id) == ("run.cancelled", run.run_id, row.id)
    assert told.data == {"name": row.name, "reason": "not today"}


@conformant
async def test_settling_comes_before_planning_and_claiming(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule())
    [first] = await harness.started(new_run(row, -1))
    planner = Script()
    result = await harness.turn(failed(first, 0, retry_seconds=0), planner=planner, plan_limit=1, claim_limit=1)
    assert (planner.only.running, planner.only.retrying) == (1, 1)
    assert [(run.run_id, run.attempt) for run in result.claimed] == [(first.run_id, 2)]


@conformant
async def test_a_settlement_is_undone_with_the_rest_when_the_planner_raises(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule())
    [run] = await harness.started(new_run(row, -1))

    def broken(_due: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await harness.turn(ended(run), planner=broken, plan_limit=1, claim_limit=1)
    assert (await harness.seen(run.run_id)).status is Status.RUNNING
    assert await harness.saved(row.id) == row


@conformant
async def test_a_run_that_waits_goes_on_with_the_same_attempt(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    await harness.turn(failed(run, 1, 2))
    harness.clock.advance(2)
    [run] = (await harness.turn(claim_limit=1)).claimed
    waits = {"goes_on": True, "same_attempt": True, "reason": "waits for a limit", "retry_at": at(9)}
    await harness.turn(ended(run, 3, Status.PENDING, **waits))
    seen = await harness.seen(run.run_id)
    assert (seen.status, seen.attempt, seen.due_at) == (Status.PENDING, 1, at(9))
    assert (seen.error, seen.reason, seen.lost) == (None, "waits for a limit", 0)
    harness.clock.advance(7)
    [again] = (await harness.turn(claim_limit=1)).claimed
    assert (again.run_id, again.attempt, again.fence) == (run.run_id, 2, 3)
    assert [each.attempt for each in await harness.store.history.attempts(run.run_id)] == [1]
