"""A store that does not answer: an engine begins nothing on a lease that may have expired, and a stop ends."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

import pytest

from duly.engine.engine import Engine
from duly.engine.settings import EngineSettings
from duly.errors import StoreUnavailableError
from duly.ports.dispatch import RunContext
from duly.ports.records import Claimed, Cycle, CycleResult
from duly.testing.clock import VirtualClock, settle
from tests.conformance.stores.builders import due_job
from tests.memory_store.store import MemoryPulse, MemoryStore

START = datetime(2026, 1, 1, tzinfo=UTC)
LEASE = 12.0
GRACE = 10.0
SETTINGS = EngineSettings(threads=False, poll=1.0, lease=LEASE, grace=GRACE)


class DeafPulse(MemoryPulse):
    """Beats reach the store unless it is silent."""

    def __init__(self, clock: VirtualClock, store: SilentStore) -> None:
        super().__init__(clock, store._data)
        self._store = store

    def beat(self, node_id: str) -> bool:
        if self._store.silent:
            raise StoreUnavailableError("no answer")
        return super().beat(node_id)

    def is_undoubted(self, node_id: str) -> bool:
        return not self._store.silent and super().is_undoubted(node_id)


class SilentStore(MemoryStore):
    """A store that can stop answering: callers wait until it answers again."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(clock)
        self._virtual = clock
        self._speaks = asyncio.Event()
        self._speaks.set()

    @property
    def silent(self) -> bool:
        return not self._speaks.is_set()

    def fall_silent(self) -> None:
        self._speaks.clear()

    def speak(self) -> None:
        self._speaks.set()

    async def cycle(self, turn: Cycle) -> CycleResult:
        await self._speaks.wait()
        return await super().cycle(turn)

    async def deregister(self, *args: Any) -> None:
        await self._speaks.wait()
        await super().deregister(*args)

    def pulse(self) -> DeafPulse:
        return DeafPulse(self._virtual, self)


class Handler:
    """Notes who was carried out; what the test puts in `first` happens in the first run."""

    def __init__(self) -> None:
        self.entered: list[str] = []
        self.until = asyncio.Event()

    def serves(self) -> Collection[str]:
        return ["job:a"]

    def first(self) -> None:
        """Nothing, unless a test says otherwise."""

    async def dispatch(self, run: Claimed, context: RunContext) -> None:  # noqa: ARG002
        self.entered.append(run.name)
        if len(self.entered) == 1:
            self.first()
        await self.until.wait()


async def _running(handler: Handler, *names: str) -> tuple[VirtualClock, SilentStore, Engine]:
    clock = VirtualClock(START)
    store = SilentStore(clock)
    await store.open()
    await store.save([due_job(name) for name in names], lambda _before, incoming: incoming)
    engine = Engine(store, handler, clock, SETTINGS)
    await engine.start()
    return clock, store, engine


@pytest.mark.parametrize("busy", [False, True])
async def test_a_stop_does_not_wait_for_a_silent_store_longer_than_its_grace_time(busy: bool) -> None:
    handler = Handler()
    clock, store, engine = await _running(handler, *(["a"] if busy else []))
    await settle()
    store.fall_silent()
    engine.wake()
    await settle()  # a turn is under way
    asked = clock.monotonic()
    stopping = asyncio.ensure_future(engine.stop())
    await clock.travel(seconds=GRACE + 5)
    assert stopping.done(), "runs, and what became of them, had their time"
    assert clock.monotonic() - asked == GRACE + 5
    await stopping


async def test_a_stop_without_grace_gives_the_store_some_seconds_all_the_same() -> None:
    clock, store, engine = await _running(Handler())
    await settle()
    store.fall_silent()
    engine.wake()
    await settle()
    stopping = asyncio.ensure_future(engine.stop(grace=0))
    await clock.travel(seconds=2.9)
    assert not stopping.done()
    await clock.travel(seconds=0.2)
    assert stopping.done()


async def test_a_loop_that_stood_still_begins_nothing_once_its_lease_may_be_over() -> None:
    handler = Handler()
    clock, store, engine = await _running(handler, "a", "b", "c")

    def stand_still() -> None:
        store.fall_silent()
        clock.advance(LEASE)

    handler.first = stand_still  # type: ignore[method-assign]
    await settle()
    assert handler.entered == ["a"], "the others were claimed with it, and would have been next"
    handler.until.set()
    store.speak()
    await clock.travel(seconds=2 * LEASE)
    assert sorted(handler.entered[1:]) == ["a", "b", "c"], "under a new lease: the outcome of the first did not count"
    await engine.stop()
