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
        self.seconds = 0.0
        self._clock = clock

    def serves(self) -> Collection[str]:
        return ["job:a"]

    async def dispatch(self, run: Claimed, context: RunContext) -> None:  # noqa: ARG002
        self.called.append(self._clock.now())
        if self.seconds:
            await self._clock.sleep(self.seconds)


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


async def test_a_run_that_has_a_place_is_not_looked_after() -> None:
    clock = VirtualClock(START)
    engine, store, handler = await started(clock, due_job("long", 0))
    handler.seconds = 10.0
    await engine.start()
    await settle()
    turns = len(store.turns)
    await clock.travel(seconds=5)
    assert (handler.called, len(store.turns)) == ([START], turns)
    await engine.stop(grace=0)


async def test_fires_shortly_after_each_other_share_a_turn_and_each_begins_at_its_time() -> None:
    clock = VirtualClock(START)
    seconds = (10.0, 10.005, 10.03)
    engine, store, handler = await started(clock, *(due_job(f"at-{each}", each) for each in seconds))
    await engine.start()
    await settle()
    await clock.travel(seconds=9.985)
    assert [turn.now for turn in store.turns if turn.now > START] == [START + timedelta(seconds=9.98)]
    assert handler.called == []
    runs = list(store._tables.runs.values())
    assert [run.started_at for run in runs] == [START + timedelta(seconds=each) for each in seconds]
    await clock.travel(seconds=1)
    assert handler.called == [START + timedelta(seconds=each) for each in seconds]
    await engine.stop()


async def test_a_fire_before_which_a_run_of_its_schedule_may_end_is_planned_at_its_time() -> None:
    clock = VirtualClock(START)
    engine, store, handler = await started(clock, due_job("often", cron="* * * * *"))
    handler.seconds = 59.99
    await engine.start()
    await settle()
    await clock.travel(seconds=60)
    assert handler.called == [START, START + timedelta(seconds=60)]
    assert {run.status for run in store._tables.runs.values()} == {"succeeded", "running"}
    await engine.stop(grace=0)


async def test_runs_that_wait_for_their_time_are_handed_back_by_an_engine_that_stops() -> None:
    clock = VirtualClock(START)
    engine, store, handler = await started(clock, due_job("soon", 10))
    await engine.start()
    await settle()
    await clock.travel(seconds=9.99)
    await engine.stop()
    [run] = store._tables.runs.values()
    assert (run.status, run.attempt, run.due_at) == ("pending", 0, START + timedelta(seconds=10))
    assert handler.called == []


@pytest.mark.parametrize("back", [0.05, 3600])
async def test_a_clock_that_is_set_back_while_a_run_waits_for_its_time_delays_it_little(back: float) -> None:
    clock = VirtualClock(START)
    engine, _, handler = await started(clock, due_job("soon", 10))
    await engine.start()
    await settle()
    await clock.travel(seconds=9.99)
    clock.step(-timedelta(seconds=back))
    await clock.travel(seconds=1)
    waited = START + timedelta(seconds=10)
    assert handler.called == [waited if back < 1 else waited - timedelta(seconds=back)]
    await engine.stop()


@pytest.mark.parametrize(("apart", "settled_with_the_next"), [(0.065, True), (0.5, False)])
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
    assert any(turn.settlements and turn.now >= START + timedelta(seconds=apart - 0.02) for turn in store.turns)
    await engine.stop()
    assert {row.last_status for row in store._tables.schedules.values()} == {"succeeded"}
