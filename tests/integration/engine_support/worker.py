"""A worker: opens a store, registers the handlers, runs an engine until it is told to stop or dies.

Run by the forker, or by itself: `python -m tests.integration.engine_support.worker '<orders as JSON>'`.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from duly import Duly, EngineSettings, Event, Policy, Retry, failpoints, run_now
from duly.engine import membership
from duly.engine.planner import TickPlanner
from duly.model.ids import NODE, make_id
from duly.planning.places import Pool
from duly.ports.records import Cycle, NodeRecord
from duly.processes import boot_id
from duly.stores import open_store
from duly.stores.sqlite import checkpoints, nodes
from tests.integration.engine_support.handlers import register
from tests.integration.engine_support.witness import SUFFIX, Witness

PATIENT = Policy(retry=Retry(max_attempts=1000, delay=timedelta(0), jitter=0))
"""However often its process is killed, a run is never given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """The arguments of a worker."""

    store: str
    folder: str
    """Where its witness, its events and its log go."""
    name: str
    lease: float = 15.0
    """So long that no load makes a worker lose it; tests in which one must end say how long theirs is."""
    poll: float = 0.5
    grace: float = 10.0
    max_concurrency: int = 100
    threads: int = 8
    failpoint: str = ""
    """`name:action@passage`, as in the environment."""
    armed_late: bool = False
    """Arm it once the engine runs, not from the beginning."""
    only: list[str] | None = None
    """The jobs it knows; all of them unless told otherwise."""
    deaf: bool = False
    """Whoever listens to the events of the engine raises an error each time."""
    batch: int = 1000
    prune_every: float = 3600.0
    log_pages: int = 0
    """After so many pages of the log a checkpoint is made on SQLite, beside the thread that writes; 0: as usual."""
    dawdle: float = 0.0
    """Seconds of each life in which there is nothing to do."""
    direct: str = ""
    """A second address of the store, past its pooler."""
    space: str = ""
    """Where its pids count, if it is to say something else than the kernel: as in a container."""
    lives: int = 0
    """So often make schedules, carry them out and leave, instead of serving until told to stop."""

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
        prune_every=orders.prune_every,
    )
    listener = _deaf if orders.deaf else diary.event
    app = Duly(
        orders.store,
        settings=settings,
        on_event=listener,
        threads=orders.threads,
        store_direct=orders.direct or None,
    )
    register(app, Witness(orders.path(SUFFIX)), orders.only)
    return app


def _deaf(event: Event) -> None:
    raise RuntimeError(f"no ears for {event.kind.name}")


async def serve(orders: Orders, diary: Diary) -> None:
    """Work until told to stop."""
    app = make_app(orders, diary)
    async with app:
        if orders.armed_late:
            arm(orders.failpoint)
        asyncio.get_running_loop().call_soon(diary.note, "ready")  # once it listens to signals
        await app.run_forever()
        diary.note("asked")
    diary.note("stopped")


async def live(orders: Orders, diary: Diary, number: int) -> None:
    """A whole life: open the store, make schedules, take over what another left behind, carry all out, leave."""
    app = make_app(orders, diary)
    await app.open()
    names = [f"{orders.name}-{number}-{job}" for job in ("quick", "quick_thread", "abandoned")]
    jobs = ["quick", "quick_thread", "quick"]
    drafts = [app.draft(name, run_now(), job=job, policy=PATIENT) for name, job in zip(names, jobs, strict=True)]
    await app.add(drafts)
    diary.note("saved", names=names)
    await _claim_and_vanish(orders)
    async with app:
        while not all(app.runs(name) for name in names):  # noqa: ASYNC110  the app has no bell for that
            await asyncio.sleep(0.01)
        await asyncio.sleep(orders.dawdle)
    diary.note("lived")


async def _claim_and_vanish(orders: Orders) -> None:
    """Another node claims one run, and is never heard of again."""
    store = open_store(orders.store)
    await store.open()
    now = datetime.now(UTC)
    handlers = ("job:quick", "job:quick_thread")
    node = NodeRecord(make_id(NODE, now, secrets.randbits), "here", os.getpid(), "long ago", "", 0.001, handlers, now)
    await store.register(node)
    planner = TickPlanner(now, [Pool(handlers=handlers, size=1)], secrets.randbits)
    await store.cycle(Cycle(node.id, now, planner=planner, plan_limit=orders.batch, claim_limit=1, handlers=handlers))
    await store.close()


def arm(failpoint: str) -> None:
    """Arm a failpoint given as in the environment."""
    name, _, action = failpoint.partition(":")
    action, _, passage = action.partition("@")
    failpoints.arm(name, action or "kill", int(passage or 1))


def main(orders: Orders) -> None:
    """Do as told."""
    if orders.failpoint and not orders.armed_late:
        arm(orders.failpoint)
    if orders.space:
        for module in (membership, nodes):
            vars(module)["pid_space"] = lambda: f"{boot_id()} {orders.space}"
    if orders.log_pages:
        vars(checkpoints).update(_PAGES=orders.log_pages, _MORE_PAGES=orders.log_pages // 4, _LONG=1)
    diary = Diary(orders.path(".events"))
    for number in range(orders.lives):
        asyncio.run(live(orders, diary, number))
    if not orders.lives:
        asyncio.run(serve(orders, diary))


if __name__ == "__main__":
    main(Orders(**json.loads(sys.argv[1])))
