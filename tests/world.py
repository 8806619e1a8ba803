"""The real runtime on virtual time, over a real SQLite file.

`World` is a daemon with all its faces and a client that asks it through ASGI; `served` lets it listen on a port.
`DaemonFolder` is the folder of a daemon, with a `duly.toml` that the test writes, and programs that may be missing.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

import tests.once  # noqa: F401  its schemas are made once
from duly.config.backup import BackupSettings
from duly.config.reading import load
from duly.config.settings import ServerLimits, Settings
from duly.engine.settings import VIRTUAL, EngineSettings
from duly.model.events import Event
from duly.ports.executor_settings import ExecutorSettings
from duly.ports.records import RunFilter, ScheduleFilter, StoredSchedule
from duly.ports.reminders import DeliveryAttempt, Reminder
from duly.runtime.config_reload import ConfigReloader
from duly.runtime.runtime import Runtime
from duly.server.http import make_app
from duly.server.protocols import WithHeaders, make_config
from duly.service.access.scopes import ADMIN, Caller
from duly.service.schedules.fields import ReminderView
from duly.testing.clock import VirtualClock, settle
from tests.channels.fakes.secrets import SLACK_SIGNING_SECRET
from tests.sqlite_template import prepare

START = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)  # a Monday
_PATIENCE = 60.0
"""Seconds until what requests on real sockets make true counts as a failure: a loaded machine is no bug."""


class VirtualRuntime(Runtime):
    """The runtime, with an engine whose settings suit virtual time: everything else is wired as in a daemon."""

    def engine_settings(self) -> EngineSettings:
        return VIRTUAL


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
        people = self.runtime.services.reminder_service.people
        person = await people.add(name, **fields)
        await people.set_channels(person.user.id, channels)
        return person.user.id

    async def token(self, scope: str) -> str:
        return (await self.runtime.services.tokens.create(Caller(ADMIN), scope, scope)).secret

    async def remind(self, user: str, text: str = "Take it", at: str = "5m", **options: Any) -> ReminderView:
        return await self.runtime.services.reminder_service.create(user, {"type": "once", "at": at}, text, **options)

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
    """Wait for a condition that requests on real sockets make true."""
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
    spawners: Mapping[str, Mapping[str, Any]] | None = None,
    executors: Mapping[str, ExecutorSettings] | None = None,
    gates: Mapping[str, tuple[str, ...]] | None = None,
    projects: Collection[str] = (),
    backup: BackupSettings | None = None,
) -> AsyncIterator[World]:
    """Start the daemon of a folder and stop it at the end; opened again, it goes on where it stopped."""
    clock = VirtualClock(start)
    settings = Settings(
        data_dir=folder,
        store=str(folder / "duly.db"),
        timezone="Europe/Berlin",
        channels=channels or {},
        public_url=public_url,
        limits=limits or ServerLimits(),
        spawners=spawners or {},
        executors=executors or {},
        gates=gates or {},
        projects={name: Path("/nowhere", name) for name in projects},
        default_spawner=next(iter(spawners or {}), None),
        backup=backup,
    )
    prepare(folder / "duly.db")
    runtime = VirtualRuntime(settings, clock=clock, environment=environment or {})
    await runtime.open()
    app = make_app(runtime, host="127.0.0.1", auth=auth)
    async with app.router.lifespan_context(app):
        made = World(runtime, app, clock)
        async with made.http:
            yield made


@asynccontextmanager
async def served(folder: Path, **options: Any) -> AsyncIterator[tuple[World, str]]:
    """Let a daemon listen on a free port, with the HTTP server of `duly up`; gives its address, HOST:PORT."""
    async with world(folder, **options) as here:
        listening = socket.create_server(("127.0.0.1", 0))
        settings = here.runtime.settings
        server = uvicorn.Server(make_config(here.app, settings.limits, public_url=settings.public_url, lifespan="off"))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        await until(lambda: server.started, "the server")
        try:
            yield here, f"127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await serving


@dataclass(frozen=True)
class ServedPlace:
    """Where a daemon serves, and a token for it."""

    url: str
    token: str


@contextmanager
def served_in_thread(folder: Path, scope: str = "admin", **options: Any) -> Iterator[ServedPlace]:
    """Let a daemon serve in a thread of its own, for a client that waits for its answers in this one."""
    found: list[ServedPlace] = []
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def keep() -> None:
        async with served(folder, **options) as (here, address):
            found.append(ServedPlace(f"http://{address}", await here.token(scope)))
            ready.set()
            await over.wait()

    def run() -> None:
        try:
            loop.run_until_complete(keep())
        finally:
            ready.set()
            loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(_PATIENCE)
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(_PATIENCE)


# a folder with a duly.toml

NEW_YEAR = datetime(2026, 1, 1, 12, 0, 30, tzinfo=UTC)
HEAD = """
[projects.blog]
path = "blog"
[spawners.echo]
new = ["echo-agent"]
[gates]
ready = ["is-ready"]
[jobs]
good = "daemon_job_good:work"
late = "daemon_job_late:work"
[butler]
name = "home"
spawner = "echo"
"""


def entry(name: str, what: str) -> str:
    return f'[[butler.schedule]]\nname = "{name}"\ncron = "* * * * *"\n{what}\n'


GOOD = entry("good", 'job_name = "good"')
JOB = entry("job", 'job_name = "late"')
FOLDER = entry("folder", 'prompt = "look"\ntargets = [{ project_id = "blog" }]')
GATE = entry("gate", 'prompt = "look"\ngate = "ready"')


class DaemonFolder:
    """The folder of a daemon: until the test makes them, all programs and modules but the job `good` are missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = VirtualClock(NEW_YEAR)
        self.told: list[Event] = []
        self._heard = asyncio.Event()
        (folder / "bin").mkdir()
        (folder / "data").mkdir()
        self.make_module("good")

    # parts that may be missing

    def write(self, text: str, name: str = "duly.toml") -> Path:
        """Write the file as an editor does: a new one in the place of the old."""
        file = self.folder / name
        (self.folder / "new").write_text(text, encoding="utf-8")
        (self.folder / "new").replace(file)
        return file

    def make_module(self, name: str, text: str = "async def work():\n    return 'done'\n") -> None:
        (self.folder / f"daemon_job_{name}.py").write_text(text, encoding="utf-8")

    def make_program(self, name: str) -> Path:
        program = self.folder / "bin" / name
        program.write_text("#!/bin/sh\necho done\n", encoding="utf-8")
        program.chmod(0o755)
        return program

    # the daemon

    def settings(self, file: Path | None = None) -> Settings:
        return load({}, config=str(file or self.folder / "duly.toml"), data_dir=str(self.folder / "data"))

    @asynccontextmanager
    async def running(self, text: str) -> AsyncIterator[Runtime]:
        """Run the runtime of a daemon with this `duly.toml`, without the HTTP server."""
        self.write(text)
        environment = {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin"}
        runtime = Runtime(self.settings(), clock=self.clock, environment=environment)
        runtime.hear(self._hear)
        await runtime.open()
        try:
            await runtime.sync_schedules()
            await runtime.start_engine()
            yield runtime
        finally:
            await runtime.close()

    def reloading(self, runtime: Runtime) -> ConfigReloader:
        return ConfigReloader(runtime, self.settings)

    def _hear(self, event: Event) -> None:
        self.told.append(event)
        self._heard.set()

    async def heard(self, kind: str) -> None:
        """Wait for an event of this kind, in real time."""
        while not any(event.kind.name == kind for event in self.told):
            await self.next_event()

    async def next_event(self) -> None:
        """Wait for the next event of any kind."""
        self._heard.clear()
        await self._heard.wait()

    def news(self, *kinds: str) -> list[Event]:
        """Return the events of these kinds since the last call."""
        told = [event for event in self.told if event.kind.name in kinds]
        self.told.clear()
        return told


async def state(runtime: Runtime, name: str) -> StoredSchedule:
    [row] = [each for each in await runtime.store.schedules(ScheduleFilter()) if each.name == name]
    return row


async def resting(runtime: Runtime) -> dict[str, str]:
    """Why schedules rest, by name."""
    rows = await runtime.store.schedules(ScheduleFilter(resting=True))
    return {row.name: row.resting or "" for row in rows}


async def statuses(runtime: Runtime, name: str) -> list[str]:
    """How the runs of a schedule ended, the oldest first."""
    runs = await runtime.store.runs(RunFilter(schedule_id=(await state(runtime, name)).id))
    return [str(run.status) for run in reversed(runs)]


@pytest.fixture
def daemon_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DaemonFolder]:
    """Modules that a daemon loads there are forgotten afterwards."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield DaemonFolder(tmp_path)
    for name in set(sys.modules) - before:
        if name.startswith("daemon_job_"):
            del sys.modules[name]
