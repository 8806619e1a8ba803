"""Runs at each of their targets: recorded, summed up, found again after a crash."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from duly.errors import NotFoundError
from duly.model.action import Target
from duly.model.run import Status
from duly.ports.records import StoredSchedule
from duly.ports.targets import TargetRun
from tests.conformance.stores.builders import at, ended, new_run, prompt, schedule
from tests.conformance.stores.harness import StoreHarness, conformant, full


def at_target(run_id: str, project: str = "blog", workspace: str = "", **fields: Any) -> TargetRun:
    return TargetRun(run_id=run_id, project_id=project, workspace_id=workspace, **{"status": "running", **fields})


async def ran(harness: StoreHarness, row: StoredSchedule, seconds: float = 0) -> str:
    run = new_run(row, seconds, Status.MISSED)
    await harness.put(run)
    return run.id


@conformant
async def test_every_field_of_a_target_comes_back(full_harness: StoreHarness) -> None:
    await full_harness.add(row := prompt("a", Target("blog")))
    whole = at_target(
        await ran(full_harness, row),
        workspace="main",
        status="failed",
        session_id="0b0c",
        result='{"text":"„fertig“"}',
        error="it\nbroke",
        cost_usd=0.1,
        pid=2**40,
        pid_started="123.45",
        boot_id="boot",
        started_at=at(1.000001),
        finished_at=at(2),
    )
    targets = full(full_harness.store).targets
    await targets.record_target(whole)
    assert await targets.target_runs(whole.run_id) == [whole]
    bare = at_target(whole.run_id, workspace="main")
    await targets.record_target(bare)
    assert await targets.target_runs(whole.run_id) == [bare]


@conformant
async def test_the_targets_of_a_run_come_in_order_of_their_names(full_harness: StoreHarness) -> None:
    await full_harness.add(row := prompt("a"))
    first, second = await ran(full_harness, row), await ran(full_harness, row, 1)
    targets = full(full_harness.store).targets
    for project, workspace in (("shop", ""), ("", ""), ("blog", "x"), ("Blog", "x"), ("blog", "")):
        await targets.record_target(at_target(first, project, workspace))
    await targets.record_target(at_target(second, "blog"))
    found = [(each.project_id, each.workspace_id) for each in await targets.target_runs(first)]
    assert found == [("", ""), ("Blog", "x"), ("blog", ""), ("blog", "x"), ("shop", "")]
    assert await targets.target_runs("run_nobody") == []


@conformant
async def test_nothing_is_noted_about_a_run_that_is_not_there(full_harness: StoreHarness) -> None:
    targets = full(full_harness.store).targets
    with pytest.raises(NotFoundError, match="run_nobody"):
        await targets.record_target(at_target("run_nobody"))
    assert await targets.target_runs("run_nobody") == []


@conformant
async def test_an_error_is_stored_with_any_characters(full_harness: StoreHarness) -> None:
    await full_harness.add(row := prompt("a"))
    run_id = await ran(full_harness, row)
    targets = full(full_harness.store).targets
    await targets.record_target(at_target(run_id, status="failed", error="half \ud83e and nothing \0, the end"))
    [noted] = await targets.target_runs(run_id)
    assert noted.error is not None
    assert noted.error.startswith("half ")
    assert noted.error.endswith(", the end")


@conformant
async def test_targets_go_with_their_run(full_harness: StoreHarness) -> None:
    await full_harness.add(row := prompt("a"))
    run_id = await ran(full_harness, row)
    targets = full(full_harness.store).targets
    await targets.record_target(at_target(run_id, pid=1))
    await full_harness.store.prune(at(3600), 100)
    assert await full_harness.store.get_run(run_id) is None
    assert await targets.target_runs(run_id) == []
    assert await targets.unfinished() == []


@conformant
async def test_what_a_schedule_has_spent_since_a_time(full_harness: StoreHarness) -> None:
    await full_harness.add(row := prompt("a"), other := prompt("b"))
    targets = full(full_harness.store).targets
    assert await targets.spent(row.id, at(0)) == 0.0

    async def costs(of: StoredSchedule, seconds: float, **projects: float | None) -> None:
        run_id = await ran(full_harness, of, seconds)
        for project, cost in projects.items():
            await targets.record_target(at_target(run_id, project, cost_usd=cost, started_at=at(seconds)))

    await costs(row, 10, blog=1.0, shop=0.25)
    await costs(row, 20, blog=2.0, shop=None)
    await costs(other, 20, blog=64.0)
    since: dict[datetime, float] = {at(0): 3.25, at(10): 3.25, at(10.000001): 2.0, at(20): 2.0, at(20.000001): 0.0}
    for moment, expected in since.items():
        assert await targets.spent(row.id, moment) == expected
    assert await targets.spent("sched_nobody", at(0)) == 0.0


@conformant
async def test_a_target_that_does_not_say_when_it_started_started_with_its_run(full_harness: StoreHarness) -> None:
    await full_harness.add(row := schedule("a"))
    await full_harness.join("node_a")
    [run] = await full_harness.started(new_run(row))
    targets = full(full_harness.store).targets
    await targets.record_target(at_target(run.run_id, cost_usd=0.5))
    assert await targets.spent(row.id, full_harness.now) == 0.5
    assert await targets.spent(row.id, at(1)) == 0.0


@conformant
async def test_unfinished_are_those_said_to_have_a_process(full_harness: StoreHarness) -> None:
    await full_harness.add(row := prompt("a"))
    first, second = await ran(full_harness, row), await ran(full_harness, row, 1)
    left = [
        at_target(first, "blog", pid=7, pid_started="then", boot_id="boot"),
        at_target(first, "shop", "main", pid=8),
        at_target(second, "blog", pid=9, started_at=at(1)),
    ]
    over = [
        at_target(first, "not started"),
        at_target(second, "done", status="succeeded", pid=10),
        at_target(second, "broken", status="failed", pid=11),
    ]
    targets = full(full_harness.store).targets
    for each in (*reversed(left), *over):
        await targets.record_target(each)
    assert await targets.unfinished() == left
    await targets.record_target(replace(left[1], status="failed", finished_at=at(2)))
    assert await targets.unfinished() == [left[0], left[2]]


@conformant
async def test_another_process_finds_what_was_left_behind(full_harness: StoreHarness) -> None:
    await full_harness.add(row := prompt("a", Target("blog")))
    mine = at_target(await ran(full_harness, row), pid=7)
    await full(full_harness.store).targets.record_target(mine)
    await full(full_harness.store).targets.pin_session(row.id, "blog", "", "b1")
    other = full(await full_harness.another())
    assert await other.targets.unfinished() == [mine]
    assert await other.targets.session(row.id, "blog", "") == "b1"


@conformant
async def test_one_run_at_a_time_begins_with_a_session(full_harness: StoreHarness) -> None:
    await full_harness.add(row := schedule("a"), other := schedule("b"))
    await full_harness.join("node_a")
    runs = await full_harness.started(*(new_run(row, -each) for each in range(3)), new_run(other))
    first, second, third, elsewhere = [each.run_id for each in runs]
    targets = full(full_harness.store).targets

    async def begins(run_id: str, session: str | None) -> bool:
        return await targets.begin_target(at_target(run_id, session_id=session))

    assert await begins(first, "s")
    assert not await begins(second, "s")
    assert await targets.target_runs(second) == []
    assert [await begins(third, "t"), await begins(elsewhere, "s"), await begins(second, None)] == [True] * 3
    assert await begins(first, "s")  # again, after it was lost
    await targets.record_target(at_target(first, status="failed", session_id="s"))
    assert await begins(second, "s")
    [over] = [each for each in runs if each.run_id == second]
    await full_harness.turn(ended(over, 9))  # it has ended, although its target is still running
    assert await begins(first, "s")
    with pytest.raises(NotFoundError, match="run_nobody"):
        await begins("run_nobody", None)


@conformant
async def test_of_several_processes_one_begins_with_a_session(full_harness: StoreHarness) -> None:
    await full_harness.add(row := schedule("a"))
    await full_harness.join("node_a")
    stores = [full(full_harness.store), *[full(await full_harness.another()) for _ in range(2)]]
    for number in range(5):
        runs = await full_harness.started(*(new_run(row, -3 * number - each) for each in range(3)))
        begun = await asyncio.gather(
            *(
                store.targets.begin_target(at_target(run.run_id, session_id=f"s-{number}"))
                for store, run in zip(stores, runs, strict=True)
            )
        )
        assert sorted(begun) == [False, False, True]
