"""The system's clocks, and the virtual one that tests travel with."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from duly.clock import Clock, SystemClock, Turns
from duly.errors import NaiveDatetimeError
from duly.testing import VirtualClock

START = datetime(2026, 1, 1, tzinfo=UTC)


async def test_the_system_clock_gives_utc_and_its_monotonic_time_never_goes_back() -> None:
    clock: Clock = SystemClock()
    assert clock.now().utcoffset() == timedelta(0)
    assert clock.monotonic() <= clock.monotonic()
    assert clock.boottime() <= clock.boottime()
    await clock.sleep(0)


def test_virtual_time_stands_still_until_it_is_advanced() -> None:
    clock = VirtualClock(START)
    clock.advance(timedelta(minutes=1))
    clock.advance(30)
    assert clock.now() == START + timedelta(seconds=90)
    assert (clock.monotonic(), clock.boottime()) == (90.0, 90.0)


async def test_travel_wakes_each_sleeper_at_its_time() -> None:
    clock = VirtualClock(START)
    seen: list[float] = []

    async def every_ten_minutes() -> None:
        while True:
            await clock.sleep(600)
            seen.append(clock.monotonic())

    task = asyncio.create_task(every_ten_minutes())
    await clock.travel(hours=1)
    task.cancel()
    assert seen == [600.0, 1200.0, 1800.0, 2400.0, 3000.0, 3600.0]
    assert clock.now() == START + timedelta(hours=1)


async def test_a_sleeper_wakes_although_sums_of_steps_are_not_exact() -> None:
    clock = VirtualClock(START)
    clock.advance(0.1)
    sleeper = asyncio.create_task(clock.sleep(0.2))
    await clock.travel(seconds=0.2)  # 0.1 + 0.2 is a little more than 0.3
    assert clock.now() == START + timedelta(seconds=0.3)
    await asyncio.wait_for(sleeper, 60)


async def test_sleepers_wake_in_order_and_cancelled_ones_are_forgotten() -> None:
    clock = VirtualClock(START)
    order: list[str] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        order.append(name)

    tasks = [asyncio.create_task(sleeper(*who)) for who in (("late", 2.0), ("early", 1.0), ("never", 0.5))]
    await asyncio.sleep(0)
    tasks[2].cancel()
    await asyncio.sleep(0)
    assert clock.next_wake_up == 1.0
    await clock.travel_to(START + timedelta(seconds=5))
    await clock.sleep(0)
    assert order == ["early", "late"]
    assert clock.next_wake_up is None


def test_a_virtual_clock_can_be_set_and_suspended() -> None:
    clock = VirtualClock(START)
    clock.step(timedelta(hours=-1))
    assert (clock.now(), clock.monotonic(), clock.boottime()) == (START - timedelta(hours=1), 0.0, 0.0)
    clock.suspend(timedelta(hours=8))
    assert (clock.now(), clock.monotonic(), clock.boottime()) == (START + timedelta(hours=7), 0.0, 28800.0)


async def test_virtual_time_advances_only_forwards() -> None:
    clock = VirtualClock()
    with pytest.raises(ValueError, match="forwards"):
        clock.advance(-1)
    with pytest.raises(ValueError, match="forwards"):
        await clock.travel(timedelta(seconds=-1))
    with pytest.raises(NaiveDatetimeError):
        VirtualClock(START.replace(tzinfo=None))


async def test_long_work_gives_way_only_when_its_turn_is_over() -> None:
    clock = VirtualClock(START)
    turns = Turns(clock)
    told: list[str] = []
    other = asyncio.create_task(_tell(told))
    await turns.pause()
    assert told == []
    clock.advance(1)
    await turns.pause()
    assert told == ["other"]
    await other


async def _tell(told: list[str]) -> None:
    told.append("other")
