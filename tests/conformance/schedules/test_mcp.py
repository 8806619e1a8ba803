"""What only MCP has: the list of tools, resources and who may watch them, the prompt, complaints in one line."""

from __future__ import annotations

import json
from typing import Any

import anyio
import jsonschema  # type: ignore[import-untyped]
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from duly.service.access.scopes import Caller
from tests.conformance.schedules.harness import (
    DAILY,
    LEGACY,
    Refused,
    ScheduleHarness,
    scenario,
    shared_server,
)

MOST = 19_400
"""Characters: about 4,850 tokens of every conversation with an agent."""


@scenario
async def test_the_tool_list_costs_less_than_its_budget(agent: ScheduleHarness) -> None:
    tools = (await agent.client.list_tools()).tools
    size = sum(len(tool.name) + len(tool.description or "") + len(json.dumps(tool.input_schema)) for tool in tools)
    assert size < MOST
    verbs = ("create", "list", "get", "update", "delete", "trigger", "history", "preview")
    expected = {f"schedule_{verb}" for verb in verbs}
    assert {tool.name for tool in tools} >= expected
    for tool in tools:
        assert tool.description
        assert tool.title
        assert tool.output_schema is not None
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations is not None
        reads = tool.name in ("schedule_list", "schedule_get", "schedule_history", "schedule_preview")
        assert tool.annotations.read_only_hint == reads


@scenario
async def test_answers_keep_to_their_schema(agent: ScheduleHarness) -> None:
    schemas = {tool.name: tool.output_schema for tool in (await agent.client.list_tools()).tools}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("schedule_list", {}),
        ("schedule_create", {"name": "plants", **DAILY, "targets": [{"project_id": "a"}]}),
        ("schedule_update", {"schedule_id": "plants", "enabled": False}),
        ("schedule_trigger", {"schedule_id": "plants"}),
        ("schedule_get", {"schedule_id": "plants"}),
        ("schedule_history", {"schedule_id": "plants"}),
        ("schedule_backfill", {"schedule_id": "plants", "start": "2025-12-01T00:00Z", "end": "2025-12-03T00:00Z"}),
        ("schedule_list", {"text": "water"}),
        ("schedule_preview", {"when": "weekdays at 7:30"}),
        ("schedule_delete", {"schedule_id": "plants"}),
    ]
    for name, arguments in calls:
        answer = await agent.client.call_tool(name, arguments)
        assert not answer.is_error
        jsonschema.validate(answer.structured_content, schemas[name])
        assert json.loads(answer.content[0].text) == answer.structured_content  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("schedule_create", {}, "schedule_create: name is required"),
        (
            "schedule_create",
            {"name": "x", "crom": "0 9 * * *"},
            "schedule_create does not take crom: did you mean",
        ),
        ("schedule_create", {"name": 7, **DAILY}, "schedule_create: name: Input should be a valid string, got 7"),
        ("schedule_list", {"limit": 0}, "schedule_list: limit: Input should be greater than or equal to 1, got 0"),
        ("schedule_get", {"schedule_id": "x\ny"}, "there is no schedule 'x\\ny'"),
        ("schedule_update", {"schedule_id": "x", "clear": ["colour"]}, "there is no schedule 'x'"),
        ("schedule_update", {"schedule_id": "plants", "clear": ["colour"]}, "colour is unknown"),
    ],
)
@scenario
async def test_complaints_are_one_line_an_agent_can_act_on(
    agent: ScheduleHarness, tool: str, arguments: dict[str, Any], told: str
) -> None:
    await agent.create()
    with pytest.raises(Refused) as refusal:
        await agent.ask(tool, **arguments)
    assert str(refusal.value).startswith(told)
    assert "\n" not in str(refusal.value)


@scenario
async def test_null_is_the_same_as_nothing(agent: ScheduleHarness) -> None:
    made = await agent.create(**DAILY, targets=None, description=None, until_at=None, enabled=None)
    assert made["enabled"]
    assert await agent.names(text=None, cursor=None) == ["plants"]


@scenario
async def test_schedules_and_runs_are_resources(agent: ScheduleHarness) -> None:
    made = await agent.create()
    run = await agent.trigger("plants")
    templates = {each.uri_template for each in (await agent.client.list_resource_templates()).resource_templates}
    assert templates == {
        "schedule://{id}",
        "run://{id}",
        "details://{id}",
        "output://{id}{?attempt,target,offset}",
        "day://{day}",
        "load://{day}",
        "nodes://duly{?id}",
        "executors://duly{?name}",
        "events://{id}{?cursor}",
        "needs://duly{?limit}",
        "audit://{id}{?kind,actor,cursor}",
        "health://duly{?kind}",
        "quotas://duly{?cursor}",
    }
    for uri, content in ((f"schedule://{made['id']}", made), (f"run://{run['id']}", run)):
        (read,) = (await agent.client.read_resource(uri)).contents
        assert read.mime_type == "application/json"
        assert json.loads(read.text)["id"] == content["id"]  # type: ignore[union-attr]
    for uri in ("schedule://nowhere", "run://nowhere"):
        with pytest.raises(MCPError, match="there is no"):
            await agent.client.read_resource(uri)
    agent.as_scope("project:a")
    with pytest.raises(MCPError, match="there is no schedule"):
        await agent.client.read_resource(f"schedule://{made['id']}")


