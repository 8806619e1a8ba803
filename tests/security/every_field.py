"""Feeds a megabyte to every text that enters, with all limits lifted; as a process, because what is quadratic hangs.

Its arguments are how many characters a megabyte has here, and how many seconds of the processor it may use. Fields come
from the tools' schemas and from the methods' parameters, so that a new one is fed without being named here.
Phrases keep their limit of 300 characters: six languages read each of them in several readings, so a megabyte in every
field that takes one would need hours; `test_long_input` feeds their reader alone.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from mcp import Client, MCPError

import duly.operations.catalogue  # noqa: F401  before the limits are lifted, of which asks are made
from duly import zones
from duly.cron import parser as cron
from duly.errors import DulyError
from duly.language.replies import tokens as replies
from duly.mcp.server import make_server
from duly.service import limits
from duly.service.access.scopes import Caller, Face
from duly.service.people import people
from duly.service.reminders.requests import FIELDS_OF_TYPE
from duly.service.services import Services
from duly.stores import open_store
from duly.testing import VirtualClock
from duly.ws.frames import METHODS, Conversation
from tests.bare_process import services_over

M, SECONDS = map(int, sys.argv[1:]) if __name__ == "__main__" else (1_000_000, 0)
CLOCK = VirtualClock()
SHAPES = {
    "digits": "1" * M + "x",
    "blanks": " " * M + "x",
    "units": "1h " * (M // 3) + "x",
}
LISTS = "[" * M
REQUIRED: dict[str, dict[str, Any]] = {
    "schedule_create": {"name": "x", "prompt": "p", "cron": "0 0 1 1 *"},
    "schedule_update": {"schedule_id": "there"},
    "schedule_backfill": {"schedule_id": "there", "start": "2026-11-01T00:00Z", "end": "2026-11-02T00:00Z"},
    "remind": {"message": "m", "delay_minutes": 5},
}
"""What a tool needs besides the field that is fed, so that the field is read at all."""


def lift_limits() -> None:
    """Take every limit of length away."""
    limits.LONGEST.clear()
    limits.LONGEST_OTHER = limits.MOST_MEMBERS = limits.DEEPEST = sys.maxsize
    cron.MAX_LENGTH = sys.maxsize
    replies.MAX_LENGTH = sys.maxsize
    zones._LONGEST_NAME = sys.maxsize
    people._LONGEST_NAME = sys.maxsize


def fed(name: str, schema: dict[str, Any], text: str) -> Iterator[Any]:
    """A field with the text in every place where it takes one."""
    kinds = str(schema)
    if name == "schedule":
        for kind, fields in FIELDS_OF_TYPE.items():
            for field in (*fields, "timezone"):
                rest = {
                    "time": "08:00",
                    "days": ["mon"],
                    "at": "5m",
                    "every": "2h",
                    "expr": "* * * * *",
                    "text": "daily",
                    "trigger": {"v": 1, "kind": "hour_interval", "interval": 1},
                }
                given = {key: rest[key] for key in fields if key != field}
                yield {"type": kind, **given, field: [text] if field in ("time", "days") else text}
        return
    if "'string'" in kinds or "enum" in kinds:
        yield text
    if "'array'" in kinds or "'object'" in kinds:
        yield LISTS  # agents send lists and objects as text
        yield [text]
    if "'object'" in kinds:
        yield {text: text}
        yield from ({key: text} for key in ("max_attempts", "delay", "backoff", "cap", "project_id"))


async def feed_tools(client: Client) -> int:
    """Every argument of every tool."""
    count = 0
    await client.call_tool("schedule_create", REQUIRED["schedule_create"] | {"name": "there"})
    for tool in (await client.list_tools()).tools:
        for name, schema in tool.input_schema["properties"].items():
            for text in list(SHAPES.values())[: 1 if tool.name == "schedule_update" else None]:  # read as by create
                for value in fed(name, schema, text):
                    given = {**REQUIRED.get(tool.name, {}), name: value}
                    if tool.name == "scheduler" and name != "action":
                        given |= {"action": "add", "message": "m"} if name != "job_id" else {"action": "remove"}
                        given.setdefault("schedule", {"type": "once", "at": "5m"})
                        given[name] = value
                    if name == "when":
                        given.pop("cron", None)
                    if name == "remind_at":
                        given.pop("delay_minutes")
                    answer = await client.call_tool(tool.name, given)
                    assert not answer.is_error or len(str(answer.content)) < 5_000, (tool.name, name)
                    count += 1
    for template in (await client.list_resource_templates()).resource_templates:
        for text in SHAPES.values():
            with suppress(MCPError):
                await client.read_resource(template.uri_template.partition("{")[0] + text)
            count += 1
    return count


async def feed_frames(conversation: Conversation) -> int:
    """Every parameter of every method."""
    count = 0
    for method, offered in METHODS.items():
        for name in (*offered.takes, "user"):
            for value in fed(name, {"type": "string"}, SHAPES["digits"]):  # what reads them has read the others above
                params = {"message": "m", "schedule": {"type": "once", "at": "5m"}} if method == "cron.add" else {}
                params = {**params, name: value}
                if name == "action":
                    params.pop("message")
                await conversation.answer(json.dumps({"id": 1, "method": method, "params": params}))
                count += 1
    return count


async def feed_the_rest(services: Services) -> int:
    """Chats, people, tokens and resources."""
    reminders, reads = services.reminder_service, services.schedules
    tokens, journal, count = services.tokens, services.journal, 0
    for text in SHAPES.values():
        for asked in (
            reminders.handle_message("local", text, "done"),
            reminders.handle_message("local", "chat", text),
            reminders.handle_message("local", "chat", "done", quoted=text),
            reminders.handle_message("local", "chat", button=text),
            reminders.handle_message("local", "chat", "done", message_id=text),
            reminders.people.add(text),
            reminders.people.update("local", quiet=text),
            reminders.people.update("local", timezone=text),
            reminders.people.update("local", language=text),
            reminders.people.add_channel("local", text, text),
            reminders.people.pair("telegram", "1", text),
            tokens.create(Caller(), text, text),
            reads.health(Caller(), text),
            reads.run_get(Caller(), text),
            journal.page(Caller(), schedule=text, limit=1),
        ):
            with suppress(DulyError):
                await asked
            count += 1
    return count


async def main(folder: Path) -> None:
    lift_limits()
    store = open_store(str(folder / "duly.db"), CLOCK, inline=True)
    await store.open()
    services = services_over(store, CLOCK)
    async with Client(make_server(services, lambda _: Caller(face=Face.MCP))) as client:
        tools = await feed_tools(client)
    frames = await feed_frames(Conversation(services, Caller(face=Face.API)))
    rest = await feed_the_rest(services)
    await store.close()
    print(json.dumps({"tools": tools, "frames": frames, "rest": rest}))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    memory = Path("/dev/shm")  # noqa: S108  # megabytes are written: on a disk that would be most of the time
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as made:
        asyncio.run(main(Path(made)))
