"""Maintenance: the figures for health, pruning, the journal, and hints about changes."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

from duly.model.events import (
    CATALOGUE,
    NODE_STOPPED,
    RUN_FAILED,
    RUN_STARTED,
    SCHEDULE_CREATED,
    SCHEDULE_DELETED,
    Event,
)
from duly.model.ids import RUN
from duly.model.run import Status
from duly.ports.records import RunFilter, ScheduleFilter, StoredSchedule
from duly.ports.upkeep import FIRST_PLACE, Overview, Pruned
from tests.conformance.stores.builders import START, at, due_schedule, ended, failed, fresh_id, names, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant

DAY = timedelta(days=1)


@conformant
async def test_an_empty_store_has_an_overview(harness: StoreHarness) -> None:
    assert await harness.store.overview(harness.now) == Overview(
        schedules=0,
        enabled=0,
        quarantined=0,
        pending=0,
        waiting=0,
        running=0,
        oldest_due_at=None,
        unserved={},
        nodes=[],
    )


@conformant
async def test_the_overview_counts_what_is_there(harness: StoreHarness) -> None:
    await harness.join("node_b", "node_a")
    row = due_schedule("a", 60)
    await harness.add(
        row,
        schedule("off", enabled=False),
        schedule("bad", enabled=False, quarantine="?"),
        schedule("gone", enabled=False, quarantine="?", deleted_at=at(0)),
    )
    running = await harness.started(*(new_run(row, -number) for number in range(1, 6)))
    await harness.turn(ended(running[0]), failed(running[1], 0, retry_seconds=30))
    await harness.put(new_run(row, -9), new_run(row, -10, Status.WAITING), new_run(row, -11, Status.MISSED))
    assert await harness.store.overview(harness.now) == Overview(
        schedules=3,
        enabled=1,
        quarantined=1,
        pending=2,
        waiting=1,
        running=3,
        oldest_due_at=at(-9),
        unserved={},
        nodes=["node_a", "node_b"],
    )


@conformant
async def test_the_most_overdue_of_all_is_shown(harness: StoreHarness) -> None:
    async def oldest() -> object:
        return (await harness.store.overview(harness.now)).oldest_due_at

    await harness.add(row := due_schedule("a", 60), due_schedule("b", 0.000001))
    await harness.put(new_run(row, 5))
    assert await oldest() is None
    harness.clock.advance(0.000001)
    assert await oldest() == harness.now
    harness.clock.advance(3)
    assert await oldest() == at(0.000001)
    await harness.put(new_run(row, -3))
    assert await oldest() == at(-3)


@conformant
async def test_unserved_runs_are_counted_by_handler(harness: StoreHarness) -> None:
    rows = [schedule(name, handler=f"job:{name}") for name in "abc"]
    await harness.add(*rows)
    await harness.store.register(harness.node("node_a", ["job:a"]))
    await harness.store.register(harness.node("node_b", ["job:b", "job:x"]))
    await harness.put(*(new_run(row, -number) for row in rows for number in range(3)), new_run(rows[2], 60))
    await harness.put(new_run(rows[2], -9, Status.WAITING), new_run(rows[2], -8, Status.SKIPPED))
    assert (await harness.store.overview(harness.now)).unserved == {"job:c": 3}
    await harness.store.deregister("node_b", harness.now)
    assert (await harness.store.overview(harness.now)).unserved == {"job:b": 3, "job:c": 3}


@conformant
async def test_a_silent_node_serves_no_handler_even_before_its_rescue(harness: StoreHarness) -> None:
    await harness.join("node_a", "node_b")
    await harness.add(row := schedule())
    await harness.put(new_run(row))
    for node_id, left in (("node_a", ["node_b"]), ("node_b", [])):
        await harness.silence(node_id)
        assert (await harness.store.overview(harness.now)).nodes == left
    assert (await harness.store.overview(harness.now)).unserved == {row.handler: 1}


async def whole_round(harness: StoreHarness, before: datetime, limit: int) -> list[Pruned]:
    """Forget what is old, batch by batch; each batch keeps to its limit."""
    batches, place = list[Pruned](), FIRST_PLACE
    while not batches or batches[-1].go_on_at is not None:
        batches.append(batch := await harness.store.prune(before, limit, place))
        assert batch.rows <= limit
        place = batch.go_on_at or place
    return batches


@conformant
async def test_old_finished_runs_are_pruned(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    passed = -2 * DAY.total_seconds()
    old = [new_run(row, passed - n, Status.MISSED, id=fresh_id(RUN, START - 2 * DAY)) for n in range(1, 6)]
    young = new_run(row, 0, Status.MISSED, id=fresh_id(RUN, START - DAY))
    unfinished = [
        new_run(row, -number, status, id=fresh_id(RUN, START - 3 * DAY))
        for number, status in enumerate((Status.PENDING, Status.WAITING), start=10)
    ]
    await harness.put(*old, young, *unfinished)
    [running] = await harness.started(new_run(row, -20, id=fresh_id(RUN, START - 3 * DAY)))
    before = START - DAY
    assert [each.runs for each in await whole_round(harness, before, 2)] == [0, 1, 2, 2, 0]
    assert (await harness.store.prune(before, 100)).runs == 0
    kept = {run.id for run in await harness.store.runs(RunFilter())}
    assert kept == {young.id, running.run_id, *(run.id for run in unfinished)}
    assert await harness.saved(row.id) == row


@conformant
async def test_rows_that_have_to_stay_do_not_hold_up_what_comes_after_them(harness: StoreHarness) -> None:
    rows = [schedule(f"s{number}") for number in range(9)]
    await harness.add(*rows)
    await harness.put(*(new_run(row, -1, Status.MISSED) for row in rows[:7]))
    await harness.store.edit([row.id for row in rows], _deleted_long_ago)
    batches = await whole_round(harness, START, 2)
    assert [each.rows for each in batches] == [0, 0, 0, 1, 1]
    assert len(batches) == 5
    left = await harness.store.schedules(ScheduleFilter(deleted=True))
    assert names(left) == [row.name for row in rows[:7]]


@conformant
async def test_a_round_prunes_everything_old_with_batches_of_any_size(harness: StoreHarness) -> None:
    await harness.join("node_a")
    for number in range(5):
        await harness.join(f"old_{number}")
        await harness.store.deregister(f"old_{number}", harness.now)
    await harness.add(*(rows := [schedule(f"s{number}") for number in range(5)]))
    made = START - 2 * DAY
    await harness.put(*(new_run(row, -1, Status.MISSED, id=fresh_id(RUN, made)) for row in rows))
    await harness.store.edit([row.id for row in rows[:4]], _deleted_long_ago)
    batches = await whole_round(harness, at(1), 3)
    assert sum(each.runs for each in batches) == 5
    assert sum(each.rows for each in batches) == 5 + 4 + 5 + 11
    assert await harness.store.runs(RunFilter()) == []
    assert await harness.store.schedules(ScheduleFilter(deleted=True)) == []
    assert await harness.journal() == []
    assert (await harness.store.prune(at(1), 3)).go_on_at is None


@conformant
async def test_a_fire_that_was_skipped_ahead_is_not_pruned_before_its_time(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    await harness.put(ahead := new_run(row, 60, Status.SKIPPED, id=fresh_id(RUN, START - 2 * DAY)))
    assert (await harness.store.prune(START, 100)).runs == 0
    assert await harness.statuses(ahead) == [Status.SKIPPED]
    assert (await harness.store.prune(at(61), 100)).runs == 1


@conformant
async def test_a_deleted_schedule_is_pruned_with_its_last_run(harness: StoreHarness) -> None:
    rows = {
        "old": schedule("old", deleted_at=at(-60)),
        "in use": schedule("in use"),
        "young": schedule("young", deleted_at=at(60)),
        "alive": schedule("alive"),
    }
    await harness.add(*rows.values())
    await harness.put(used := new_run(rows["in use"], 0, Status.MISSED))
    await harness.store.edit([rows["in use"].id], _deleted_long_ago)

    async def left() -> list[str]:
        gone, there = ScheduleFilter(deleted=True), ScheduleFilter()
        return sorted(names([*await harness.store.schedules(gone), *await harness.store.schedules(there)]))

    assert (await harness.store.prune(START, 100)).runs == 0
    assert await left() == ["alive", "in use", "young"]
    assert await harness.statuses(used) == [Status.MISSED]
    assert (await harness.store.prune(at(1), 100)).runs == 1
    assert await left() == ["alive", "young"]


def _deleted_long_ago(row: StoredSchedule) -> StoredSchedule:
    return replace(row, deleted_at=at(-60))


@conformant
async def test_old_events_and_lost_nodes_are_pruned(harness: StoreHarness) -> None:
    await harness.join("node_a", "node_b")
    await harness.store.deregister("node_b", harness.now)
    await harness.store.record([Event(RUN_FAILED, at(seconds), data={"n": seconds}) for seconds in (-9, 90, -8)])
    told = await harness.store.journal(0, 100)
    assert len(told) == 6
    assert (await harness.store.prune(at(-8), 100)).runs == 0
    assert await harness.store.journal(0, 100) == [entry for entry in told if entry[1].data.get("n") != -9]
    await harness.store.prune(at(1), 2)  # the node, and the oldest event
    assert len(await harness.store.journal(0, 100)) == 4
    await harness.store.prune(at(1), 100)
    assert [event.data for event in await harness.journal()] == [{"n": 90}]
    assert (await harness.store.overview(harness.now)).nodes == ["node_a"]
    await harness.store.register(harness.node("node_b"))  # quite forgotten, so it may come anew
    assert (await harness.store.overview(harness.now)).nodes == ["node_a", "node_b"]


@conformant
async def test_nodes_that_left_lately_or_own_something_are_remembered(harness: StoreHarness) -> None:
    await harness.join("node_a", "node_b", "node_d")
    for node_id in ("node_a", "node_b"):
        await harness.store.deregister(node_id, harness.now)
    harness.clock.advance(60)
    await harness.join("node_c")
    for node_id in ("node_c", "node_d"):  # one of them lived for long
        await harness.store.deregister(node_id, harness.now)
    await harness.add(row := schedule())
    await harness.started(new_run(row), node_id="node_b")
    await harness.store.prune(at(30), 100)
    await harness.join("node_a", "node_b", "node_c", "node_d")  # nodes that are gone stay gone
    assert (await harness.store.overview(harness.now)).nodes == ["node_a"]


@conformant
async def test_a_sequence_number_is_not_given_twice(harness: StoreHarness) -> None:
    await harness.store.record([Event(RUN_FAILED, at(-5))])
    [(first, _)] = await harness.store.journal(0, 100)
    await harness.store.prune(START, 100)
    await harness.store.record([Event(RUN_FAILED, at(5))])
    [(second, _)] = await harness.store.journal(0, 100)
    assert second > first


@conformant
async def test_the_journal_is_read_in_order_from_a_place_on(harness: StoreHarness) -> None:
    kinds = [SCHEDULE_CREATED, RUN_FAILED, NODE_STOPPED, SCHEDULE_DELETED]
    for number, kind in enumerate(kinds):
        # the order of recording counts, not what the clock said
        event = Event(kind, at(-number), f"s{number}", f"r{number}", f"n{number}", {"n": number})
        await harness.store.record([event, Event(RUN_STARTED, at(0))])
    entries = await harness.store.journal(0, 100)
    numbers = [seq for seq, _ in entries]
    assert numbers == sorted(set(numbers))
    assert min(numbers) > 0
    assert [event for _, event in entries] == [
        Event(kind, at(-number), f"s{number}", f"r{number}", f"n{number}", {"n": number})
        for number, kind in enumerate(kinds)
    ]
    assert await harness.store.journal(0, 2) == entries[:2]
    assert await harness.store.journal(numbers[1], 100) == entries[2:]
    assert await harness.store.journal(numbers[-1], 100) == []


@conformant
async def test_only_durable_events_are_kept(harness: StoreHarness) -> None:
    everything = [Event(kind, START) for kind in CATALOGUE.values()]
    await harness.store.record(everything)
    assert await harness.journal() == [event for event in everything if event.kind.durable]
    await harness.store.record([])
    assert len(await harness.journal()) == sum(kind.durable for kind in CATALOGUE.values())


@conformant
async def test_a_change_by_another_process_is_hinted_at(hinting_harness: StoreHarness) -> None:
    harness = hinting_harness
    other = await harness.another()
    changed = asyncio.Event()
    harness.store.on_change(changed.set)
    await other.save([schedule("a")], lambda _before, row: row)
    async with asyncio.timeout(60):
        await changed.wait()
