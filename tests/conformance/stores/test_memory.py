"""The dict-backed store offers simulations a few things beyond the interface of a store."""

from __future__ import annotations

from duly.ports.records import Cycle, Rescued
from duly.testing.clock import VirtualClock
from tests.conformance.stores.builders import JOB, START, every
from tests.conformance.stores.builders import due_schedule as due
from tests.conformance.stores.harness import MemoryHarness
from tests.memory_store.store import MemoryData, MemoryStore


async def test_stores_share_what_they_are_told_to_share() -> None:
    clock, data = VirtualClock(START), MemoryData()
    first, second, apart = MemoryStore(clock, shared=data), MemoryStore(clock, shared=data), MemoryStore(clock)
    for store in (first, second, apart):
        await store.open()
    await first.save([row := due("a")], lambda _before, new: new)
    assert await second.get(row.id) == row
    assert await apart.get(row.id) is None


async def test_a_crash_is_seen_before_the_lease_runs_out() -> None:
    async with MemoryHarness() as harness:
        await harness.join("node_a", "node_b")
        assert isinstance(harness.store, MemoryStore)
        harness.store.crash("node_a")
        assert await harness.store.rescue(harness.now, lambda _policy, _attempt: False) == [Rescued("node_a")]


async def test_hints_are_given_for_changes_of_others_only() -> None:
    async with MemoryHarness() as harness:
        other = await harness.another()
        hints: list[str] = []
        harness.store.on_change(lambda: hints.append("mine"))
        other.on_change(lambda: hints.append("other's"))
        await harness.add(due("a", 60))
        assert hints == ["other's"]
        # Two engines that wake each other for nothing would never sleep again.
        idle = Cycle("node_a", START, planner=every(60), plan_limit=5, claim_limit=5, handlers=(JOB,))
        for store in (harness.store, other):
            await store.cycle(idle)
        assert hints == ["other's"]
        await other.close()
        await harness.add(due("b"))
        assert hints == ["other's"]


async def test_the_same_calls_give_the_same_rows_in_the_same_order() -> None:
    async def story() -> list[str]:
        async with MemoryHarness() as harness:
            await harness.add(*(due(f"s{number}", -number % 3) for number in range(20)))
            result = await harness.turn(planner=every(60), plan_limit=9, claim_limit=5)
            return [claimed.name for claimed in result.claimed]

    assert await story() == await story()
