"""Nodes: registering, beating, stopping in good order, and rescuing the runs of silent nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from duly.model.run import Run, Status
from duly.ports.records import NewRun, Rescued
from tests.conformance.stores.builders import JOB, at, ended, failed, new_run, schedule
from tests.conformance.stores.world import World, conformant


def never(_policy: str, _attempt: int) -> bool:
    return False


@conformant
async def test_a_node_joins_once_and_may_serve_more_later(world: World) -> None:
    node = world.node("node_a", ["job:a"])
    await world.store.register(node)
    await world.store.register(replace(node, handlers=("job:a", "job:b")))
    overview = await world.store.overview(world.now)
    assert overview.nodes == ["node_a"]
    await world.add(row := schedule(handler="job:b"))
    await world.put(new_run(row))
    assert (await world.store.overview(world.now)).unserved == {}
    [told] = await world.journal()
    assert (told.kind.name, told.node_id, told.at) == ("node.started", "node_a", world.now)
    assert told.data == {"pid": node.pid}


@conformant
async def test_a_pulse_beats_for_those_that_are_there(world: World) -> None:
    await world.join("node_a", "node_b")
    pulse = world.store.pulse()
    assert pulse.beat("node_a")
    assert not pulse.beat("node_nobody")
    await world.store.deregister("node_b", world.now)
    assert not pulse.beat("node_b")
    pulse.close()
    pulse.close()


@conformant
async def test_a_node_that_was_taken_for_dead_is_told_at_its_next_beat(world: World) -> None:
    await world.join("node_a")
    pulse = world.store.pulse()
    await world.silence("node_a")
    assert await world.store.rescue(at(0), never) == [Rescued("node_a")]
    assert not pulse.beat("node_a")
    await world.store.register(world.node("node_a"))  # an id is for one life
    assert not pulse.beat("node_a")
    pulse.close()
    assert (await world.store.overview(world.now)).nodes == []


@conformant
async def test_the_living_are_left_alone(world: World) -> None:
    await world.join("node_a")
    await world.add(row := schedule())
    await world.started(run := new_run(row))
    assert await world.store.rescue(at(0), never) == []
    assert await world.statuses(run) == [Status.RUNNING]


@conformant
async def test_the_runs_of_a_silent_node_are_taken_back(world: World) -> None:
    await world.join("node_a", "node_b")
    await world.add(row := schedule())
    runs = [new_run(row, -9), new_run(row, -8)]
    first, second = await world.started(*runs)
    await world.started(other := new_run(row, -7), node_id="node_b")
    await world.silence("node_a")
    assert await world.store.rescue(at(5), never) == [Rescued("node_a", requeued=[run.id for run in runs])]
    for run in runs:
        seen = await world.seen(run.id)
        assert (seen.status, seen.owner, seen.due_at, seen.finished_at) == (Status.PENDING, None, at(5), None)
        assert (seen.attempt, seen.fence, seen.reason) == (1, 2, "its owner node_a fell silent")
    assert await world.statuses(other) == [Status.RUNNING]
    assert (await world.turn(ended(first, 6))).refused == [first.run_id]
    assert not await world.store.progress(second.run_id, second.fence, "1")
    world.clock.advance(5)
    again = await world.claim("node_b")
    assert [(run.attempt, run.fence) for run in again] == [(2, 3), (2, 3)]
    told = [event for event in await world.journal() if event.kind.name != "node.started"]
    assert [(event.kind.name, event.run_id, event.node_id, event.data) for event in told] == [
        *(("run.rescued", run.id, "node_a", {"name": "a", "owner": "node_a"}) for run in runs),
        ("node.lost", None, "node_a", {"runs": 2}),
    ]
    assert await world.store.rescue(at(5), never) == []


@conformant
async def test_poison_is_not_handed_on(world: World) -> None:
    await world.join("node_a")
    bad, good = schedule("bad", policy='{"bad": 1}'), schedule("good", policy='{"good": 1}')
    await world.add(bad, good)
    runs = [new_run(bad, -9), new_run(good, -8)]
    await world.started(*runs)
    asked: list[tuple[str, int]] = []

    def is_poison(policy: str, lost: int) -> bool:
        asked.append((policy, lost))
        return "bad" in policy

    await world.silence("node_a")
    [rescued] = await world.store.rescue(at(5), is_poison)
    assert rescued == Rescued("node_a", requeued=[runs[1].id], dead=[runs[0].id])
    assert {policy for policy, _ in asked} == {'{"bad": 1}', '{"good": 1}'}
    dead = await world.seen(runs[0].id)
    assert (dead.status, dead.owner, dead.finished_at, dead.fence) == (Status.DEAD, None, at(5), 2)
    assert (dead.reason, dead.lost) == ("its owner node_a fell silent; attempts lost with their process: 1", 1)
    [told] = [event for event in await world.journal() if event.kind.name == "run.dead"]
    assert (told.run_id, told.schedule_id, told.node_id, told.data["attempt"]) == (dead.id, bad.id, "node_a", 1)
    saved = await world.saved(bad.id)
    assert (saved.last_status, saved.last_run_at, saved.consecutive_failures) == (Status.DEAD, world.now, 1)
    assert (saved.total_runs, saved.last_result) == (1, '{"error": "its owner node_a fell silent"}')


def _three_deaths(_policy: str, lost: int) -> bool:
    return lost >= 3


async def _die(
    world: World, node_id: str, seconds: float, is_poison: Callable[[str, int], bool] = _three_deaths
) -> Rescued:
    """Begin what is due on a fresh node, and let that die."""
    await world.join(node_id)
    await world.turn(node_id=node_id, now=at(seconds), claim_limit=10)
    await world.silence(node_id)
    [rescued] = await world.store.rescue(at(seconds), is_poison)
    return rescued


@conformant
async def test_runs_that_died_together_are_begun_apart_and_only_the_one_that_goes_on_killing_is_given_up(
    world: World,
) -> None:
    rows = [schedule(name) for name in "abc"]
    await world.add(*rows)
    runs = [new_run(row, -9) for row in rows]
    await world.put(*runs)
    assert (await _die(world, "node_a", 0)).dead == []
    assert [((await world.seen(run.id)).lost, (await world.seen(run.id)).due_at) for run in runs] == [(1, at(0))] * 3
    assert (await _die(world, "node_b", 1)).dead == []
    first, second, third = sorted([await world.seen(run.id) for run in runs], key=lambda run: run.due_at)
    assert [run.lost for run in (first, second, third)] == [2, 2, 2]
    assert first.due_at == at(1) < second.due_at < third.due_at <= at(6)

    assert (await _die(world, "node_c", 4)).requeued == sorted([first.id, second.id])  # begun together once more
    assert await _lost(world, first, second, third) == [3, 3, 2]
    again = sorted([await world.seen(run.id) for run in (first, second)], key=lambda run: run.due_at)
    assert again[0].due_at == at(4)
    assert await _die(world, "node_d", 4.1) == Rescued("node_d", dead=[again[0].id])
    assert [(await world.seen(run.id)).status for run in (*again, third)] == [
        Status.DEAD,
        Status.PENDING,
        Status.PENDING,
    ]
    assert await _lost(world, *again, third) == [4, 0, 0]
    told = [event.run_id for event in await world.journal() if event.kind.name == "run.dead"]
    assert told == [again[0].id]


@conformant
async def test_what_died_with_a_run_that_is_given_up_is_cleared_and_begun_at_once(world: World) -> None:
    await world.add(bad := schedule("bad"), good := schedule("good"))
    await world.put(killer := new_run(bad, -9), other := new_run(good, 3))
    for seconds in range(3):
        await _die(world, f"node_{seconds}", seconds, never)
    assert await _die(world, "node_3", 3) == Rescued("node_3", requeued=[other.id], dead=[killer.id])
    assert await _lost(world, killer, other) == [4, 0]
    assert (await world.seen(other.id)).due_at == at(3)


async def _lost(world: World, *runs: Run | NewRun) -> list[int]:
    return [(await world.seen(run.id)).lost for run in runs]


@conformant
async def test_only_attempts_that_were_lost_count_as_lost(world: World) -> None:
    await world.add(row := schedule())
    [run] = await world.started(new_run(row))
    asked: list[int] = []

    def is_poison(_policy: str, lost: int) -> bool:
        asked.append(lost)
        return False

    async def lose(node_id: str) -> None:
        await world.join(node_id)
        [run] = await world.claim(node_id)
        await world.silence(node_id)
        await world.store.rescue(at(0), is_poison)
        assert (await world.seen(run.run_id)).attempt == run.attempt

    await world.turn(failed(run, 0, retry_seconds=0))
    await lose("node_b")
    await world.join("node_c")
    await world.claim("node_c")
    await world.store.deregister("node_c", at(0))  # in good order: that attempt does not count at all
    await lose("node_d")
    [run] = await world.claim("node_e")
    await world.turn(failed(run, 0, retry_seconds=0))
    await lose("node_f")
    assert max(asked) == 4  # the third lost attempt: whether that is too many, and whether the next one would be
    assert ((await world.seen(run.run_id)).attempt, (await world.seen(run.run_id)).lost) == (5, 3)
    [run] = await world.claim("node_g")
    await world.turn(ended(run, 0, Status.PENDING, retry_at=at(0), goes_on=True))
    assert ((await world.seen(run.run_id)).attempt, (await world.seen(run.run_id)).lost) == (1, 0)


@conformant
async def test_a_failing_judge_changes_nothing(world: World) -> None:
    await world.join("node_a")
    await world.add(row := schedule())
    await world.started(run := new_run(row))
    await world.silence("node_a")

    def broken(_policy: str, _attempt: int) -> bool:
        raise ZeroDivisionError

    try:
        await world.store.rescue(at(5), broken)
    except ZeroDivisionError:
        assert await world.statuses(run) == [Status.RUNNING]
    [rescued] = await world.store.rescue(at(5), never)
    assert rescued.requeued == [run.id]


@conformant
async def test_runs_of_an_unregistered_node_are_rescued(world: World) -> None:
    await world.add(row := schedule())
    await world.started(run := new_run(row), node_id="node_ghost")
    [rescued] = await world.store.rescue(at(5), never)
    assert rescued == Rescued("node_ghost", requeued=[run.id])
    assert await world.statuses(run) == [Status.PENDING]
    assert await world.told() == ["run.rescued", "node.lost"]


@conformant
async def test_what_a_node_claims_after_it_was_given_up_is_taken_back_too(world: World) -> None:
    await world.join("node_a")
    await world.silence("node_a")
    await world.store.rescue(at(0), never)
    await world.add(row := schedule())
    await world.started(run := new_run(row))
    [rescued] = await world.store.rescue(at(1), never)
    assert rescued == Rescued("node_a", requeued=[run.id])


@conformant
async def test_a_run_under_way_without_an_owner_is_taken_back(world: World) -> None:
    await world.join("node_a")
    await world.add(row := schedule())
    runs = [new_run(row, -9), new_run(row, -8), new_run(row, -7)]
    claimed = await world.started(*runs)
    world.disown(runs[0].id)
    world.disown(runs[1].id)
    await world.store.cancel(runs[1].id, at(1), "enough")
    assert await world.store.rescue(at(5), never) == [Rescued(None, requeued=[runs[0].id])]
    seen = await world.seen(runs[0].id)
    assert (seen.status, seen.due_at, seen.fence, seen.lost) == (Status.PENDING, at(5), 2, 1)
    assert seen.reason == "it was under way without an owner"
    assert await world.statuses(*runs[1:]) == [Status.CANCELLED, Status.RUNNING]
    assert (await world.turn(ended(claimed[0], 6))).refused == [runs[0].id]
    told = [event for event in await world.journal() if event.kind.name != "node.started"]
    assert [(event.kind.name, event.run_id, event.node_id, event.data) for event in told] == [
        ("run.rescued", runs[0].id, None, {"name": "a", "owner": None}),
        ("run.cancelled", runs[1].id, None, {"name": "a", "reason": "enough"}),
    ]
    assert await world.store.rescue(at(5), never) == []


@conformant
async def test_a_poison_run_without_an_owner_is_dead_and_the_next_waiting_run_begins(world: World) -> None:
    await world.join("node_a")
    await world.add(row := schedule(policy='{"overlap": "queue"}'))
    await world.started(first := new_run(row, -9, in_line=True))
    await world.put(second := new_run(row, -8, Status.WAITING, in_line=True))
    world.disown(first.id)
    assert await world.store.rescue(at(5), lambda _policy, _lost: True) == [Rescued(None, dead=[first.id])]
    assert await world.statuses(first, second) == [Status.DEAD, Status.PENDING]
    saved = await world.saved(row.id)
    assert (saved.last_status, saved.last_run_at) == (Status.DEAD, world.now)
    assert saved.last_result == '{"error": "it was under way without an owner"}'


@conformant
async def test_a_run_that_was_asked_to_stop_is_not_handed_on(world: World) -> None:
    await world.join("node_a")
    await world.add(row := schedule())
    runs = [new_run(row, -9), new_run(row, -8), new_run(row, -7)]
    await world.started(*runs)
    await world.store.cancel(runs[1].id, at(1), "enough")
    await world.silence("node_a")
    [rescued] = await world.store.rescue(at(5), never)
    assert rescued == Rescued("node_a", requeued=[runs[0].id, runs[2].id])
    seen = await world.seen(runs[1].id)
    assert (seen.status, seen.finished_at, seen.owner, seen.fence) == (Status.CANCELLED, at(5), None, 2)
    assert seen.reason == "enough"
    assert await world.told() == ["node.started", "run.rescued", "run.cancelled", "run.rescued", "node.lost"]


@conformant
async def test_leaving_in_good_order_costs_no_attempt(world: World) -> None:
    await world.join("node_a", "node_b")
    await world.add(row := schedule())
    runs = [new_run(row, -9), new_run(row, -8)]
    claimed = await world.started(*runs)
    await world.started(other := new_run(row, -7), node_id="node_b")
    await world.store.deregister("node_a", at(5))
    for run in runs:
        seen = await world.seen(run.id)
        assert (seen.status, seen.owner, seen.due_at) == (Status.PENDING, None, at(5))
        assert (seen.attempt, seen.fence, seen.reason) == (0, 2, "handed back by a node that stopped")
    assert await world.statuses(other) == [Status.RUNNING]
    assert (await world.turn(ended(claimed[0], 6))).refused == [runs[0].id]
    assert (await world.store.overview(world.now)).nodes == ["node_b"]
    assert await world.told() == ["node.started", "node.started", "node.stopped"]
    assert await world.store.rescue(at(5), never) == []
    world.clock.advance(5)
    assert [(run.attempt, run.fence) for run in await world.claim("node_b")] == [(1, 3), (1, 3)]
    await world.store.deregister("node_a", at(6))  # a node leaves once
    assert (await world.told()).count("node.stopped") == 1


@conformant
async def test_what_cannot_be_stopped_stays_with_its_node_which_stays_too(world: World) -> None:
    await world.join("node_a")
    await world.add(row := schedule())
    runs = [new_run(row, -9), new_run(row, -8)]
    stuck, _ = await world.started(*runs)
    pulse = world.store.pulse()
    await world.store.deregister("node_a", at(5), keep=[stuck.run_id])
    assert await world.statuses(*runs) == [Status.RUNNING, Status.PENDING]
    assert pulse.beat("node_a")
    assert await world.store.rescue(at(5), never) == []
    assert await world.told() == ["node.started"]
    assert (await world.turn(ended(stuck, 6))).refused == []
    await world.store.deregister("node_a", at(7))
    assert not pulse.beat("node_a")
    assert await world.told() == ["node.started", "node.stopped"]
    pulse.close()


@conformant
async def test_a_run_that_was_asked_to_stop_stops_when_its_node_leaves(world: World) -> None:
    await world.join("node_a")
    await world.add(row := schedule())
    await world.started(run := new_run(row))
    await world.store.cancel(run.id, at(1), "enough")
    await world.store.deregister("node_a", at(5))
    seen = await world.seen(run.id)
    assert (seen.status, seen.finished_at, seen.owner, seen.reason) == (Status.CANCELLED, at(5), None, "enough")
    assert (await world.told())[1:] == ["run.cancelled", "node.stopped"]
    assert (await world.turn(handlers=(JOB,))).next_wake is None
