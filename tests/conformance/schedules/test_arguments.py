"""Unknown, mistyped and contradictory arguments: refused with the value and the reason, and nothing is changed."""

from __future__ import annotations

from typing import Any

import pytest

from duly.errors import InvalidInputError
from duly.service.schedules import forms
from tests.conformance.schedules.harness import BUTLER, DAILY, Refused, ScheduleHarness, scenario

WRONG_FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"when": "daily at 9"}, "exactly one of cron .* and when .*, got both"),
    ({"cron": ""}, "cron must be a text that is not empty, got ''"),
    ({"cron_timezone": ""}, "cron_timezone must be a text that is not empty, got ''"),
    ({"cron_timezone": "Mars/Base"}, "cron_timezone: unknown time zone 'Mars/Base'"),
    ({"timezone": " "}, "timezone must be a text that is not empty, got ' '"),
    ({"timezone": "Mars/Base"}, "timezone: unknown time zone 'Mars/Base'"),
    ({"name": ""}, "name must be a text that is not empty, got ''"),
    ({"timeout": True}, "timeout.*got True"),
    ({"timeout": "soon"}, "timeout must be a number of seconds or text like .* got 'soon'"),
    ({"catch_up_window": False}, "catch_up_window.*got False"),
    ({"overlap_behavior": "queue", "queue_limit": True}, "queue_limit.*got True"),
    ({"overlap_behavior": "parallel", "max_parallel": True}, "max_parallel.*got True"),
    ({"max_runs": True}, "max_runs.*got True"),
    ({"max_cost_per_run": True}, "max_cost_per_run.*got True"),
    ({"stagger_key": "k", "max_stagger_seconds": True}, "max_stagger_seconds.*got True"),
    ({"retry": {"max_attempts": True}}, "retry.max_attempts must be a whole number of at least 1, got True"),
    ({"retry": {"tries": 3}}, "retry.tries is unknown: retry takes max_attempts"),
    ({"queue_limit": 3}, "queue_limit 3 has no effect without overlap_behavior 'queue'"),
    (
        {"overlap_behavior": "queue", "max_parallel": 3},
        "max_parallel 3 has no effect without overlap_behavior 'parallel'",
    ),
    ({"catch_up": "skip", "catch_up_window": 60}, "catch_up_window 60.* has no effect without catch_up 'once'"),
    ({"max_stagger_seconds": 5}, "max_stagger_seconds 5 has no effect without a stagger_key"),
    ({"job_name": "backup"}, "dispatch_mode 'prompt' does not take job_name"),
    ({"targets": ["a/"]}, "target 'a/' names no workspace after the slash"),
    ({"targets": [""]}, "project_id must be a text that is not empty, got ''"),
    ({"targets": ["a", {"project_id": "a"}]}, "targets must not repeat"),
    ({"targets": [{"project": "a"}]}, 'a target is a name such as "blog" or "shop/main", or an object'),
]
WRONG_CHANGES: list[tuple[dict[str, Any], str]] = [
    ({}, "nothing to change"),
    ({"clear": []}, "nothing to change"),
    ({"clear": ["description"], "description": "x"}, "description is given the value 'x' and named in clear"),
    ({"clear": ["timeout"], "timeout": 5}, "timeout is given the value 5.* and named in clear"),
    ({"clear": ["colour"]}, "colour is unknown"),
    ({"clear": ["name"]}, "name cannot be left empty"),
    ({"clear": ["cron"]}, "exactly one of cron .* and when .*, got neither"),
    ({"cron": "0 8 * * *", "when": "daily at 9"}, "exactly one of cron .* and when .*, got both"),
    *((fields, told) for fields, told in WRONG_FIELDS if "when" not in fields),
]
WRONG_FILTERS: list[tuple[str, dict[str, Any], str]] = [
    ("schedule_list", {"text": ""}, "text must be a text that is not empty, got ''"),
    ("schedule_list", {"owner": " "}, "owner must be a text that is not empty, got ' '"),
    ("schedule_list", {"project_id": ""}, "project_id must be a text that is not empty, got ''"),
    ("schedule_list", {"cursor": ""}, "cursor must be a text that is not empty, got ''"),
    ("schedule_preview", {"cron": "0 9 * * *", "cron_timezone": ""}, "cron_timezone must be a text that is not empty"),
    ("schedule_preview", {"cron": "0 9 * * *", "timezone": ""}, "timezone must be a text that is not empty, got ''"),
    ("schedule_preview", {"cron": "", "when": "daily at 9"}, "exactly one of cron .* and when .*, got both"),
]


@pytest.mark.parametrize(("fields", "told"), WRONG_FIELDS, ids=str)
@scenario
async def test_a_wrong_field_makes_no_schedule(crossed: ScheduleHarness, fields: dict[str, Any], told: str) -> None:
    with pytest.raises(Refused, match=told):
        await crossed.ask("schedule_create", **{"name": "plants", **DAILY, **fields})
    assert await crossed.told() == []


