"""A program with nothing but a dispatcher: carries out a prompt that never ends, until a test kills it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from duly.agents import PRESETS, Projects, PromptDispatcher
from duly.agents.rules import PromptRules
from duly.clock import SystemClock
from duly.engine.context import Context
from duly.model.action import Prompt, Target
from duly.ports.targets import TargetRun
from tests.integration.prompts.support import claimed
from tests.memory_store.targets import MemoryTargets


class Telltale(MemoryTargets):
    """Writes the record of the process to a file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    async def record_target(self, target: TargetRun) -> None:
        await super().record_target(target)
        if target.pid is not None:
            names = ("run_id", "project_id", "workspace_id", "status", "pid", "pid_started", "boot_id")
            await asyncio.to_thread(self._write, json.dumps({name: getattr(target, name) for name in names}))

    def _write(self, text: str) -> None:
        draft = self._path.with_suffix(".tmp")
        draft.write_text(text, encoding="utf-8")
        draft.rename(self._path)


async def main(folder: Path) -> None:
    dispatcher = PromptDispatcher(
        Telltale(folder / "row.json"),
        SystemClock(),
        PromptRules(
            [PRESETS["claude"]],
            default="claude",
            projects=Projects({"api": folder / "projects" / "api"}),
            state_dir=folder / "state",
        ),
    )
    run = claimed(Prompt(text="[[family]]", targets=(Target("api"),)), run_id=f"run_{os.getpid()}")
    await dispatcher.dispatch(run, Context(run, lambda *_: None))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
