"""Places on virtual time: prompts delay no message, owners take turns, no run waits for ever.

The engines here poll once a day, so what begins in time does so because they were woken.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from duly.engine.engine import Engine
from duly.engine.settings import VIRTUAL
from duly.model.action import Action, Job, Message, Prompt
from duly.model.policy import Policy
from duly.planning.places import pool_kind
from duly.ports.dispatch import RunContext
from duly.ports.records import Claimed, Cycle, CycleResult
from duly.ports.store import Store
from duly.recurrence import Once
from duly.service.schedules.drafts import Draft
from duly.service.schedules.schedules import ScheduleService
from duly.stores.sqlite.store import SqliteStore
from duly.testing.clock import VirtualClock
from tests.memory_store.store import MemoryStore

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

START = datetime(2026, 1, 1, tzinfo=UTC)
PROMPTS = 110
ADA, BEN = "user:ada", "user:ben"
HOUR = 60.0
PROMPT, MESSAGE, JOB = Prompt(text="x", spawner="slow"), Message(text="pill"), Job("work")


class Crew:
    """A dispatcher whose runs take some virtual minutes each, and that remembers when each began."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.minutes = {PROMPT.handler: HOUR, MESSAGE.handler: 0.0, JOB.handler: 1.0}
        self.begun: dict[str, float] = {}
        self.most: Counter[tuple[str, str]] = Counter()
        self._now: Counter[tuple[str, str]] = Counter()

    def serves(self) -> Collection[str]:
        return list(self.minutes)

    async def dispatch(self, run: Claimed, context: RunContext) -> Any:
        where = pool_kind(run.handler).value, run.namespace
        self._now[where] += 1
        self.most[where] = max(self.most[where], self._now[where])
        self.begun[context.name] = (self._clock.now() - START).total_seconds() / 60
        try:
            await self._clock.sleep(self.minutes[run.handler] * 60)
        finally:
            self._now[where] -= 1


class Deployment:
    """One engine over one store."""

    def __init__(self, store: Store, clock: VirtualClock, **settings: Any) -> None:
        self.clock = clock
        self.store = store
        self.crew = Crew(clock)
        self._drafts: list[Draft] = []
        self._service = ScheduleService(store, clock, lambda _job: None, Random(0).getrandbits)
        self.engine = Engine(
            store, self.crew, clock, replace(VIRTUAL, **settings), random_bits=Random(1).getrandbits, chance=lambda: 0.5
        )

    def at(self, minute: float, name: str, action: Action, owner: str = "default") -> None:
        """A one-shot at a minute, saved before time passes."""
        trigger = Once(START + timedelta(minutes=minute))
        self._drafts.append(Draft(name=name, namespace=owner, trigger=trigger, action=action, policy=Policy()))

    async def until(self, minute: float) -> None:
        await self._service.save(self._drafts)
        self._drafts = []
        self.engine.wake()
        await self.clock.travel_to(START + timedelta(minutes=minute))


@asynccontextmanager
async def deployed(kind: str, folder: Path, **settings: Any) -> AsyncIterator[Deployment]:
    clock = VirtualClock(START)
    store: Store = MemoryStore(clock) if kind == "memory" else SqliteStore(str(folder / "duly.db"), clock, inline=True)
    await store.open()
    made = Deployment(store, clock, **settings)
    await made.engine.start()
    try:
        yield made
    finally:
        await made.engine.stop(grace=0)
        await store.close()


