"""Finding what may need attention: each kind, and never more than a limit."""

from __future__ import annotations

from duly.model.run import Status
from tests.conformance.stores.builders import JOB, at, due_schedule, names, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant


async def found(harness: StoreHarness, *served: str, limit: int = 100, ended_after: float = -100) -> list[str]:
    """The names of the schedules a store finds."""
    troubled = await harness.store.troubled(harness.now, served, ended_after=at(ended_after), limit=limit)
    assert [row.id for row in troubled.rows] == sorted(row.id for row in troubled.rows)
    return names(troubled.rows)


@conformant
async def test_nothing_needs_attention_in_an_empty_store(harness: StoreHarness) -> None:
    troubled = await harness.store.troubled(harness.now, (), ended_after=at(0), limit=100)
    assert (troubled.rows, troubled.held_up) == ([], {})


@conformant
async def test_schedules_that_fail_are_found_and_those_a_person_paused_are_not(harness: StoreHarness) -> None:
    await harness.add(
        schedule("well"),
        schedule("fails", failing_since=at(-500), consecutive_failures=3),
        schedule("paused", failing_since=at(-5), enabled=False, disabled_by="person"),
        schedule("over", failing_since=at(-5), enabled=False, disabled_by="finished"),
        schedule("long over", failing_since=at(-101), enabled=False, disabled_by="finished"),
        schedule("deleted", failing_since=at(-5), deleted_at=at(-1)),
    )
    assert await found(harness) == ["fails", "over"]


@conformant
async def test_schedules_in_quarantine_and_at_rest_are_found(harness: StoreHarness) -> None:
    await harness.add(
        schedule("unreadable", enabled=False, quarantine="?"),
        schedule("unreadable, deleted", enabled=False, quarantine="?", deleted_at=at(-1)),
        schedule("rests", resting="the folder is missing", resting_since=at(-3)),
        schedule("rests, deleted", resting="the folder is missing", deleted_at=at(-1)),
    )
    assert await found(harness) == ["unreadable", "rests"]


@conformant
async def test_due_schedules_are_found_and_coming_ones_only_without_a_server(harness: StoreHarness) -> None:
    await harness.add(
        due_schedule("due", -60),
        due_schedule("due now", 0),
        due_schedule("coming", 60),
        due_schedule("coming, unserved", 70, handler="job:gone"),
        due_schedule("deleted", -60, deleted_at=at(-1)),
        schedule("sleeps", handler="job:gone"),
    )
    assert await found(harness, JOB) == ["due", "due now", "coming, unserved"]
    assert await found(harness, JOB, "job:gone") == ["due", "due now"]


@conformant
async def test_runs_that_wait_lead_to_their_schedules_with_the_oldest_time(harness: StoreHarness) -> None:
    rows = [schedule(name, handler=f"job:{name}") for name in "abc"]
    await harness.add(*rows)
    await harness.join("node_a")
    await harness.put(new_run(rows[0], -9), new_run(rows[0], -60), new_run(rows[1], -5), new_run(rows[2], 5))
    await harness.put(new_run(rows[2], -9, Status.WAITING), new_run(rows[2], -8, Status.MISSED))
    troubled = await harness.store.troubled(harness.now, (), ended_after=at(0), limit=100)
    assert troubled.held_up == {rows[0].id: at(-60), rows[1].id: at(-5)}
    assert names(troubled.rows) == ["a", "b"]
    hindered = await harness.store.hindered(harness.now, limit=100)
    assert (hindered.rows, hindered.held_up) == ([], troubled.held_up)


@conformant
async def test_no_more_than_the_limit_of_each_kind_is_found(harness: StoreHarness) -> None:
    await harness.add(*(schedule(f"fails {n}", failing_since=at(-n)) for n in range(1, 6)))
    await harness.add(*(due_schedule(f"due {n}", -n) for n in range(5)))
    await harness.add(*(schedule(f"bad {n}", enabled=False, quarantine="?") for n in range(5)))
    assert sorted(await found(harness, JOB, limit=2)) == ["bad 0", "bad 1", "due 3", "due 4", "fails 4", "fails 5"]


@conformant
async def test_counts_of_the_overview_can_be_bounded(harness: StoreHarness) -> None:
    rows = [schedule(f"s{n}", handler=f"job:{n % 2}") for n in range(6)]
    await harness.add(*rows)
    await harness.put(*(new_run(row, -n) for n in range(1, 4) for row in rows))
    whole = await harness.store.overview(harness.now)
    assert (whole.schedules, whole.enabled, whole.pending, whole.unserved) == (6, 6, 18, {"job:0": 9, "job:1": 9})
    short = await harness.store.overview(harness.now, 4)
    assert (short.schedules, short.enabled, short.pending, short.unserved) == (4, 4, 4, {"job:0": 4, "job:1": 4})
    assert short.oldest_due_at == at(-3)


@conformant
async def test_the_overview_tells_a_schedule_that_was_not_planned_from_a_run_that_waits(harness: StoreHarness) -> None:
    await harness.add(row := due_schedule("a", -5), due_schedule("b", -3))
    await harness.put(new_run(row, -9))
    overview = await harness.store.overview(harness.now)
    assert (overview.oldest_due_at, overview.oldest_unplanned_at) == (at(-9), at(-5))
