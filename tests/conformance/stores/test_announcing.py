"""Listeners get durable events after the commit: each once, in order, and none of a rolled-back transaction.

What a store announces and what its journal says must be the same story.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import pytest

from duly import failpoints
from duly.errors import InvalidInputError
from duly.model.events import RUN_FAILED, RUN_SKIPPED, RUN_STARTED, SCHEDULE_CREATED, SCHEDULE_UPDATED, Event
from duly.model.run import Status
from duly.ports.records import Claimed, Plan, Settlement, Standing
from duly.ports.store import Reconciliation
from tests.conformance.stores.builders import Script, at, due_schedule, ended, new_run, noting, schedule
from tests.conformance.stores.harness import StoreHarness, conformant


def listen(harness: StoreHarness) -> list[Event]:
    """What the store of a world announces from here on."""
    told: list[Event] = []
    harness.store.on_event(told.append)
    return told


def failure(run: Claimed, seconds: float = 0) -> Settlement:
    """The end of an attempt that failed for good, with what there is to tell of it."""
    event = Event(RUN_FAILED, at(seconds), run.schedule_id, run.run_id, data={"name": run.name, "error": "boom"})
    return ended(run, seconds, Status.FAILED, error="boom", events=[event])


def never(_policy: str, _lost: int) -> bool:
    return False


@pytest.fixture
def armed() -> Iterator[None]:
    yield
    failpoints.disarm()


@conformant
async def test_listeners_get_the_events_of_a_call_before_it_returns(harness: StoreHarness) -> None:
    told = listen(harness)

    async def told_by_now() -> None:
        assert told == await harness.journal()

    await harness.join("node_a", "node_b")
    await told_by_now()
    row = due_schedule("a")
    await harness.store.save(
        [row], lambda _before, row: row, noting(Event(SCHEDULE_CREATED, at(0), row.id, data={"name": "a"}))
    )
    await told_by_now()
    updated = noting(Event(SCHEDULE_UPDATED, at(0)))
    await harness.store.edit([row.id], lambda row: replace(row, description="new"), updated)
    await told_by_now()
    await harness.store.plan([row.id], Script(Plan(events=[Event(RUN_SKIPPED, at(0), row.id)])))
    await told_by_now()
    runs = await harness.started(*(new_run(row, -number) for number in range(1, 5)))
    await harness.turn(
        failure(runs[0]),
        planner=Script(Plan(events=[Event(RUN_SKIPPED, at(1), row.id)])),
        plan_limit=1,
        events=[Event(SCHEDULE_UPDATED, at(1)), Event(RUN_STARTED, at(1))],
    )
    await told_by_now()
    await harness.store.cancel(runs[1].run_id, at(2), "enough")
    await harness.turn(ended(runs[1], 2, Status.CANCELLED))
    await told_by_now()
    await harness.silence("node_a")
    await harness.store.rescue(at(3), never)
    await told_by_now()
    await harness.store.deregister("node_b", at(4))
    await told_by_now()
    await harness.store.record([Event(SCHEDULE_UPDATED, at(5))])
    await told_by_now()
    assert {event.kind.name for event in told} == {
        "node.started",
        "schedule.created",
        "schedule.updated",
        "run.skipped",
        "run.failed",
        "run.cancelled",
        "run.rescued",
        "node.lost",
        "node.stopped",
    }


@conformant
async def test_what_a_reconciliation_writes_is_told_once(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a"))
    await harness.put(unbegun := new_run(row))
    told = listen(harness)
    event = Event(SCHEDULE_UPDATED, at(0), row.id, data={"name": "a"})

    def decide(_standings: Sequence[Standing], _living: Collection[str]) -> Reconciliation:
        return Reconciliation(
            rows=[], merge=lambda _, row: row, events=[event], call_off=[unbegun.id], at=at(0), reason="not wanted"
        )

    await harness.store.reconcile("default", decide)
    assert [each.kind.name for each in told] == ["run.cancelled", "schedule.updated"]
    assert told == await harness.journal()


@conformant
async def test_others_are_not_told_what_this_process_wrote(harness: StoreHarness) -> None:
    other, heard = await harness.another(), list[Event]()
    other.on_event(heard.append)
    told = listen(harness)
    await harness.store.record([Event(RUN_FAILED, at(0))])
    assert (len(told), heard) == (1, [])


@conformant
async def test_what_was_rolled_back_is_not_told(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule())
    [run] = await harness.started(new_run(row, -1))
    told = listen(harness)

    def broken(_due: object) -> Plan:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await harness.turn(failure(run), planner=broken, plan_limit=1)
    await harness.store.record([Event(SCHEDULE_UPDATED, at(1))])
    assert [event.kind.name for event in told] == ["schedule.updated"]


@conformant
async def test_of_work_that_is_committed_together_only_what_succeeded_is_told(harness: StoreHarness) -> None:
    await harness.add(schedule("taken"))
    told = listen(harness)

    async def rename(name: str) -> None:
        row = schedule(f"free-{name}")
        event = Event(SCHEDULE_CREATED, at(0), row.id, data={"name": name})
        await harness.store.save([row], lambda _before, row: replace(row, name=name), noting(event))

    outcomes = await asyncio.gather(*map(rename, ("x", "taken", "y")), return_exceptions=True)
    assert [type(each) for each in outcomes] == [type(None), InvalidInputError, type(None)]
    assert sorted(event.data["name"] for event in told) == ["x", "y"]
    assert told == await harness.journal()


@conformant
async def test_what_may_or_may_not_be_committed_is_not_told(shared_harness: StoreHarness, armed: None) -> None:
    told = listen(shared_harness)
    kind = type(shared_harness.store).__name__.removesuffix("Store").lower()
    failpoints.arm(f"{kind}.after_commit")
    with pytest.raises(failpoints.FailpointError):
        await shared_harness.store.record([Event(RUN_FAILED, at(0))])
    assert told == []
    assert len(await shared_harness.journal()) == 1


@conformant
async def test_what_was_committed_is_told_although_its_caller_has_gone_away(shared_harness: StoreHarness) -> None:
    heard = asyncio.Event()
    shared_harness.store.on_event(lambda _event: heard.set())
    asking = asyncio.ensure_future(shared_harness.store.record([Event(RUN_FAILED, at(0))]))
    await asyncio.sleep(0)
    asking.cancel()
    async with asyncio.timeout(60):
        await heard.wait()
    assert len(await shared_harness.journal()) == 1


@conformant
async def test_a_listener_that_fails_stops_neither_the_work_nor_the_others(
    harness: StoreHarness, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_event: Event) -> None:
        raise ZeroDivisionError

    harness.store.on_event(broken)
    told = listen(harness)
    await harness.store.record([Event(RUN_FAILED, at(0)), Event(SCHEDULE_UPDATED, at(1))])
    assert [event.kind.name for event in told] == ["run.failed", "schedule.updated"]
    assert [record.getMessage() for record in caplog.records] == [
        "a listener failed on run.failed",
        "a listener failed on schedule.updated",
    ]


@conformant
async def test_what_a_lost_owner_says_of_its_end_is_not_on_the_record(harness: StoreHarness) -> None:
    await harness.join("node_a", "node_b")
    await harness.add(row := schedule())
    [lost] = await harness.started(new_run(row))
    await harness.silence("node_a")
    await harness.store.rescue(at(1), never)
    harness.clock.advance(1)
    [again] = await harness.claim("node_b")
    told = listen(harness)
    assert (await harness.turn(failure(lost, 2))).refused == [lost.run_id]
    await harness.turn(ended(again, 3), node_id="node_b")
    assert (await harness.turn(failure(lost, 4))).refused == [lost.run_id]
    assert (await harness.seen(lost.run_id)).status is Status.SUCCEEDED
    assert told == []
    assert "run.failed" not in await harness.told()


@conformant
async def test_an_end_that_is_told_twice_is_on_the_record_once(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    [run] = await harness.started(new_run(row))
    told = listen(harness)
    await harness.turn(failure(run), failure(run))
    assert (await harness.turn(failure(run))).refused == []
    assert [event.kind.name for event in told] == ["run.failed"]
    assert await harness.told() == ["run.failed"]


@conformant
async def test_a_run_that_stopped_as_it_was_asked_to_is_told_with_the_reason(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a"))
    [run] = await harness.started(new_run(row))
    told = listen(harness)
    await harness.store.cancel(run.run_id, at(1), "not today")
    await harness.turn(ended(run, 2, Status.CANCELLED))
    [event] = told
    assert (event.kind.name, event.run_id, event.data) == (
        "run.cancelled",
        run.run_id,
        {"name": "a", "reason": "not today"},
    )


@conformant
async def test_a_fire_that_has_its_run_already_is_not_told_again(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule())
    await harness.put(new_run(row, 0, Status.SKIPPED))
    told = listen(harness)
    again, fresh = new_run(row, 0, Status.SKIPPED), new_run(row, 1, Status.SKIPPED)
    events = [Event(RUN_SKIPPED, at(0), row.id, run.id) for run in (again, fresh)]
    await harness.store.plan([row.id], Script(Plan(runs=[again, fresh], events=events)))
    assert told == [events[1]]
    last = [new_run(row, 0, Status.SKIPPED), new_run(row, 2, Status.SKIPPED)]
    events += [Event(RUN_SKIPPED, at(0), row.id, run.id) for run in last]
    await harness.turn(planner=Script(Plan(runs=last, events=events[2:])), plan_limit=1)
    assert told == [events[1], events[3]] == await harness.journal()
