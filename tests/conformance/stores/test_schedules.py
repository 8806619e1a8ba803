"""Saving, editing and finding schedules."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from duly.errors import InvalidInputError, StoreUnavailableError
from duly.model.events import RUN_STARTED, SCHEDULE_CREATED, SCHEDULE_DELETED, SCHEDULE_UPDATED, Event
from duly.model.run import Status
from duly.ports.records import SCHEDULE_COLUMNS, Plan, StoredSchedule
from duly.ports.store import Change
from tests.conformance.stores.builders import START, Script, at, new_run, schedule
from tests.conformance.stores.world import World, conformant

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
async def test_every_field_comes_back_as_it_went_in(world: World) -> None:
    assert all(getattr(FULL, each.name) != each.default for each in SCHEDULE_COLUMNS if each.name != "deleted_at")
    await world.add(FULL)
    assert await world.saved(FULL.id) == FULL
    assert await world.store.find(FULL.namespace, FULL.name) == FULL


@conformant
async def test_every_field_can_be_absent(world: World) -> None:
    bare = schedule()
    await world.add(bare)
    assert await world.saved(bare.id) == bare


@conformant
async def test_every_field_can_be_replaced(world: World) -> None:
    await world.add(row := schedule())
    changed = replace(FULL, id=row.id)
    assert await world.store.edit([row.id], lambda _: changed) == [changed]
    assert await world.saved(row.id) == changed


@conformant
async def test_times_of_any_zone_are_the_same_instants(world: World) -> None:
    tokyo = timezone(timedelta(hours=9))
    await world.add(row := schedule(next_run_at=datetime(2026, 1, 1, 9, tzinfo=tokyo)))
    found = (await world.saved(row.id)).next_run_at
    assert found == START
    assert found is not None
    assert found.astimezone(UTC) == START


@conformant
async def test_saving_gives_the_id_each_name_has_now(world: World) -> None:
    first = [schedule("a"), schedule("b")]
    assert await world.store.save(first, keep) == [row.id for row in first]
    again = [schedule("c"), schedule("b", description="new"), schedule("a")]
    assert await world.store.save(again, keep) == [again[0].id, first[1].id, first[0].id]
    changed = await world.saved(first[1].id)
    assert (changed.description, changed.version) == ("new", 2)
    assert await world.store.get(again[1].id) is None


@conformant
async def test_saving_nothing_is_nothing(world: World) -> None:
    assert await world.store.save([], keep) == []
    assert await world.told() == []


@conformant
async def test_merge_sees_what_is_there_and_what_was_handed_in(world: World) -> None:
    await world.add(there := schedule("a", description="old"))
    seen: list[tuple[StoredSchedule | None, StoredSchedule]] = []

    def merge(before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule:
        seen.append((before, row))
        return before or row

    rows = [schedule("a"), schedule("b")]
    await world.store.save(rows, merge)
    assert seen == [(there, rows[0]), (None, rows[1])]


@conformant
async def test_a_merge_that_wants_no_change_leaves_it_as_it_is(world: World) -> None:
    await world.add(there := schedule("a", description="old"))
    assert await world.store.save([schedule("a", description="new")], lambda _before, _row: None) == [there.id]
    assert await world.saved(there.id) == there


@conformant
async def test_there_is_nothing_to_leave_as_it_is_under_a_new_name(world: World) -> None:
    with pytest.raises(InvalidInputError, match="default/a"):
        await world.store.save([schedule("a")], lambda _before, _row: None)


@conformant
async def test_saving_is_all_or_nothing(world: World) -> None:
    await world.add(there := schedule("a", description="old"))

    def merge(before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule:
        if row.name == "c":
            raise ZeroDivisionError("the third row is bad")
        return keep(before, row)

    rows = [schedule("a", description="new"), schedule("b"), schedule("c"), schedule("d")]
    with pytest.raises(ZeroDivisionError):
        await world.store.save(rows, merge, [Event(SCHEDULE_UPDATED, START, there.id)])
    assert await world.saved(there.id) == there
    assert [await world.store.find("default", name) for name in "bcd"] == [None, None, None]
    assert await world.told() == []


@conformant
async def test_the_same_name_twice_in_one_call_is_one_schedule(world: World) -> None:
    first, second, third = (schedule("a", description=text) for text in ("one", "two", "three"))
    assert await world.store.save([first, second, third], keep) == [first.id] * 3
    row = await world.saved(first.id)
    assert (row.description, row.version) == ("three", 3)


@conformant
async def test_of_several_changes_to_one_schedule_in_one_call_each_builds_on_the_one_before(world: World) -> None:
    rows = [schedule("a"), schedule("b")]
    await world.add(*rows)
    later = [at(60), at(120)]

    def merge(before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule | None:
        assert before is not None
        if row.next_run_at is None:
            return replace(before, description=row.description)
        return replace(before, next_fire_at=row.next_run_at, next_run_at=row.next_run_at)

    described = [schedule(name, description="told") for name in "ab"]
    first, second = (schedule("a", next_run_at=each) for each in later)
    await world.store.save([first, described[0], second, described[1], replace(second, name="b")], merge)
    for row in rows:
        found = await world.saved(row.id)
        assert (found.description, found.next_fire_at, found.next_run_at) == ("told", later[1], later[1])


@conformant
async def test_names_are_unique_within_a_namespace_only(world: World) -> None:
    here, there = schedule("a", namespace="here"), schedule("a", namespace="there")
    assert await world.store.save([here, there], keep) == [here.id, there.id]
    assert await world.store.find("here", "a") == here
    assert await world.store.find("there", "a") == there
    assert await world.store.find("elsewhere", "a") is None
    assert await world.store.find("here", "A") is None


@conformant
async def test_a_name_is_free_again_after_its_schedule_was_deleted(world: World) -> None:
    await world.add(old := schedule("a"))
    await world.store.edit([old.id], delete)
    assert await world.store.find("default", "a") is None
    new = schedule("a")
    assert await world.store.save([new], keep) == [new.id]
    assert await world.store.find("default", "a") == new
    assert (await world.saved(old.id)).deleted_at == at(9)
    await world.store.edit([new.id], delete)  # two deleted schedules may have had one name


@conformant
async def test_an_id_names_one_schedule(world: World) -> None:
    await world.add(there := schedule("a"))
    with pytest.raises(InvalidInputError):
        await world.add(schedule("b", id=there.id))
    assert await world.saved(there.id) == there


@conformant
async def test_changing_a_returned_schedule_does_not_change_the_store(world: World) -> None:
    row = schedule("a")
    await world.add(row)
    row.name = "changed behind its back"
    for found in (await world.saved(row.id), (await world.store.edit([row.id], lambda _: None))[0]):
        found.name = "changed behind its back"
    assert (await world.saved(row.id)).name == "a"


@conformant
async def test_editing_reads_changes_and_writes(world: World) -> None:
    rows = [schedule(name) for name in "abc"]
    await world.add(*rows)

    def change(row: StoredSchedule) -> StoredSchedule | None:
        return None if row.name == "b" else replace(row, description="changed")

    wanted = [rows[2].id, "sched_nobody", rows[1].id, rows[0].id]
    answer = await world.store.edit(wanted, change)
    assert [(row.name, row.description) for row in answer] == [("c", "changed"), ("b", None), ("a", "changed")]
    assert [(await world.saved(row.id)).description for row in rows] == ["changed", None, "changed"]
    assert await world.store.edit([], change) == []


@conformant
async def test_a_change_may_be_made_in_place(world: World) -> None:
    await world.add(row := schedule("a"))
    await world.put(pending := new_run(row))

    def in_place(found: StoredSchedule) -> StoredSchedule:
        found.deleted_at = found.updated_at = at(9)
        return found

    await world.store.edit([row.id], in_place)
    assert (await world.saved(row.id)).deleted_at == at(9)
    assert await world.statuses(pending) == [Status.CANCELLED]


@conformant
async def test_a_change_that_was_not_wanted_after_all_is_not_shown(world: World) -> None:
    await world.add(row := schedule("a"))

    def undecided(found: StoredSchedule) -> None:
        found.description = "no, rather not"

    assert await world.store.edit([row.id], undecided) == [row]
    assert await world.saved(row.id) == row


@conformant
async def test_an_edit_that_raises_changes_nothing(world: World) -> None:
    rows = [schedule(name) for name in "ab"]
    await world.add(*rows)
    await world.put(pending := new_run(rows[0]))

    def change(row: StoredSchedule) -> StoredSchedule:
        if row.name == "b":
            raise ZeroDivisionError
        return delete(row)

    with pytest.raises(ZeroDivisionError):
        await world.store.edit([row.id for row in rows], change, [Event(SCHEDULE_DELETED, START)])
    assert [await world.saved(row.id) for row in rows] == rows
    assert await world.statuses(pending) == [Status.PENDING]
    assert await world.told() == []


@conformant
async def test_renaming_to_a_taken_name_is_refused_and_changes_nothing(world: World) -> None:
    rows = [schedule(name) for name in "abc"]
    await world.add(*rows)
    await world.put(pending := new_run(rows[0]))

    def change(row: StoredSchedule) -> StoredSchedule:
        return delete(row) if row.name == "a" else replace(row, name="c")

    with pytest.raises(InvalidInputError, match="default/c"):
        await world.store.edit([rows[0].id, rows[1].id], change, [Event(SCHEDULE_UPDATED, START)])
    assert [await world.saved(row.id) for row in rows] == rows
    assert await world.statuses(pending) == [Status.PENDING]
    assert await world.told() == []


@conformant
async def test_renaming_to_a_free_name_keeps_the_history(world: World) -> None:
    await world.add(row := schedule("a"))
    await world.put(run := new_run(row))
    await world.store.edit([row.id], lambda found: replace(found, name="b", namespace="else"))
    seen = await world.seen(run.id)
    assert (seen.namespace, seen.name, seen.fire.schedule_id) == ("else", "b", row.id)
    assert (await world.claim())[0].name == "b"


@conformant
async def test_deleting_cancels_what_has_not_started_and_asks_the_rest_to_stop(world: World) -> None:
    row, other = schedule("a"), schedule("b")
    await world.add(row, other)
    await world.started(running := new_run(row, 0))
    pending, waiting = new_run(row, 1), new_run(row, 2, Status.WAITING)
    done, elsewhere = new_run(row, 3, Status.MISSED), new_run(other, 1)
    await world.put(pending, waiting, done, elsewhere)
    await world.store.edit([row.id], delete)
    cancelled, missed, unhurt = Status.CANCELLED, Status.MISSED, Status.PENDING
    assert await world.statuses(pending, waiting, done, elsewhere) == [cancelled, cancelled, missed, unhurt]
    for run in (pending, waiting):
        seen = await world.seen(run.id)
        assert (seen.finished_at, seen.reason) == (at(9), "its schedule was deleted")
    told = [event for event in await world.journal() if event.kind.name == "run.cancelled"]
    assert [(event.run_id, event.schedule_id, event.at) for event in told] == [
        (run_id, row.id, at(9)) for run_id in sorted([pending.id, waiting.id])
    ]
    assert told[0].data == told[1].data == {"name": "a", "reason": "its schedule was deleted"}
    still = await world.seen(running.id)
    assert (still.status, still.cancel_requested) == (Status.RUNNING, True)
    assert await world.store.cancellations("node_a") == [running.id]
    assert [each.run_id for each in await world.claim()] == []
    assert (await world.turn()).next_wake == elsewhere.due_at


@conformant
async def test_editing_a_deleted_schedule_does_not_cancel_again(world: World) -> None:
    await world.add(row := schedule("a"))
    await world.store.edit([row.id], delete)
    await world.put(new_run(row))
    planned = Script()
    await world.store.plan([row.id], planned)
    assert planned.asked == []
    [again] = await world.store.edit([row.id], lambda found: replace(found, description="late"))
    assert (again.deleted_at, again.description) == (at(9), "late")


@pytest.mark.parametrize("change", [lambda row: row, lambda _row: None], ids=["changed", "left alone"])
@conformant
async def test_events_are_written_with_the_change_and_only_durable_ones(world: World, change: Change) -> None:
    row = schedule("a")
    told = Event(SCHEDULE_CREATED, at(1), row.id, data={"name": "a", "at": at(1), "deep": {"list": [1, None, "é"]}})
    await world.store.save([row], keep, [told, Event(RUN_STARTED, at(1), row.id)])
    await world.store.edit([row.id], change, [Event(SCHEDULE_UPDATED, at(2), row.id), Event(RUN_STARTED, at(2))])
    created, updated = await world.journal()
    as_json = {"name": "a", "at": "2026-01-01 00:00:01+00:00", "deep": {"list": [1, None, "é"]}}
    assert created == replace(told, data=as_json)
    assert updated == Event(SCHEDULE_UPDATED, at(2), row.id)


@conformant
async def test_a_store_that_is_not_open_says_so(world: World) -> None:
    closed = world.make()
    with pytest.raises(StoreUnavailableError, match="not open"):
        await closed.get("sched_a")
    await closed.open()
    assert await closed.get("sched_a") is None
    await closed.close()
    await closed.close()
    with pytest.raises(StoreUnavailableError, match="not open"):
        await closed.plan([], Script(Plan()))


@conformant
async def test_what_was_stored_is_there_after_opening_again(world: World) -> None:
    await world.add(row := schedule("a"))
    await world.put(run := new_run(row))
    await world.store.close()
    again = await world.another()
    assert await again.get(row.id) == row
    assert await again.get_run(run.id) is not None
    await world.store.open()


@conformant
async def test_the_url_says_where_it_is(world: World) -> None:
    assert world.store.url
    assert "password" not in world.store.url


def delete(row: StoredSchedule) -> StoredSchedule:
    return replace(row, deleted_at=at(9), updated_at=at(9), enabled=False, next_fire_at=None, next_run_at=None)
