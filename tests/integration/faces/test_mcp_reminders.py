"""`remind` and `scheduler` as agents use them, in both versions of the protocol."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from mcp import Client

from duly.mcp.server import make_server
from duly.service.access.scopes import ADMIN, Caller, Face, Scope
from duly.service.schedules.listing import STATES
from tests.world import World, world

MOST = 19_400


class Agent:
    """A client, the world behind it, and the person for whom it asks."""

    def __init__(self, here: World, client: Client) -> None:
        self.here = here
        self.client = client
        self.caller = Caller(ADMIN, None, Face.MCP)

    def become(self, scope: str) -> None:
        self.caller = Caller(Scope.parse(scope), "tok_1", Face.MCP)

    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = await self.client.call_tool(tool, arguments)
        assert not answer.is_error, answer.content
        found: dict[str, Any] = answer.structured_content or {}
        assert json.loads(answer.content[0].text) == found  # type: ignore[union-attr]
        return found

    async def failed(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that answers with an error that has parts of its own."""
        answer = await self.client.call_tool(tool, arguments)
        assert answer.is_error
        found: dict[str, Any] = answer.structured_content or {}
        assert json.loads(answer.content[0].text) == found  # type: ignore[union-attr]
        return found

    async def refused(self, tool: str, **arguments: Any) -> str:
        answer = await self.client.call_tool(tool, arguments)
        assert answer.is_error
        said: str = answer.content[0].text  # type: ignore[union-attr]
        assert "Error executing" not in said
        return said


@asynccontextmanager
async def agent_in(folder: Path, mode: str) -> AsyncIterator[Agent]:
    async with world(folder) as here:
        acting: list[Agent] = []
        server = make_server(
            here.runtime.services, lambda _request: acting[0].caller if acting else Caller(ADMIN, None, Face.MCP)
        )
        async with Client(server, mode="legacy") if mode == "legacy" else Client(server) as client:
            acting.append(Agent(here, client))
            yield acting[0]


def with_agent(test: Callable[[Agent], Coroutine[Any, Any, None]]) -> Any:
    async def inside(tmp_path: Path, mode: str) -> None:
        async with agent_in(tmp_path, mode) as agent:
            await test(agent)

    wraps(test)(inside)
    del inside.__wrapped__  # type: ignore[attr-defined]
    return pytest.mark.parametrize("mode", ["modern", "legacy"])(inside)


@with_agent
async def test_the_examples_of_the_specification(agent: Agent) -> None:
    medicine = await agent.ask(
        "scheduler",
        action="add",
        schedule={"type": "once", "at": "5m"},
        message="Time to take your medicine!",
        priority="high",
        require_ack=True,
        ack_prompt="Did you take your medicine?",
    )
    job = medicine["job"]
    assert (job["run_at"], job["priority"], job["require_ack"]) == ("2026-11-16T12:05:00Z", "high", True)
    assert (job["ack_prompt"], job["created_via"]) == ("Did you take your medicine?", "mcp")
    vitamins = await agent.ask(
        "scheduler",
        action="add",
        schedule={"type": "daily", "time": "08:00"},
        message="Good morning! Time for vitamins.",
        priority="normal",
    )
    assert (vitamins["job"]["time_of_day"], vitamins["job"]["next_run_at"]) == ("08:00", "2026-11-17T07:00:00Z")
    work = await agent.ask(
        "scheduler",
        action="add",
        schedule={"type": "weekly", "time": "07:30", "days": ["weekdays"]},
        message="Wake up! Time for work.",
        priority="high",
    )
    assert work["job"]["days_of_week"] == "1,2,3,4,5"
    assert len((await agent.ask("scheduler", action="list"))["jobs"]) == 3

    await agent.here.clock.travel(minutes=5)
    asked = [item.text for item in (await agent.here.runtime.services.reminder_service.lists.inbox("local"))[0]]
    assert asked == ["Did you take your medicine?", "Time to take your medicine!"]
    snoozed = await agent.ask("scheduler", action="snooze", snooze_minutes=20)
    assert snoozed["job"]["id"] == job["id"]
    assert snoozed["job"]["last_status"] == "snoozed"
    acked = await agent.ask("scheduler", action="ack", job_id=job["id"])
    assert (acked["text"], acked["job"]["last_status"]) == ("✓ Done: Time to take your medicine!", "acked")
    changed = await agent.ask(
        "scheduler", action="update", job_id=vitamins["job"]["id"], schedule={"type": "interval", "every": "2h"}
    )
    assert changed["job"]["interval_ms"] == 7_200_000
    gone = await agent.ask("scheduler", action="remove", job_id=work["job"]["id"])
    assert gone["job"]["id"] == work["job"]["id"]
    assert len((await agent.ask("scheduler", action="list"))["jobs"]) == 2


