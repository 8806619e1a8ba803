"""Bad input gets a clean answer: one line that says what is wrong, and nothing changes."""

from __future__ import annotations

import asyncio
import json
import re
from concurrent.futures import Future
from datetime import date
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duly.errors import InvalidInputError, NotFoundError
from duly.ports.records import ScheduleFilter
from tests.conformance.schedules.harness import (
    DAILY,
    MCP,
    SERVICE,
    ScheduleHarness,
    make_schedule_harness,
    shared_server,
)
from tests.support import tries

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    [
        *("", " ", "\0", "null", "[]", "{}", '{"a": 1}', "0 9 * * *", "* * * * * *", "1h", "-5m", "9" * 400),
        *(
            "sched_",
            "plants",
            "once",
            "weekly",
            "mon",
            "09:00",
            "default/plants",
            "UTC",
            "Europe/Rome",
            "2026-02-30T00:00:00Z",
            "2026-05-01T00:00:00",
        ),
        *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "tomorrow at 9", "every 0 minutes", "a" * 5000),
    ]
)
_NUMBERS = st.integers() | st.floats() | st.sampled_from([0, -1, 2**31, 2**63, 10**400, 1e308])
_ANYTHING = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)
_NESTED = {
    "targets": st.lists(
        st.fixed_dictionaries({"project_id": st.sampled_from(["a", "b", "nowhere"]) | _ANYTHING})
        | st.dictionaries(st.sampled_from(["project_id", "workspace_id", "x"]), _ANYTHING, max_size=2),
        max_size=3,
    ),
    "retry": st.dictionaries(
        st.sampled_from(["max_attempts", "delay", "backoff", "cap", "jitter", "superseded", "x"]), _ANYTHING, max_size=3
    ),
    "schedule": st.dictionaries(
        st.sampled_from(["type", "at", "every", "time", "days", "expr", "text", "timezone", "x"]), _ANYTHING, max_size=4
    ),
    "job_args": st.dictionaries(st.sampled_from(["to", "run", "fail"]) | _TEXTS, _ANYTHING, max_size=2),
}


