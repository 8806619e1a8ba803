"""Schedules whose handler no node serves any more are not planned."""

from __future__ import annotations

from tests.conformance.stores.builders import JOB, at, due_schedule, names, schedule
from tests.conformance.stores.harness import StoreHarness, conformant


@conformant
async def test_the_schedules_of_a_handler_without_a_node_are_not_planned(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.store.register(harness.node("node_b", ["job:b"]))
    ours, other = due_schedule("ours", 5), due_schedule("other", 5, handler="job:b")
    await harness.add(ours, other)
    await harness.silence("node_a")
    await harness.store.rest(JOB)
    asleep, awake = await harness.store.get(ours.id), await harness.store.get(other.id)
    assert asleep is not None
    assert (asleep.next_run_at, asleep.next_fire_at, asleep.enabled) == (None, at(5), True)
    assert awake == other


@conformant
async def test_schedules_that_another_node_serves_are_still_planned(harness: StoreHarness) -> None:
    await harness.join("node_a", "node_b")
    await harness.add(row := due_schedule(seconds=5))
    await harness.store.deregister("node_a", harness.now)
    await harness.store.rest(JOB)
    assert await harness.store.get(row.id) == row
    await harness.store.deregister("node_b", harness.now)
    await harness.store.rest(JOB)
    asleep = await harness.store.get(row.id)
    assert asleep is not None
    assert asleep.next_run_at is None


@conformant
async def test_a_store_tells_what_each_living_node_serves(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.store.register(harness.node("node_b", ["job:b", "project:blog"]))
    assert await harness.store.serving() == {"node_a": {JOB}, "node_b": {"job:b", "project:blog"}}
    await harness.store.register(harness.node("node_b", ["job:b"]))
    await harness.silence("node_a")
    assert await harness.store.serving() == {"node_b": {"job:b"}}


@conformant
async def test_a_daemon_reviews_the_jobs_and_prompts_of_its_file_and_faces(harness: StoreHarness) -> None:
    await harness.add(
        due_schedule("of the file", 5, source="toml"),
        due_schedule("through a face", 5, created_via="mcp"),
        due_schedule("of an application", 5),
        due_schedule("a reminder", 5, created_via="cli", handler="message"),
        schedule("paused", created_via="cli", enabled=False),
        due_schedule("deleted", 5, created_via="cli", deleted_at=at(1)),
        schedule("rests", source="toml", next_fire_at=at(5), resting="the folder is missing", resting_since=at(1)),
        schedule("rests, paused", created_via="cli", enabled=False, resting="the folder is missing"),
        schedule("rests, deleted", created_via="cli", resting="the folder is missing", deleted_at=at(1)),
    )
    planned = await harness.store.to_review(resting=False)
    assert names(planned) == ["of the file", "through a face"]
    assert names(await harness.store.to_review(resting=False, limit=1)) == ["of the file"]
    assert names(await harness.store.to_review(resting=False, after=planned[0].id)) == ["through a face"]
    assert names(await harness.store.to_review(resting=True)) == ["rests", "rests, paused"]
