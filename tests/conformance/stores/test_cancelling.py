"""Cancelling runs."""

from __future__ import annotations

from duly.model.run import Status
from tests.conformance.stores.builders import at, ended, failed, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant


@conformant
async def test_a_run_that_has_not_started_is_cancelled(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    runs = [new_run(row, -2), new_run(row, -1, Status.WAITING), new_run(row, 60)]
    await harness.put(*runs)
    for run in runs:
        seen = await harness.store.cancel(run.id, at(3), "not today")
        assert seen == await harness.seen(run.id)
        assert seen is not None
        assert (seen.status, seen.finished_at, seen.reason) == (Status.CANCELLED, at(3), "not today")
        assert (seen.owner, seen.attempt, seen.cancel_requested) == (None, 0, False)
    assert await harness.claim() == []
    assert (await harness.turn()).next_wake is None
    told = await harness.journal()
    assert [(event.kind.name, event.run_id, event.schedule_id, event.at) for event in told] == [
        ("run.cancelled", run.id, row.id, at(3)) for run in runs
    ]
    assert told[0].data == {"name": row.name, "reason": "not today"}


@conformant
async def test_a_run_between_two_attempts_is_cancelled(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    await harness.turn(failed(run, 0, retry_seconds=60))
    seen = await harness.store.cancel(run.run_id, at(3), "enough")
    assert seen is not None
    assert (seen.status, seen.error, seen.reason) == (Status.CANCELLED, "boom", "enough")
    assert (await harness.turn()).next_wake is None


@conformant
async def test_a_run_under_way_is_asked_to_stop(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    run, other = await harness.started(new_run(row, -2), new_run(row, -1))
    await harness.started(new_run(row, -3), node_id="node_b")
    assert await harness.store.cancellations("node_a") == []
    seen = await harness.store.cancel(run.run_id, at(3), "enough")
    assert seen == await harness.seen(run.run_id)
    assert seen is not None
    assert (seen.status, seen.cancel_requested, seen.owner) == (Status.RUNNING, True, "node_a")
    assert (seen.finished_at, seen.reason) == (None, "enough")
    assert await harness.store.cancellations("node_a") == [run.run_id]
    assert await harness.store.cancellations("node_b") == []
    assert await harness.told() == []
    await harness.store.cancel(other.run_id, at(4), "that too")
    assert sorted(await harness.store.cancellations("node_a")) == sorted([run.run_id, other.run_id])
    await harness.turn(ended(run, 5, Status.CANCELLED))
    assert await harness.store.cancellations("node_a") == [other.run_id]


@conformant
async def test_a_stopped_run_shows_why(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    first, second = await harness.started(new_run(row, -2), new_run(row, -1))
    for run in (first, second):
        await harness.store.cancel(run.run_id, at(3), "enough")
    await harness.turn(ended(first, 4, Status.CANCELLED), ended(second, 4, Status.CANCELLED, reason="stopped at 40 %"))
    assert (await harness.seen(first.run_id)).reason == "enough"
    assert (await harness.seen(second.run_id)).reason == "stopped at 40 %"


@conformant
async def test_a_run_may_end_well_before_it_hears_that_it_should_stop(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    await harness.store.cancel(run.run_id, at(3), "enough")
    assert (await harness.turn(ended(run, 4, result="1"))).refused == []
    seen = await harness.seen(run.run_id)
    assert (seen.status, seen.result, seen.reason) == (Status.SUCCEEDED, 1, None)


@conformant
async def test_what_has_ended_stays_as_it_is(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row, -2))
    await harness.turn(ended(run, 1))
    await harness.put(missed := new_run(row, -1, Status.MISSED))
    for run_id in (run.run_id, missed.id):
        before = await harness.seen(run_id)
        assert await harness.store.cancel(run_id, at(3), "too late") == before
    assert await harness.told() == []


@conformant
async def test_a_run_is_cancelled_once(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    await harness.put(run := new_run(row))
    first = await harness.store.cancel(run.id, at(3), "enough")
    assert await harness.store.cancel(run.id, at(4), "again") == first
    assert await harness.told() == ["run.cancelled"]


@conformant
async def test_an_unknown_id_cancels_no_run(harness: StoreHarness) -> None:
    assert await harness.store.cancel("run_nobody", at(0), "enough") is None
    assert await harness.told() == []
