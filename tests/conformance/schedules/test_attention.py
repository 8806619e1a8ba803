"""Failing is not green, and without an engine there is no silence: what every way in says about it."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from duly.errors import StoreUnavailableError
from duly.service.access.scopes import ADMIN, Caller
from duly.service.schedules.attention import NOTHING_RUNS, Attention
from tests.conformance.schedules.harness import DAILY, ScheduleHarness, scenario

EVERYTHING = ("job:backup", "prompt:default", "prompt:butler", "message")
BACKUP = {"cron": "0 * * * *", "dispatch_mode": "job", "job_name": "backup"}
FAILING = {**BACKUP, "job_args": {"fail": "disk full"}}


async def engine(harness: ScheduleHarness, *handlers: str) -> None:
    """From now on a node is alive that serves these, or everything."""
    await harness.store.register(harness.store_harness.node("node_x", handlers or EVERYTHING))


@scenario
async def test_what_is_made_while_nothing_runs_is_answered_with_a_warning(harness: ScheduleHarness) -> None:
    assert (await harness.create())["warning"] == NOTHING_RUNS
    assert (await harness.update("plants", description="daily"))["warning"] == NOTHING_RUNS
    assert (await harness.get("plants"))["warning"] == NOTHING_RUNS
    assert (await harness.trigger("plants"))["warning"] == NOTHING_RUNS
    assert (await harness.ask("remind", message="tea", delay_minutes=5))["warning"] == NOTHING_RUNS
    await engine(harness)
    assert "warning" not in await harness.create("more", **DAILY)
    assert "warning" not in await harness.get("plants")
    assert "warning" not in await harness.ask("remind", message="tea", delay_minutes=5)


@scenario
async def test_what_no_node_serves_is_answered_with_a_warning(harness: ScheduleHarness) -> None:
    await engine(harness, "prompt:default")
    assert "warning" not in await harness.create()
    told = (await harness.create("backup", **BACKUP))["warning"]
    assert told.startswith("job backup is not registered anywhere: start the program that registers backup")
    assert (await harness.trigger("backup"))["warning"] == told
    told = (await harness.ask("remind", message="tea", delay_minutes=5))["warning"]
    assert told == "no running engine delivers messages: duly up"


@scenario
async def test_what_does_not_fire_is_not_warned_of(harness: ScheduleHarness) -> None:
    made = await harness.create("off", **BACKUP, enabled=False)
    if harness.way == "service":  # over MCP every answer says that nothing runs
        assert "warning" not in made
    await engine(harness, "message")
    assert "warning" not in await harness.update("off", description="rests")
    assert "attention" not in await harness.get("off")


@scenario
async def test_a_schedule_that_fails_says_since_when_why_and_what_to_do(harness: ScheduleHarness) -> None:
    await harness.create("backup", **FAILING)
    for _ in range(3):
        await harness.tick(hours=1)
    await engine(harness)
    (concern,) = (await harness.get("backup"))["attention"]
    first = harness.now - timedelta(hours=2)
    assert concern == {
        "kind": "failing",
        "reason": "RuntimeError: disk full",
        "remedy": "duly schedule history backup --status failed --status dead",
        "since": first.isoformat().replace("+00:00", "Z"),
        "times": 3,
    }
    (item,) = (await harness.ask("schedule_list"))["items"]
    assert item["attention"] == [concern]


@scenario
async def test_a_schedule_whose_job_is_gone_is_unserved(harness: ScheduleHarness) -> None:
    await harness.create("backup", **BACKUP)
    await engine(harness, "message", "prompt:default")
    (concern,) = (await harness.get("backup"))["attention"]
    assert (concern["kind"], concern["reason"]) == ("unserved", "job backup is not registered anywhere")
    assert "since" not in concern
    harness.clock.advance(timedelta(hours=2))
    (late,) = (await harness.get("backup"))["attention"]
    assert late["since"] == "2026-01-01T01:00:00Z"


@scenario
async def test_what_is_due_and_waits_is_overdue_after_its_grace_time(harness: ScheduleHarness) -> None:
    await harness.create("backup", **BACKUP)
    harness.clock.advance(timedelta(hours=1, seconds=59))
    assert "attention" not in await harness.get("backup")
    harness.clock.advance(timedelta(minutes=8))
    (concern,) = (await harness.get("backup"))["attention"]
    assert (concern["kind"], concern["reason"], concern["remedy"]) == ("overdue", "no daemon", "duly up")
    await engine(harness)
    (concern,) = (await harness.get("backup"))["attention"]
    assert (concern["kind"], concern["remedy"]) == ("overdue", "duly health")


@scenario
async def test_a_run_fired_by_hand_that_waits_is_overdue_too(harness: ScheduleHarness) -> None:
    await harness.create("backup", **BACKUP)
    await harness.trigger("backup")
    harness.clock.advance(timedelta(minutes=9))
    (concern,) = (await harness.get("backup"))["attention"]
    assert (concern["kind"], concern["since"]) == ("overdue", "2026-01-01T00:00:00Z")


@scenario
async def test_a_schedule_that_rests_says_what_is_missing(harness: ScheduleHarness) -> None:
    made = await harness.create()
    now = harness.now

    def rest(row: Any) -> Any:
        row.resting, row.resting_since = "project 'a': the folder is missing", now
        return row

    await harness.store.edit([made["id"]], rest)
    (concern,) = (await harness.get("plants"))["attention"]
    assert (concern["kind"], concern["reason"]) == ("resting", "project 'a': the folder is missing")
    assert concern["since"] == "2026-01-01T00:00:00Z"


@scenario
async def test_what_went_wrong_elsewhere_is_hidden_from_those_who_see_one_target(harness: ScheduleHarness) -> None:
    harness.answers["peek"] = RuntimeError("the password is xyzzy")
    await harness.create("peek", cron="0 9 * * *", prompt="peek", targets=[{"project_id": "a"}, {"project_id": "b"}])
    await harness.tick(hours=9)
    await engine(harness)
    assert "xyzzy" in (await harness.get("peek"))["attention"][0]["reason"]
    harness.as_scope("project:a")
    (concern,) = (await harness.get((await harness.row("peek")).id))["attention"]
    assert (concern["kind"], concern["reason"]) == ("failing", "its last run failed")
    seen = await harness.read_cases.health(harness.caller)
    assert [(each.name, each.reason) for each in seen.attention] == [("peek", "its last run failed")]


@scenario
async def test_health_shows_everyone_the_light_and_their_own_schedules(butler: ScheduleHarness) -> None:
    await butler.create("backup", **FAILING)
    await butler.create("a", cron="0 9 * * *", prompt="x", targets=[{"project_id": "a"}])
    await butler.tick(hours=1)
    await engine(butler, "job:backup")
    seen = await butler.read_cases.health(Caller(ADMIN))
    assert seen.state == "yellow"
    assert seen.reasons == [
        "1 schedule fails",
        "1 schedule is served by no node: no running engine has the spawner default",
    ]
    assert [(each.name, each.kind) for each in seen.attention] == [("backup", "failing"), ("a", "unserved")]
    assert seen.attention_total == 2
    only = await butler.read_cases.health(Caller(ADMIN), "unserved")
    assert [each.name for each in only.attention] == ["a"]
    butler.as_scope("project:a")
    seen = await butler.read_cases.health(butler.caller)
    assert [each.name for each in seen.attention] == ["a"]
    assert (seen.state, seen.attention_total) == ("yellow", 1)
    assert seen.reasons == ["1 schedule is served by no node: no running engine has the spawner default"]
    butler.as_scope("project:b")
    seen = await butler.read_cases.health(butler.caller)
    assert (seen.state, seen.reasons, seen.attention_total) == ("green", [], 0)


@scenario
async def test_agents_read_health_as_a_resource(agent: ScheduleHarness) -> None:
    await agent.create("backup", **FAILING)
    await agent.tick(hours=1)
    await engine(agent)
    for uri, number in (("health://duly", 1), ("health://duly?kind=failing", 1), ("health://duly?kind=resting", 0)):
        (read,) = (await agent.client.read_resource(uri)).contents
        seen = json.loads(read.text)  # type: ignore[union-attr]
        assert (seen["state"], len(seen.get("attention", []))) == ("yellow", number)


@scenario
async def test_every_answer_of_a_tool_warns_while_nothing_runs(agent: ScheduleHarness) -> None:
    await agent.create()
    asked: list[tuple[str, dict[str, Any]]] = [
        ("schedule_list", {}),
        ("schedule_history", {"schedule_id": "plants"}),
        ("schedule_preview", {"cron": "0 9 * * *"}),
        ("scheduler", {"action": "list"}),
        ("scheduler", {"action": "add", "message": "tea", "schedule": {"type": "once", "at": "5m"}}),
        ("schedule_delete", {"schedule_id": "plants"}),
    ]
    for tool, arguments in asked:
        assert (await agent.ask(tool, **arguments))["warning"] == NOTHING_RUNS, tool
    await engine(agent)
    for tool, arguments in asked[:4]:
        if "schedule_id" not in arguments:
            assert "warning" not in await agent.ask(tool, **arguments), tool


@scenario
async def test_a_warning_that_cannot_be_found_out_takes_nothing_from_an_answer(
    agent: ScheduleHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(_self: Attention) -> str | None:
        raise StoreUnavailableError("the disk is gone")

    monkeypatch.setattr(Attention, "nothing_runs", gone)
    assert "warning" not in await agent.ask("schedule_list")


@scenario
async def test_an_engine_that_cannot_work_is_warned_of_although_its_node_lives(butler: ScheduleHarness) -> None:
    await engine(butler)
    butler.process.fault = "the loop has not moved for 20 s"
    attention = butler.services.attention
    told = "the engine here cannot work at the moment: the loop has not moved for 20 s"
    assert (await attention.nothing_runs(), await attention.warning("message")) == (told, told)
