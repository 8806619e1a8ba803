"""A small deployment on virtual time, for tests that say step by step what happens."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from duly.engine.engine import Engine
from duly.engine.settings import EngineSettings
from duly.jobs.dispatcher import JobRegistry
from duly.model.action import Job
from duly.model.events import Event
from duly.model.policy import Policy
from duly.model.run import Run, Status
from duly.model.trigger import Trigger
from duly.ports.records import RunFilter
from duly.service.schedules.drafts import Draft
from duly.service.schedules.schedules import ScheduleService
from duly.testing.clock import VirtualClock
from tests.memory_store.store import MemoryData, MemoryStore
from tests.sim.faults import Disturbances, FaultyStore, Rates
from tests.sim.process import Process

START = datetime(2026, 1, 1, tzinfo=UTC)
SETTINGS = EngineSettings(threads=False, lease=60, poll=20, grace=5, prune_every=10**9)


class Node:
    """An engine in a process of its own."""

    def __init__(self, cluster: VirtualCluster, name: str, settings: EngineSettings, rates: Rates) -> None:
        self.process = Process(name, cluster.clock)
        self.store = FaultyStore(cluster.handle(), self.process, cluster.disturbances, rates, Random(name))
        self.jobs = JobRegistry(self.process.clock)
        self.events: list[Event] = []
        self.store.on_event(self.events.append)
        self.engine = Engine(
            self.store,
            self.jobs,
            self.process.clock,
            settings,
            sinks=[self.events.append],
            random_bits=Random(name).getrandbits,
            chance=lambda: 0.5,
        )

    def told(self, name: str) -> list[Event]:
        """The events of one kind."""
        return [event for event in self.events if event.kind.name == name]


class VirtualCluster:
    """A virtual clock, a store in memory, a service that makes schedules, and engines."""

    def __init__(self) -> None:
        self.clock = VirtualClock(START)
        self.disturbances = Disturbances(self.clock)
        self.data = MemoryData()
        self.store = self.handle()
        self.service = ScheduleService(self.store, self.clock, lambda _job: None, Random(0).getrandbits)
        self.nodes: list[Node] = []

    def handle(self) -> MemoryStore:
        return MemoryStore(self.clock, shared=self.data)

    async def node(
        self,
        *jobs: Callable[..., Any],
        name: str = "a",
        settings: EngineSettings = SETTINGS,
        rates: Rates = Rates(),  # noqa: B008  a value
        start: bool = True,
    ) -> Node:
        """An engine that serves these jobs, started."""
        node = Node(self, name, settings, rates)
        for job in jobs:
            node.jobs.register(job)
        await node.store.open()
        self.nodes.append(node)
        if start:
            await node.engine.start()
        return node

    async def schedule(
        self, job: Callable[..., Any] | str, trigger: Trigger, policy: Policy | None = None, **options: Any
    ) -> str:
        """A schedule named after its job; gives its id."""
        name = job if isinstance(job, str) else job.__name__
        action = Job(name, options.pop("args", {}))
        draft = Draft(
            name=options.pop("name", name), trigger=trigger, action=action, policy=policy or Policy(), **options
        )
        return (await self.service.save([draft]))[0]

    async def runs(self, schedule_id: str | None = None) -> list[Run]:
        """Runs in the order they were recorded."""
        return (await self.store.runs(RunFilter(schedule_id=schedule_id, limit=10_000)))[::-1]

    async def run(self, schedule_id: str | None = None) -> Run:
        """The only run."""
        (only,) = await self.runs(schedule_id)
        return only

    async def statuses(self, schedule_id: str | None = None) -> list[Status]:
        return [run.status for run in await self.runs(schedule_id)]

    async def pass_time(self, **parts: float) -> None:
        await self.clock.travel(timedelta(**parts))

    async def done(self, work: Coroutine[Any, Any, Any], **parts: float) -> Any:
        """Run a coroutine while time passes; it has to end within that time."""
        task = asyncio.ensure_future(work)
        await self.pass_time(**parts)
        assert task.done(), "it is not done yet"
        return task.result()

    async def close(self) -> None:
        self.disturbances.end_all()
        self.disturbances.finished = True
        for node in self.nodes:
            if node.process.frozen:
                node.process.thaw()
            if not node.process.gone:
                stopping = asyncio.ensure_future(node.engine.stop(0))
                await self.pass_time(minutes=10)
                await stopping


@asynccontextmanager
async def virtual_cluster() -> AsyncIterator[VirtualCluster]:
    """Open a cluster on an empty store; stop its engines at the end."""
    cluster = VirtualCluster()
    await cluster.store.open()
    try:
        yield cluster
    finally:
        await cluster.close()


def with_cluster(
    test: Callable[[VirtualCluster], Coroutine[Any, Any, None]],
) -> Callable[[], Coroutine[Any, Any, None]]:
    """Give a test a cluster of its own."""

    @functools.wraps(test)
    async def called() -> None:
        async with virtual_cluster() as cluster:
            await test(cluster)

    del called.__wrapped__  # pytest would look for a fixture named cluster
    return called
