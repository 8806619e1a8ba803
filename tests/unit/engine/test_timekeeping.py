"""An engine goes by the clock of the database where its own disagrees, and prunes nothing by a clock just set ahead."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from duly.engine.timekeeping import PruningGuard, Timekeeper
from duly.model.events import Event
from duly.testing.clock import VirtualClock
from tests.memory_store.store import MemoryStore

HOUR = timedelta(hours=1)


class Server(MemoryStore):
    """A store with a clock of its own, which is always right."""

    def __init__(self, right: VirtualClock) -> None:
        super().__init__(right)
        self.right = right
        self.asked = 0

    async def server_time(self) -> datetime | None:
        self.asked += 1
        return self.right.now()


class Machine(VirtualClock):
    """The clock of a machine: it can be set, and be known to be wrong."""

    correction = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.correction

    def put_right(self, correction: timedelta) -> None:
        self.correction = correction


class ComparedClocks:
    """A server, a machine whose clocks go on together, and what an engine on it tells."""

    def __init__(self) -> None:
        self.server = Server(VirtualClock())
        self.machine = Machine()
        self.told: list[Event] = []
        self.keeper = Timekeeper(self.server, self.machine, self.told.append, lambda: "node")

    async def check(self, after: float = 1.0) -> datetime:
        self.server.right.advance(after)
        self.machine.advance(after)
        return await self.keeper.check()

    def told_seconds(self, name: str) -> list[float]:
        return [event.data["seconds"] for event in self.told if event.kind.name == name]


async def test_a_clock_that_agrees_is_compared_once_a_minute() -> None:
    clocks = ComparedClocks()
    for _ in range(61):
        await clocks.check()
    assert clocks.server.asked == 2
    assert (clocks.told, clocks.keeper.off_by) == ([], timedelta(0))


@pytest.mark.parametrize("ahead", [HOUR, -HOUR])
async def test_a_clock_that_is_wrong_from_the_start_is_corrected(ahead: timedelta) -> None:
    clocks = ComparedClocks()
    clocks.machine.step(ahead)
    assert await clocks.check() == clocks.server.right.now()
    assert clocks.told_seconds("clock.disagrees") == [ahead.total_seconds()]
    assert clocks.keeper.off_by == ahead
    for _ in range(200):
        assert await clocks.check() == clocks.server.right.now()
    assert len(clocks.told) == 1


async def test_a_clock_that_is_set_is_compared_before_anything_is_planned_by_it() -> None:
    clocks = ComparedClocks()
    await clocks.check()
    clocks.machine.step(30 * 24 * HOUR)
    assert await clocks.check() == clocks.server.right.now()
    clocks.machine.step(-30 * 24 * HOUR)
    assert await clocks.check() == clocks.server.right.now()
    assert clocks.told_seconds("clock.disagrees") == [30 * 86_400, 0]
    assert clocks.told_seconds("clock.stepped_back") == []
    assert clocks.keeper.off_by == timedelta(0)


async def test_a_machine_that_slept_is_no_wrong_clock() -> None:
    clocks = ComparedClocks()
    await clocks.check()
    for clock in (clocks.machine, clocks.server.right):
        clock.suspend(8 * HOUR)
    await clocks.check()
    assert clocks.told == []


async def test_a_server_whose_own_clock_is_set_back_takes_its_nodes_along() -> None:
    clocks = ComparedClocks()
    for clock in (clocks.machine, clocks.server.right):
        clock.step(HOUR)
    await clocks.check()
    clocks.server.right.step(-HOUR)
    for _ in range(60):
        await clocks.check()
    assert clocks.told_seconds("clock.disagrees") == [3600]


def test_the_first_pruning_after_a_jump_far_ahead_is_left_out() -> None:
    clock = VirtualClock()
    guard = PruningGuard(clock)
    clock.advance(HOUR)
    assert guard.is_believable()
    clock.suspend(24 * HOUR)
    assert guard.is_believable()
    clock.step(24 * HOUR)
    assert not guard.is_believable()
    clock.advance(HOUR)
    assert guard.is_believable()
