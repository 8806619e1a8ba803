"""An engine is woken for what it would sleep past, and left asleep for what it finds by itself."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from duly.engine.waker import Waker
from duly.testing.clock import VirtualClock


@pytest.mark.parametrize(("seconds", "woken"), [(-1.0, True), (0.0, True), (4.0, True), (5.0, False), (60.0, False)])
async def test_a_sleeper_is_woken_for_what_comes_before_it_wakes_by_itself(seconds: float, woken: bool) -> None:
    clock = VirtualClock()
    waker = Waker(clock)
    sleeping = asyncio.ensure_future(waker.sleep(5.0))
    await asyncio.sleep(0)
    waker.wake_before(seconds)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert sleeping.done() is woken
    await clock.travel(timedelta(seconds=5))
    await sleeping


async def test_news_that_come_while_it_is_awake_are_not_lost() -> None:
    waker = Waker(VirtualClock())
    waker.wake_before(60.0)
    await waker.sleep(5.0)  # ends at once
