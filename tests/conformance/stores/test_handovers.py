"""Handovers: written down before they are sent, judged one after the other, found again by what is to be done."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from duly.model.events import HANDOVER_ENDED, RUN_BEGUN, RUN_SKIPPED, Event
from duly.model.handover import Handover, HandoverKey, HandoverState
from duly.model.run import Status
from duly.planning.handovers import Outcome, Refusal, Revised, RunStanding, beat, begin, end, give_up
from duly.ports.executors import Decide, HandoverCounts, Judged
from duly.ports.records import Claimed, Cycle, Plan, StoredSchedule
from duly.ports.targets import Reservation
from tests.conformance.stores.builders import (
    Script,
    advance,
    at,
    due_schedule,
    ended,
    failed,
    handover,
    new_run,
    schedule,
)
from tests.conformance.stores.harness import StoreHarness, conformant, full

HEAVY = "executor:heavy"
DONE = Outcome(HandoverState.SUCCEEDED, result='{"rows": 7}')


async def claimed(harness: StoreHarness, row: StoredSchedule, number: int = 1) -> list[Claimed]:
    """Runs of a schedule of an executor that node_a has claimed."""
    await harness.put(*(new_run(row, -index) for index in range(number)))
    return await claim(harness)


async def claim(harness: StoreHarness) -> list[Claimed]:
    return (await harness.turn(claim_limit=1000, handlers=(HEAVY,))).claimed


async def handed_over(harness: StoreHarness, number: int = 1, **fields: Any) -> list[Handover]:
    """Handovers of runs that wait for their workers."""
    await harness.add(row := schedule(handler=HEAVY))
    runs = await claimed(harness, row, number)
    made = [handover(run.run_id, schedule_id=row.id, **fields) for run in runs]
    await harness.store.handovers.intend(made)
    await harness.turn(*(waits(run) for run in runs))
    return await change(harness, made, state=HandoverState.HANDED_OVER, sent_at=harness.now, sent=1)


def waits(run: Claimed, seconds: float = 86_400) -> Any:
    return ended(run, 0, Status.PENDING, retry_at=at(seconds), goes_on=True, same_attempt=True)


async def change(
    harness: StoreHarness, handovers: list[Handover], *, wakes: bool = False, **fields: Any
) -> list[Handover]:
    """Give fields of handovers other values."""
    keys = [each.key for each in handovers]
    judged = await harness.store.handovers.change(
        keys, lambda each, _run: Revised(replace(each, **fields), wakes), harness.now
    )
    return [each.handover for each in judged.values() if each.handover is not None]


# intending


@conformant
async def test_a_handover_is_kept_as_it_was_written(harness: StoreHarness) -> None:
    await harness.add(row := schedule(handler=HEAVY))
    [run] = await claimed(harness, row)
    whole = handover(
        run.run_id,
        schedule_id=row.id,
        queue="slow 🐢",
        reports=False,
        lease_seconds=12.5,
        run_seconds=0.25,
        begin_by=at(3600.000001),
        tell_at=at(300),
    )
    store = harness.store.handovers
    assert await store.intend([whole]) == {whole.key}
    assert await store.latest(run.run_id) == whole
    [begun] = await change(
        harness,
        [whole],
        state=HandoverState.BEGUN,
        sent_at=at(1),
        sent=2,
        begun_at=at(2),
        heard_at=at(3),
        worker="celery@ä",
        start="s1",
        tell_at=None,
    )
    [final] = await change(
        harness,
        [begun],
        state=HandoverState.FAILED,
        ended_at=at(4),
        ended_fence=1,
        result="null",
        error="bo\0om",
        cancel_asked=True,
    )
    other = await harness.another()
    found = await other.handovers.latest(run.run_id)
    assert found is not None
    assert found.error in ("bo\0om", "bo\ufffdom")
    assert replace(found, error=final.error) == final


@conformant
async def test_a_number_is_written_down_once(harness: StoreHarness) -> None:
    await harness.add(row := schedule(handler=HEAVY))
    [run] = await claimed(harness, row)
    mine = handover(run.run_id, schedule_id=row.id)
    theirs = replace(mine, token_hash=f"another than {mine.token_hash}")
    store = harness.store.handovers
    assert await store.intend([mine]) == {mine.key}
    assert await store.intend([theirs]) == set()
    assert await store.intend([mine]) == {mine.key}, "asked again, because the answer was lost"
    assert await store.of_run(run.run_id) == [mine]
    later = replace(theirs, number=2)
    assert await store.intend([mine, later]) == {mine.key, later.key}
    assert await store.latest(run.run_id) == later
    assert [each.number for each in await store.of_run(run.run_id)] == [1, 2]


@conformant
async def test_nothing_is_written_down_of_a_run_that_is_over_or_gone(harness: StoreHarness) -> None:
    await harness.add(row := schedule(handler=HEAVY))
    first, second = await claimed(harness, row, 2)
    await harness.turn(ended(first, 1))
    made = [handover(each, schedule_id=row.id) for each in (first.run_id, second.run_id, "run_nowhere")]
    assert await harness.store.handovers.intend(made) == {made[1].key}
    assert await harness.store.handovers.intend([]) == set()
    assert await harness.store.handovers.latest_of([each.run_id for each in made]) == {second.run_id: made[1]}


@conformant
async def test_nothing_is_written_down_of_a_run_that_was_called_off_while_a_node_has_it(harness: StoreHarness) -> None:
    await harness.add(row := schedule(handler=HEAVY))
    [run] = await claimed(harness, row)
    await harness.store.cancel(run.run_id, harness.now, "enough")
    assert await harness.store.handovers.intend([handover(run.run_id, schedule_id=row.id)]) == set()


# judging


@conformant
async def test_a_run_that_was_called_off_while_a_node_has_it_is_over_for_its_worker(harness: StoreHarness) -> None:
    """The node may be gone: until another one notices that, the worker must not get leave."""
    await harness.add(row := schedule(handler=HEAVY))
    [run] = await claimed(harness, row)
    known = handover(run.run_id, schedule_id=row.id)
    await harness.store.handovers.intend([known])
    await harness.store.cancel(run.run_id, harness.now, "enough")

    def ask(now: Handover, standing: RunStanding) -> Revised | Refusal:
        return begin(now, standing, start="one", worker="celery@here", now=harness.now)

    judged = await harness.store.handovers.change([known.key], ask, harness.now)
    assert judged[known.key].refusal is Refusal.OVER


@conformant
async def test_a_report_is_judged_by_how_its_run_stands(harness: StoreHarness) -> None:
    [known] = await handed_over(harness)
    asked: list[RunStanding] = []

    def look(_handover: Handover, standing: RunStanding) -> None:
        asked.append(standing)

    nowhere = HandoverKey("run_nowhere", 1)
    other = HandoverKey(known.run_id, 2)
    store = harness.store.handovers
    unknown = Judged(None, Refusal.UNKNOWN)
    assert await store.change([nowhere, known.key, other, known.key], look, harness.now) == {
        nowhere: unknown,
        known.key: Judged(known),
        other: unknown,
    }
    assert set(asked) == {RunStanding(latest=1, run_is_over=False, fence=1)}
    await store.intend([replace(known, number=2, state=HandoverState.INTENDED)])
    await harness.store.cancel(known.run_id, harness.now, "enough")
    asked.clear()
    await store.change([known.key], look, harness.now)
    assert set(asked) == {RunStanding(latest=2, run_is_over=True, fence=1)}
    assert await store.change([], look, harness.now) == {}


@conformant
async def test_a_refusal_changes_nothing(harness: StoreHarness) -> None:
    [known] = await handed_over(harness)
    judged = await harness.store.handovers.change([known.key], lambda *_: Refusal.BEATING, harness.now, told)
    assert judged == {known.key: Judged(known, Refusal.BEATING)}
    assert await harness.store.handovers.latest(known.run_id) == known
    assert RUN_SKIPPED.name not in await harness.told()


def told(changed: Revised) -> list[Event]:
    return [
        Event(
            RUN_SKIPPED,
            at(9),
            changed.handover.schedule_id,
            changed.handover.run_id,
            data={"name": "a", "reason": "x", "count": 1},
        )
    ]


@conformant
async def test_a_change_is_told_once_and_wakes_its_run(harness: StoreHarness) -> None:
    [known] = await handed_over(harness)
    other = await harness.another()
    heard: list[Event] = []
    harness.store.on_event(heard.append)

    def over(each: Handover, standing: RunStanding) -> Revised | Refusal:
        return end(each, standing, DONE, start=None, now=at(9))

    assert await claim(harness) == []
    for _ in range(2):
        judged = await harness.store.handovers.change([known.key], over, at(9), told)
        assert judged[known.key].refusal is None
    assert (await harness.told()).count(RUN_SKIPPED.name) == 1
    assert [each.kind for each in heard] == [RUN_SKIPPED, HANDOVER_ENDED]
    harness.clock.advance(timedelta(seconds=9))
    [again] = await claim(harness)
    assert (again.run_id, again.attempt, again.fence) == (known.run_id, 1, 2)
    found = await other.handovers.latest(known.run_id)
    assert found is not None
    assert (found.state, found.result, found.ended_fence) == (HandoverState.SUCCEEDED, DONE.result, 1)


@conformant
async def test_every_change_tells_that_a_worker_has_begun_and_that_it_is_over(harness: StoreHarness) -> None:
    """Once each, by whatever it was changed, and however often it is reported."""
    [known] = await handed_over(harness)
    heard: list[Event] = []
    harness.store.on_event(heard.append)

    async def change(decide: Decide, seconds: int) -> None:
        for _ in range(2):
            await harness.store.handovers.change([known.key], decide, at(seconds))

    await change(lambda each, run: begin(each, run, start="one", worker="celery@a", now=at(7)), 7)
    await change(lambda each, run: beat(each, run, start="one", now=at(8)), 8)
    await change(lambda each, run: end(each, run, DONE, start="one", now=at(12)), 12)
    begun, ended = heard
    queued = (at(7) - known.intended_at).total_seconds()
    assert (begun.kind, begun.data["queue_seconds"], begun.data["worker"]) == (RUN_BEGUN, queued, "celery@a")
    assert (ended.kind, ended.data["run_seconds"], ended.data["state"]) == (HANDOVER_ENDED, 5, "succeeded")
    for each in heard:
        assert (each.run_id, each.schedule_id, each.data["executor"]) == (
            known.run_id,
            known.schedule_id,
            known.executor,
        )


@conformant
async def test_a_run_that_is_woken_while_it_runs_goes_on_at_once(harness: StoreHarness) -> None:
    await harness.add(row := schedule(handler=HEAVY))
    [run] = await claimed(harness, row)
    await harness.store.handovers.intend([made := handover(run.run_id, schedule_id=row.id)])
    await change(harness, [made], wakes=True, state=HandoverState.SUCCEEDED, ended_fence=run.fence)
    await harness.turn(waits(run))
    harness.clock.advance(timedelta(seconds=1))
    assert [each.run_id for each in await claim(harness)] == [run.run_id]


@conformant
async def test_a_run_that_was_due_before_stays_due(harness: StoreHarness) -> None:
    [known] = await handed_over(harness)
    await change(harness, [known], wakes=True, worker="w")
    before = (await harness.seen(known.run_id)).due_at
    harness.clock.advance(timedelta(seconds=5))
    await change(harness, [known], wakes=True, worker="x")
    assert (await harness.seen(known.run_id)).due_at == before


@conformant
async def test_a_failed_event_takes_everything_back(harness: StoreHarness) -> None:
    [known] = await handed_over(harness)

    def fails(_changed: Revised) -> list[Event]:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        await harness.store.handovers.change(
            [known.key], lambda each, _: Revised(replace(each, worker="w")), at(9), fails
        )
    assert await harness.store.handovers.latest(known.run_id) == known


@conformant
async def test_of_several_starts_at_once_one_has_leave(shared_harness: StoreHarness) -> None:
    [known] = await handed_over(shared_harness)
    stores = [await shared_harness.another() for _ in range(4)]

    async def ask(number: int) -> Refusal | None:
        def asks(each: Handover, standing: RunStanding) -> Revised | Refusal:
            return begin(each, standing, start=f"s{number}", worker="w", now=at(1))

        judged = await stores[number % 4].handovers.change([known.key], asks, at(1))
        return judged[known.key].refusal

    answers = await asyncio.gather(*map(ask, range(12)))
    assert sorted(map(str, answers)) == ["None"] + ["beating"] * 11


@conformant
async def test_batches_in_any_order_do_not_block_each_other(shared_harness: StoreHarness) -> None:
    known = await handed_over(shared_harness, 30)
    stores = [await shared_harness.another() for _ in range(3)]

    async def beats(number: int) -> None:
        keys = [each.key for each in (known if number % 2 else reversed(known))]
        for second in range(4):
            heard_at = at(100 * number + second)

            def beats_now(each: Handover, _run: RunStanding, heard_at: datetime = heard_at) -> Revised:
                return Revised(replace(each, heard_at=heard_at), wakes=True)

            await stores[number].handovers.change(keys, beats_now, heard_at)

    async def turns() -> None:
        for _ in range(6):
            result = await shared_harness.turn(claim_limit=1000, handlers=(HEAVY,))
            await shared_harness.turn(*(waits(run) for run in reversed(result.claimed)))

    await asyncio.gather(turns(), *map(beats, range(3)))
    assert len(await shared_harness.store.handovers.latest_of([each.run_id for each in known])) == 30


# progress


@conformant
async def test_progress_is_that_of_the_latest_handover_that_has_begun(harness: StoreHarness) -> None:
    [known] = await handed_over(harness)
    store = harness.store.handovers
    assert not await store.progress(known.key, "1")
    await change(harness, [known], state=HandoverState.BEGUN, begun_at=harness.now)
    assert await store.progress(known.key, '{"done": 1}')
    assert (await harness.seen(known.run_id)).progress == {"done": 1}
    assert not await store.progress(HandoverKey(known.run_id, 2), "2")
    await store.intend([replace(known, number=2, state=HandoverState.INTENDED)])
    assert not await store.progress(known.key, "2")
    assert (await harness.seen(known.run_id)).progress == {"done": 1}


@conformant
async def test_there_is_no_progress_of_a_run_that_is_over(harness: StoreHarness) -> None:
    [known] = await handed_over(harness)
    await change(harness, [known], state=HandoverState.BEGUN, begun_at=harness.now)
    await harness.store.cancel(known.run_id, harness.now, "enough")
    assert not await harness.store.handovers.progress(known.key, "1")


# the watch


async def watched(harness: StoreHarness, seconds: float, hearing: float = 0, limit: int = 100) -> dict[str, list[str]]:
    """What a watch finds so many seconds after the start."""
    found = await harness.store.handovers.watch(["heavy", "light"], at(seconds), at(hearing), limit)
    kinds = {"over": found.over, "late": found.late, "to_tell": found.to_tell}
    return {kind: [key.run_id for key in keys] for kind, keys in kinds.items() if keys}


@conformant
async def test_the_watch_finds_what_has_to_begin_and_what_people_should_hear(harness: StoreHarness) -> None:
    first, second, third = await handed_over(harness, 3, begin_by=at(100), tell_at=at(50))
    await change(harness, [second], executor="light", begin_by=at(200), tell_at=None)
    await change(harness, [third], executor="another")
    assert await watched(harness, 49) == {}
    assert await watched(harness, 50) == {"to_tell": [first.run_id]}
    assert await watched(harness, 100) == {"to_tell": [first.run_id], "late": [first.run_id]}
    both = sorted([first.run_id, second.run_id])
    assert await watched(harness, 200) == {"to_tell": [first.run_id], "late": both}
    assert (await watched(harness, 200, limit=1))["late"] == both[:1]
    await change(harness, [first], state=HandoverState.INTENDED)
    assert await watched(harness, 200) == {"late": both}
    await change(harness, [first, second], state=HandoverState.EXPIRED)
    assert await watched(harness, 200) == {}


@conformant
async def test_the_watch_finds_what_fell_silent_while_it_could_be_heard(harness: StoreHarness) -> None:
    [known] = await handed_over(harness)
    await change(harness, [known], state=HandoverState.BEGUN, begun_at=at(0), heard_at=at(10))
    assert await watched(harness, 70) == {}
    assert await watched(harness, 70.001) == {"late": [known.run_id]}
    assert await watched(harness, 100, hearing=40) == {}
    assert await watched(harness, 100.001, hearing=40) == {"late": [known.run_id]}
    await change(harness, [known], heard_at=None)
    assert await watched(harness, 60.001) == {"late": [known.run_id]}


@conformant
async def test_the_watch_finds_what_runs_too_long(harness: StoreHarness) -> None:
    [known] = await handed_over(harness, run_seconds=30.5)
    await change(harness, [known], state=HandoverState.BEGUN, begun_at=at(10), heard_at=at(1000))
    assert await watched(harness, 40.5) == {}
    assert await watched(harness, 40.501) == {"late": [known.run_id]}
    assert await watched(harness, 80, hearing=20) == {}, "it may have ended while it was not heard"
    assert await watched(harness, 80.001, hearing=20) == {"late": [known.run_id]}


@pytest.mark.parametrize("begun", [False, True])
@conformant
async def test_what_the_watch_calls_late_is_given_up(harness: StoreHarness, begun: bool) -> None:
    """At every second, whatever the times are."""
    [known] = await handed_over(harness, begin_by=at(7), run_seconds=20.0, lease_seconds=5.0)
    if begun:
        await change(harness, [known], state=HandoverState.BEGUN, begun_at=at(3), heard_at=at(11))
    latest = await harness.store.handovers.latest(known.run_id)
    assert latest is not None
    for second in range(40):
        for hearing in (0, 2, 4, 15, 30):
            standing = RunStanding(latest=1, run_is_over=False, fence=1)
            gives_up = give_up(latest, standing, hearing_since=at(hearing), now=at(second)) is not None
            assert bool(await watched(harness, second, hearing)) is gives_up, (second, hearing)


@conformant
async def test_whatever_ends_a_run_asks_for_the_end_of_its_handover(harness: StoreHarness) -> None:
    cancelled, finished, open_one = await handed_over(harness, 3, begin_by=at(5), tell_at=at(5))
    await change(harness, [cancelled], state=HandoverState.BEGUN, begun_at=at(0))
    await change(harness, [finished], wakes=True)
    await harness.store.cancel(cancelled.run_id, harness.now, "enough")
    [run] = await claim(harness)
    await harness.turn(ended(run, 1, Status.FAILED, error="boom"))
    both = sorted([cancelled.run_id, finished.run_id])
    assert (await watched(harness, 1000))["over"] == both
    assert await watched(harness, 1000, limit=1) == {
        "over": both[:1],
        "late": [open_one.run_id],
        "to_tell": [open_one.run_id],
    }
    latest = await harness.store.handovers.latest(cancelled.run_id)
    assert latest is not None
    assert latest.cancel_asked
    await change(harness, [cancelled, finished], state=HandoverState.CANCELLED)
    assert "over" not in await watched(harness, 1000)


@conformant
async def test_the_end_of_a_deleted_schedule_reaches_its_handovers(harness: StoreHarness) -> None:
    [known] = await handed_over(harness)
    await harness.store.edit([known.schedule_id], lambda row: replace(row, deleted_at=harness.now))
    assert await watched(harness, 1) == {"over": [known.run_id]}


@conformant
async def test_a_later_handover_asks_for_the_end_of_the_earlier_ones(harness: StoreHarness) -> None:
    [known] = await handed_over(harness)
    await harness.store.handovers.intend([replace(known, number=2, state=HandoverState.INTENDED)])
    found = await harness.store.handovers.watch(["heavy"], at(1), at(0), 10)
    assert found.over == [known.key]
    assert [each.cancel_asked for each in await harness.store.handovers.of_run(known.run_id)] == [True, False]


# lists and figures


@conformant
async def test_open_handovers_are_listed_in_pages(harness: StoreHarness) -> None:
    known = sorted(await handed_over(harness, 5), key=lambda each: each.run_id)
    await change(harness, [known[1]], state=HandoverState.BEGUN)
    await change(harness, [known[2]], state=HandoverState.LOST)
    await change(harness, [known[4]], executor="light")
    store = harness.store.handovers

    async def page(
        executor: str, *, begun: bool, after: HandoverKey | None = None, limit: int = 10
    ) -> list[HandoverKey]:
        return [each.key for each in await store.open_of(executor, begun=begun, after=after, limit=limit)]

    assert await page("heavy", begun=False) == [known[0].key, known[3].key]
    assert await page("heavy", begun=False, limit=1) == [known[0].key]
    assert await page("heavy", begun=False, after=known[0].key) == [known[3].key]
    assert await page("heavy", begun=True) == [known[1].key]
    assert await page("light", begun=True) == []
    assert await store.counts() == [
        HandoverCounts(executor="heavy", waiting=2, begun=1, oldest_waiting_at=known[0].intended_at),
        HandoverCounts(executor="light", waiting=1, begun=0, oldest_waiting_at=known[4].intended_at),
    ]


@conformant
async def test_there_are_no_counts_of_executors_without_open_handovers(harness: StoreHarness) -> None:
    assert await harness.store.handovers.counts() == []


# beside the other tables


@conformant
async def test_a_handover_goes_with_its_run(harness: StoreHarness) -> None:
    [known] = await handed_over(harness)
    await harness.store.cancel(known.run_id, harness.now, "enough")
    assert (await harness.store.prune(harness.now + timedelta(days=40), 100)).runs == 1
    assert await harness.store.handovers.of_run(known.run_id) == []
    assert await watched(harness, 1000) == {}


@conformant
async def test_times_that_a_wrong_clock_wrote_are_corrected(harness: StoreHarness) -> None:
    far = 1_000_000.0
    [known] = await handed_over(harness, intended_at=at(far), begin_by=at(far + 100), tell_at=at(far + 30))
    [known] = await change(harness, [known], sent_at=at(far), heard_at=at(far + 9), begun_at=at(far + 8))
    await harness.store.handovers.change([known.key], lambda each, _: Revised(replace(each, worker="w")), at(far))
    step = await harness.store.begin_correction(at(1))
    assert step is not None
    await harness.store.hasten(step, lambda due_at, *_: due_at)
    found = await harness.store.handovers.latest(known.run_id)
    assert found is not None
    assert (found.begin_by, found.tell_at) == (at(101), at(31))
    assert {found.intended_at, found.sent_at, found.begun_at, found.heard_at} == {at(1)}


# overlap


async def second_attempt(harness: StoreHarness, state: HandoverState) -> tuple[StoredSchedule, Handover]:
    """A run of a due schedule whose second handover is in a state."""
    row = due_schedule("b", 100, handler=HEAVY)
    await harness.add(row)
    [run] = await claimed(harness, row)
    store = harness.store.handovers
    first = handover(run.run_id, schedule_id=row.id)
    await store.intend([first])
    await change(harness, [first], state=HandoverState.FAILED, ended_at=at(1), ended_fence=run.fence)
    await harness.turn(waits(run, 1))
    harness.clock.advance(timedelta(seconds=1))
    [run] = await claim(harness)
    await harness.turn(failed(run, 1, 2))
    harness.clock.advance(timedelta(seconds=1))
    [run] = await claim(harness)
    second = replace(first, number=2)
    await store.intend([second])
    await harness.turn(waits(run))
    ended_fence = run.fence if state.final else None
    [second] = await change(harness, [second], state=state, ended_fence=ended_fence)
    return row, second


async def fire(harness: StoreHarness, row: StoredSchedule) -> int:
    """Let the schedule fire, and its fire take the places of runs that wait for a retry; returns how many those are."""
    script = Script(Plan(advances=[advance(row, 200, supersede=True)]))
    await harness.store.cycle(Cycle(node_id="node_a", now=at(100), handlers=(HEAVY,), planner=script, plan_limit=10))
    assert script.only.running == 1
    return script.only.retrying


@pytest.mark.parametrize("state", [each for each in HandoverState if each is not HandoverState.CANCELLED])
@conformant
async def test_a_run_that_is_elsewhere_is_not_superseded(harness: StoreHarness, state: HandoverState) -> None:
    """Nor is one whose outcome is there and was not taken yet."""
    row, known = await second_attempt(harness, state)
    assert await fire(harness, row) == 0
    run = await harness.seen(known.run_id)
    assert (run.status, run.attempt) == (Status.PENDING, 1)


@conformant
async def test_a_run_that_waits_for_its_retry_is_superseded(harness: StoreHarness) -> None:
    row, known = await second_attempt(harness, HandoverState.LOST)
    await change(harness, [known], wakes=True, worker="w")
    [run] = await claim(harness)
    await harness.turn(failed(run, 3, 1000))
    assert await fire(harness, row) == 1
    assert (await harness.seen(known.run_id)).status is Status.FAILED


@conformant
async def test_a_run_that_failed_at_once_is_superseded(harness: StoreHarness) -> None:
    """Its handover ended during the attempt that failed with it."""
    row = due_schedule("b", 100, handler=HEAVY)
    await harness.add(row)
    [run] = await claimed(harness, row)
    known = handover(run.run_id, schedule_id=row.id)
    await harness.store.handovers.intend([known])
    await change(harness, [known], state=HandoverState.FAILED, ended_at=at(1), ended_fence=run.fence)
    await harness.turn(failed(run, 1, 1000))
    assert await fire(harness, row) == 1


@conformant
async def test_a_run_whose_handover_was_cancelled_is_superseded(harness: StoreHarness) -> None:
    row, known = await second_attempt(harness, HandoverState.CANCELLED)
    assert await fire(harness, row) == 1
    assert (await harness.seen(known.run_id)).status.final


@conformant
async def test_money_stays_promised_while_a_prompt_is_elsewhere(full_harness: StoreHarness) -> None:
    far = "prompt:far"
    await full_harness.add(row := schedule(handler=far))
    await full_harness.put(new_run(row), new_run(row, -1))
    first, second = (await full_harness.turn(claim_limit=10, handlers=(far,))).claimed
    targets = full(full_harness.store).targets

    async def left_for(run: Claimed) -> float | None:
        now = full_harness.now
        asked = Reservation(
            run_id=run.run_id, fence=run.fence, schedule_id=row.id, at=now, since=now - timedelta(days=1), per_day=1.0
        )
        return (await targets.reserve(asked)).amount

    assert await left_for(first) == 1.0
    made = [handover(first.run_id, schedule_id=row.id)]
    await full_harness.store.handovers.intend(made)
    await full_harness.turn(waits(first))
    assert await left_for(second) is None
    await targets.release(first.run_id, first.fence + 1)  # as the claim does that takes the outcome
    assert await left_for(second) == 1.0


@conformant
async def test_the_end_of_a_prompt_asks_for_the_end_of_its_handover(full_harness: StoreHarness) -> None:
    far = "prompt:far"
    await full_harness.add(row := schedule(handler=far))
    await full_harness.put(new_run(row))
    [run] = (await full_harness.turn(claim_limit=10, handlers=(far,))).claimed
    await full_harness.store.handovers.intend([handover(run.run_id, schedule_id=row.id)])
    await full_harness.turn(ended(run, 0, Status.CANCELLED))
    found = await full_harness.store.handovers.latest(run.run_id)
    assert found is not None
    assert found.cancel_asked
