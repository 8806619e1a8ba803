"""Creating, editing, deleting and showing schedules; the fields calendars need; names of different owners."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from duly.errors import InvalidInputError
from duly.jobs.dispatcher import JobRegistry
from tests.conformance.schedules.harness import DAILY, Refused, ScheduleHarness, scenario, utc
from tests.conformance.stores.damaging import TOO_EARLY, TOO_LATE, damage


@scenario
async def test_scenario_create_runtime_schedule(harness: ScheduleHarness) -> None:
    made = await harness.create()
    assert (made["source"], made["enabled"], made["next_run_at"]) == ("db", True, utc(2026, 1, 1, 9))
    prefix, _, digits = made["id"].partition("_")
    assert prefix == "sched"
    assert len(digits) == 32
    assert int(digits, 16) >> 76 & 0xF == 7
    assert (await harness.row("plants")).id == made["id"]
    assert await harness.get(made["id"]) == await harness.get("plants") == made


@scenario
async def test_scenario_duplicate_name_rejected(harness: ScheduleHarness) -> None:
    made = await harness.create()
    with pytest.raises(Refused, match="'plants' exists already"):
        await harness.create()
    await harness.create("roses", **DAILY)
    with pytest.raises(Refused, match="plants"):
        await harness.update("roses", name="plants")
    assert await harness.names() == ["plants", "roses"]
    assert await harness.get("plants") == made


@scenario
async def test_scenario_update_schedule_fields(harness: ScheduleHarness) -> None:
    made = await harness.create()
    harness.clock.advance(60)
    view = await harness.update("plants", prompt="water the roses", description="with love")
    assert (view["prompt"], view["description"], view["next_run_at"]) == (
        "water the roses",
        "with love",
        made["next_run_at"],
    )
    assert (view["id"], view["updated_at"]) == (made["id"], utc(2026, 1, 1, 0, 1))
    assert (await harness.update("plants", cron="30 7 * * *"))["next_run_at"] == utc(2026, 1, 1, 7, 30)
    view = await harness.update("plants", enabled=False)
    assert (view["enabled"], view.get("next_run_at"), view["disabled_by"]) == (False, None, "person")
    assert (await harness.row("plants")).next_run_at is None
    assert await harness.tick(days=1) == 0
    assert (await harness.update("plants", enabled=True))["next_run_at"] == utc(2026, 1, 2, 7, 30)


@scenario
async def test_a_single_time_that_has_passed_may_still_be_described(harness: ScheduleHarness) -> None:
    await harness.create("plants", when="tomorrow at 9", prompt="water the plants")
    await harness.create("roses", when="in 5 minutes", prompt="water the roses", enabled=False)
    harness.clock.advance(40 * 3600)
    view = await harness.update("plants", description="late")  # it is due, and still will be
    assert (view["enabled"], view["next_run_at"]) == (True, utc(2026, 1, 2, 9))
    assert await harness.tick() == 1
    view = await harness.update("plants", description="done", name="tulips")
    assert (view["description"], view["enabled"], view["disabled_by"]) == ("done", False, "finished")
    for name in ("tulips", "roses"):
        with pytest.raises(Refused, match=f"'{name}' has ended: give it a new time or a later until_at first"):
            await harness.update(name, enabled=True)
    assert (await harness.update("tulips", when="tomorrow at 9", enabled=True))["next_run_at"] == utc(2026, 1, 3, 9)


@scenario
async def test_an_update_is_all_or_nothing(harness: ScheduleHarness) -> None:
    made = await harness.create()
    for changes in ({"cron": "61 * * * *"}, {"until_at": "2025-01-01T00:00:00Z"}, {"timezone": "Mars/Olympus"}):
        with pytest.raises(Refused):
            await harness.update("plants", prompt="other words", name="other", **changes)
    with pytest.raises(Refused, match="nothing to change"):
        await harness.update("plants")
    with pytest.raises(Refused, match=r"source|unknown|does not take"):
        await harness.update("plants", source="toml")
    assert await harness.get("plants") == made


@pytest.mark.parametrize("field", ["name", "enabled", "dispatch_mode", "prompt", "cron"])
@scenario
async def test_what_a_schedule_cannot_do_without_is_not_cleared(agent: ScheduleHarness, field: str) -> None:
    made = await agent.create()
    if field == "dispatch_mode":
        with pytest.raises(Refused):
            await agent.update("plants", clear=[field])
        return
    with pytest.raises(Refused, match=field):
        await agent.update("plants", clear=[field])
    assert await agent.get("plants") == made


@scenario
async def test_a_schedule_made_disabled_has_no_next_time(harness: ScheduleHarness) -> None:
    made = await harness.create(**DAILY, enabled=False)
    assert (made["enabled"], made.get("next_run_at")) == (False, None)
    assert await harness.tick(days=2) == 0
    assert (await harness.update("plants", enabled=True))["next_run_at"] == utc(2026, 1, 3, 9)


@scenario
async def test_scenario_delete_runtime_schedule(harness: ScheduleHarness) -> None:
    made = await harness.create()
    await harness.tick(hours=9)
    await harness.ask("schedule_delete", schedule_id="plants")
    assert await harness.names() == []
    for name in ("plants", made["id"]):
        for tool in ("schedule_get", "schedule_delete", "schedule_trigger"):
            with pytest.raises(Refused, match="there is no schedule"):
                await harness.ask(tool, schedule_id=name)
    assert await harness.tick(days=1) == 0
    assert [run["status"] for run in await harness.history(made["id"])] == ["succeeded"]
    again = await harness.create()
    assert again["id"] != made["id"]


@scenario
async def test_scenario_cannot_delete_toml_schedule(harness: ScheduleHarness) -> None:
    await harness.sync.sync_schedules("default", [{"name": "plants", **DAILY}])
    with pytest.raises(Refused, match="comes from a file and cannot be deleted: remove it there"):
        await harness.ask("schedule_delete", schedule_id="plants")
    with pytest.raises(Refused, match="comes from a file: change it there"):
        await harness.update("plants", prompt="mine")
    assert not (await harness.update("plants", enabled=False))["enabled"]
    assert await harness.names() == ["plants"]


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"start_at": "2026-02-01T09:00:00"}, "start_at"),
        ({"end_at": "2026-02-01T09:00:00"}, "end_at"),
        ({"until_at": "2026-02-01T09:00:00"}, "until_at"),
        ({"start_at": "2026-02-01T09:00:00Z", "end_at": "2026-02-01T09:00:00Z"}, "must be after start_at"),
        ({"start_at": "2026-02-02T09:00:00Z", "until_at": "2026-02-01T09:00:00Z"}, "must not be before start_at"),
        ({"until_at": "2025-12-31T23:59:59Z"}, "in the past"),
        ({"timezone": "Mars/Olympus"}, "Mars/Olympus"),
        ({"start_at": "soon"}, "ISO 8601"),
    ],
)
@scenario
async def test_scenario_projection_fields_validated(
    crossed: ScheduleHarness, fields: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(Refused, match=complaint):
        await crossed.create(**DAILY, **fields)
    await crossed.create()
    with pytest.raises(Refused, match=complaint):
        await crossed.update("plants", **fields)


@scenario
async def test_projection_fields_are_kept_and_shown_in_utc(harness: ScheduleHarness) -> None:
    fields = {
        "timezone": "Europe/Rome",
        "start_at": "2026-02-01T10:00:00+01:00",
        "end_at": "2026-02-01T10:30:00+01:00",
        "until_at": "2026-06-01T00:00:00+02:00",
        "display_title": "Plants",
        "calendar_event_id": "ev-1",
    }
    made = await harness.create(**DAILY, **fields)
    assert {name: made[name] for name in fields} == {
        **fields,
        "start_at": utc(2026, 2, 1, 9),
        "end_at": utc(2026, 2, 1, 9, 30),
        "until_at": utc(2026, 5, 31, 22),
    }
    with pytest.raises(Refused, match="must not be before start_at"):
        await harness.update("plants", start_at="2026-07-01T00:00:00Z", clear=["end_at"])
    made = await harness.update("plants", clear=["end_at", "calendar_event_id"])
    assert not {"end_at", "calendar_event_id"} & set(made)


@scenario
async def test_every_field_comes_back_as_it_was_written(harness: ScheduleHarness) -> None:
    fields = {
        "description": "all of it",
        "targets": [{"project_id": "a"}, {"project_id": "b", "workspace_id": "side"}],
        "overlap_behavior": "queue",
        "queue_limit": 3,
        "session_behavior": "new",
        "spawner": "butler",
        "catch_up": "once",
        "catch_up_window": 3600.0,
        "timeout": 90.0,
        "max_runs": 5,
        "stagger_key": "team",
        "max_stagger_seconds": 60,
        "cron_timezone": "Europe/Rome",
        "prompt": '{"this": "is JSON, and a prompt"}',
    }
    retry = {"max_attempts": 3, "delay": "30s", "backoff": "constant"}
    made = await harness.create(cron="0 9 * * *", **fields, retry=retry)
    assert {name: made[name] for name in fields} == fields
    assert (made["retry"]["max_attempts"], made["retry"]["delay"]) == (3, 30.0)
    assert await harness.update("plants", description="all of it") == made | {"version": made["version"] + 1}


@scenario
async def test_what_can_no_longer_be_carried_out_can_be_paused_but_not_resumed(harness: ScheduleHarness) -> None:
    await harness.create("nightly", cron="0 9 * * *", job_name="backup")
    harness.jobs = JobRegistry(harness.clock)  # the next version of the file has no such job
    view = await harness.update("nightly", enabled=False, description="retired")
    assert (view["enabled"], view["description"]) == (False, "retired")
    with pytest.raises(Refused, match="unknown job 'backup'"):
        await harness.update("nightly", enabled=True)
    await harness.ask("schedule_delete", schedule_id="nightly")


@scenario
async def test_names_of_different_owners_do_not_meet(harness: ScheduleHarness) -> None:
    target = {"targets": [{"project_id": "a"}]}
    mine = await harness.create(**DAILY)
    await harness.as_holder("project:a")
    theirs = await harness.create(**DAILY, **target)
    assert (mine["namespace"], theirs["namespace"]) == ("default", "project:a")
    ada = (await harness.as_holder("user:ada", "prompts:butler")).scope.subject
    adas = await harness.create(**DAILY)
    assert adas["namespace"] == f"user:{ada}"
    assert await harness.names() == ["plants"]
    assert (await harness.get("plants"))["id"] == adas["id"]
    harness.as_admin()
    assert (await harness.get("plants"))["id"] == mine["id"]
    assert (await harness.get(f"user:{ada}/plants"))["id"] == adas["id"]
    assert sorted(await harness.names()) == ["plants"] * 3
    assert await harness.names(owner=ada) == ["plants"]
    page = (await harness.ask("schedule_list", owner="default"))["items"]
    assert [each["id"] for each in page] == [mine["id"]]  # as answers call it


@scenario
async def test_a_name_may_look_like_an_id(harness: ScheduleHarness) -> None:
    await harness.create("sched_daily", **DAILY)
    assert (await harness.get("sched_daily"))["name"] == "sched_daily"


@scenario
async def test_schedules_are_listed_page_by_page_and_filtered(harness: ScheduleHarness) -> None:
    for number in range(5):
        await harness.create(f"n{number}", **DAILY, enabled=number != 3, description="odd" if number % 2 else "even")
    await harness.create("elsewhere", **DAILY, targets=[{"project_id": "a"}])
    page = await harness.ask("schedule_list", limit=4)
    assert [each["name"] for each in page["items"]] == ["elsewhere", "n0", "n1", "n2"]
    page = await harness.ask("schedule_list", limit=4, cursor=page["next_cursor"])
    assert [each["name"] for each in page["items"]] == ["n3", "n4"]
    assert "next_cursor" not in page
    assert await harness.names(enabled=False) == ["n3"]
    assert await harness.names(project_id="a") == ["elsewhere"]
    assert await harness.names(text="ODD") == ["n1", "n3"]
    assert await harness.names(text="kind") == []  # a word of ours, not of theirs
    assert (await harness.ask("schedule_list", project_id="nowhere"))["items"] == []
    with pytest.raises(Refused, match="cursor"):
        await harness.ask("schedule_list", cursor="made up")


@scenario
async def test_the_history_comes_in_pages_too(harness: ScheduleHarness) -> None:
    await harness.create()
    fired = [await harness.trigger("plants") for _ in range(5)]
    newest_first = sorted((run["id"] for run in fired), reverse=True)
    first = await harness.ask("schedule_history", schedule_id="plants", limit=3)
    assert [run["id"] for run in first["items"]] == newest_first[:3]
    rest = await harness.ask("schedule_history", schedule_id="plants", limit=3, cursor=first["next_cursor"])
    assert [run["id"] for run in rest["items"]] == newest_first[3:]
    assert "next_cursor" not in rest
    assert "next_cursor" not in await harness.ask("schedule_history", schedule_id="plants", limit=5)
    with pytest.raises(Refused, match="cursor 'made up' is not one of ours"):
        await harness.ask("schedule_history", schedule_id="plants", cursor="made up")


@scenario
async def test_a_preview_stores_nothing_and_warns_of_clock_changes(harness: ScheduleHarness) -> None:
    shown = await harness.ask("schedule_preview", cron="30 2 * * *", cron_timezone="Europe/Rome", count=2)
    assert shown["next_runs"] == [
        {"utc": utc(2026, 1, 1, 1, 30), "local": "2026-01-01T02:30:00+01:00"},
        {"utc": utc(2026, 1, 2, 1, 30), "local": "2026-01-02T02:30:00+01:00"},
    ]
    assert any("2026-03-29" in note for note in shown["notes"])
    with pytest.raises(Refused, match="exactly one of cron"):
        await harness.ask("schedule_preview")
    assert await harness.names() == []


@scenario
async def test_every_change_is_audited(harness: ScheduleHarness) -> None:
    caller = await harness.as_holder("admin")
    await harness.create()
    await harness.update("plants", enabled=False)
    await harness.update("plants", description="thirsty", enabled=True)
    await harness.trigger("plants")
    await harness.ask("schedule_delete", schedule_id="plants")
    entries = {name: data for name, data in await harness.told() if "face" in data and name.startswith("schedule.")}
    assert list(entries) == [
        *("schedule.created", "schedule.paused", "schedule.updated", "schedule.resumed"),
        *("schedule.fired", "schedule.deleted"),
    ]
    for data in entries.values():
        assert (data["by"], data["face"], data["scope"]) == (caller.token_id, "mcp", "admin")
    paused, updated, resumed = (entries[f"schedule.{name}"] for name in ("paused", "updated", "resumed"))
    assert (paused["before"], paused["after"]) == ({"enabled": True}, {"enabled": False})
    assert updated["after"] == {"description": "thirsty", "enabled": True}
    assert (resumed["before"], resumed["after"]) == ({"enabled": False}, {"enabled": True})


@scenario
async def test_what_is_done_by_hand_is_audited_too(butler: ScheduleHarness) -> None:
    caller = await butler.as_holder("admin")
    made = await butler.create()
    await butler.use_cases.skip_next(caller, "plants")
    fired = await butler.trigger("plants")
    await butler.use_cases.run_cancel(caller, fired["id"])
    runs, _ = await butler.use_cases.schedule_backfill(
        caller, "plants", butler.now - timedelta(days=3), butler.now - timedelta(days=1)
    )
    journal = [event for _, event in await butler.store.journal(0, 1000) if event.schedule_id == made["id"]]
    (skipped,) = [event.data for event in journal if event.kind.name == "schedule.updated"]
    assert skipped["before"] == {"next_run_at": "2026-01-01T09:00:00Z"}
    assert skipped["after"] == {"next_run_at": "2026-01-02T09:00:00Z"}
    (triggered, backfilled) = [event for event in journal if event.kind.name == "schedule.fired"]
    assert triggered.run_id == fired["id"]
    assert (backfilled.data["start"], backfilled.data["fires"]) == ("2025-12-29T00:00:00Z", len(runs))
    (cancelled,) = [event for event in journal if event.kind.name == "run.cancelled"]
    assert (cancelled.run_id, cancelled.data["reason"]) == (fired["id"], f"cancelled by {caller.token_id} over mcp")
    with pytest.raises(InvalidInputError, match="start must be timezone-aware"):
        await butler.use_cases.schedule_backfill(caller, "plants", datetime(2025, 12, 1), butler.now)  # noqa: DTZ001
    assert {event.data["by"] for event in journal if event.kind.name.startswith("schedule.")} == {caller.token_id}


@scenario
async def test_a_limit_that_is_reached_already_ends_the_series(harness: ScheduleHarness) -> None:
    await harness.create(**DAILY, max_runs=9)
    for _ in range(3):
        await harness.tick(days=1)
    assert (await harness.update("plants", max_runs=4))["enabled"]
    view = await harness.update("plants", max_runs=3)
    assert (view["enabled"], view["disabled_by"], view.get("next_run_at")) == (False, "finished", None)
    assert (await harness.update("plants", enabled=True))["enabled"]  # that many once more
    for _ in range(5):
        await harness.tick(days=1)
    assert (await harness.get("plants"))["total_runs"] == 6


@scenario
async def test_a_deletion_is_undone_unless_the_name_was_given_away(butler: ScheduleHarness) -> None:
    use_cases, caller = butler.use_cases, butler.caller
    made = await butler.create()
    await butler.ask("schedule_delete", schedule_id="plants")
    other = await butler.create()
    with pytest.raises(InvalidInputError, match="plants"):
        await use_cases.restore(caller, made["id"])
    await butler.ask("schedule_delete", schedule_id=other["id"])
    back, _ = await use_cases.restore(caller, made["id"])
    assert (back.id, back.enabled, back.next_run_at) == (made["id"], False, None)
    assert (await butler.update("plants", enabled=True))["next_run_at"] == made["next_run_at"]


@pytest.mark.parametrize("column", ["trigger", "action", "policy"])
@scenario
async def test_a_damaged_row_is_shown_and_can_be_removed(crossed: ScheduleHarness, column: str) -> None:
    made = await crossed.create()
    await crossed.create("healthy", **DAILY)
    broken: dict[str, Any] = {column: "{broken"}
    await crossed.store.edit([made["id"]], lambda row: replace(row, **broken))
    assert await crossed.names() == ["healthy", "plants"]
    view = await crossed.get("plants")
    assert column in view["quarantine"]
    assert await crossed.tick(hours=9) == 1
    with pytest.raises(Refused, match=column):
        await crossed.update("plants", description="still there?")
    await crossed.ask("schedule_delete", schedule_id="plants")
    assert await crossed.names() == ["healthy"]


@pytest.mark.parametrize(
    ("column", "value"),
    [("until_at", TOO_LATE), ("created_at", TOO_EARLY), ("last_result", "{half"), ("source", "moon")],
)
@scenario
async def test_an_undecodable_column_is_shown_and_affects_no_other_schedule(
    crossed: ScheduleHarness, column: str, value: object
) -> None:
    await crossed.create("plants", **DAILY)
    await crossed.create("healthy", **DAILY)
    damage(crossed.store_harness, "schedules", column, value, name="plants")
    assert await crossed.names() == ["healthy", "plants"]
    view = await crossed.get("plants")
    assert view["quarantine"]
    assert (view["when"], view["enabled"]) == ("unreadable", False)
    assert await crossed.tick(hours=9) >= 1
    assert [run["status"] for run in await crossed.history("healthy")] == ["succeeded"]
    await crossed.ask("schedule_delete", schedule_id="plants")
    assert await crossed.names() == ["healthy"]
