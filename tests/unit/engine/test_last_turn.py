"""A stop during a turn of the loop does not wait for the next poll."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from datetime import UTC, datetime

from duly.engine.engine import Engine
from duly.engine.settings import VIRTUAL
from duly.ports.dispatch import RunContext
from duly.ports.records import Claimed, Cycle, CycleResult
from duly.testing.clock import VirtualClock, settle
from tests.conformance.stores.builders import due_job
from tests.memory_store.store import MemoryStore

START = datetime(2026, 1, 1, tzinfo=UTC)


class SlowStore(MemoryStore):
    """One whose turns can be held up."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(clock)
        self.open_gate = asyncio.Event()
        self.open_gate.set()

    async def cycle(self, turn: Cycle) -> CycleResult:
        await self.open_gate.wait()
        return await super().cycle(turn)


class Handler:
    """Runs until it is let go."""

    def __init__(self) -> None:
        self.let_go = asyncio.Event()

    def serves(self) -> Collection[str]:
        return ["job:a"]

    async def dispatch(self, run: Claimed, context: RunContext) -> None:  # noqa: ARG002
        await self.let_go.wait()


async def test_a_stop_ends_with_the_last_turn_and_does_not_wait_for_a_poll() -> None:
    clock = VirtualClock(START)
    store, handler = SlowStore(clock), Handler()
    await store.open()
    await store.save([due_job(cron="0 * * * *")], lambda _before, incoming: incoming)
    engine = Engine(store, handler, clock, VIRTUAL)
    await engine.start()
    await settle()
    assert len(engine.work) == 1

    store.open_gate.clear()
    engine.wake()
    await settle()  # a turn is under way
    handler.let_go.set()
    await settle()  # an outcome came too late for it
    stopping = asyncio.ensure_future(engine.stop())
    await settle()
    store.open_gate.set()
    await asyncio.wait_for(stopping, 60)
    assert store._tables.schedules["sched_a"].last_status == "succeeded"
