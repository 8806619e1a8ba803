"""Cancelling runs."""

from __future__ import annotations

from duly.model.run import Status
from tests.conformance.stores.builders import at, ended, failed, new_run, schedule
from tests.conformance.stores.world import World, conformant


@conformant
async def test_a_run_that_has_not_started_is_cancelled(world: World) -> None:
    await world.add(row := schedule())
    runs = [new_run(row, -2), new_run(row, -1, Status.WAITING), new_run(row, 60)]
    await world.put(*runs)
    for run in runs:
        seen = await world.store.cancel(run.id, at(3), "not today")
        assert seen == await world.seen(run.id)
        assert seen is not None
        assert (seen.status, seen.finished_at, seen.reason) == (Status.CANCELLED, at(3), "not today")
        assert (seen.owner, seen.attempt, seen.cancel_requested) == (None, 0, False)
    assert await world.claim() == []
    assert (await world.turn()).next_wake is None
    told = await world.journal()
    assert [(event.kind.name, event.run_id, event.schedule_id, event.at) for event in told] == [
        ("run.cancelled", run.id, row.id, at(3)) for run in runs
    ]
    assert told[0].data == {"name": row.name, "reason": "not today"}


@conformant
async def test_a_run_between_two_attempts_is_cancelled(world: World) -> None:
    await world.add(row := schedule())
    [run] = await world.started(new_run(row))
    await world.turn(failed(run, 0, retry_seconds=60))
    seen = await world.store.cancel(run.run_id, at(3), "enough")
    assert seen is not None
    assert (seen.status, seen.error, seen.reason) == (Status.CANCELLED, "boom", "enough")
    assert (await world.turn()).next_wake is None


@conformant
async def test_a_run_under_way_is_asked_to_stop(world: World) -> None:
    await world.add(row := schedule())
    run, other = await world.started(new_run(row, -2), new_run(row, -1))
    await world.started(new_run(row, -3), node_id="node_b")
    assert await world.store.cancellations("node_a") == []
    seen = await world.store.cancel(run.run_id, at(3), "enough")
    assert seen == await world.seen(run.run_id)
    assert seen is not None
    assert (seen.status, seen.cancel_requested, seen.owner) == (Status.RUNNING, True, "node_a")
    assert (seen.finished_at, seen.reason) == (None, "enough")
    assert await world.store.cancellations("node_a") == [run.run_id]
    assert await world.store.cancellations("node_b") == []
    assert await world.told() == []
    await world.store.cancel(other.run_id, at(4), "that too")
    assert sorted(await world.store.cancellations("node_a")) == sorted([run.run_id, other.run_id])
    await world.turn(ended(run, 5, Status.CANCELLED))
    assert await world.store.cancellations("node_a") == [other.run_id]


@conformant
async def test_a_stopped_run_shows_why(world: World) -> None:
    await world.add(row := schedule())
    first, second = await world.started(new_run(row, -2), new_run(row, -1))
    for run in (first, second):
        await world.store.cancel(run.run_id, at(3), "enough")
    await world.turn(ended(first, 4, Status.CANCELLED), ended(second, 4, Status.CANCELLED, reason="stopped at 40 %"))
    assert (await world.seen(first.run_id)).reason == "enough"
    assert (await world.seen(second.run_id)).reason == "stopped at 40 %"


@conformant
async def test_a_run_may_end_well_before_it_hears_that_it_should_stop(world: World) -> None:
    await world.add(row := schedule())
    [run] = await world.started(new_run(row))
    await world.store.cancel(run.run_id, at(3), "enough")
    assert (await world.turn(ended(run, 4, result="1"))).refused == []
    seen = await world.seen(run.run_id)
    assert (seen.status, seen.result, seen.reason) == (Status.SUCCEEDED, 1, None)


@conformant
async def test_what_has_ended_stays_as_it_is(world: World) -> None:
    await world.add(row := schedule())
    [run] = await world.started(new_run(row, -2))
    await world.turn(ended(run, 1))
    await world.put(missed := new_run(row, -1, Status.MISSED))
    for run_id in (run.run_id, missed.id):
        before = await world.seen(run_id)
        assert await world.store.cancel(run_id, at(3), "too late") == before
    assert await world.told() == []


@conformant
async def test_a_run_is_cancelled_once(world: World) -> None:
    await world.add(row := schedule())
    await world.put(run := new_run(row))
    first = await world.store.cancel(run.id, at(3), "enough")
    assert await world.store.cancel(run.id, at(4), "again") == first
    assert await world.told() == ["run.cancelled"]


@conformant
async def test_an_unknown_id_cancels_no_run(world: World) -> None:
    assert await world.store.cancel("run_nobody", at(0), "enough") is None
    assert await world.told() == []