@with_agent
async def test_every_type_of_schedule_and_schedules_as_text(agent: Agent) -> None:
    cases: list[tuple[Any, str, str]] = [
        ({"type": "once", "at": "2026-11-16T18:00"}, "once", "2026-11-16T17:00:00Z"),
        ({"type": "once", "at": "2026-11-16T18:00Z"}, "once", "2026-11-16T18:00:00Z"),
        ({"type": "once", "at": "1d"}, "once", "2026-11-17T12:00:00Z"),
        ({"type": "interval", "every": "2h"}, "interval", "2026-11-16T14:00:00Z"),
        ({"type": "cron", "expr": "0 8 * * 1-5"}, "cron", "2026-11-17T07:00:00Z"),
        ({"type": "cron", "expr": "0 8 * * 1-5", "timezone": "Asia/Tokyo"}, "cron", "2026-11-16T23:00:00Z"),
        ({"type": "weekly", "time": "10:00", "days": ["sat", "sun"]}, "weekly", "2026-11-21T09:00:00Z"),
        ({"type": "smart", "text": "workdays at 8, weekends at 10"}, "smart", "2026-11-17T07:00:00Z"),
        ('{"type": "daily", "time": "20:00"}', "daily", "2026-11-16T19:00:00Z"),
    ]
    for schedule, kind, following in cases:
        job = (await agent.ask("scheduler", action="add", schedule=schedule, message="m"))["job"]
        assert (job["schedule_type"], job["next_run_at"]) == (kind, following), schedule


@with_agent
async def test_impossible_requests_are_refused_with_a_reason(agent: Agent) -> None:
    bad: list[tuple[dict[str, Any], str]] = [
        ({"action": "add", "message": "m"}, "add needs schedule and message"),
        ({"action": "add", "schedule": {"type": "once", "at": "5m"}}, "add needs schedule and message"),
        ({"action": "add", "schedule": {"type": "once", "at": "2026-01-01T00:00"}, "message": "m"}, "in the past"),
        ({"action": "add", "schedule": {"type": "once"}, "message": "m"}, "schedule.at is missing"),
        ({"action": "add", "schedule": {"type": "daily", "time": "8"}, "message": "m"}, "HH:MM"),
        ({"action": "add", "schedule": {"type": "weekly", "time": "08:00", "days": ["x"]}, "message": "m"}, "days"),
        ({"action": "add", "schedule": {"type": "smart", "text": "now and then"}, "message": "m"}, "now and then"),
        ({"action": "add", "schedule": {"type": "cron", "expr": "0 0 9 * * *"}, "message": "m"}, "6 fields"),
        ({"action": "add", "schedule": {"type": "yearly"}, "message": "m"}, "once, interval, daily"),
        ({"action": "explode"}, "'add', 'list', 'get', 'show', 'update', 'remove', 'snooze' or 'ack'"),
        ({"action": "remove"}, "remove needs job_id"),
        ({"action": "update", "message": "m"}, "update needs job_id"),
        ({"action": "remove", "job_id": "nothing"}, "there is no reminder 'nothing'"),
        ({"action": "ack"}, "no reminder waits"),
        ({"action": "list", "sort": "name"}, "does not take sort"),
    ]
    for arguments, says in bad:
        assert says in await agent.refused("scheduler", **arguments)
    assert await agent.ask("scheduler", action="list") == {"action": "list", "text": "no reminders"}


