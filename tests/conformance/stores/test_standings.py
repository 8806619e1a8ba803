"""How the schedules of a namespace stand: last attempt, last success, and unfinished runs."""

from __future__ import annotations

from dataclasses import replace

from duly.model.run import Status
from duly.ports.records import StoredSchedule
from tests.conformance.stores.builders import at, ended, failed, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant

HERE = "declarative:here"


@conformant
async def test_a_schedule_that_never_ran_has_no_last_attempt(harness: StoreHarness) -> None:
    await harness.add(schedule("a", namespace=HERE), schedule("b", namespace="elsewhere"))
    [standing] = await harness.standings(HERE)
    assert (standing.name, standing.last_attempt_at, standing.last_success_at) == ("a", None, None)
    assert not standing.unfinished


@conformant
async def test_the_latest_attempt_and_the_latest_success_are_told_apart(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule("a", namespace=HERE))
    for seconds, status in ((0, Status.SUCCEEDED), (60, Status.SUCCEEDED), (120, Status.FAILED)):
        await harness.put(new_run(row, seconds))
        harness.clock.advance(at(seconds) - harness.now)
        [claimed] = (await harness.turn(claim_limit=1, handlers=[row.handler])).claimed
        await harness.turn(ended(claimed, seconds + 5, status))
    [standing] = await harness.standings(HERE)
    assert (standing.last_attempt_at, standing.last_success_at) == (at(120), at(65))


@conformant
async def test_skipped_and_cancelled_runs_are_no_attempts(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule("a", namespace=HERE))
    for seconds, status in ((0, Status.SKIPPED), (60, Status.CANCELLED)):
        await harness.put(new_run(row, seconds))
        harness.clock.advance(at(seconds) - harness.now)
        [claimed] = (await harness.turn(claim_limit=1, handlers=[row.handler])).claimed
        await harness.turn(ended(claimed, seconds, status))
    [standing] = await harness.standings(HERE)
    assert (standing.last_attempt_at, standing.last_success_at) == (None, None)


@conformant
async def test_unfinished_runs_are_listed_in_order(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule("a", namespace=HERE))
    await harness.put(first := new_run(row, 0), second := new_run(row, 60, Status.WAITING))
    [claimed] = (await harness.turn(claim_limit=1, handlers=[row.handler])).claimed
    [standing] = await harness.standings(HERE)
    assert [(run.id, run.status) for run in standing.unfinished] == [
        (first.id, Status.RUNNING),
        (second.id, Status.WAITING),
    ]
    assert standing.unfinished[0].owner == "node_a"
    await harness.turn(failed(claimed, 1, 30))
    [standing] = await harness.standings(HERE)
    retry = standing.unfinished[0]
    assert (retry.status, retry.due_at, retry.error, retry.attempt) == (Status.PENDING, at(30), "boom", 1)
    assert standing.last_attempt_at == at(0)


@conformant
async def test_a_schedule_that_is_saved_as_deleted_is_called_off(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule("a", namespace=HERE))
    await harness.put(under_way := new_run(row, 0), waiting := new_run(row, 60, Status.WAITING))
    await harness.turn(claim_limit=1, handlers=[row.handler])

    def merge(before: StoredSchedule | None, _incoming: StoredSchedule) -> StoredSchedule | None:
        return None if before is None else replace(before, deleted_at=harness.now, updated_at=harness.now)

    await harness.store.save([replace(row)], merge)
    assert await harness.standings(HERE) == []
    called_off = await harness.store.get_run(waiting.id)
    assert called_off is not None
    assert called_off.status is Status.CANCELLED
    assert await harness.store.cancellations("node_a") == [under_way.id]
