"""Claiming: which node gets which runs, in which order, how attempts count, and when to wake."""

from __future__ import annotations

from dataclasses import replace

import pytest

from duly.model.run import Origin, Status
from tests.conformance.stores.builders import at, due_schedule, ended, every, failed, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant


@conformant
async def test_a_claim_hands_over_all_a_handler_needs(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a", namespace="butler", action='{"x": 1}', policy='{"timeout": 5}'))
    pending = new_run(row, -60, due_at=at(-50), origin=Origin.BACKFILL)
    await harness.put(pending)
    [run] = await harness.claim()
    assert (run.run_id, run.schedule_id, run.namespace, run.name) == (pending.id, row.id, "butler", "a")
    assert (run.origin, run.fire_at, run.due_at, run.handler) == (Origin.BACKFILL, at(-60), at(-50), "job:a")
    assert (run.attempt, run.fence, run.action, run.policy) == (1, 1, '{"x": 1}', '{"timeout": 5}')
    seen = await harness.seen(run.run_id)
    assert (seen.status, seen.owner, seen.started_at) == (Status.RUNNING, "node_a", harness.now)
    assert (seen.attempt, seen.fence) == (1, 1)


@conformant
async def test_the_longest_due_come_first_up_to_the_limit(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    runs = [new_run(row, seconds) for seconds in (-2, -9, 0, -5)]
    twins = [new_run(row, -20 - number, due_at=at(-5)) for number in range(2)]
    await harness.put(*runs, *twins)
    order = [runs[1], runs[3], *twins, runs[0], runs[2]]
    claimed = []
    while batch := await harness.claim(limit=2):
        assert len(batch) <= 2
        claimed += [run.run_id for run in batch]
    assert claimed == [run.id for run in order]


@conformant
async def test_only_what_is_due_is_claimed(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    await harness.put(new_run(row, 5), new_run(row, -1, Status.WAITING), new_run(row, -2, Status.SKIPPED))
    assert await harness.claim() == []
    harness.clock.advance(4.999999)
    assert await harness.claim() == []
    harness.clock.advance(0.000001)
    assert len(await harness.claim()) == 1
    assert await harness.claim() == []


@conformant
async def test_nothing_is_claimed_without_a_limit_or_a_handler(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    await harness.put(new_run(row))
    for asked in ({"claim_limit": 0}, {"claim_limit": 5, "handlers": ()}, {"claim_limit": 5, "handlers": ("job:b",)}):
        assert (await harness.turn(**asked)).claimed == []
    assert len(await harness.claim()) == 1


@conformant
async def test_only_what_a_node_serves_is_claimed(harness: StoreHarness) -> None:
    rows = [schedule(name, handler=f"job:{name}") for name in "abc"]
    await harness.add(*rows)
    await harness.put(*(new_run(row) for row in rows))
    result = await harness.turn(claim_limit=9, handlers=("job:a", "job:c", "job:'; --"))
    assert sorted(run.handler for run in result.claimed) == ["job:a", "job:c"]
    result = await harness.turn(claim_limit=9, handlers=("job:b",))
    assert [run.handler for run in result.claimed] == ["job:b"]


@conformant
async def test_a_run_keeps_the_handler_it_was_recorded_with(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a", handler="job:a"))
    await harness.put(new_run(row))
    await harness.store.edit([row.id], lambda found: replace(found, handler="job:b", action='{"new": 1}'))
    assert (await harness.turn(claim_limit=9, handlers=("job:b",))).claimed == []
    [run] = (await harness.turn(claim_limit=9, handlers=("job:a",))).claimed
    assert (run.handler, run.action) == ("job:a", '{"new": 1}')


@conformant
async def test_what_one_node_has_claimed_no_other_gets(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    await harness.put(*(new_run(row, -number) for number in range(4)))
    other = await harness.another()
    mine = await harness.claim("node_a", limit=2)
    harness.store, first = other, harness.store
    theirs = await harness.claim("node_b")
    harness.store = first
    assert len({run.run_id for run in [*mine, *theirs]}) == len(mine) + len(theirs) == 4
    assert await harness.claim() == []


@conformant
async def test_every_claim_is_an_attempt_and_raises_the_fence(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    for attempt in range(2, 6):
        await harness.turn(failed(run, 0, retry_seconds=0))
        [run] = await harness.claim()
        assert (run.attempt, run.fence) == (attempt, attempt)
        seen = await harness.seen(run.run_id)
        assert (seen.attempt, seen.fence) == (attempt, attempt)


@conformant
async def test_the_next_wake_is_the_earliest_of_all_that_will_be_due(harness: StoreHarness) -> None:
    assert (await harness.turn()).next_wake is None
    await harness.add(row := due_schedule("a", 50), due_schedule("b", 40, handler="job:unserved"))
    assert (await harness.turn()).next_wake == at(40)
    await harness.put(new_run(row, 30))
    assert (await harness.turn()).next_wake == at(30)
    await harness.put(new_run(row, 20, Status.WAITING), new_run(row, 19, Status.SKIPPED), new_run(row, 18, handler="x"))
    assert (await harness.turn()).next_wake == at(30)
    [run] = await harness.started(new_run(row, -1))
    assert (await harness.turn(failed(run, 0, retry_seconds=10))).next_wake == at(10)
    assert (await harness.turn(handlers=())).next_wake == at(40)


@conformant
async def test_the_next_wake_is_already_past_when_there_is_more_to_do(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule("a", -5), due_schedule("b", -3))
    assert (await harness.turn(planner=every(100), plan_limit=1)).next_wake == at(-5)  # claimable now
    await harness.put(new_run(row, -60), new_run(row, -61))
    assert (await harness.turn(claim_limit=1)).next_wake == at(-60)


@conformant
async def test_the_next_wake_is_told_after_everything_else(harness: StoreHarness) -> None:
    await harness.add(due_schedule("a"))
    result = await harness.turn(planner=every(60), plan_limit=5, claim_limit=5)
    assert (len(result.claimed), result.next_wake) == (1, at(60))


@conformant
async def test_a_node_can_ask_for_what_it_owns_without_knowing(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a", policy='{"timeout": 5}'))
    known, unknown = await harness.started(new_run(row, -2), new_run(row, -1))
    await harness.started(new_run(row, -3), node_id="node_b")
    assert await harness.store.adopt("node_a", [known.run_id]) == [unknown]
    assert sorted(run.run_id for run in await harness.store.adopt("node_a", [])) == [known.run_id, unknown.run_id]
    assert await harness.store.adopt("node_c", []) == []
    await harness.turn(ended(unknown))
    assert await harness.store.adopt("node_a", [known.run_id]) == []


@conformant
async def test_progress_is_noted_by_its_owner_only(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    assert await harness.store.progress(run.run_id, run.fence, '{"done": 3}')
    assert (await harness.seen(run.run_id)).progress == {"done": 3}
    assert not await harness.store.progress(run.run_id, run.fence - 1, "4")
    assert not await harness.store.progress(run.run_id, run.fence + 1, "5")
    assert not await harness.store.progress("run_nobody", 1, "6")
    await harness.turn(failed(run, 0, retry_seconds=0))
    assert not await harness.store.progress(run.run_id, run.fence, "7")
    [again] = await harness.claim()
    assert not await harness.store.progress(run.run_id, run.fence, "8")
    assert (await harness.seen(run.run_id)).progress == {"done": 3}
    assert await harness.store.progress(run.run_id, again.fence, "9")
    await harness.turn(ended(again))
    assert not await harness.store.progress(run.run_id, again.fence, "10")
    assert (await harness.seen(run.run_id)).progress == 9


@conformant
async def test_changing_a_returned_run_does_not_change_the_store(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    await harness.store.progress(run.run_id, run.fence, '{"list": [1]}')
    await harness.turn(ended(run, result='{"list": [1]}'))
    seen = await harness.seen(run.run_id)
    seen.result["list"].append(2)
    seen.progress["list"].append(2)
    again = await harness.seen(run.run_id)
    assert again.result == again.progress == {"list": [1]}


@pytest.mark.parametrize("count", [1000])
@conformant
async def test_a_large_batch_is_one_turn(harness: StoreHarness, count: int) -> None:
    await harness.add(*(due_schedule(f"s{number:04}") for number in range(count)))
    result = await harness.turn(planner=every(60, Status.RUNNING), plan_limit=count, claim_limit=count)
    assert (result.planned, result.recorded, len(result.claimed)) == (count, count, count)
    settled = await harness.turn(*(ended(run) for run in result.claimed))
    assert (settled.refused, settled.next_wake) == ([], at(60))