@with_agent
async def test_remind_gives_the_reminder_or_the_error(agent: Agent) -> None:
    ana = await agent.here.person("Ana", ("inbox", "x"), timezone="Asia/Tokyo")
    made = await agent.ask("remind", message="call home", channel="inbox", delay_minutes=60)
    assert made["status"] == "scheduled"
    assert (made["channel"], made["message"]) == ("inbox", "call home")
    assert made["remind_at"] == "2026-11-16T13:00:00Z"
    row = await agent.here.runtime.store.get(made["id"])
    assert row is not None
    assert row.name.startswith("remind-20261116T130000-")
    assert row.until_at is not None
    assert (row.until_at - agent.here.clock.now()).total_seconds() == 61 * 60
    view = await agent.here.runtime.services.reminder_service.get("local", made["id"])
    assert view.cron_expr == "0 13 16 11 *"
    hers = await agent.ask("remind", message="m", remind_at="2026-11-17T08:00", user="Ana")
    assert (hers["remind_at"], hers["channel"]) == ("2026-11-16T23:00:00Z", "inbox")
    assert len((await agent.here.runtime.services.reminder_service.lists.page(ana))[0]) == 1

    one = "exactly one of delay_minutes and remind_at"
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, one),
        ({"delay_minutes": 5, "remind_at": "2026-11-17T08:00"}, one),
        ({"delay_minutes": 0}, "delay_minutes must be at least 1"),
        ({"delay_minutes": 5, "channel": "inbx"}, "channel 'inbx' is not configured: did you mean inbox?"),
        ({"delay_minutes": -3}, "delay_minutes must be at least 1"),
        ({"delay_minutes": 10**12}, "beyond the end of the calendar"),
        ({"remind_at": "2026-11-16T12:00"}, "in the past"),
        ({"remind_at": "tomorrow-ish"}, "ISO 8601"),
    ]
    for timing, says in wrong:
        answer = await agent.failed("remind", message="m", **timing)
        assert answer["status"] == "error"
        assert answer.keys() == {"status", "error"}
        assert says in answer["error"]
    assert (await agent.failed("remind", message=" ", delay_minutes=1))["status"] == "error"
    await agent.here.clock.travel(minutes=60)
    assert [item.text for item in (await agent.here.runtime.services.reminder_service.lists.inbox("local"))[0]] == [
        "call home"
    ]


@with_agent
async def test_a_persons_token_reaches_only_their_reminders(agent: Agent) -> None:
    ana, eve = await agent.here.person("Ana"), await agent.here.person("Eve")
    agent.become(f"user:{ana}")
    job = (await agent.ask("scheduler", action="add", schedule={"type": "once", "at": "5m"}, message="m"))["job"]
    agent.become(f"user:{eve}")
    assert "jobs" not in await agent.ask("scheduler", action="list")
    foreign = await agent.refused("scheduler", action="remove", job_id=job["id"])
    unknown = await agent.refused("scheduler", action="remove", job_id="sched_0")
    assert foreign.replace(job["id"], "X") == unknown.replace("sched_0", "X")
    assert "access denied" in await agent.refused("scheduler", action="list", user=ana)
    assert "access denied" in await agent.refused("remind", message="m", delay_minutes=1, user="Ana")
    agent.become(f"user:{ana}:ro")
    assert len((await agent.ask("scheduler", action="list"))["jobs"]) == 1
    assert "may only look" in await agent.refused("scheduler", action="remove", job_id=job["id"])
    assert "may only look" in await agent.refused("remind", message="m", delay_minutes=1)
    agent.become("project:blog")
    assert "access denied" in await agent.refused("scheduler", action="list")


