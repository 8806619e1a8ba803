"""Saving, editing and finding schedules."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from duly.errors import InvalidInputError, StoreUnavailableError
from duly.model.events import RUN_STARTED, SCHEDULE_CREATED, SCHEDULE_DELETED, SCHEDULE_UPDATED, Event
from duly.model.run import Status
from duly.ports.changes import Change
from duly.ports.records import SCHEDULE_COLUMNS, Plan, StoredSchedule
from tests.conformance.stores.builders import START, Script, at, new_run, noting, schedule
from tests.conformance.stores.harness import StoreHarness, conformant

FULL = StoredSchedule(
    id="sched_full",
    namespace="butler:james",
    name="Frühstück „um acht“ 🥐",
    trigger='{"kind": "cron", "expression": "0 8 * * *"}',
    action='{"kind": "message", "text": "it\'s ready; -- DROP TABLE"}',
    policy='{"overlap": "queue"}',
    handler="message",
    description="",
    source="toml",
    created_by="token:tok_1",
    max_runs=3,
    start_at=at(1),
    end_at=at(2.000001),
    until_at=datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    timezone="Europe/Zagreb",
    display_title="Breakfast",
    calendar_event_id="cal-1",
    enabled=False,
    next_fire_at=at(3),
    next_run_at=at(4),
    watermark=datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    fires=2,
    version=7,
    last_run_at=at(5),
    last_status="failed",
    last_result='{"error": "boom"}',
    consecutive_failures=4,
    total_runs=9,
    quarantine="cannot be read",
    created_at=at(6),
    updated_at=at(7),
    deleted_at=None,
    disabled_by="person",
    token_scope='{"projects": ["blog"]}',  # noqa: S106  a scope, no secret
    created_via="mcp",
    original_text="every morning at eight, „bitte“",
    resting="project 'blog': the folder is missing",
    resting_since=at(8),
    failing_since=at(9),
    changed_by="tok_2",
)


def keep(before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule:
    """The merge most callers use: a known name keeps its id."""
    return row if before is None else replace(row, id=before.id, version=before.version + 1)


@conformant
async def test_every_field_comes_back_as_it_went_in(harness: StoreHarness) -> None:
    assert all(getattr(FULL, each.name) != each.default for each in SCHEDULE_COLUMNS if each.name != "deleted_at")
    await harness.add(FULL)
    assert await harness.saved(FULL.id) == FULL
    assert await harness.store.find(FULL.namespace, FULL.name) == FULL


@conformant
async def test_every_field_can_be_absent(harness: StoreHarness) -> None:
    bare = schedule()
    await harness.add(bare)
    assert await harness.saved(bare.id) == bare


@conformant
async def test_every_field_can_be_replaced(harness: StoreHarness) -> None:
    await harness.add(row := schedule())
    changed = replace(FULL, id=row.id)
    assert (await harness.store.edit([row.id], lambda _: changed)).rows == [changed]
    assert await harness.saved(row.id) == changed


@conformant
async def test_times_of_any_zone_are_the_same_instants(harness: StoreHarness) -> None:
    tokyo = timezone(timedelta(hours=9))
    await harness.add(row := schedule(next_run_at=datetime(2026, 1, 1, 9, tzinfo=tokyo)))
    found = (await harness.saved(row.id)).next_run_at
    assert found == START
    assert found is not None
    assert found.astimezone(UTC) == START


@conformant
async def test_saving_gives_the_id_each_name_has_now(harness: StoreHarness) -> None:
    first = [schedule("a"), schedule("b")]
    assert await harness.store.save(first, keep) == [row.id for row in first]
    again = [schedule("c"), schedule("b", description="new"), schedule("a")]
    assert await harness.store.save(again, keep) == [again[0].id, first[1].id, first[0].id]
    changed = await harness.saved(first[1].id)
    assert (changed.description, changed.version) == ("new", 2)
    assert await harness.store.get(again[1].id) is None


@conformant
async def test_saving_nothing_is_nothing(harness: StoreHarness) -> None:
    assert await harness.store.save([], keep) == []
    assert await harness.told() == []


@conformant
async def test_merge_sees_what_is_there_and_what_was_handed_in(harness: StoreHarness) -> None:
    await harness.add(there := schedule("a", description="old"))
    seen: list[tuple[StoredSchedule | None, StoredSchedule]] = []

    def merge(before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule:
        seen.append((before, row))
        return before or row

    rows = [schedule("a"), schedule("b")]
    await harness.store.save(rows, merge)
    assert seen == [(there, rows[0]), (None, rows[1])]


@conformant
async def test_a_merge_that_wants_no_change_leaves_it_as_it_is(harness: StoreHarness) -> None:
    await harness.add(there := schedule("a", description="old"))
    assert await harness.store.save([schedule("a", description="new")], lambda _before, _row: None) == [there.id]
    assert await harness.saved(there.id) == there


@conformant
async def test_there_is_nothing_to_leave_as_it_is_under_a_new_name(harness: StoreHarness) -> None:
    with pytest.raises(InvalidInputError, match="default/a"):
        await harness.store.save([schedule("a")], lambda _before, _row: None)


@conformant
async def test_saving_is_all_or_nothing(harness: StoreHarness) -> None:
    await harness.add(there := schedule("a", description="old"))

    def merge(before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule:
        if row.name == "c":
            raise ZeroDivisionError("the third row is bad")
        return keep(before, row)

    rows = [schedule("a", description="new"), schedule("b"), schedule("c"), schedule("d")]
    with pytest.raises(ZeroDivisionError):
        await harness.store.save(rows, merge, noting(Event(SCHEDULE_UPDATED, START, there.id)))
    assert await harness.saved(there.id) == there
    assert [await harness.store.find("default", name) for name in "bcd"] == [None, None, None]
    assert await harness.told() == []


@conformant
async def test_the_same_name_twice_in_one_call_is_one_schedule(harness: StoreHarness) -> None:
    first, second, third = (schedule("a", description=text) for text in ("one", "two", "three"))
    assert await harness.store.save([first, second, third], keep) == [first.id] * 3
    row = await harness.saved(first.id)
    assert (row.description, row.version) == ("three", 3)


@conformant
async def test_of_several_changes_to_one_schedule_in_one_call_each_builds_on_the_one_before(
    harness: StoreHarness,
) -> None:
    rows = [schedule("a"), schedule("b")]
    await harness.add(*rows)
    later = [at(60), at(120)]

    def merge(before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule | None:
        assert before is not None
        if row.next_run_at is None:
            return replace(before, description=row.description)
        return replace(before, next_fire_at=row.next_run_at, next_run_at=row.next_run_at)

    described = [schedule(name, description="told") for name in "ab"]
    first, second = (schedule("a", next_run_at=each) for each in later)
    await harness.store.save([first, described[0], second, described[1], replace(second, name="b")], merge)
    for row in rows:
        found = await harness.saved(row.id)
        assert (found.description, found.next_fire_at, found.next_run_at) == ("told", later[1], later[1])


@conformant
async def test_names_are_unique_within_a_namespace_only(harness: StoreHarness) -> None:
    here, there = schedule("a", namespace="here"), schedule("a", namespace="there")
    assert await harness.store.save([here, there], keep) == [here.id, there.id]
    assert await harness.store.find("here", "a") == here
    assert await harness.store.find("there", "a") == there
    assert await harness.store.find("elsewhere", "a") is None
    assert await harness.store.find("here", "A") is None


@conformant
async def test_a_name_is_free_again_after_its_schedule_was_deleted(harness: StoreHarness) -> None:
    await harness.add(old := schedule("a"))
    await harness.store.edit([old.id], delete)
    assert await harness.store.find("default", "a") is None
    new = schedule("a")
    assert await harness.store.save([new], keep) == [new.id]
    assert await harness.store.find("default", "a") == new
    assert (await harness.saved(old.id)).deleted_at == at(9)
    await harness.store.edit([new.id], delete)  # two deleted schedules may have had one name


@conformant
async def test_an_id_names_one_schedule(harness: StoreHarness) -> None:
    await harness.add(there := schedule("a"))
    with pytest.raises(InvalidInputError):
        await harness.add(schedule("b", id=there.id))
    assert await harness.saved(there.id) == there


@conformant
async def test_changing_a_returned_schedule_does_not_change_the_store(harness: StoreHarness) -> None:
    row = schedule("a")
    await harness.add(row)
    row.name = "changed behind its back"
    for found in (await harness.saved(row.id), (await harness.store.edit([row.id], lambda _: None)).rows[0]):
        found.name = "changed behind its back"
    assert (await harness.saved(row.id)).name == "a"


@conformant
async def test_editing_reads_changes_and_writes(harness: StoreHarness) -> None:
    rows = [schedule(name) for name in "abc"]
    await harness.add(*rows)

    def change(row: StoredSchedule) -> StoredSchedule | None:
        return None if row.name == "b" else replace(row, description="changed")

    wanted = [rows[2].id, "sched_nobody", rows[1].id, rows[0].id]
    answer = (await harness.store.edit(wanted, change)).rows
    assert [(row.name, row.description) for row in answer] == [("c", "changed"), ("b", None), ("a", "changed")]
    assert [(await harness.saved(row.id)).description for row in rows] == ["changed", None, "changed"]
    assert (await harness.store.edit([], change)).rows == []


@conformant
async def test_a_change_may_be_made_in_place(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a"))
    await harness.put(pending := new_run(row))

    def in_place(found: StoredSchedule) -> StoredSchedule:
        found.deleted_at = found.updated_at = at(9)
        return found

    await harness.store.edit([row.id], in_place)
    assert (await harness.saved(row.id)).deleted_at == at(9)
    assert await harness.statuses(pending) == [Status.CANCELLED]


@conformant
async def test_a_change_that_was_not_wanted_after_all_is_not_shown(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a"))

    def undecided(found: StoredSchedule) -> None:
        found.description = "no, rather not"

    assert (await harness.store.edit([row.id], undecided)).rows == [row]
    assert await harness.saved(row.id) == row


@conformant
async def test_an_edit_that_raises_changes_nothing(harness: StoreHarness) -> None:
    rows = [schedule(name) for name in "ab"]
    await harness.add(*rows)
    await harness.put(pending := new_run(rows[0]))

    def change(row: StoredSchedule) -> StoredSchedule:
        if row.name == "b":
            raise ZeroDivisionError
        return delete(row)

    with pytest.raises(ZeroDivisionError):
        await harness.store.edit([row.id for row in rows], change, noting(Event(SCHEDULE_DELETED, START)))
    assert [await harness.saved(row.id) for row in rows] == rows
    assert await harness.statuses(pending) == [Status.PENDING]
    assert await harness.told() == []


@conformant
async def test_renaming_to_a_taken_name_is_refused_and_changes_nothing(harness: StoreHarness) -> None:
    rows = [schedule(name) for name in "abc"]
    await harness.add(*rows)
    await harness.put(pending := new_run(rows[0]))

    def change(row: StoredSchedule) -> StoredSchedule:
        return delete(row) if row.name == "a" else replace(row, name="c")

    with pytest.raises(InvalidInputError, match="default/c"):
        await harness.store.edit([rows[0].id, rows[1].id], change, noting(Event(SCHEDULE_UPDATED, START)))
    assert [await harness.saved(row.id) for row in rows] == rows
    assert await harness.statuses(pending) == [Status.PENDING]
    assert await harness.told() == []


@conformant
async def test_renaming_to_a_free_name_keeps_the_history(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a"))
    await harness.put(run := new_run(row))
    await harness.store.edit([row.id], lambda found: replace(found, name="b", namespace="else"))
    seen = await harness.seen(run.id)
    assert (seen.namespace, seen.name, seen.fire.schedule_id) == ("else", "b", row.id)
    assert (await harness.claim())[0].name == "b"


@conformant
async def test_deleting_cancels_what_has_not_started_and_asks_the_rest_to_stop(harness: StoreHarness) -> None:
    row, other = schedule("a"), schedule("b")
    await harness.add(row, other)
    await harness.started(running := new_run(row, 0))
    pending, waiting = new_run(row, 1), new_run(row, 2, Status.WAITING)
    done, elsewhere = new_run(row, 3, Status.MISSED), new_run(other, 1)
    await harness.put(pending, waiting, done, elsewhere)
    await harness.store.edit([row.id], delete)
    cancelled, missed, unhurt = Status.CANCELLED, Status.MISSED, Status.PENDING
    assert await harness.statuses(pending, waiting, done, elsewhere) == [cancelled, cancelled, missed, unhurt]
    for run in (pending, waiting):
        seen = await harness.seen(run.id)
        assert (seen.finished_at, seen.reason) == (at(9), "its schedule was deleted")
    told = [event for event in await harness.journal() if event.kind.name == "run.cancelled"]
    assert [(event.run_id, event.schedule_id, event.at) for event in told] == [
        (run_id, row.id, at(9)) for run_id in sorted([pending.id, waiting.id])
    ]
    assert told[0].data == told[1].data == {"name": "a", "reason": "its schedule was deleted"}
    still = await harness.seen(running.id)
    assert (still.status, still.cancel_requested) == (Status.RUNNING, True)
    assert await harness.store.cancellations("node_a") == [running.id]
    assert [each.run_id for each in await harness.claim()] == []
    assert (await harness.turn()).next_wake == elsewhere.due_at


@conformant
async def test_editing_a_deleted_schedule_does_not_cancel_again(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a"))
    await harness.store.edit([row.id], delete)
    await harness.put(new_run(row))
    planned = Script()
    await harness.store.plan([row.id], planned)
    assert planned.asked == []
    [again] = (await harness.store.edit([row.id], lambda found: replace(found, description="late"))).rows
    assert (again.deleted_at, again.description) == (at(9), "late")


@pytest.mark.parametrize("change", [lambda row: row, lambda _row: None], ids=["changed", "left alone"])
@conformant
async def test_events_are_written_with_the_change_and_only_durable_ones(harness: StoreHarness, change: Change) -> None:
    row = schedule("a")
    told = Event(SCHEDULE_CREATED, at(1), row.id, data={"name": "a", "at": at(1), "deep": {"list": [1, None, "é"]}})
    await harness.store.save([row], keep, noting(told, Event(RUN_STARTED, at(1), row.id)))
    both = noting(Event(SCHEDULE_UPDATED, at(2), row.id), Event(RUN_STARTED, at(2)))
    await harness.store.edit([row.id], change, both)
    created, updated = await harness.journal()
    as_json = {"name": "a", "at": "2026-01-01 00:00:01+00:00", "deep": {"list": [1, None, "é"]}}
    assert created == replace(told, data=as_json)
    assert updated == Event(SCHEDULE_UPDATED, at(2), row.id)


@conformant
async def test_a_store_that_is_not_open_says_so(harness: StoreHarness) -> None:
    closed = harness.make()
    with pytest.raises(StoreUnavailableError, match="not open"):
        await closed.get("sched_a")
    await closed.open()
    assert await closed.get("sched_a") is None
    await closed.close()
    await closed.close()
    with pytest.raises(StoreUnavailableError, match="not open"):
        await closed.plan([], Script(Plan()))


@conformant
async def test_what_was_stored_is_there_after_opening_again(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a"))
    await harness.put(run := new_run(row))
    await harness.store.close()
    again = await harness.another()
    assert await again.get(row.id) == row
    assert await again.get_run(run.id) is not None
    await harness.store.open()


@conformant
async def test_the_url_says_where_it_is(harness: StoreHarness) -> None:
    assert harness.store.url
    assert "password" not in harness.store.url


def delete(row: StoredSchedule) -> StoredSchedule:
    return replace(row, deleted_at=at(9), updated_at=at(9), enabled=False, next_fire_at=None, next_run_at=None)
