"""A butler's file and the store: new entries made, changed ones updated, vanished ones disabled, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from duly.errors import EntryError, InvalidInputError
from duly.planning import lifecycle
from duly.service.access.scopes import ADMIN, Caller, Face
from tests.conformance.schedules.harness import BUTLER, ScheduleHarness, scenario, utc

PLANTS = {"name": "plants", "cron": "0 9 * * *", "prompt": "water the plants"}
NIGHTLY = {"name": "nightly", "cron": "30 2 * * *", "dispatch_mode": "job", "job_name": "backup"}


def _as_the_butler(harness: ScheduleHarness) -> ScheduleHarness:
    harness.caller = Caller(ADMIN, None, Face.MCP, home=BUTLER)
    return harness


@scenario
async def test_scenario_new_toml_schedule_inserted(butler: ScheduleHarness) -> None:
    report = await butler.sync_file(PLANTS, NIGHTLY)
    assert sorted(report.created) == ["nightly", "plants"]
    view = await _as_the_butler(butler).get("plants")
    assert (view["source"], view["enabled"], view["next_run_at"]) == ("toml", True, utc(2026, 1, 1, 9))
    assert view["namespace"] == BUTLER
    assert (await butler.get("nightly"))["next_run_at"] == utc(2026, 1, 1, 2, 30)


@pytest.mark.parametrize(
    "change",
    [
        {"cron": "0 10 * * *"},
        {"prompt": "water the roses"},
        {"prompt": None, "dispatch_mode": "job", "job_name": "backup"},
        {"prompt": None, "dispatch_mode": "job", "job_name": "backup", "job_args": {"to": "tape"}},
    ],
    ids=["cron", "prompt", "job_name", "job_args"],
)
@scenario
async def test_scenario_changed_toml_schedule_updated(butler: ScheduleHarness, change: dict[str, Any]) -> None:
    await butler.sync_file(PLANTS)
    before = await butler.row("plants", BUTLER)
    report = await butler.sync_file({**PLANTS, **change})
    after = await butler.row("plants", BUTLER)
    assert (report.updated, report.changes) == (["plants"], 1)
    assert (after.id, after.version) == (before.id, before.version + 1)
    view = await _as_the_butler(butler).get("plants")
    assert {name: view.get(name) for name in change} == change
    hour = 10 if "cron" in change else 9
    assert view["next_run_at"] == utc(2026, 1, 1, hour)


@scenario
async def test_scenario_removed_toml_schedule_disabled(butler: ScheduleHarness) -> None:
    await butler.sync_file(PLANTS, NIGHTLY)
    await butler.tick(hours=9)
    report = await butler.sync_file(NIGHTLY)
    assert report.disabled == ["plants"]
    view = await _as_the_butler(butler).get("plants")
    assert (view["enabled"], view.get("next_run_at")) == (False, None)
    assert [run["status"] for run in await butler.history("plants")] == ["succeeded"]
    assert (await butler.get("nightly"))["enabled"]
    report = await butler.sync_file(PLANTS, NIGHTLY)
    assert report.enabled == ["plants"]
    assert (await butler.get("plants"))["next_run_at"] == utc(2026, 1, 2, 9)


@scenario
async def test_unchanged_entries_are_left_alone(butler: ScheduleHarness) -> None:
    await butler.sync_file(PLANTS, NIGHTLY)
    before, told = await butler.row("plants", BUTLER), await butler.told()
    butler.clock.advance(3600)
    report = await butler.sync_file(PLANTS, NIGHTLY)
    assert (sorted(report.unchanged), report.changes) == (["nightly", "plants"], 0)
    assert await butler.row("plants", BUTLER) == before
    assert await butler.told() == told


@scenario
async def test_a_persons_disable_survives(butler: ScheduleHarness) -> None:
    await butler.sync_file(PLANTS)
    await _as_the_butler(butler).update("plants", enabled=False)
    assert (await butler.sync_file(PLANTS)).changes == 0
    await butler.sync_file({**PLANTS, "prompt": "water the roses"})
    view = await butler.get("plants")
    assert (view["enabled"], view["prompt"], view.get("next_run_at")) == (False, "water the roses", None)
    assert (await butler.sync_file()).changes == 0  # disabled it is already, and by a person
    assert (await butler.sync_file(PLANTS)).enabled == []
    assert not (await butler.get("plants"))["enabled"]
    assert (await butler.update("plants", enabled=True))["next_run_at"] == utc(2026, 1, 1, 9)


@scenario
async def test_switched_off_in_the_file(butler: ScheduleHarness) -> None:
    report = await butler.sync_file({**PLANTS, "enabled": False})
    assert report.created == ["plants"]
    assert not (await butler.row("plants", BUTLER)).enabled
    assert (await butler.sync_file(PLANTS)).enabled == ["plants"]
    assert (await butler.row("plants", BUTLER)).next_run_at is not None
    assert (await butler.sync_file({**PLANTS, "enabled": False})).disabled == ["plants"]
    assert (await butler.row("plants", BUTLER)).next_run_at is None


@scenario
async def test_a_name_made_at_run_time_is_taken_over_and_reported(butler: ScheduleHarness) -> None:
    caller = await butler.as_holder("admin")
    butler.caller = Caller(caller.scope, caller.token_id, Face.MCP, home=BUTLER)
    made = await butler.create("plants", cron="0 7 * * *", prompt="my own words")
    report = await butler.sync_file(PLANTS)
    assert (report.taken_over, report.changes) == (["plants"], 1)
    view = await butler.get("plants")
    assert (view["id"], view["source"], view["prompt"]) == (made["id"], "toml", "water the plants")
    assert caller.token_id is not None
    await butler.tokens.revoke(Caller(), caller.token_id)
    assert await butler.tick(hours=9) == 1  # it belongs to the file now


@scenario
async def test_a_series_that_ended_stays_ended_when_its_entry_goes_and_comes(butler: ScheduleHarness) -> None:
    once = {**PLANTS, "max_runs": 1}
    await butler.sync_file(once)
    assert await butler.tick(hours=9) == 1
    assert not (await butler.row("plants", BUTLER)).enabled
    await butler.sync_file()
    await butler.sync_file(once)
    assert not (await butler.row("plants", BUTLER)).enabled
    assert await butler.tick(days=2) == 0
    assert (await butler.sync_file({**once, "cron": "0 10 * * *"})).updated == ["plants"]
    assert await butler.tick(days=1) == 1


@scenario
async def test_what_is_taken_over_is_switched_off_as_the_file_says(butler: ScheduleHarness) -> None:
    await _as_the_butler(butler).create("plants", **{name: PLANTS[name] for name in ("cron", "prompt")})
    assert (await butler.sync_file({**PLANTS, "enabled": False})).taken_over == ["plants"]
    view = await butler.get("plants")
    assert (view["enabled"], view["disabled_by"], view.get("next_run_at")) == (False, "file", None)


@pytest.mark.parametrize(
    "entry",
    [
        {**PLANTS, "until_at": "2026-01-01T12:00:00Z"},
        {"name": "plants", "when": "on 2026-01-01 at 9:00", "prompt": "water the plants"},
        {"name": "plants", "when": "tomorrow at 9:00", "prompt": "water the plants"},
    ],
    ids=["until_at", "date", "tomorrow"],
)
@scenario
async def test_an_entry_whose_time_has_passed_stops_no_other_entry(
    butler: ScheduleHarness, entry: dict[str, Any]
) -> None:
    await butler.sync_file(entry)
    assert await butler.tick(days=2) == 1
    before = await butler.row("plants", BUTLER)
    assert (before.enabled, before.disabled_by) == (False, "finished")
    report = await butler.sync_file(entry, NIGHTLY)
    assert (report.created, report.unchanged) == (["nightly"], ["plants"])
    assert await butler.row("plants", BUTLER) == before
    assert (await butler.sync_file({**entry, "prompt": "water the roses"}, NIGHTLY)).updated == ["plants"]
    view = await _as_the_butler(butler).get("plants")
    assert (view["enabled"], view["disabled_by"], view["prompt"]) == (False, "finished", "water the roses")
    await butler.sync_file(NIGHTLY)
    assert (await butler.sync_file(entry, NIGHTLY)).enabled == []
    assert not (await butler.row("plants", BUTLER)).enabled


@scenario
async def test_a_fire_that_was_missed_before_the_end_is_made_up_after_a_sync(butler: ScheduleHarness) -> None:
    entry = {**PLANTS, "until_at": "2026-01-01T12:00:00Z"}
    await butler.sync_file(entry)
    butler.clock.advance(48 * 3600)
    assert (await butler.sync_file(entry)).unchanged == ["plants"]
    assert await butler.tick() == 1


@scenario
async def test_a_new_entry_whose_time_has_passed_is_refused(butler: ScheduleHarness) -> None:
    past = {"until_at": "2025-12-31T12:00:00Z"}
    with pytest.raises(InvalidInputError, match=r"schedule 'plants' of the file: until_at .* is in the past"):
        await butler.sync_file({**PLANTS, **past})
    await butler.sync_file(PLANTS)
    butler.clock.advance(3600)
    with pytest.raises(InvalidInputError, match=r"of the file: until_at .* is in the past \(it is 2026-01-01T01:00"):
        await butler.sync_file({**PLANTS, **past})


@pytest.mark.parametrize("words", ["in 90 minutes", "tomorrow at 9", "every 2 days at 9", "every 3 hours"])
@scenario
async def test_words_mean_what_they_meant_when_they_were_first_read(butler: ScheduleHarness, words: str) -> None:
    entry = {"name": "plants", "when": words, "prompt": "water the plants"}
    await butler.sync_file(entry)
    before = await butler.row("plants", BUTLER)
    butler.clock.advance(26 * 3600)
    assert (await butler.sync_file(entry)).unchanged == ["plants"]
    assert await butler.row("plants", BUTLER) == before
    assert (await butler.sync_file({**entry, "cron_timezone": "Asia/Tokyo"})).updated == ["plants"]
    assert (await butler.sync_file({**entry, "when": "daily at 7"})).updated == ["plants"]
    assert (await butler.row("plants", BUTLER)).next_run_at == datetime(2026, 1, 2, 7, tzinfo=UTC)


@scenario
async def test_a_sync_is_all_or_nothing(butler: ScheduleHarness) -> None:
    await butler.sync_file(PLANTS)
    before = await butler.row("plants", BUTLER)
    with pytest.raises(InvalidInputError, match="schedule 'bad' of the file: "):
        await butler.sync_file({**PLANTS, "prompt": "other"}, {"name": "bad", "cron": "61 * * * *", "prompt": "x"})
    with pytest.raises(InvalidInputError, match="'plants' is in the file twice"):
        await butler.sync_file(PLANTS, {**PLANTS, "prompt": "other"})
    with pytest.raises(InvalidInputError, match=r"schedule 'bad' of the file: .*unheard of"):
        await butler.sync_file({"name": "bad", "cron": "0 9 * * *", "job_name": "unheard of"})
    assert await butler.row("plants", BUTLER) == before


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("cron", {"cron": "61 * * * *"}),
        ("when", {"cron": None, "when": "whenever"}),
        ("timezone", {"timezone": "Mars/Olympus"}),
        ("cron_timezone", {"cron_timezone": "Mars/Olympus"}),
        ("timeout", {"timeout": "soon"}),
        ("colour", {"colour": 1}),
        ("until_at", {"until_at": "2020-01-01T00:00:00Z"}),
        ("job_name", {"prompt": None, "job_name": "unheard of"}),
        ("name", {"name": 5}),
        (None, {"cron": None}),
    ],
)
@scenario
async def test_a_fault_says_in_which_entry_and_field_it_is(
    butler: ScheduleHarness, field: str | None, change: dict[str, Any]
) -> None:
    entry = {name: value for name, value in {**PLANTS, **change}.items() if value is not None}
    with pytest.raises(EntryError) as refused:
        await butler.sync_file(NIGHTLY, entry)
    assert (refused.value.number, refused.value.field) == (1, field)


@scenario
async def test_an_entry_that_rests_goes_on_resting_until_it_does_something_else(butler: ScheduleHarness) -> None:
    await butler.sync_file(PLANTS)
    row = await butler.row("plants", BUTLER)
    await butler.store.edit([row.id], lambda row: lifecycle.rest(row, "no such folder", row.updated_at))
    assert (await butler.sync_file(PLANTS)).unchanged == ["plants"]
    await butler.sync_file({**PLANTS, "cron": "0 10 * * *"})
    moved = await butler.row("plants", BUTLER)
    assert (moved.resting, moved.next_fire_at, moved.next_run_at) == (
        "no such folder",
        datetime(2026, 1, 1, 10, tzinfo=UTC),
        None,
    )
    await butler.sync_file()
    assert (await butler.sync_file({**PLANTS, "cron": "0 10 * * *"})).enabled == ["plants"]
    assert (await butler.row("plants", BUTLER)).next_run_at is None
    await butler.sync_file({**PLANTS, "cron": "0 10 * * *", "prompt": "water the roses"})
    awake = await butler.row("plants", BUTLER)
    assert (awake.resting, awake.resting_since) == (None, None)
    assert awake.next_run_at == awake.next_fire_at == datetime(2026, 1, 1, 10, tzinfo=UTC)


@scenario
async def test_a_schedule_that_rests_can_be_changed(harness: ScheduleHarness) -> None:
    made = await harness.create("plants", cron="0 9 * * *", prompt="water the plants")
    await harness.store.edit([made["id"]], lambda row: lifecycle.rest(row, "no such folder", row.updated_at))
    moved = await harness.update("plants", cron="0 10 * * *")
    assert (moved["resting"], moved.get("next_run_at"), moved.get("next_runs")) == ("no such folder", None, None)
    awake = await harness.update("plants", prompt="water the roses")
    assert (awake.get("resting"), awake["next_run_at"]) == (None, utc(2026, 1, 1, 10))


@pytest.mark.parametrize("name", [5, None, "a\0b", "\ud800"])
@scenario
async def test_a_name_that_no_store_can_look_for_is_a_fault_of_the_file(butler: ScheduleHarness, name: object) -> None:
    with pytest.raises(InvalidInputError, match=r"^schedule .* of the file: name ") as refused:
        await butler.sync_file({**PLANTS, "name": name})
    assert not isinstance(refused.value, UnicodeError)


@scenario
async def test_an_unknown_display_zone_does_not_stop_a_schedule(butler: ScheduleHarness) -> None:
    await butler.sync_file(PLANTS)
    row = await butler.row("plants", BUTLER)
    await butler.store.edit([row.id], lambda before: replace(before, timezone="Mars/Olympus"))
    (shown,) = (await butler.ask("schedule_list"))["items"]
    assert (shown["timezone"], shown["next_runs"][0]["local"]) == ("Mars/Olympus", "2026-01-01T09:00:00Z")
    report = await butler.sync_file(PLANTS)
    assert report.differences == {"plants": {"timezone": ("Mars/Olympus", None)}}


@scenario
async def test_a_dry_run_tells_and_does_nothing(butler: ScheduleHarness) -> None:
    await butler.sync_file(PLANTS, NIGHTLY)
    rows, told = [await butler.row(name, BUTLER) for name in ("plants", "nightly")], await butler.told()
    entries = ({**PLANTS, "cron": "0 10 * * *"}, {"name": "fresh", "cron": "0 1 * * *", "prompt": "new"})
    report = await butler.sync_file(*entries, dry_run=True)
    assert (report.updated, report.disabled, report.created) == (["plants"], ["nightly"], ["fresh"])
    assert report.differences == {
        "plants": {
            "cron": ("0 9 * * *", "0 10 * * *"),
            "when": ("every day at 09:00 UTC", "every day at 10:00 UTC"),
        },
        "nightly": {"enabled": (True, False)},
    }
    assert [await butler.row(name, BUTLER) for name in ("plants", "nightly")] == rows
    assert await butler.store.find(BUTLER, "fresh") is None
    assert await butler.told() == told
    assert await butler.sync_file(*entries) == report


@scenario
async def test_a_sync_touches_only_its_own_namespace(butler: ScheduleHarness) -> None:
    mine = await butler.create("plants")
    other = await butler.sync.sync_schedules("butler:office", [PLANTS])
    assert other.created == ["plants"]
    report = await butler.sync_file(PLANTS)
    assert (report.created, report.taken_over) == (["plants"], [])
    assert (await butler.sync_file()).disabled == ["plants"]
    assert (await butler.row("plants", "butler:office")).enabled
    assert (await butler.row("plants")).id == mine["id"]
    assert (await butler.row("plants")).enabled


@scenario
async def test_every_change_of_a_sync_is_in_the_journal(butler: ScheduleHarness) -> None:
    await butler.sync_file(PLANTS)
    await butler.sync_file({**PLANTS, "cron": "0 10 * * *"})
    (created, _), (updated, data) = await butler.told()
    assert (created, updated) == ("schedule.created", "schedule.updated")
    assert data["by"] == "file"
    assert "0 9 * * *" in data["before"]["trigger"]
    assert "0 10 * * *" in data["after"]["trigger"]