@scenario
async def test_the_prompt_teaches(agent: ScheduleHarness) -> None:
    assert [each.name for each in (await agent.client.list_prompts()).prompts] == ["schedule_well"]
    taught = await agent.client.get_prompt("schedule_well", {"request": "water my plants"})
    text = taught.messages[0].content.text  # type: ignore[union-attr]
    assert "schedule_preview" in text
    assert "water my plants" in text


class _Watch:
    """A second client that watches, in the manner of its era."""

    def __init__(self, harness: ScheduleHarness) -> None:
        self._legacy = harness.way == LEGACY
        self._told: list[str] = []
        self._news = anyio.Event()

    async def heard(self, uri: str) -> None:
        with anyio.fail_after(60):
            while uri not in self._told:
                self._news = anyio.Event()
                await self._news.wait()

    def hear(self, uri: str) -> None:
        self._told.append(uri)
        self._news.set()

    async def handle(self, message: Any) -> None:
        uri = getattr(getattr(message, "params", None), "uri", None)
        if uri is not None:
            self.hear(str(uri))

    def client(self) -> Client:
        mode: dict[str, Any] = {"mode": "legacy"} if self._legacy else {}
        return Client(shared_server(), message_handler=self.handle, **mode)


@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
@scenario
async def test_those_who_watch_are_told(agent: ScheduleHarness) -> None:
    made = await agent.create()
    uri, watch = f"schedule://{made['id']}", _Watch(agent)
    async with watch.client() as client:
        if agent.way == LEGACY:
            await client.subscribe_resource(uri)
            await agent.update("plants", description="told")
            await watch.heard(uri)
            run = await agent.trigger("plants")
            await client.subscribe_resource(f"run://{run['id']}")
            for never_told in ("schedule://nowhere", "schedule://plants", "other://plants"):
                with pytest.raises(MCPError, match=r"there is no .*: schedules and runs are watched by id"):
                    await client.subscribe_resource(never_told)
            return
        async with client.listen(resource_subscriptions=[uri]):
            await agent.update("plants", description="told")
            await watch.heard(uri)


@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
@scenario
async def test_a_caller_cannot_watch_what_they_may_not_read(agent: ScheduleHarness) -> None:
    hidden = f"schedule://{(await agent.create('hidden', **DAILY))['id']}"
    shown = f"schedule://{(await agent.create('shown', **DAILY, targets=[{'project_id': 'a'}]))['id']}"
    watch = _Watch(agent)
    async with watch.client() as client:
        agent.as_scope("project:a")
        if agent.way == LEGACY:
            with pytest.raises(MCPError, match="there is no"):
                await client.subscribe_resource(hidden)
            await client.subscribe_resource(shown)
            await _change_both(agent, watch, shown)
        else:
            async with client.listen(resource_subscriptions=[hidden, shown]):
                await _change_both(agent, watch, shown)
    assert hidden not in watch._told


@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
@scenario
async def test_those_who_watch_hear_what_other_processes_do(
    agent: ScheduleHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await agent.create()
    uri, watch = f"schedule://{made['id']}", _Watch(agent)
    state, watchers = ["first"], shared_server().watchers

    async def state_of(asked: str) -> str:
        assert asked == uri
        return state[-1]

    async def look_around() -> None:
        state.append("second")  # before the first look
        for _ in range(3):
            await watchers.look()
            await anyio.wait_all_tasks_blocked()
            assert watch._told == [uri]
        state.append("our own")
        await watchers.changed(made["id"])
        await watchers.look()
        await anyio.wait_all_tasks_blocked()
        assert watch._told == [uri] * 2

    monkeypatch.setattr(watchers, "state_of", state_of)
    async with watch.client() as client:
        if agent.way == LEGACY:
            await client.subscribe_resource(uri)
            await look_around()
        else:
            async with client.listen(resource_subscriptions=[uri]):
                await look_around()
    state.append("third")
    await watchers.look()  # without a watcher the store is not asked
    assert len(watch._told) == 2


async def _change_both(agent: ScheduleHarness, watch: _Watch, shown: str) -> None:
    agent.caller = Caller()
    for name in ("hidden", "shown"):
        await agent.update(name, description="changed")
    await watch.heard(shown)
