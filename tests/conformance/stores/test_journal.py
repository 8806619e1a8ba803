"""Reading the journal: page by page, the newest entries first, and only what was asked for."""

from __future__ import annotations

from collections.abc import Iterable

from duly.model.action import Target
from duly.model.events import NODE_STARTED, RUN_FAILED, RUN_SKIPPED, SCHEDULE_CREATED, Event
from duly.ports.records import EventFilter
from tests.conformance.stores.builders import at, prompt, schedule
from tests.conformance.stores.harness import StoreHarness, conformant

KINDS = (RUN_FAILED, RUN_SKIPPED, SCHEDULE_CREATED)


async def fill(harness: StoreHarness) -> None:
    """A dozen events of two schedules and four runs, and one of a node."""
    for number in range(12):
        event = Event(
            KINDS[number % 3], at(number), f"sched_{number % 2}", f"run_{number % 4}", data={"number": number}
        )
        await harness.store.record([event])
    await harness.store.record([Event(NODE_STARTED, at(12), node_id="node_a", data={"number": 12})])


def numbers(entries: Iterable[tuple[int, Event]]) -> list[int]:
    return [event.data["number"] for _, event in entries]


@conformant
async def test_the_newest_come_first_and_pages_follow_each_other(harness: StoreHarness) -> None:
    await fill(harness)
    first = await harness.store.events(EventFilter(limit=5))
    assert numbers(first) == [12, 11, 10, 9, 8]
    second = await harness.store.events(EventFilter(limit=5, before=first[-1][0]))
    assert numbers(second) == [7, 6, 5, 4, 3]
    assert numbers(await harness.store.events(EventFilter(after=first[2][0]))) == [12, 11]
    everything = await harness.store.events(EventFilter())
    assert everything[::-1] == await harness.store.journal(0, 100)


@conformant
async def test_events_are_found_by_schedule_run_kind_and_time(harness: StoreHarness) -> None:
    await fill(harness)

    async def found(**wanted: object) -> list[int]:
        return numbers(await harness.store.events(EventFilter(**wanted)))  # type: ignore[arg-type]

    assert await found(schedule_id="sched_1") == [11, 9, 7, 5, 3, 1]
    assert await found(run_id="run_2") == [10, 6, 2]
    assert await found(schedule_id="sched_1", run_id="run_2") == []
    assert await found(schedule_id="sched_0", run_id="run_2", limit=2) == [10, 6]
    assert await found(names=("run.failed",)) == [9, 6, 3, 0]
    assert await found(names=("run.failed", "node.started"), limit=3) == [12, 9, 6]
    assert await found(since=at(10)) == [12, 11, 10]
    assert await found(until=at(2)) == [1, 0]
    assert await found(schedule_id="sched_0", names=("run.failed",), since=at(1), until=at(10)) == [6]
    assert await found(names=("unheard.of",)) == []


@conformant
async def test_events_are_found_by_whose_schedules_they_are_about(harness: StoreHarness) -> None:
    mine = schedule("mine", namespace="user:ada")
    ours = prompt("ours", Target("a"), Target("b"), namespace="project:a")
    gone = prompt("gone", Target("a"), namespace="project:a", deleted_at=at(1))
    await harness.add(mine, ours, gone)
    rows = (mine, ours, gone, schedule("unknown"))
    events = [Event(RUN_FAILED, at(number), row.id, data={"number": number}) for number, row in enumerate(rows)]
    await harness.store.record([*events, Event(NODE_STARTED, at(9), node_id="n", data={"number": 9})])
    assert numbers(await harness.store.events(EventFilter(namespace="user:ada"))) == [0]
    assert numbers(await harness.store.events(EventFilter(project="b"))) == [1]
    assert numbers(await harness.store.events(EventFilter(project="a"))) == [2, 1]
    assert numbers(await harness.store.events(EventFilter(project="a", schedule_id=ours.id))) == [1]
    assert await harness.store.events(EventFilter(project="b", schedule_id=mine.id)) == []
    assert await harness.store.events(EventFilter(namespace="user:eve")) == []