@asynccontextmanager
async def also(first: Deployment, **settings: Any) -> AsyncIterator[Deployment]:
    """Another engine over the same store."""
    made = Deployment(first.store, first.clock, **settings)
    await made.engine.start()
    try:
        yield made
    finally:
        await made.engine.stop(grace=0)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_a_message_begins_at_its_time_while_110_prompts_hang_or_wait(kind: str, tmp_path: Path) -> None:
    async with deployed(kind, tmp_path) as runtime:
        for number in range(PROMPTS):
            runtime.at(1, f"flood-{number:03}", PROMPT, ADA)
        for minute in (1, 2, 30, 61, 90):
            runtime.at(minute, f"of ada at {minute}", MESSAGE, ADA)
            runtime.at(minute, f"of ben at {minute}", MESSAGE, BEN)
        runtime.at(2, "job", JOB, BEN)
        runtime.at(3, "prompt", PROMPT, BEN)
        await runtime.until(100)
        for name, begun in runtime.crew.begun.items():
            if " at " in name:
                assert begun == float(name.rpartition(" ")[2]), name
        assert sum(" at " in name for name in runtime.crew.begun) == 10
        assert (runtime.crew.begun["job"], runtime.crew.begun["prompt"]) == (2, 3)
        assert runtime.crew.most["prompts", ADA] == 4  # half of the places


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_every_prompt_is_claimed_in_turn_as_soon_as_a_place_is_free(kind: str, tmp_path: Path) -> None:
    async with deployed(kind, tmp_path, max_prompts=4) as runtime:
        for number in range(20):
            runtime.at(1, f"ada {number:02}", PROMPT, ADA)
        for number in range(5):
            runtime.at(90, f"ben {number:02}", PROMPT, BEN)
        await runtime.until(30 * HOUR)
        begun = runtime.crew.begun
        assert sorted(minute for name, minute in begun.items() if name.startswith("ben")) == [90, 150, 210, 270, 330]
        assert len(begun) == 25
        assert max(begun.values()) <= 12 * HOUR
        assert runtime.crew.most == {("prompts", ADA): 2, ("prompts", BEN): 1}


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_jobs_that_end_at_once_take_no_turn_for_each_place(kind: str, tmp_path: Path) -> None:
    async with deployed(kind, tmp_path, max_concurrency=2) as runtime:
        runtime.crew.minutes[JOB.handler] = 0.0
        for number in range(20):
            runtime.at(1, f"{number:02}", JOB)
        claimed: list[int] = []
        cycle = runtime.store.cycle

        async def counted(turn: Cycle) -> CycleResult:
            result = await cycle(turn)
            claimed.append(len(result.claimed))
            return result

        runtime.store.cycle = counted  # type: ignore[method-assign]
        await runtime.until(2)
        assert set(runtime.crew.begun.values()) == {1.0}
        assert len(runtime.crew.begun) == 20
        assert runtime.crew.most["jobs", "default"] <= 2
        assert list(filter(None, claimed)) == [20]


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_jobs_claimed_ahead_go_to_another_engine_that_has_a_place(kind: str, tmp_path: Path) -> None:
    async with deployed(kind, tmp_path, max_concurrency=2) as runtime:
        runtime.crew.minutes[JOB.handler] = HOUR
        for number in range(8):
            runtime.at(1, f"{number:02}", JOB)
        await runtime.until(1)
        async with also(runtime, max_concurrency=6, poll=1) as other:
            other.crew.minutes[JOB.handler] = HOUR
            await runtime.until(2)
            assert runtime.crew.most["jobs", "default"] == 2
            assert other.crew.most["jobs", "default"] == 6
            assert max(other.crew.begun.values()) <= 1.1


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_a_job_claimed_ahead_can_be_cancelled_and_is_never_begun(kind: str, tmp_path: Path) -> None:
    async with deployed(kind, tmp_path, max_concurrency=2) as runtime:
        for number in range(4):
            runtime.at(1, f"{number:02}", JOB)
        await runtime.until(1)
        waiting = runtime.engine.work.ahead.all()[0].id
        await runtime.store.cancel(waiting, runtime.clock.now(), "not needed")
        runtime.engine.look_around()
        await runtime.until(10)
        assert len(runtime.crew.begun) == 3
        cancelled = await runtime.store.get_run(waiting)
        assert cancelled is not None
        assert cancelled.status == "cancelled"


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_an_engine_with_one_place_claims_nothing_ahead(kind: str, tmp_path: Path) -> None:
    async with deployed(kind, tmp_path, max_concurrency=1) as runtime:
        for number in range(3):
            runtime.at(1, f"{number:02}", JOB)
        await runtime.until(1)
        assert runtime.engine.work.ahead.all() == []
        await runtime.until(10)
        assert len(runtime.crew.begun) == 3


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_new_fires_do_not_overtake_a_waiting_run(kind: str, tmp_path: Path) -> None:
    """Each job ends in the instant in which the next one is due."""
    async with deployed(kind, tmp_path, max_concurrency=1) as runtime:
        for minute in range(1, 31):
            runtime.at(minute, f"every minute {minute:02}", JOB)
        runtime.at(2.5, "waits", JOB)
        await runtime.until(40)
        assert runtime.crew.begun["waits"] == 3
        assert len(runtime.crew.begun) == 31


async def test_the_event_loop_comes_round_while_many_jobs_begin(tmp_path: Path) -> None:
    async with deployed("memory", tmp_path) as runtime:
        runtime.crew.minutes[JOB.handler] = 0.0
        for number in range(300):
            runtime.at(1, f"{number:03}", JOB)
        seen = [0]

        async def watch() -> None:
            while True:
                seen.append(len(runtime.crew.begun))
                await asyncio.sleep(0)

        watching = asyncio.create_task(watch())
        await runtime.until(2)
        watching.cancel()
        assert set(runtime.crew.begun.values()) == {1.0}
        assert seen[-1] == 300
        assert max(after - before for before, after in pairwise(seen)) == 60
