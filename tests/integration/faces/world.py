"""A whole daemon on virtual time: the real application over a real SQLite file, asked through ASGI."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from duly.config.settings import ServerLimits, Settings
from duly.engine.engine import Engine
from duly.engine.settings import VIRTUAL
from duly.ports.reminders import DeliveryAttempt, Reminder
from duly.runtime.runtime import Runtime
from duly.server.http import make_app
from duly.server.protocols import WithHeaders, make_config
from duly.service.access.scopes import ADMIN, Caller
from duly.service.reminders.views import ReminderView
from duly.testing.clock import VirtualClock, settle
from tests.channels.fakes.secrets import SLACK_SIGNING_SECRET

START = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)  # a Monday
_PATIENCE = 10.0


class VirtualRuntime(Runtime):
    """A runtime whose engine lives on virtual time."""

    @cached_property
    def engine(self) -> Engine:
        return Engine(self.store, self.messages, self.clock, VIRTUAL, sinks=self.listeners)


class World:
    """A daemon, and a client that asks it."""

    def __init__(self, runtime: Runtime, app: FastAPI, clock: VirtualClock) -> None:
        self.runtime = runtime
        self.app = app
        self.clock = clock
        transport = httpx.ASGITransport(WithHeaders(app))
        self.http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765", trust_env=False)

    async def person(self, name: str, *channels: tuple[str, str], **fields: Any) -> str:
        """Add a person with these channels; give the id."""
        people = self.runtime.reminders.people
        person = await people.add(name, **fields)
        await people.set_channels(person.user.id, channels)
        return person.user.id

    async def token(self, scope: str) -> str:
        return (await self.runtime.tokens.create(Caller(ADMIN), scope, scope)).secret

    async def remind(self, user: str, text: str = "Take it", at: str = "5m", **options: Any) -> ReminderView:
        return await self.runtime.reminders.create(user, {"type": "once", "at": at}, text, **options)

    async def latest(self, of: ReminderView) -> Reminder:
        [found] = await self.runtime.store.reminders.of_schedule(of.id, 1)
        return found

    async def status(self, of: ReminderView) -> str:
        return str((await self.latest(of)).status)

    async def attempts(self, of: ReminderView) -> list[DeliveryAttempt]:
        """Everything that was sent for it, over all its runs."""
        runs = await self.runtime.store.reminders.of_schedule(of.id, 10)
        return [each for run in reversed(runs) for each in await self.runtime.store.reminders.attempts(run.run_id)]

    async def post(self, path: str, body: bytes | dict[str, Any], headers: Mapping[str, str] | None = None) -> Any:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.http.post(path, content=content, headers=headers)

    def slack_headers(self, body: bytes, at: datetime | None = None) -> dict[str, str]:
        stamp = str(int((at or self.clock.now()).timestamp()))
        mac = hmac.new(SLACK_SIGNING_SECRET.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
        return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={mac}"}


async def until(condition: Callable[[], Any], what: str) -> Any:
    """Let requests that are under way on real sockets come to their end."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _PATIENCE
    while True:
        answer = condition()
        if asyncio.iscoroutine(answer):
            answer = await answer
        if answer:
            return answer
        if loop.time() > deadline:
            raise AssertionError(f"still waiting for {what}")
        await asyncio.sleep(0.002)
        await settle(3)


@asynccontextmanager
async def world(
    folder: Path,
    channels: Mapping[str, Mapping[str, Any]] | None = None,
    environment: Mapping[str, str] | None = None,
    *,
    auth: bool = True,
    public_url: str | None = None,
    start: datetime = START,
    limits: ServerLimits | None = None,
) -> AsyncIterator[World]:
    """The daemon of a folder, from its start to its end; opened again, it goes on where it stopped."""
    clock = VirtualClock(start)
    settings = Settings(
        data_dir=folder,
        store=str(folder / "duly.db"),
        timezone="Europe/Berlin",
        channels=channels or {},
        public_url=public_url,
        limits=limits or ServerLimits(),
    )
    runtime = VirtualRuntime(settings, clock=clock, environment=environment or {})
    await runtime.open()
    app = make_app(runtime, host="127.0.0.1", auth=auth)
    async with app.router.lifespan_context(app):
        made = World(runtime, app, clock)
        async with made.http:
            yield made


@asynccontextmanager
async def served(folder: Path, **options: Any) -> AsyncIterator[tuple[World, str]]:
    """A daemon that listens on a free port, with the server it has in earnest; gives its address, HOST:PORT."""
    async with world(folder, **options) as here:
        listening = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(make_config(here.app, here.runtime.settings.limits, lifespan="off"))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        await until(lambda: server.started, "the server")
        try:
            yield here, f"127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await serving
