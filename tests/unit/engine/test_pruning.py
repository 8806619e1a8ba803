"""An engine prunes in batches as large as fit the time, with pauses in which other processes can write."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

from duly.engine.engine import Engine
from duly.engine.maintenance import PrunePace
from duly.engine.settings import EngineSettings
from duly.jobs.dispatcher import JobRegistry
from duly.model.events import RUN_FAILED, Event
from duly.ports.upkeep import FIRST_PLACE, Pruned, PrunePlace
from duly.testing.clock import VirtualClock
from tests.memory_store.store import MemoryStore

HOUR = 3600.0
RETENTION = timedelta(days=1)
OLD = 20_000


class SlowStore(MemoryStore):
    """Holds its write lock for so long per row, and notes when which batch came."""

    def __init__(self, clock: VirtualClock, seconds_per_row: float) -> None:
        super().__init__(clock)
        self.clock = clock
        self.seconds_per_row = seconds_per_row
        self.batches: list[tuple[float, int, float]] = []
        self.over = asyncio.Event()

    async def prune(self, before: datetime, limit: int, place: PrunePlace = FIRST_PLACE) -> Pruned:
        began = self.clock.monotonic()
        pruned = await super().prune(before, limit, place)
        held = self.seconds_per_row * pruned.rows
        self.batches.append((began, pruned.rows, held))
        if held:
            await self.clock.sleep(held)
        if pruned.go_on_at is None:
            self.over.set()
        return replace(pruned, seconds=held)


async def test_old_rows_are_pruned_in_short_batches_with_pauses() -> None:
    clock = VirtualClock()
    store = SlowStore(clock, 5e-5)
    await store.open()
    await store.record([Event(RUN_FAILED, clock.now() - 2 * RETENTION) for _ in range(OLD)])
    settings = EngineSettings(threads=False, lease=1e6, poll=1e6, retention=RETENTION, prune_every=HOUR)
    engine = Engine(store, JobRegistry(clock), clock, settings)
    await engine.start()
    await clock.travel(seconds=HOUR)
    while not store.over.is_set():
        await clock.travel(seconds=1)
    await engine.stop()
    assert sum(rows for _, rows, _ in store.batches) == OLD
    assert store.batches[0][1] == PrunePace().rows
    assert max(held for *_, held in store.batches) <= 0.05
    gaps = [after[0] - (before[0] + before[2]) for before, after in zip(store.batches, store.batches[1:], strict=False)]
    assert min(gaps) > 0
    assert sum(gaps) > 3 * sum(held for *_, held in store.batches), "the store was left to others for most of the time"


async def test_without_old_rows_there_is_one_batch() -> None:
    clock = VirtualClock()
    store = SlowStore(clock, 5e-5)
    await store.open()
    await store.record([Event(RUN_FAILED, clock.now()) for _ in range(1000)])
    settings = EngineSettings(threads=False, lease=1e6, poll=1e6, retention=RETENTION, prune_every=HOUR)
    engine = Engine(store, JobRegistry(clock), clock, settings)
    await engine.start()
    await clock.travel(seconds=HOUR)
    await engine.stop()
    assert [rows for _, rows, _ in store.batches] == [0]


async def test_nothing_is_pruned_just_after_the_clock_was_set_far_ahead() -> None:
    clock = VirtualClock()
    store = SlowStore(clock, 0)
    await store.open()
    await store.record([Event(RUN_FAILED, clock.now()) for _ in range(10)])
    settings = EngineSettings(threads=False, lease=1e6, poll=1e6, retention=RETENTION, prune_every=HOUR)
    engine = Engine(store, JobRegistry(clock), clock, settings)
    await engine.start()
    clock.step(30 * RETENTION)
    await clock.travel(seconds=HOUR)
    assert store.batches == []
    clock.step(-30 * RETENTION)
    await clock.travel(seconds=HOUR)
    await engine.stop()
    assert [rows for _, rows, _ in store.batches] == [0]