DAILY = {"type": "daily", "time": "08:00"}
SURPLUS: list[tuple[dict[str, Any], str]] = [
    ({"action": "add", "schedule": DAILY, "message": "m", "enabled": False}, "action add does not take enabled"),
    ({"action": "add", "schedule": DAILY, "message": "m", "job_id": "x"}, "action add does not take job_id"),
    ({"action": "add", "schedule": DAILY, "message": "m", "snooze_minutes": 5}, "snooze_minutes goes with snooze"),
    ({"action": "add", "schedule": DAILY, "message": "m", "name": ""}, "name must be 1 to 200 printable characters"),
    ({"action": "add", "schedule": DAILY, "message": "m", "max_retries": True}, "max_retries.*got True"),
    ({"action": "add", "schedule": DAILY, "message": "m", "ack_prompt": "?"}, "ack_prompt '\\?' has no effect without"),
    ({"action": "add", "schedule": {**DAILY, "timezone": ""}, "message": "m"}, "schedule.timezone must be a text"),
    ({"action": "list", "job_id": "x"}, "action list does not take job_id: it takes enabled, status, priority, text"),
    ({"action": "list", "message": "m"}, "action list does not take message"),
    ({"action": "update", "job_id": "pills"}, "nothing to change in 'pills'"),
    ({"action": "update", "job_id": "pills", "snooze_minutes": 5}, "action update does not take snooze_minutes"),
    ({"action": "remove", "job_id": "pills", "enabled": False}, "action remove does not take enabled"),
    ({"action": "snooze", "enabled": True}, "action snooze does not take enabled"),
    ({"action": "snooze", "snooze_minutes": True}, "snooze_minutes.*got True"),
    ({"action": "ack", "snooze_minutes": 5}, "action ack does not take snooze_minutes"),
    ({"action": "ack", "message": "m"}, "action ack does not take message"),
]


@with_agent
async def test_an_argument_of_another_action_is_refused(agent: Agent) -> None:
    await agent.ask("scheduler", action="add", schedule=DAILY, message="m", name="pills")
    before = await agent.ask("scheduler", action="list")
    for arguments, told in SURPLUS:
        said = await agent.refused("scheduler", **arguments)
        assert re.search(told, said), said
    assert await agent.ask("scheduler", action="list") == before
    assert "got True" in await agent.refused("remind", message="m", delay_minutes=True)


@with_agent
async def test_words_and_cron_mean_the_persons_zone_and_answers_show_it(agent: Agent) -> None:
    ana = await agent.here.person("Ana", timezone="Asia/Tokyo")
    agent.become(f"user:{ana}")
    schedules = ({"type": "smart", "text": "every day at 9"}, {"type": "cron", "expr": "0 9 * * *"})
    for schedule in schedules:
        job = (await agent.ask("scheduler", action="add", schedule=schedule, message="m"))["job"]
        shown = (job["next_run_at"], job["next_run_local"], job["timezone"])
        assert shown == ("2026-11-17T00:00:00Z", "2026-11-17T09:00:00+09:00", "Asia/Tokyo")
        assert job.get("original_text") == schedule.get("text")
    made = await agent.ask("remind", message="m", remind_at="2026-11-17T09:00")
    shown = (made["remind_at"], made["remind_at_local"], made["timezone"])
    assert shown == ("2026-11-17T00:00:00Z", "2026-11-17T09:00:00+09:00", "Asia/Tokyo")
    (job,) = [each for each in (await agent.ask("scheduler", action="list"))["jobs"] if each["id"] == made["id"]]
    assert job["original_text"] == "2026-11-17T09:00"


@with_agent
async def test_the_tools_are_small_and_their_answers_keep_to_their_schemas(agent: Agent) -> None:
    tools = (await agent.client.list_tools()).tools
    size = sum(len(tool.name) + len(tool.description or "") + len(json.dumps(tool.input_schema)) for tool in tools)
    assert size < MOST, size
    schemas = {tool.name: tool for tool in tools}
    given = schemas["scheduler"].input_schema["properties"]
    assert given["action"]["enum"] == ["add", "list", "get", "show", "update", "remove", "snooze", "ack"]
    assert given["priority"]["enum"] == ["low", "normal", "high", "critical"]
    named = {"schedule", "message", "require_ack", "ack_prompt", "job_id", "snooze_minutes"}
    assert named <= given.keys()
    calls: list[tuple[str, dict[str, Any]]] = [
        ("remind", {"message": "m", "delay_minutes": 5}),
        ("scheduler", {"action": "add", "schedule": {"type": "daily", "time": "08:00"}, "message": "m"}),
        ("scheduler", {"action": "list"}),
    ]
    for name, arguments in calls:
        jsonschema.validate(await agent.ask(name, **arguments), schemas[name].output_schema)
    jsonschema.validate(await agent.failed("remind", message="m"), schemas["remind"].output_schema)


@with_agent
async def test_a_sentence_that_repeats_is_answered_so(agent: Agent) -> None:
    daily = await agent.ask("remind", text="vitamins every morning at 8")
    assert (daily["repeats"], daily["when"]) == (True, "every day at 08:00 (Europe/Berlin)")
    once = await agent.ask("remind", text="call mom tomorrow at 17:00")
    assert once["repeats"] is False


