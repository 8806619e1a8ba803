"""An engine, its store, a scripted executor and the watch, on virtual time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any, TypeVar

from duly import Cron
from duly.engine.engine import Engine
from duly.engine.settings import EngineSettings
from duly.entropy import random_bits
from duly.executors.dispatcher import ExecutorDispatcher
from duly.executors.sending import new_token
from duly.executors.watching import HandoverWatch, WatchLoop
from duly.model.action import Job
from duly.model.events import Event
from duly.model.handover import Handover
from duly.model.policy import Policy
from duly.model.run import Run
from duly.ports.records import RunFilter
from duly.recurrence import run_now
from duly.service.schedules.drafts import Draft, to_row
from duly.stores.sqlite.store import SqliteStore
from duly.testing import VirtualClock
from duly.testing.clock import settle
from tests.memory_store.store import MemoryData, MemoryStore
from tests.scripted_executor import Door, FixedExecutors, FixedTerms, ScriptedExecutor

T = TypeVar("T")
_SETTINGS = EngineSettings(threads=False, poll=5, lease=15, grace=1)


class ExecutorNode:
    """One process: an engine, its dispatcher and its watch."""

    def __init__(self, world: ExecutorWorld) -> None:
        self.store = world.make_store()
        self.heard = world.heard
        self.store.on_event(world.heard.append)
        self.dispatcher = ExecutorDispatcher(
            self.store.handovers,
            self.store.history,
            world.clock,
            lambda: world.executors,
            world.call,
            emit=world.heard.append,
            chance=lambda: 0.0,
            token=new_token,
        )
        self.engine = Engine(self.store, self.dispatcher, world.clock, world.settings, sinks=[world.heard.append])
        self.watch = HandoverWatch(
            self.store.handovers, world.clock, lambda: world.executors, world.call, wake=self.engine.wake
        )
        self.loop = WatchLoop(self.watch, world.clock)

    async def start(self) -> None:
        await self.store.open()
        await self.engine.start()
        self.loop.begin()

    async def stop(self) -> None:
        await self.loop.stop()
        await self.engine.stop()
        await self.store.close()


class ExecutorWorld:
    """Nodes over one store, and one executor."""

    def __init__(self, terms: FixedTerms | None = None, settings: EngineSettings = _SETTINGS, **options: Any) -> None:
        self.clock = VirtualClock()
        self.settings = settings
        self.executor = ScriptedExecutor(**options)
        self.executors = FixedExecutors.of([self.executor], terms)
        self.heard: list[Event] = []
        self._data = MemoryData()
        self._names = count(1)
        self.nodes: list[ExecutorNode] = []
        self.after_call: Callable[[], Awaitable[object]] = settle

    async def call(self, work: Callable[[], T]) -> T:
        """Call an executor; what it did may have consequences before the caller hears of it."""
        answer = work()
        await self.after_call()
        return answer

    def make_store(self) -> MemoryStore | SqliteStore:
        return MemoryStore(self.clock, shared=self._data)

    async def node(self) -> ExecutorNode:
        """Start one more process."""
        node = ExecutorNode(self)
        await node.start()
        self.nodes.append(node)
        return node

    @property
    def first(self) -> ExecutorNode:
        return self.nodes[0]

    @property
    def door(self) -> Door:
        return Door(self.first.store.handovers, self.clock, self.first.engine.wake)

    async def schedule(self, cron: str | None = None, policy: Policy | None = None, **job: Any) -> str:
        """Save a schedule whose job goes to the executor; returns its id."""
        action = Job(**{"name": "proj.tasks.report", "executor": "heavy", **job})
        draft = Draft(
            name=f"s{next(self._names)}",
            trigger=run_now() if cron is None else Cron(cron),
            action=action,
            policy=policy or Policy(),
        )
        row = to_row(draft, self.clock.now(), lambda *_: None, random_bits)
        [schedule_id] = await self.first.store.save([row], lambda old, new: new if old is None else replace(new))
        self.first.engine.wake()
        await self.pass_time(0)
        return schedule_id

    async def pass_time(self, seconds: float) -> None:
        """Let time pass, and everything happen that it brings."""
        await self.clock.travel(timedelta(seconds=seconds))

    async def run(self, number: int = 0) -> Run:
        """Give a run, oldest first."""
        return sorted(await self.first.store.runs(RunFilter(limit=100)), key=lambda run: run.id)[number]

    async def handovers(self, number: int = 0) -> list[Handover]:
        return await self.first.store.handovers.of_run((await self.run(number)).id)

    def told(self, kind: str) -> list[Event]:
        return [each for each in self.heard if each.kind.name == kind]


@asynccontextmanager
async def executor_world(nodes: int = 1, **options: Any) -> AsyncIterator[ExecutorWorld]:
    """Run a world with so many processes."""
    world = ExecutorWorld(**options)
    for _ in range(nodes):
        await world.node()
    try:
        yield world
    finally:
        for node in world.nodes:
            await node.stop()
