"""One caller with very many prompts: messages still go out at their time, and other owners get their share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.model.events import RUN_STARTED
from duly.planning.places import PoolKind
from duly.recurrence import Once
from duly.runtime.runtime import Runtime
from duly.service.access.scopes import Caller, Face
from duly.testing import VirtualClock
from tests.world import DaemonFolder

PROMPTS = 110
_TOML = """
[engine]
max_prompts = 4
[projects.blog]
path = "blog"
[projects.shop]
path = "shop"
[spawners.slow]
new = ["slow-agent"]
[butler]
name = "home"
spawner = "slow"
"""


class Crowd:
    """A daemon with two projects, whose agents never come to an end."""

    def __init__(self, daemon_folder: DaemonFolder, runtime: Runtime) -> None:
        self._place = daemon_folder
        self._runtime = runtime

    async def holder(self, project: str) -> Caller:
        """Who shows a token of a project."""
        made = await self._runtime.services.tokens.create(Caller(), project, f"project:{project}")
        caller = await self._runtime.services.tokens.caller(made.secret, Face.MCP)
        assert caller is not None
        return caller

    async def prompt(self, caller: Caller, name: str, minutes: float) -> None:
        """A prompt of a project in so many minutes."""
        fields: dict[str, Any] = {
            "name": name,
            "prompt": "take your time",
            "when": (self._place.clock.now() + timedelta(minutes=minutes)).isoformat(),
            "targets": [{"project_id": caller.scope.subject}],
        }
        await self._runtime.services.use_cases.schedule_create(caller, fields)

    def held(self, kind: PoolKind) -> dict[str, int]:
        return self._runtime.engine.work.held[kind]

    async def begun(self, number: int) -> list[tuple[str, float]]:
        """The first runs to begin, once there are so many: the name of each, and how many seconds late it was."""
        while len(found := self._begun()) < number:
            await self._place.next_event()
        return found

    def _begun(self) -> list[tuple[str, float]]:
        started = [event for event in self._place.told if event.kind is RUN_STARTED]
        return [(event.data["name"], event.data["late_seconds"]) for event in started]


@asynccontextmanager
async def crowded(folder: Path) -> AsyncIterator[tuple[Crowd, Runtime, VirtualClock]]:
    daemon_folder = DaemonFolder(folder)
    daemon_folder.make_program("slow-agent").write_text("#!/bin/sh\nexec sleep 1000\n", encoding="utf-8")
    for project in ("blog", "shop"):
        (folder / project).mkdir()
    async with daemon_folder.running(_TOML) as runtime:
        try:
            yield Crowd(daemon_folder, runtime), runtime, daemon_folder.clock
        finally:
            await runtime.engine.stop(grace=0)  # the clock stands still, so it would wait for ever


@pytest.mark.parametrize("reminded", [1, 30])
async def test_a_critical_reminder_does_not_wait_behind_110_prompts(tmp_path: Path, reminded: int) -> None:
    async with crowded(tmp_path) as (crowd, runtime, clock):
        blog, shop = await crowd.holder("blog"), await crowd.holder("shop")
        for number in range(PROMPTS):
            await crowd.prompt(blog, f"flood-{number:03}", minutes=1)
        person = (await runtime.services.reminder_service.people.add("Ada")).user
        at = clock.now() + timedelta(minutes=2)
        for number in range(reminded):
            await runtime.services.reminder_service.create(
                person.id, Once(at), f"pill {number}", name=f"pill-{number}", priority="critical"
            )

        await clock.travel(minutes=1)
        assert all(name.startswith("flood-") for name, _ in await crowd.begun(2))
        assert crowd.held(PoolKind.PROMPTS) == {"project:blog": 2}  # half of the places, however many wait

        await crowd.prompt(shop, "order", minutes=0.5)
        await clock.travel(seconds=30)
        assert (await crowd.begun(3))[2] == ("order", 0.0)

        await clock.travel(seconds=30)
        begun = (await crowd.begun(3 + reminded))[3:]
        assert sorted(begun) == sorted((f"pill-{number}", 0.0) for number in range(reminded))
        assert len((await runtime.services.reminder_service.lists.inbox(person.id))[0]) == reminded
        assert crowd.held(PoolKind.PROMPTS) == {"project:blog": 2, "project:shop": 1}