@pytest.mark.parametrize(("changes", "told"), WRONG_CHANGES, ids=str)
@scenario
async def test_a_wrong_change_changes_nothing(crossed: ScheduleHarness, changes: dict[str, Any], told: str) -> None:
    await crossed.create(description="before", timeout=60, **DAILY)
    before = await crossed.row("plants")
    with pytest.raises(Refused, match=told):
        await crossed.update("plants", **changes)
    assert await crossed.row("plants") == before
    assert [name for name, _ in await crossed.told()] == ["schedule.created"]


@pytest.mark.parametrize(("tool", "arguments", "told"), WRONG_FILTERS, ids=str)
@scenario
async def test_an_empty_argument_is_no_argument(
    crossed: ScheduleHarness, tool: str, arguments: dict[str, Any], told: str
) -> None:
    with pytest.raises(Refused, match=told):
        await crossed.ask(tool, **arguments)


@pytest.mark.parametrize(("tool", "name"), [("schedule_list", "limit"), ("schedule_history", "limit")])
@scenario
async def test_true_is_not_one_entry(agent: ScheduleHarness, tool: str, name: str) -> None:
    await agent.create()
    more = {"schedule_id": "plants"} if tool == "schedule_history" else {}
    with pytest.raises(Refused, match=rf"{name}: Input should be a number, not true or false, got True"):
        await agent.ask(tool, **{name: True}, **more)


@pytest.mark.parametrize(("fields", "told"), [each for each in WRONG_FIELDS if "name" not in each[0]], ids=str)
@scenario
async def test_a_wrong_entry_of_the_file_makes_no_schedule(
    butler: ScheduleHarness, fields: dict[str, Any], told: str
) -> None:
    with pytest.raises(InvalidInputError, match=rf"'plants'.*{told}"):
        await butler.sync_file({"name": "plants", **DAILY, **fields})
    assert await butler.told() == []


@scenario
async def test_targets_are_plain_names_or_objects(harness: ScheduleHarness) -> None:
    made = await harness.create(**DAILY, targets=["a", "b/side", {"project_id": "c"}])
    assert made["targets"] == [{"project_id": "a"}, {"project_id": "b", "workspace_id": "side"}, {"project_id": "c"}]
    assert (await harness.update("plants", targets=[" b / side "]))["targets"] == [
        {"project_id": "b", "workspace_id": "side"}
    ]


@scenario
async def test_white_space_around_a_name_does_not_count(harness: ScheduleHarness) -> None:
    made = await harness.create("  plants\t", **DAILY)
    assert made["name"] == "plants"
    with pytest.raises(Refused, match="'plants' exists already"):
        await harness.create("plants ", **DAILY)
    assert (await harness.get(" plants "))["id"] == made["id"]
    assert (await harness.get(f" {made['id']} "))["id"] == made["id"]
    assert (await harness.update("plants ", name=" roses "))["name"] == "roses"
    assert (await harness.trigger(" roses"))["name"] == "roses"
    made = await harness.create("job", cron="0 9 * * *", job_name=" backup ")
    assert made["job_name"] == "backup"


@scenario
async def test_white_space_around_a_name_in_the_file_does_not_count(butler: ScheduleHarness) -> None:
    assert (await butler.sync_file({"name": " plants ", **DAILY})).created == ["plants"]
    assert (await butler.sync_file({"name": "plants", **DAILY})).unchanged == ["plants"]
    assert (await butler.row("plants", BUTLER)).name == "plants"
    with pytest.raises(InvalidInputError, match="'plants' is in the file twice"):
        await butler.sync_file({"name": "plants", **DAILY}, {"name": "plants ", **DAILY})


@scenario
async def test_a_deleted_schedule_comes_back_under_a_new_name_when_its_own_is_taken(harness: ScheduleHarness) -> None:
    made = await harness.create()
    await harness.ask("schedule_delete", schedule_id="plants")
    await harness.create()
    with pytest.raises(
        Refused, match=r"cannot restore 'plants': the name is taken.*choose another and give it as name"
    ):
        await harness.ask("schedule_restore", schedule_id=made["id"])
    with pytest.raises(Refused, match="name must be 1 to 200 printable characters, got ''"):
        await harness.ask("schedule_restore", schedule_id=made["id"], name=" ")
    back = await harness.ask("schedule_restore", schedule_id=made["id"], name=" roses ")
    assert (back["id"], back["name"], back["enabled"]) == (made["id"], "roses", False)
    assert sorted(await harness.names()) == ["plants", "roses"]


def test_a_list_of_fields_to_clear_may_be_json_and_nothing_else() -> None:
    assert forms.changes_of({"timeout": 5}, '["description"]') == {"timeout": 5, "description": None}
    for wrong in (5, "description", [5], {"description": None}):
        with pytest.raises(InvalidInputError, match="clear must be a list"):
            forms.changes_of({}, wrong)
