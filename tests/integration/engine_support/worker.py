"""A worker: opens a store, registers the handlers, runs an engine until it is told to stop or dies.

Run by the nursery, or by itself: `python -m tests.integration.engine_support.worker '<orders as JSON>'`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from duly import Duly, EngineSettings, Event, failpoints
from tests.integration.engine_support.handlers import register
from tests.integration.engine_support.witness import SUFFIX, Witness


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What a worker is told."""

    store: str
    folder: str
    """Where its witness, its events and its last words go."""
    name: str
    lease: float = 1.0
    poll: float = 0.5
    grace: float = 10.0
    max_concurrency: int = 100
    threads: int = 8
    failpoint: str = ""
    """`name:action@passage`, as in the environment."""
    batch: int = 1000
    plan: str = "serve"
    """`serve`, or `life`: make schedules, carry them out, leave."""
    schedules: int = 3

    def path(self, suffix: str) -> Path:
        return Path(self.folder) / f"{self.name}{suffix}"


class Diary:
    """The events of one process, each a line; any thread may write."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)

    def note(self, name: str, **facts: object) -> None:
        line = json.dumps({"name": name, "at": time.monotonic(), **facts}, default=str)
        os.write(self._file, line.encode() + b"\n")

    def event(self, event: Event) -> None:
        self.note(event.kind.name, run_id=event.run_id, node_id=event.node_id, data=event.data)


def make_app(orders: Orders, diary: Diary) -> Duly:
    """The app of a worker, not yet running."""
    settings = EngineSettings(
        lease=orders.lease,
        poll=orders.poll,
        grace=orders.grace,
        max_concurrency=orders.max_concurrency,
        batch=orders.batch,
    )
    app = Duly(orders.store, settings=settings, on_event=diary.event, threads=orders.threads)
    register(app, Witness(orders.path(SUFFIX)))
    return app


async def serve(orders: Orders, diary: Diary) -> None:
    """Work until told to stop."""
    app = make_app(orders, diary)
    async with app:
        diary.note("ready")
        await app.run_forever()
    diary.note("stopped")


def main(orders: Orders) -> None:
    """Do as told."""
    if orders.failpoint:
        name, _, action = orders.failpoint.partition(":")
        action, _, passage = action.partition("@")
        failpoints.arm(name, action or "kill", int(passage or 1))
    diary = Diary(orders.path(".events"))
    asyncio.run(serve(orders, diary))


if __name__ == "__main__":
    main(Orders(**json.loads(sys.argv[1])))
