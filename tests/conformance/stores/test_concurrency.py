"""Several processes at once: no run is claimed, recorded or settled twice, and no schedule is made twice."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from pathlib import Path

from duly.model.policy import Overlap, Policy
from duly.model.run import Status
from duly.ports.codec import encode_policy
from duly.ports.records import Claimed, Cycle, Plan, RunFilter, ScheduleFilter, StoredSchedule
from duly.ports.store import Store
from tests.conformance.stores.builders import JOB, Script, at, due_schedule, ended, every, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant

HANDLES = 4
PROCESSES = 4
MANY = 5_000
ROOT = Path(__file__).parents[3]


async def handles(harness: StoreHarness) -> list[Store]:
    return [harness.store, *[await harness.another() for _ in range(HANDLES - 1)]]


@conformant
async def test_no_run_is_claimed_twice(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    await harness.put(*(runs := [new_run(row, -number) for number in range(300)]))

    async def claim_all(store: Store, node_id: str) -> list[Claimed]:
        mine: list[Claimed] = []
        while got := (await store.cycle(Cycle(node_id, harness.now, claim_limit=7, handlers=(JOB,)))).claimed:
            mine += got
        return mine

    shares = await asyncio.gather(*(claim_all(store, f"node_{n}") for n, store in enumerate(await handles(harness))))
    claimed = [run for share in shares for run in share]
    assert Counter(run.run_id for run in claimed) == Counter(run.id for run in runs)
    assert {(run.attempt, run.fence) for run in claimed} == {(1, 1)}
    for number, share in enumerate(shares):
        assert {(await harness.seen(run.run_id)).owner for run in share} <= {f"node_{number}"}


@conformant
async def test_no_fire_is_recorded_or_claimed_at_birth_twice(harness: StoreHarness) -> None:
    await harness.add(*(rows := [due_schedule(f"s{number}") for number in range(40)]))

    async def plan_all(store: Store, node_id: str) -> list[str]:
        born: list[str] = []
        for _ in range(20):
            turn = Cycle(node_id, harness.now, planner=every(60, Status.RUNNING), plan_limit=5, claim_limit=5)
            born += [run.schedule_id for run in (await store.cycle(turn)).claimed]
        return born

    shares = await asyncio.gather(*(plan_all(store, f"node_{n}") for n, store in enumerate(await handles(harness))))
    assert Counter(each for share in shares for each in share) == Counter(row.id for row in rows)
    assert len(await harness.store.runs(RunFilter())) == len(rows)
    assert {(await harness.saved(row.id)).next_fire_at for row in rows} == {at(60)}


@conformant
async def test_the_same_plan_by_several_is_carried_out_once(harness: StoreHarness) -> None:
    await harness.add(row := schedule())

    async def trigger(store: Store) -> int:
        return len((await store.plan([row.id], Script(Plan(runs=[new_run(row)])))).runs)

    assert sorted(await asyncio.gather(*map(trigger, await handles(harness)))) == [0] * (HANDLES - 1) + [1]


@conformant
async def test_a_settlement_sent_again_by_another_way_counts_once(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))

    async def settle(store: Store) -> list[str]:
        return (await store.cycle(Cycle("node_a", harness.now, [ended(run)]))).refused

    assert await asyncio.gather(*map(settle, await handles(harness))) == [[]] * HANDLES
    assert (await harness.saved(row.id)).total_runs == 1


@conformant
async def test_a_name_saved_by_several_at_once_is_one_schedule(harness: StoreHarness) -> None:
    def keep(before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule | None:
        return row if before is None else None

    async def save(store: Store, number: int) -> list[str]:
        rows = [schedule(name) for name in "abcdef"]
        return await store.save(rows if number % 2 else rows[::-1], keep)

    everyone = await handles(harness)
    answers = await asyncio.gather(*(save(store, number) for number, store in enumerate(everyone)))
    found = [row.id for row in await harness.store.schedules(ScheduleFilter())]
    assert len(found) == 6
    assert [answer if number % 2 else answer[::-1] for number, answer in enumerate(answers)] == [found] * HANDLES


@conformant
async def test_edits_by_several_do_not_overwrite_each_other(harness: StoreHarness) -> None:
    await harness.add(*(rows := [schedule(name) for name in "abc"]))
    ids = [row.id for row in rows]

    def count(row: StoredSchedule) -> StoredSchedule:
        row.fires += 1
        return row

    async def edit(store: Store, number: int) -> None:
        for _ in range(10):
            await store.edit(ids if number % 2 else ids[::-1], count)

    await asyncio.gather(*(edit(store, number) for number, store in enumerate(await handles(harness))))
    assert [(await harness.saved(each)).fires for each in ids] == [10 * HANDLES] * 3


@conformant
async def test_a_free_place_goes_to_one_waiting_run(harness: StoreHarness) -> None:
    policy = Policy(overlap=Overlap.PARALLEL, max_parallel=HANDLES)
    await harness.add(row := schedule(policy=encode_policy(policy)))
    running = await harness.started(*(new_run(row, -99 - number, in_line=True) for number in range(HANDLES)))
    line = [new_run(row, -9 + number, Status.WAITING, in_line=True) for number in range(2 * HANDLES)]
    await harness.put(*line)
    turns = [
        store.cycle(Cycle("node_a", harness.now, [ended(run)]))
        for store, run in zip(await handles(harness), running, strict=True)
    ]
    await asyncio.gather(*turns)
    assert await harness.statuses(*line) == [Status.PENDING] * HANDLES + [Status.WAITING] * HANDLES


@conformant
async def test_a_silent_node_is_rescued_by_one_only(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule())
    await harness.started(run := new_run(row))
    everyone = await handles(harness)
    await harness.silence("node_a")
    rescued = await asyncio.gather(*(store.rescue(harness.now, lambda _policy, _attempt: False) for store in everyone))
    assert sorted(len(each) for each in rescued) == [0] * (HANDLES - 1) + [1]
    seen = await harness.seen(run.id)
    assert (seen.status, seen.fence) == (Status.PENDING, 2)
    assert await harness.told() == ["node.started", "run.rescued", "node.lost"]


@conformant
async def test_processes_share_the_work_and_claim_nothing_twice(shared_harness: StoreHarness) -> None:
    harness = shared_harness
    rows = [schedule(f"s{number}") for number in range(50)]
    await harness.add(*rows)
    runs = [new_run(rows[number % len(rows)], -number, in_line=number % 2 == 0) for number in range(MANY)]
    await harness.put(*runs)
    outputs = await asyncio.to_thread(_claim_together, harness.address)
    shares = [output.splitlines() for output in outputs]
    expected = Counter(f"{run.id} 1 1" for run in runs)
    assert Counter(line for share in shares for line in share) == expected
    assert sum(bool(share) for share in shares) > 1, "one process did everything, which shows nothing"
    totals = [(await harness.saved(row.id)).total_runs for row in rows]
    assert totals == [MANY // len(rows)] * len(rows)


def _claim_together(address: str) -> list[str]:
    """Let processes start, then go all at once; what each of them printed."""
    command = [sys.executable, "-m", "tests.conformance.stores.claimer", address]
    processes = [
        subprocess.Popen(
            [*command, f"node_{number}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        for number in range(PROCESSES)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return outputs