def _of_schema(name: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values a published schema allows, and those next to them."""
    if "enum" in schema:
        fitting: st.SearchStrategy[Any] = st.sampled_from(schema["enum"])
    elif "anyOf" in schema:
        fitting = st.one_of([_of_schema(name, each) for each in schema["anyOf"]])
    else:
        fitting = {
            "string": _TEXTS,
            "integer": st.integers(-2, 300) | st.integers(),
            "number": _NUMBERS,
            "boolean": st.booleans(),
            "array": _NESTED.get(name, st.lists(_ANYTHING, max_size=3)),
            "object": _NESTED.get(name, st.dictionaries(_TEXTS, _ANYTHING, max_size=3)),
        }[schema["type"]]
    return st.one_of(fitting, fitting, fitting, _ANYTHING)


async def _schemas() -> dict[str, dict[str, Any]]:
    tools = await shared_server().list_tools()
    return {tool.name: tool.input_schema for tool in tools}


@pytest.fixture(scope="module")
def published() -> dict[str, dict[str, Any]]:
    return asyncio.run(_schemas())


_PLAUSIBLE: dict[str, Any] = {"name": "fresh", "schedule_id": "plants", "cron": "0 9 * * *", "prompt": "look"}
_PLAUSIBLE |= {"message": "stretch", "delay_minutes": 5, "action": "add", "schedule": {"type": "once", "at": "5m"}}
_SIZES = 3


@st.composite
def _calls(draw: st.DrawFn, schemas: dict[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """A tool and arguments that make some sense, with a few that may not."""
    tool = draw(st.sampled_from(sorted(schemas)))
    properties = schemas[tool]["properties"]
    arguments = {name: value for name, value in _PLAUSIBLE.items() if name in properties and tool != "schedule_update"}
    if "schedule_id" in properties:
        arguments["schedule_id"] = "plants"
    chosen = draw(st.lists(st.sampled_from(sorted(properties)), max_size=_SIZES, unique=True))
    arguments |= {name: draw(_of_schema(name, properties[name])) for name in chosen}
    for name in draw(st.lists(st.sampled_from(sorted(arguments)), max_size=1)) if arguments else []:
        del arguments[name]
    if draw(st.integers(0, 9)) == 0:
        arguments[draw(_TEXTS)] = draw(_ANYTHING)
    return tool, arguments


async def _everything(harness: ScheduleHarness) -> Any:
    rows = await harness.store.schedules(ScheduleFilter(limit=500))
    return [(row.id, row.version, row.deleted_at) for row in rows], await harness.store.journal(0, 1000)


async def _send(harness: ScheduleHarness, tool: str, arguments: dict[str, Any]) -> None:
    before = await _everything(harness)
    answer = await harness.client.call_tool(tool, arguments)
    text = answer.content[0].text  # type: ignore[union-attr]
    if not answer.is_error:
        assert json.loads(text) == answer.structured_content
        return
    assert text.strip()
    assert "\n" not in text
    assert "Traceback" not in text
    assert not text.startswith("Error executing tool"), (tool, arguments)
    assert len(text) <= 1000
    assert await _everything(harness) == before


class Stand:
    """A scene in a loop and a thread of its own, so that a property can send to it call by call."""

    def __init__(self, harness: ScheduleHarness) -> None:
        self._harness = harness
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._closing = asyncio.Event()
        self._thread.start()
        opened: Future[None] = Future()
        self._kept = asyncio.run_coroutine_threadsafe(self._keep(opened), self._loop)
        opened.result(30)

    async def _keep(self, opened: Future[None]) -> None:
        async with self._harness:
            opened.set_result(None)
            await self._closing.wait()

    def send(self, tool: str, arguments: dict[str, Any]) -> None:
        asyncio.run_coroutine_threadsafe(self._send(tool, arguments), self._loop).result(30)

    async def _send(self, tool: str, arguments: dict[str, Any]) -> None:
        if await self._harness.store.find("default", "plants") is None:
            await self._harness.create("plants", **DAILY)
        await _send(self._harness, tool, arguments)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._closing.set)
        self._kept.result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.mark.parametrize("store", ["sqlite-inline", "postgres"])
def test_a_call_of_any_kind(store: str, published: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    with make_schedule_harness(store, MCP, tmp_path) as harness:
        stand = Stand(harness)

        @settings(max_examples=tries(300), deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(_calls(published))
        def holds(call: tuple[str, dict[str, Any]]) -> None:
            stand.send(*call)

        try:
            holds()
        finally:
            stand.close()


_TEXT_FIELDS = ("name", "description", "display_title", "project", "job", "prompt", "spawner", "model", "stagger_key")


@pytest.mark.parametrize(
    ("field", "text"), [(field, text) for field in _TEXT_FIELDS for text in ("a\0b", "half \udfff")]
)
def test_text_that_cannot_be_kept_or_handed_on(field: str, text: str, tmp_path: Path) -> None:
    """Over MCP half a character cannot even be sent; a file or a program may still hold one."""
    fields: dict[str, Any] = {"name": "plants", **DAILY}
    if field == "project":
        fields["targets"] = [{"project_id": text}]
    elif field == "job":
        fields = {"name": "plants", "cron": "0 9 * * *", "job_name": text}
    else:
        fields[field] = text

    async def refused(harness: ScheduleHarness) -> None:
        async with harness:
            with pytest.raises(InvalidInputError):
                await harness.use_cases.schedule_create(harness.caller, fields)
            for look_up in (harness.read_cases.schedule_get, harness.read_cases.schedule_history):
                with pytest.raises((InvalidInputError, NotFoundError)):
                    await look_up(harness.caller, text)
            with pytest.raises((InvalidInputError, NotFoundError)):
                await harness.read_cases.run_get(harness.caller, text)
            with pytest.raises(InvalidInputError):
                await harness.read_cases.schedule_list(harness.caller, text=text)

    with make_schedule_harness("sqlite-inline", SERVICE, tmp_path) as harness:
        asyncio.run(refused(harness))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"stagger_key": 5}, "stagger_key must be a text that is not empty, got 5"),
        ({"spawner": 5}, "spawner must be a text that is not empty, got 5"),
        ({"gate": ["grep"]}, "gate must be a text that is not empty, got "),
        ({"overlap_behavior": "never"}, "overlap_behavior must be one of 'skip', 'queue', 'parallel', got 'never'"),
        ({"job_name": "backup"}, "does not take job_name: leave that out, or say dispatch_mode 'job'"),
        ({"start_at": "2026-02-01T09:00:00"}, "such as 2026-02-01T09:00:00Z for UTC or 2026-02-01T09:00:00+01:00"),
        ({"job_args": {"since": date(2026, 1, 1)}}, "does not take job_args"),
    ],
)
def test_what_a_file_may_hold_is_told_in_words_that_fit_it(fields: dict[str, Any], told: str, tmp_path: Path) -> None:
    """A file is read without a schema: any field may hold any kind of value."""

    async def refused(harness: ScheduleHarness) -> None:
        async with harness:
            with pytest.raises(InvalidInputError, match=re.escape(told)):
                await harness.sync_file({"name": "plants", **DAILY, **fields})

    with make_schedule_harness("sqlite-inline", SERVICE, tmp_path) as harness:
        asyncio.run(refused(harness))
