"""A bench for prompts: fake command lines on PATH, projects, and dispatchers on the clock of the machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from duly.agents import PRESETS, Projects, PromptDispatcher, SpawnerProfile
from duly.agents.rules import PromptRules
from duly.clock import Cancel, Clock, SystemClock
from duly.engine.context import Context
from duly.model.action import Prompt, Target
from duly.model.events import Event
from duly.model.policy import Policy
from duly.model.run import Origin
from duly.ports.codec import encode_action, encode_policy
from duly.ports.records import Claimed
from duly.ports.targets import Targets
from duly.testing.fake_cli import install
from tests.memory_store.targets import MemoryTargets

FIRE = datetime(2026, 3, 1, 9, tzinfo=UTC)
TOOLS = sorted(PRESETS)


def own(run_id: str) -> str:
    """Return a run id that only this process uses.

    duly finds what it spawned for a run by the id in the environment of every process of the machine, and other tests
    may be running on it.
    """
    return f"{run_id}_{os.getpid()}"


def claimed(prompt: Prompt, *, run_id: str = "run_1", attempt: int = 1, name: str = "nightly") -> Claimed:
    """Return a run of a prompt, as an engine claims it."""
    return Claimed(
        run_id=own(run_id),
        schedule_id="sched_1",
        namespace="default",
        name=name,
        origin=Origin.SCHEDULE,
        fire_at=FIRE,
        due_at=FIRE,
        handler=prompt.handler,
        attempt=attempt,
        fence=attempt,
        action=encode_action(prompt),
        policy=encode_policy(Policy()),
    )


class Hourglass(SystemClock):
    """The clock of the machine, except that time limits expire when the test says so."""

    def __init__(self) -> None:
        self._limits: list[Callable[[], None]] = []

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Cancel:  # noqa: ARG002
        self._limits.append(callback)
        return lambda: self._limits.remove(callback) if callback in self._limits else None

    def turn(self) -> None:
        """Let every time limit expire."""
        for callback in tuple(self._limits):
            callback()


class Bench:
    """Everything a prompt needs, in one directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.state = folder / "state"
        self.memory = MemoryTargets()
        self.events: list[Event] = []
        self._made: list[PromptDispatcher] = []
        self.projects = {name: folder / "projects" / name for name in ("api", "web", "docs")}
        for path in (self.home, *self.projects.values()):
            path.mkdir(parents=True)
        fakes = install(folder / "bin")
        self.environ = {
            **{name: value for name, value in os.environ.items() if name != "DULY_FAKE_SCENARIO"},
            "PATH": f"{fakes}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home),
        }

    def dispatcher(
        self, *profiles: SpawnerProfile, targets: Targets | None = None, clock: Clock | None = None, **more: Any
    ) -> PromptDispatcher:
        """Make a dispatcher for some profiles, or for all presets; the first is the default one."""
        known = profiles or tuple(PRESETS.values())
        rules = PromptRules(
            known,
            default=more.pop("default", known[0].name),
            projects=more.pop("projects", Projects(self.projects)),
            gates=more.pop("gates", None),
            state_dir=more.pop("state_dir", self.state),
            environ=more.pop("environ", self.environ),
        )
        options = {"emit": self.events.append, **more}
        made = PromptDispatcher(targets or self.memory, clock or SystemClock(), rules, **options)
        self._made.append(made)
        return made

    def close(self) -> None:
        """Close every dispatcher."""
        for dispatcher in self._made:
            dispatcher.close()

    async def run(
        self,
        prompt: Prompt,
        *,
        dispatcher: PromptDispatcher | None = None,
        within: float | None = None,
        note: Callable[..., None] = lambda *_: None,
        **more: Any,
    ) -> Any:
        """Dispatch a prompt once."""
        run = claimed(prompt, **more)
        context = Context(run, note)
        context.timeout = within
        return await (dispatcher or self.dispatcher()).dispatch(run, context)

    def path(self, name: str) -> str:
        return str(self.folder / name)


def preset(name: str, **changes: Any) -> SpawnerProfile:
    """Return a preset with other settings."""
    return replace(PRESETS[name], **changes)


def at(*names: str) -> tuple[Target, ...]:
    """Return targets from `project` and `project/workspace`."""
    parts = [name.partition("/") for name in names]
    return tuple(Target(project, workspace or None) for project, _, workspace in parts)