@with_agent
async def test_what_an_agent_means_is_read_in_the_shape_that_it_gives(agent: Agent) -> None:
    await agent.here.person("Bob")
    words = {"action": "add", "message": "m", "schedule": "every 3 days at 18:00"}
    assert "3 days" in (await agent.ask("scheduler", **words))["job"]["when"]
    cron = {"action": "add", "message": "m", "schedule": "0 8 * * 1-5", "lead_minutes": 10, "shared_with": "Bob"}
    job = (await agent.ask("scheduler", **cron))["job"]
    assert (job["cron_expr"], job["lead_minutes"], len(job["shared_with"])) == ("0 8 * * 1-5", [10], 1)


@with_agent
async def test_an_unknown_argument_is_answered_with_the_one_that_was_meant(agent: Agent) -> None:
    assert await agent.refused("schedule_create", name="x", promt="y") == (
        "schedule_create does not take promt: did you mean prompt?"
    )
    assert await agent.refused("schedule_update", id="x", enabled=False) == (
        "schedule_update does not take id: did you mean schedule_id?"
    )
    assert "did you mean retry?" in await agent.refused("schedule_create", name="x", retry_behavior="y")
    far = await agent.refused("schedule_create", name="x", colour="y")
    assert far == "schedule_create does not take colour: it takes what its schema lists"
    assert "it takes message, channel" in await agent.refused("remind", colour="y")


@with_agent
async def test_an_agent_lists_by_every_state_that_a_schedule_may_show(agent: Agent) -> None:
    made = await agent.ask("remind", text="call mom tomorrow at 17:00")
    found = {state: (await agent.ask("schedule_list", state=state))["items"] for state in STATES}
    assert [state for state, items in found.items() if items] == ["ok", "waiting"], "what waits is well"
    assert [each["id"] for each in found["waiting"]] == [made["id"]]


@with_agent
async def test_undo_without_a_token_only_shows_what_it_would_take_back(agent: Agent) -> None:
    made = await agent.ask("remind", text="call mom tomorrow at 17:00")
    shown = await agent.ask("undo")
    assert "call-mom" in shown["text"] or "call mom" in shown["text"]
    assert shown["made_at"] == "2026-11-16T12:00:00Z"
    assert (await agent.here.runtime.services.reminder_service.get("local", made["id"])).id == made["id"]
    assert "undone" in (await agent.ask("undo", token=shown["token"]))["text"]
    assert (await agent.here.runtime.services.reminder_service.lists.page("local"))[0] == []


@with_agent
async def test_a_reminder_is_paused_as_any_schedule_is(agent: Agent) -> None:
    made = await agent.ask("remind", text="vitamins every morning at 8")
    assert (await agent.ask("schedule_update", schedule_id=made["id"], enabled=False))["enabled"] is False
    assert (await agent.ask("schedule_update", schedule_id=made["id"], enabled=True))["enabled"] is True


async def test_over_http_the_token_names_the_person(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.person("Ana")
        token = await here.token("user:Ana")
        call = {"name": "remind", "arguments": {"message": "m", "delay_minutes": 5}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        assert (await here.post("/mcp", body, headers)).status_code == 401
        wrong = {**headers, "Authorization": "Bearer guess"}
        assert (await here.post("/mcp", body, wrong)).status_code == 401
        right = {**headers, "Authorization": f"Bearer {token}"}
        assert (await here.post("/mcp", body, right)).status_code != 401


@with_agent
async def test_message_and_time_in_one_sentence(agent: Agent) -> None:
    made = await agent.ask("remind", text="call mom tomorrow at 17:00")
    assert (made["status"], made["message"], made["remind_at_local"][11:16]) == ("scheduled", "call mom", "17:00")
    refused = await agent.failed("remind", text="call mom")
    assert refused["error"].startswith("text 'call mom' does not say what and when in one sentence")
    both = await agent.failed("remind", text="call mom tomorrow at 9", message="m")
    assert both["error"] == "text says what and when: leave out message"
    assert (await agent.failed("remind"))["status"] == "error"
