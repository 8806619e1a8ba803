"""Every face refuses a caller without the right before it reads the rest of the request."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from duly.errors import AccessDeniedError, InvalidInputError
from duly.mcp.server import make_server
from duly.service import limits
from duly.service.access.scopes import Caller, Face, Scope
from duly.service.schedules import values
from duly.ws.frames import METHODS, Conversation
from tests.world import World, world

HOSTILE = "1" * 20_000 + "x"
LOOKERS = ("admin:ro", "project:a:ro", "user:local:ro")


@asynccontextmanager
async def agent(here: World, scope: str) -> AsyncIterator[Client]:
    """An agent whose token has a scope."""
    caller = Caller(Scope.parse(scope), "tok_1", Face.MCP)
    async with Client(make_server(here.runtime.services, lambda _request: caller)) as client:
        yield client


@pytest.fixture
def nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail as soon as any reader of values is called."""

    def read(*_: Any, **__: Any) -> Any:
        raise AssertionError("a value was read before access was checked")

    for name in ("duration", "moment", "zone", "mapping", "structure", "whole", "amount"):
        monkeypatch.setattr(values, name, read)
    monkeypatch.setattr("duly.service.schedules.forms.read_cron", read)
    monkeypatch.setattr("duly.service.schedules.read_use_cases.read_words", read)


@pytest.mark.parametrize("scope", LOOKERS)
@pytest.mark.usefixtures("nothing_is_read")
async def test_a_tool_that_changes_refuses_a_read_only_token(tmp_path: Path, scope: str) -> None:
    async with world(tmp_path) as here, agent(here, scope) as client:
        tools = (await client.list_tools()).tools
        changing = [tool for tool in tools if not (tool.annotations and tool.annotations.read_only_hint)]
        assert len(changing) >= 9
        for tool in changing:
            hostile = dict.fromkeys(tool.input_schema["properties"], HOSTILE) | {"unknown": HOSTILE}
            answer = await client.call_tool(tool.name, hostile)
            assert answer.is_error, tool.name
            assert answer.content[0].text == f"cannot call {tool.name}: scope {scope} may only look"  # type: ignore[union-attr]


@pytest.mark.usefixtures("nothing_is_read")
async def test_use_cases_refuse_a_read_only_caller_before_they_read(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        cases, caller = here.runtime.services.use_cases, Caller(Scope.parse("admin:ro"))
        form = {"name": "x", "cron": HOSTILE, "timeout": HOSTILE, "prompt": "p"}
        for asked in (
            cases.schedule_create(caller, form),
            cases.update(caller, "nothing", form),
            cases.delete(caller, "nothing"),
            cases.restore(caller, "nothing", name=HOSTILE),
            cases.schedule_trigger(caller, "nothing"),
            cases.skip_next(caller, "nothing"),
            cases.schedule_backfill(caller, "nothing", HOSTILE, HOSTILE),
            cases.run_cancel(caller, "nothing"),
        ):
            with pytest.raises(AccessDeniedError, match="may only look"):
                await asked


async def test_a_foreign_project_is_refused_before_the_times_are_read(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        form = {"name": "x", "cron": "no cron", "timeout": "no length", "prompt": "p", "targets": ["b"]}
        with pytest.raises(AccessDeniedError, match=r"^cannot create schedule for project b: access denied$"):
            await here.runtime.services.use_cases.schedule_create(Caller(Scope.parse("project:a")), form)


@pytest.mark.parametrize("scope", ["user:local:ro", "project:a"])
async def test_a_websocket_method_refuses_before_it_reads(tmp_path: Path, scope: str) -> None:
    async with world(tmp_path) as here:
        caller = Caller(Scope.parse(scope), "tok_1", Face.API)
        conversation = Conversation(here.runtime.services, caller)
        for method in METHODS:
            if (
                method in ("cron.list", "cron.get", "cron.show", "subscribe", "unsubscribe")
                and scope == "user:local:ro"
            ):
                continue
            frame = {"id": 1, "method": method, "params": {"unknown": 1, "message": 7, "schedule": HOSTILE}}
            assert (await conversation.answer(json.dumps(frame)))["error"]["code"] == "UNAUTHORIZED"


async def test_a_chat_refuses_before_it_reads(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        for scope, code in (("user:local:ro", 403), ("project:a", 403)):
            headers = {"Authorization": f"Bearer {await here.token(scope)}"}
            assert (await here.post("/messages", b"[" * 500_000, headers)).status_code == code


async def test_a_text_that_is_too_long_is_refused_with_its_length_and_the_limit(tmp_path: Path) -> None:
    async with world(tmp_path) as here, agent(here, "admin") as client:
        tools = {tool.name: tool.input_schema["properties"] for tool in (await client.list_tools()).tools}
        for tool, properties in tools.items():
            for field in properties:
                long = "x" * (limits.LONGEST.get(field, limits.LONGEST_OTHER) + 1)
                answer = await client.call_tool(tool, {field: long})
                said = answer.content[0].text  # type: ignore[union-attr]
                expected = f"{field} has {len(long)} characters, at most {len(long) - 1} are taken: shorten it"
                assert answer.is_error, (tool, field)
                assert said == expected


async def test_frames_and_chats_have_the_same_limits(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        conversation = Conversation(here.runtime.services, Caller(face=Face.API))
        frame = {"id": 1, "method": "cron.add", "params": {"message": "x" * 20_001}}
        told = (await conversation.answer(json.dumps(frame)))["error"]["message"]
        assert told == "message has 20001 characters, at most 20000 are taken: shorten it"
        headers = {"Authorization": f"Bearer {await here.token('admin')}"}
        answer = await here.post("/messages", {"text": "x" * 20_001}, headers)
        assert (answer.status_code, answer.json()["error"]) == (422, told.replace("message", "text"))


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([[[]] * 3_000], "targets has 3001 members, at most 2000 are taken"),
        (json.loads("[" * 30 + "]" * 30), "targets has lists and objects inside one another, at most 20 deep"),
        ({"x" * 15_000: "y" * 15_000}, "targets has 30000 characters, at most 20000 are taken"),
        (["x"] * 100, None),
    ],
    ids=["wide", "deep", "long", "fits"],
)
def test_lists_and_objects_have_limits(value: Any, told: str | None) -> None:
    if told is None:
        limits.check_given({"targets": value})
        return
    with pytest.raises(InvalidInputError, match=f"^{re.escape(told)}"):
        limits.check_given({"targets": value})
    with pytest.raises(InvalidInputError, match=f"^{re.escape(told)}"):
        values.structure(json.dumps(value), "targets")
