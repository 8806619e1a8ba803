"""What is kept beside a run: attempts that failed or were lost, its output in pieces, and the runs around it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from duly.model.handover import HandoverState
from duly.model.run import Fire, Origin, Status
from duly.ports.run_history import AttemptRecord, Finished, KeptOutput, OutputPiece
from tests.conformance.stores.builders import at, ended, failed, handover, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant


@conformant
async def test_a_success_at_once_leaves_nothing(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    await harness.turn(ended(run, 5, result="1"))
    assert await harness.store.history.attempts(run.run_id) == []
    assert await harness.store.history.outputs(run.run_id) == []


@conformant
async def test_failed_attempts_are_kept_with_their_node_and_error(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    began = harness.now
    await harness.turn(failed(run, 5, 10))
    harness.clock.advance(timedelta(seconds=10))
    [again] = (await harness.turn(claim_limit=1)).claimed
    await harness.turn(ended(again, 15, Status.FAILED, error="TimeoutError: late"))
    first, second = await harness.store.history.attempts(run.run_id)
    assert first == AttemptRecord(
        run_id=run.run_id,
        fence=1,
        attempt=1,
        status="failed",
        started_at=began,
        ended_at=at(5),
        node_id="node_a",
        error=first.error,
    )
    assert first.error is not None
    assert (second.attempt, second.started_at, second.ended_at) == (2, at(10), at(15))
    assert (second.status, second.error) == ("failed", "TimeoutError: late")


@conformant
async def test_a_settlement_that_is_refused_or_sent_twice_adds_nothing(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    late = ended(run, 5, Status.FAILED, error="boom")
    await harness.turn(late, late)
    await harness.turn(late)
    assert len(await harness.store.history.attempts(run.run_id)) == 1
    [other] = await harness.started(new_run(row, -1))
    wrong = replace(ended(other, 6, Status.FAILED, error="not mine"), fence=other.fence + 1)
    assert (await harness.turn(wrong)).refused == [other.run_id]
    assert await harness.store.history.attempts(other.run_id) == []


@conformant
async def test_an_attempt_that_was_lost_is_kept(harness: StoreHarness) -> None:
    await harness.join("node_a", "node_b")
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    await harness.silence("node_a")
    await rescued(harness)
    [lost] = await harness.store.history.attempts(run.run_id)
    assert (lost.status, lost.attempt, lost.node_id) == ("lost", 1, "node_a")
    assert lost.error == "its owner node_a fell silent"


async def rescued(harness: StoreHarness) -> None:
    """Rescue until no node has time left to beat."""
    for _ in range(3):
        found = await harness.store.rescue(harness.now, lambda _policy, _lost: False)
        if all(each.look_again_in is None for each in found):
            return
        harness.clock.advance(timedelta(seconds=harness.lease))


def kept(run_id: str, total: int, **fields: object) -> KeptOutput:
    values = {"attempt": 1, "target": "shop", "lines": 1, "complete": False, "kept_limit": 100, **fields}
    return KeptOutput(run_id=run_id, total=total, **values)  # type: ignore[arg-type]


def piece(start: int, text: str) -> OutputPiece:
    return OutputPiece(start=start, size=len(text.encode()), text=text)


@conformant
async def test_output_is_readable_while_it_grows_also_through_another_handle(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    other = await harness.another()
    history = harness.store.history
    await history.append([(kept(run.run_id, 6), piece(0, "first\n"))])
    assert await other.history.pieces(run.run_id, 1, "shop", 0, 1000) == [piece(0, "first\n")]
    await history.append([(kept(run.run_id, 14, lines=2), piece(6, "sécond\n"))])
    assert await other.history.pieces(run.run_id, 1, "shop", 6, 1000) == [piece(6, "sécond\n")]
    assert await other.history.pieces(run.run_id, 1, "shop", 14, 1000) == []
    await history.append([(kept(run.run_id, 14, lines=2, complete=True), None)])
    assert await other.history.outputs(run.run_id) == [kept(run.run_id, 14, lines=2, complete=True)]
    assert await other.history.pieces(run.run_id, 2, "shop", 0, 1000) == []
    assert await other.history.pieces(run.run_id, 1, "blog", 0, 1000) == []


@conformant
async def test_the_middle_of_a_long_output_is_dropped(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    history = harness.store.history
    for number in range(50):
        line = f"line {number:3}\n"
        await history.append([(kept(run.run_id, (number + 1) * 9), piece(number * 9, line))])
    found = await history.pieces(run.run_id, 1, "shop", 0, 1000)
    assert [each.start for each in found] == [*range(0, 54, 9), *range(396, 450, 9)]
    assert [each.start for each in await history.pieces(run.run_id, 1, "shop", 60, 9)] == [396]
    assert await history.kept_bytes(run.run_id, 1, "shop") == 12 * 9
    assert await history.kept_bytes(run.run_id, 2, "shop") == 0


@conformant
async def test_an_attempt_that_begins_again_replaces_its_output(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    history = harness.store.history
    await history.append([(kept(run.run_id, 12), piece(0, "old\n")), (kept(run.run_id, 12), piece(4, "old old\n"))])
    await history.append([(kept(run.run_id, 4), piece(0, "new\n"))])
    assert await history.pieces(run.run_id, 1, "shop", 0, 1000) == [piece(0, "new\n")]


@conformant
async def test_output_of_a_run_that_is_gone_is_not_kept(harness: StoreHarness) -> None:
    await harness.store.history.append([(kept("run_nowhere", 4), piece(0, "new\n"))])
    assert await harness.store.history.outputs("run_nowhere") == []


@conformant
async def test_what_is_kept_beside_a_run_goes_with_it(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    history = harness.store.history
    await history.append([(kept(run.run_id, 4), piece(0, "new\n"))])
    await harness.turn(ended(run, 5, Status.FAILED, error="boom"))
    pruned = await harness.store.prune(harness.now + timedelta(days=40), 100)
    assert pruned.runs == 1
    assert (await history.attempts(run.run_id), await history.outputs(run.run_id)) == ([], [])
    assert await history.pieces(run.run_id, 1, "shop", 0, 1000) == []


@conformant
async def test_the_runs_around_a_run(harness: StoreHarness) -> None:
    await harness.add(row := schedule(), other := schedule("b"))
    runs = [new_run(row, seconds) for seconds in (-30, -20, -10)]
    await harness.put(*runs, new_run(other, -25))
    fires = [Fire(row.id, Origin.SCHEDULE, run.fire_at) for run in runs]
    history = harness.store.history
    assert await history.neighbours(fires[0]) == (None, runs[1].id)
    assert await history.neighbours(fires[1]) == (runs[0].id, runs[2].id)
    assert await history.neighbours(fires[2]) == (runs[1].id, None)
    assert await history.finished(fires[2], 30) == []


@conformant
async def test_when_earlier_runs_began_and_ended(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    ids = []
    for number in (1, 2, 3):
        [run] = await harness.started(new_run(row, -10 * (4 - number)))
        await harness.turn(ended(run, number, Status.FAILED if number == 2 else Status.SUCCEEDED))
        ids.append(run)
    last = Fire(row.id, Origin.SCHEDULE, ids[-1].fire_at)
    found = await harness.store.history.finished(last, 2)
    assert [(each.run_id, each.status) for each in found] == [(ids[2].run_id, "succeeded"), (ids[1].run_id, "failed")]
    assert found[0] == Finished(run_id=ids[2].run_id, status="succeeded", started_at=harness.now, finished_at=at(3))


@conformant
async def test_a_run_that_an_executor_carries_out_began_when_its_worker_did(harness: StoreHarness) -> None:
    """The engine that takes the outcome has the run for a moment only."""
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row, -10))
    store = harness.store
    for number in (1, 2):
        made = handover(
            run.run_id, number=number, schedule_id=row.id, begun_at=at(-5 + number), state=HandoverState.BEGUN
        )
        await store.handovers.intend([made])
    await harness.turn(ended(run, 3))
    [found] = await store.history.finished(Fire(row.id, Origin.SCHEDULE, run.fire_at), 1)
    assert (found.started_at, found.finished_at) == (at(-3), at(3))
