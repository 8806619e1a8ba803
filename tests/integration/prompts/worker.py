"""A program with an engine that carries out prompts, without the other parts of a daemon."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from duly.agents import PRESETS, Projects, PromptDispatcher, reap
from duly.agents.rules import PromptRules
from duly.clock import SystemClock
from duly.engine.engine import Engine
from duly.engine.settings import EngineSettings
from duly.stores import open_store


async def main(folder: Path) -> None:
    clock = SystemClock()
    store = open_store(str(folder / "schedules.db"), clock)
    await store.open()
    await reap(store.targets, clock)
    dispatcher = PromptDispatcher(
        store.targets,
        clock,
        PromptRules(
            [PRESETS["claude"]],
            default="claude",
            projects=Projects({path.name: path for path in (folder / "projects").iterdir()}),
            gates={"never": [sys.executable, "-c", "raise SystemExit(3)"]},
            state_dir=folder / "state",
        ),
    )
    engine = Engine(store, dispatcher, clock, EngineSettings())
    await engine.start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
