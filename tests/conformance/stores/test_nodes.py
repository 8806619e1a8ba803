"""Nodes: registering, beating, stopping in good order, and rescuing the runs of silent nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import Any

from duly.model.run import Run, Status
from duly.planning.lease import Lease
from duly.ports.records import NewRun, Rescued, RunFilter
from tests.conformance.stores.builders import JOB, at, ended, failed, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant
from tests.memory_store.store import MemoryStore


def never(_policy: str, _attempt: int) -> bool:
    return False


@conformant
async def test_a_node_joins_once_and_may_serve_more_later(harness: StoreHarness) -> None:
    node = harness.node("node_a", ["job:a"])
    await harness.store.register(node)
    await harness.store.register(replace(node, handlers=("job:a", "job:b")))
    overview = await harness.store.overview(harness.now)
    assert overview.nodes == ["node_a"]
    await harness.add(row := schedule(handler="job:b"))
    await harness.put(new_run(row))
    assert (await harness.store.overview(harness.now)).unserved == {}
    [told] = await harness.journal()
    assert (told.kind.name, told.node_id, told.at) == ("node.started", "node_a", harness.now)
    assert told.data == {"pid": node.pid}


@conformant
async def test_a_pulse_beats_for_those_that_are_there(harness: StoreHarness) -> None:
    await harness.join("node_a", "node_b")
    pulse = harness.store.pulse()
    assert pulse.beat("node_a")
    assert not pulse.beat("node_nobody")
    await harness.store.deregister("node_b", harness.now)
    assert not pulse.beat("node_b")
    pulse.close()
    pulse.close()


@conformant
async def test_a_node_that_was_taken_for_dead_is_told_at_its_next_beat(harness: StoreHarness) -> None:
    await harness.join("node_a")
    pulse = harness.store.pulse()
    await harness.silence("node_a")
    assert await harness.store.rescue(at(0), never) == [Rescued("node_a")]
    assert not pulse.beat("node_a")
    await harness.store.register(harness.node("node_a"))  # an id is for one life
    assert not pulse.beat("node_a")
    pulse.close()
    assert (await harness.store.overview(harness.now)).nodes == []


@conformant
async def test_the_living_are_left_alone(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule())
    await harness.started(run := new_run(row))
    assert await harness.store.rescue(at(0), never) == []
    assert await harness.statuses(run) == [Status.RUNNING]


@conformant
async def test_the_runs_of_a_silent_node_are_taken_back(harness: StoreHarness) -> None:
    await harness.join("node_a", "node_b")
    await harness.add(row := schedule())
    runs = [new_run(row, -9), new_run(row, -8)]
    first, second = await harness.started(*runs)
    await harness.started(other := new_run(row, -7), node_id="node_b")
    await harness.silence("node_a")
    assert await harness.store.rescue(at(5), never) == [Rescued("node_a", requeued=[run.id for run in runs])]
    for run in runs:
        seen = await harness.seen(run.id)
        assert (seen.status, seen.owner, seen.due_at, seen.finished_at) == (Status.PENDING, None, at(5), None)
        assert (seen.attempt, seen.fence, seen.reason) == (1, 2, "its owner node_a fell silent")
    assert await harness.statuses(other) == [Status.RUNNING]
    assert (await harness.turn(ended(first, 6))).refused == [first.run_id]
    assert not await harness.store.progress(second.run_id, second.fence, "1")
    harness.clock.advance(5)
    again = await harness.claim("node_b")
    assert [(run.attempt, run.fence) for run in again] == [(2, 3), (2, 3)]
    told = [event for event in await harness.journal() if event.kind.name != "node.started"]
    assert [(event.kind.name, event.run_id, event.node_id, event.data) for event in told] == [
        *(("run.rescued", run.id, "node_a", {"name": "a", "owner": "node_a"}) for run in runs),
        ("node.lost", None, "node_a", {"runs": 2}),
    ]
    assert await harness.store.rescue(at(5), never) == []


@conformant
async def test_poison_is_not_handed_on(harness: StoreHarness) -> None:
    await harness.join("node_a")
    bad, good = schedule("bad", policy='{"bad": 1}'), schedule("good", policy='{"good": 1}')
    await harness.add(bad, good)
    runs = [new_run(bad, -9), new_run(good, -8)]
    await harness.started(*runs)
    asked: list[tuple[str, int]] = []

    def is_poison(policy: str, lost: int) -> bool:
        asked.append((policy, lost))
        return "bad" in policy

    await harness.silence("node_a")
    [rescued] = await harness.store.rescue(at(5), is_poison)
    assert rescued == Rescued("node_a", requeued=[runs[1].id], dead=[runs[0].id])
    assert {policy for policy, _ in asked} == {'{"bad": 1}', '{"good": 1}'}
    dead = await harness.seen(runs[0].id)
    assert (dead.status, dead.owner, dead.finished_at, dead.fence) == (Status.DEAD, None, at(5), 2)
    assert (dead.reason, dead.lost) == ("its owner node_a fell silent; attempts lost with their process: 1", 1)
    [told] = [event for event in await harness.journal() if event.kind.name == "run.dead"]
    assert (told.run_id, told.schedule_id, told.node_id, told.data["attempt"]) == (dead.id, bad.id, "node_a", 1)
    saved = await harness.saved(bad.id)
    assert (saved.last_status, saved.last_run_at, saved.consecutive_failures) == (Status.DEAD, harness.now, 1)
    assert (saved.total_runs, saved.last_result) == (1, '{"error": "its owner node_a fell silent"}')


_A_WINDOW = 2 * 86_400
"""Seconds: after them a suspected run has been begun, however long the lease is."""


def _three_deaths(_policy: str, lost: int) -> bool:
    return lost >= 3


class _Loop:
    """Processes that die, one after the other: each begins what is due, and dies as soon as a certain run has begun."""

    def __init__(self, harness: StoreHarness, killers: Collection[str]) -> None:
        self._harness = harness
        self._killers = killers
        self.deaths = 0

    async def until_given_up(self) -> list[Rescued]:
        """Give what came of each death."""
        ended: list[Rescued] = []
        while not all([(await self._harness.seen(run_id)).status is Status.DEAD for run_id in self._killers]):
            assert self.deaths < 30, "a run that always ends its process is not given up"
            ended.append(await self._life())
        return ended

    async def _life(self) -> Rescued:
        harness, node_id = self._harness, f"node_{self.deaths}"
        await harness.join(node_id)
        pulse = harness.store.pulse()
        while not set(self._killers) & {run.run_id for run in await harness.claim(node_id)}:
            pending = await harness.store.runs(RunFilter(statuses=(Status.PENDING,)))
            harness.clock.advance(max(0.0, (min(run.due_at for run in pending) - harness.now).total_seconds()))
            assert pulse.beat(node_id)
        pulse.close()
        self.deaths += 1
        await harness.silence(node_id)
        [rescued] = await harness.store.rescue(harness.now, _three_deaths)
        return rescued


@conformant
async def test_a_run_that_goes_on_killing_is_given_up_and_none_that_died_with_it(harness: StoreHarness) -> None:
    rows = [schedule(name) for name in "abcd"]
    await harness.add(*rows)
    killer, *others = (new_run(row, -9, id=f"run_{row.name}") for row in rows)  # their moments go by their ids
    await harness.put(killer, *others)
    loop = _Loop(harness, [killer.id])
    ended = await loop.until_given_up()
    assert [each.dead for each in ended] == [*[[]] * 6, [killer.id]]
    assert sorted(ended[0].requeued) == sorted(ended[1].requeued) == sorted(each.id for each in (killer, *others))
    assert all(seen.due_at <= harness.now for seen in [await harness.seen(run.id) for run in others])
    assert await _lost(harness, killer, *others) == [7, 0, 0, 0]
    dead = await harness.seen(killer.id)
    assert dead.reason == "its owner node_6 fell silent; attempts lost with their process: 7"
    assert [event.run_id for event in await harness.journal() if event.kind.name == "run.dead"] == [killer.id]


@conformant
async def test_runs_that_died_twice_are_begun_at_moments_of_their_own(harness: StoreHarness) -> None:
    rows = [schedule(name) for name in "abcdefgh"]
    await harness.add(*rows)
    runs = [new_run(row, -9) for row in rows]
    await harness.put(*runs)
    for number in range(2):
        await harness.join(f"node_{number}")
        assert len(await harness.claim(f"node_{number}")) == len(runs)
        await harness.silence(f"node_{number}")
        await harness.store.rescue(harness.now, _three_deaths)
        waits = {(await harness.seen(run.id)).due_at - harness.now for run in runs}
        assert (waits == {timedelta(0)}) is (number == 0)  # the first time at once: a process may be killed
    assert len(waits) == len(runs)
    assert max(waits) < timedelta(seconds=64 * Lease(harness.lease).first_beat)


@conformant
async def test_several_runs_that_kill_are_all_given_up(harness: StoreHarness) -> None:
    rows = [schedule(name) for name in "abc"]
    await harness.add(*rows)
    first, second, other = (new_run(row, -9, id=f"run_{row.name}") for row in rows)
    await harness.put(first, second, other)
    await _Loop(harness, [first.id, second.id]).until_given_up()
    assert await harness.statuses(first, second) == [Status.DEAD, Status.DEAD]
    assert (await harness.seen(other.id)).status is not Status.DEAD


@conformant
async def test_very_many_runs_are_taken_back_in_several_transactions(harness: StoreHarness) -> None:
    """Every run once, and one event tells how many there were."""
    number = 2500
    await harness.join("node_a")
    await harness.add(row := schedule(policy='{"overlap": "parallel"}'))
    runs = [new_run(row, -each) for each in range(1, number + 1)]
    await harness.put(*runs)
    assert len(await harness.claim(limit=number)) == number
    await harness.silence("node_a")
    [rescued] = await harness.store.rescue(at(5), never)
    assert sorted(rescued.requeued) == sorted(run.id for run in runs)
    [told] = [
        event
        for event in [event for _, event in await harness.store.journal(0, 10_000)]
        if event.kind.name == "node.lost"
    ]
    assert told.data == {"runs": number}
    assert await harness.store.rescue(at(5), never) == []


@conformant
async def test_a_heartbeat_and_others_have_their_turn_while_very_many_runs_are_taken_back(
    harness: StoreHarness,
) -> None:
    if isinstance(harness.store, MemoryStore):
        return  # it has one transaction for everything
    number = 3500
    await harness.join("node_a", "node_b")
    await harness.add(row := schedule(policy='{"overlap": "parallel"}'))
    await harness.put(*(new_run(row, -each) for each in range(1, number + 1)))
    await harness.claim(limit=number)
    await harness.silence("node_a")
    pulse, beats, write = harness.store.pulse(), list[bool](), harness.store._executor.write  # type: ignore[attr-defined]

    async def noted(work: Any, **how: Any) -> Any:
        done = await write(work, **how)
        beats.append(await asyncio.to_thread(pulse.beat, "node_b"))
        return done

    harness.store._executor.write = noted  # type: ignore[attr-defined]
    [rescued] = await harness.store.rescue(at(5), never)
    harness.store._executor.write = write  # type: ignore[attr-defined]
    pulse.close()
    assert len(rescued.requeued) == number
    assert beats == [True] * 4


async def _lost(harness: StoreHarness, *runs: Run | NewRun) -> list[int]:
    return [(await harness.seen(run.id)).lost for run in runs]


@conformant
async def test_only_attempts_that_were_lost_count_as_lost(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    asked: list[int] = []

    def is_poison(_policy: str, lost: int) -> bool:
        asked.append(lost)
        return False

    async def lose(node_id: str) -> None:
        harness.clock.advance(_A_WINDOW)
        await harness.join(node_id)
        [run] = await harness.claim(node_id)
        await harness.silence(node_id)
        await harness.store.rescue(harness.now, is_poison)
        assert (await harness.seen(run.run_id)).attempt == run.attempt

    await harness.turn(failed(run, 0, retry_seconds=0))
    await lose("node_b")
    await harness.join("node_c")
    await harness.claim("node_c")
    await harness.store.deregister("node_c", at(0))  # in good order: that attempt does not count at all
    await lose("node_d")
    harness.clock.advance(_A_WINDOW)
    [run] = await harness.claim("node_e")
    await harness.turn(failed(run, 0, retry_seconds=0))
    await lose("node_f")
    assert set(asked) == {0}  # nothing was proved: it was begun late, and in between it failed, or its node left
    assert ((await harness.seen(run.run_id)).attempt, (await harness.seen(run.run_id)).lost) == (5, 3)
    harness.clock.advance(_A_WINDOW)
    [run] = await harness.claim("node_g")
    await harness.turn(ended(run, 0, Status.PENDING, retry_at=at(0), goes_on=True))
    assert ((await harness.seen(run.run_id)).attempt, (await harness.seen(run.run_id)).lost) == (1, 0)


@conformant
async def test_a_failing_judge_changes_nothing(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule())
    await harness.started(run := new_run(row))
    await harness.silence("node_a")

    def broken(_policy: str, _attempt: int) -> bool:
        raise ZeroDivisionError

    try:
        await harness.store.rescue(at(5), broken)
    except ZeroDivisionError:
        assert await harness.statuses(run) == [Status.RUNNING]
    [rescued] = await harness.store.rescue(at(5), never)
    assert rescued.requeued == [run.id]


@conformant
async def test_runs_of_an_unregistered_node_are_rescued(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    await harness.started(run := new_run(row), node_id="node_ghost")
    [rescued] = await harness.store.rescue(at(5), never)
    assert rescued == Rescued("node_ghost", requeued=[run.id])
    assert await harness.statuses(run) == [Status.PENDING]
    assert await harness.told() == ["run.rescued", "node.lost"]


@conformant
async def test_what_a_node_claims_after_it_was_given_up_is_taken_back_too(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.silence("node_a")
    await harness.store.rescue(at(0), never)
    await harness.add(row := schedule())
    await harness.started(run := new_run(row))
    [rescued] = await harness.store.rescue(at(1), never)
    assert rescued == Rescued("node_a", requeued=[run.id])


@conformant
async def test_a_run_under_way_without_an_owner_is_taken_back(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule())
    runs = [new_run(row, -9), new_run(row, -8), new_run(row, -7)]
    claimed = await harness.started(*runs)
    harness.disown(runs[0].id)
    harness.disown(runs[1].id)
    await harness.store.cancel(runs[1].id, at(1), "enough")
    assert await harness.store.rescue(at(5), never) == [Rescued(None, requeued=[runs[0].id])]
    seen = await harness.seen(runs[0].id)
    assert (seen.status, seen.due_at, seen.fence, seen.lost) == (Status.PENDING, at(5), 2, 1)
    assert seen.reason == "it was under way without an owner"
    assert await harness.statuses(*runs[1:]) == [Status.CANCELLED, Status.RUNNING]
    assert (await harness.turn(ended(claimed[0], 6))).refused == [runs[0].id]
    told = [event for event in await harness.journal() if event.kind.name != "node.started"]
    assert [(event.kind.name, event.run_id, event.node_id, event.data) for event in told] == [
        ("run.rescued", runs[0].id, None, {"name": "a", "owner": None}),
        ("run.cancelled", runs[1].id, None, {"name": "a", "reason": "enough"}),
    ]
    assert await harness.store.rescue(at(5), never) == []


@conformant
async def test_a_poison_run_without_an_owner_is_dead_and_the_next_waiting_run_begins(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule(policy='{"overlap": "queue"}'))
    await harness.started(first := new_run(row, -9, in_line=True))
    await harness.put(second := new_run(row, -8, Status.WAITING, in_line=True))
    harness.disown(first.id)
    assert await harness.store.rescue(at(5), lambda _policy, _lost: True) == [Rescued(None, dead=[first.id])]
    assert await harness.statuses(first, second) == [Status.DEAD, Status.PENDING]
    saved = await harness.saved(row.id)
    assert (saved.last_status, saved.last_run_at) == (Status.DEAD, harness.now)
    assert saved.last_result == '{"error": "it was under way without an owner"}'


@conformant
async def test_a_run_that_was_asked_to_stop_is_not_handed_on(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule())
    runs = [new_run(row, -9), new_run(row, -8), new_run(row, -7)]
    await harness.started(*runs)
    await harness.store.cancel(runs[1].id, at(1), "enough")
    await harness.silence("node_a")
    [rescued] = await harness.store.rescue(at(5), never)
    assert rescued == Rescued("node_a", requeued=[runs[0].id, runs[2].id])
    seen = await harness.seen(runs[1].id)
    assert (seen.status, seen.finished_at, seen.owner, seen.fence) == (Status.CANCELLED, at(5), None, 2)
    assert seen.reason == "enough"
    assert await harness.told() == ["node.started", "run.rescued", "run.cancelled", "run.rescued", "node.lost"]


@conformant
async def test_leaving_in_good_order_costs_no_attempt(harness: StoreHarness) -> None:
    await harness.join("node_a", "node_b")
    await harness.add(row := schedule())
    runs = [new_run(row, -9), new_run(row, -8)]
    claimed = await harness.started(*runs)
    await harness.started(other := new_run(row, -7), node_id="node_b")
    await harness.store.deregister("node_a", at(5))
    for run in runs:
        seen = await harness.seen(run.id)
        assert (seen.status, seen.owner, seen.due_at) == (Status.PENDING, None, at(5))
        assert (seen.attempt, seen.fence, seen.reason) == (0, 2, "handed back by a node that stopped")
    assert await harness.statuses(other) == [Status.RUNNING]
    assert (await harness.turn(ended(claimed[0], 6))).refused == [runs[0].id]
    assert (await harness.store.overview(harness.now)).nodes == ["node_b"]
    assert await harness.told() == ["node.started", "node.started", "node.stopped"]
    assert await harness.store.rescue(at(5), never) == []
    harness.clock.advance(5)
    assert [(run.attempt, run.fence) for run in await harness.claim("node_b")] == [(1, 3), (1, 3)]
    await harness.store.deregister("node_a", at(6))  # a node leaves once
    assert (await harness.told()).count("node.stopped") == 1


@conformant
async def test_what_cannot_be_stopped_stays_with_its_node_which_stays_too(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule())
    runs = [new_run(row, -9), new_run(row, -8)]
    stuck, _ = await harness.started(*runs)
    pulse = harness.store.pulse()
    await harness.store.deregister("node_a", at(5), keep=[stuck.run_id])
    assert await harness.statuses(*runs) == [Status.RUNNING, Status.PENDING]
    assert pulse.beat("node_a")
    assert await harness.store.rescue(at(5), never) == []
    assert await harness.told() == ["node.started"]
    assert (await harness.turn(ended(stuck, 6))).refused == []
    await harness.store.deregister("node_a", at(7))
    assert not pulse.beat("node_a")
    assert await harness.told() == ["node.started", "node.stopped"]
    pulse.close()


@conformant
async def test_a_run_that_was_asked_to_stop_stops_when_its_node_leaves(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule())
    await harness.started(run := new_run(row))
    await harness.store.cancel(run.id, at(1), "enough")
    await harness.store.deregister("node_a", at(5))
    seen = await harness.seen(run.id)
    assert (seen.status, seen.finished_at, seen.owner, seen.reason) == (Status.CANCELLED, at(5), None, "enough")
    assert (await harness.told())[1:] == ["run.cancelled", "node.stopped"]
    assert (await harness.turn(handlers=(JOB,))).next_wake is None
