"""When the loop takes a turn: at once for a fire that fell due meanwhile, and not for an outcome that can wait."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta

import pytest

from duly.engine.engine import Engine
from duly.engine.settings import VIRTUAL
from duly.ports.dispatch import RunContext
from duly.ports.records import Claimed, Cycle, CycleResult, StoredSchedule
from duly.testing.clock import VirtualClock, settle
from tests.conformance.stores.builders import due_job
from tests.memory_store.store import MemoryStore

START = datetime(2026, 1, 1, tzinfo=UTC)


class SeenStore(MemoryStore):
    """One whose turns are counted, and in which time may pass."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(clock)
        self.turns: list[Cycle] = []
        self.meanwhile: Callable[[], None] = lambda: None

    async def cycle(self, turn: Cycle) -> CycleResult:
        self.turns.append(turn)
        result = await super().cycle(turn)
        self.meanwhile()
        return result


class Handler:
    """Knows when it was called."""

    def __init__(self, clock: VirtualClock) -> None:
        self.called: list[datetime] = []
        self._clock = clock

    def serves(self) -> Collection[str]:
        return ["job:a"]

    async def dispatch(self, run: Claimed, context: RunContext) -> None:  # noqa: ARG002
        self.called.append(self._clock.now())


async def started(clock: VirtualClock, *rows: StoredSchedule) -> tuple[Engine, SeenStore, Handler]:
    store, handler = SeenStore(clock), Handler(clock)
    await store.open()
    await store.save(rows, lambda _before, incoming: incoming)
    return Engine(store, handler, clock, VIRTUAL), store, handler


async def test_a_fire_that_falls_due_during_a_turn_starts_the_next_turn_at_once() -> None:
    clock = VirtualClock(START)
    engine, store, handler = await started(clock, due_job("soon", 0.001))

    def a_slow_commit() -> None:
        store.meanwhile = lambda: None
        clock.advance(0.002)

    store.meanwhile = a_slow_commit
    await engine.start()
    await settle()
    assert handler.called == [START + timedelta(seconds=0.002)]
    await engine.stop()


@pytest.mark.parametrize(("apart", "settled_with_the_next"), [(0.005, True), (0.5, False)])
async def test_an_outcome_is_settled_with_a_turn_that_comes_soon(apart: float, settled_with_the_next: bool) -> None:
    clock = VirtualClock(START)
    engine, store, handler = await started(clock, due_job("one"), due_job("two", apart))
    await engine.start()
    await settle()
    assert len(handler.called) == 1
    written = [turn for turn in store.turns if turn.settlements]
    assert bool(written) is not settled_with_the_next
    await clock.travel(seconds=apart)
    assert len(handler.called) == 2
    assert any(turn.settlements and turn.now >= START + timedelta(seconds=apart) for turn in store.turns)
    await engine.stop()
    assert {row.last_status for row in store._tables.schedules.values()} == {"succeeded"}
