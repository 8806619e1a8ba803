"""A place where a daemon may run: a file, modules, folders and programs, all of which may be missing."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duly.config.reading import load
from duly.config.settings import Settings
from duly.model.events import Event
from duly.ports.records import RunFilter, ScheduleFilter, StoredSchedule
from duly.runtime.config_reload import ConfigReloader
from duly.runtime.runtime import Runtime
from duly.testing import VirtualClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

START = datetime(2026, 1, 1, 12, 0, 30, tzinfo=UTC)
HEAD = """
[projects.blog]
path = "blog"
[spawners.echo]
new = ["echo-agent"]
[gates]
ready = ["is-ready"]
[jobs]
good = "place_good:work"
late = "place_late:work"
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


class Place:
    """Everything is missing but the job `good`, until it is made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = VirtualClock(START)
        self.told: list[Event] = []
        self._heard = asyncio.Event()
        (folder / "bin").mkdir()
        (folder / "data").mkdir()
        self.make_module("good")

    # what may be missing

    def write(self, text: str, name: str = "duly.toml") -> Path:
        """Write the file as an editor does: a new one in the place of the old."""
        file = self.folder / name
        (self.folder / "new").write_text(text, encoding="utf-8")
        (self.folder / "new").replace(file)
        return file

    def make_module(self, name: str, text: str = "async def work():\n    return 'done'\n") -> None:
        (self.folder / f"place_{name}.py").write_text(text, encoding="utf-8")

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
        """A daemon with this file, but for its faces."""
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
        """Wait for an event, however long what it tells about takes outside of virtual time."""
        while not any(event.kind.name == kind for event in self.told):
            await self.next_event()

    async def next_event(self) -> None:
        """Wait for the next event of any kind."""
        self._heard.clear()
        await self._heard.wait()

    def news(self, *kinds: str) -> list[Event]:
        """What was told since the last question, of some kinds."""
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
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Modules that a daemon loads there are forgotten afterwards."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield Place(tmp_path)
    for name in set(sys.modules) - before:
        if name.startswith("place_"):
            del sys.modules[name]
