"""A scheduler to be measured from outside: `python -m bench.declarative_worker STORE NUMBER` prints JSON."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from collections.abc import Awaitable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from duly.clock import SystemClock
from duly.declarative import Scheduler

AHEAD = timedelta(seconds=2)
INITIALIZED_PER_SECOND = 2000
"""At least so many tasks, so that all of them are known when they fall due."""


class ShiftedClock(SystemClock):
    """The machine's clocks, with a wall clock that can be set, so that no one has to wait for the boundary.

    With PostgreSQL the time is the server's, and the boundary has to be waited for.
    """

    def __init__(self, now: datetime) -> None:
        self.set(now)

    def set(self, now: datetime) -> None:
        self._ahead = now - super().now()

    def now(self) -> datetime:
        return super().now() + self._ahead


def _rss_mb() -> float:
    """The most memory so far. Not from `getrusage`, which begins with that of whoever started us."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


async def _timed(work: Awaitable[None]) -> float:
    begun = time.perf_counter()
    await work
    return time.perf_counter() - begun


async def measure(store: str, number: int) -> dict[str, float]:
    """Register many tasks, let all of them fall due at once, and do it again with a store that knows them."""
    has_own_time = store.startswith("postgres")
    enough = timedelta(seconds=10 + number / INITIALIZED_PER_SECOND)
    boundary = (datetime.now(UTC) + enough).replace(second=0, microsecond=0) + timedelta(minutes=1)
    clock = ShiftedClock(datetime.now(UTC))
    late: list[float] = []
    everything = asyncio.Event()

    async def callback() -> None:
        late.append((clock.now() - boundary).total_seconds())
        if len(late) == number:
            everything.set()

    cron = f"{boundary.minute} {boundary.hour} * * *"
    registrations = [(f"task-{each}", cron, callback, timedelta(minutes=5)) for each in range(number)]
    empty = _rss_mb()
    scheduler = Scheduler(store, clock=clock, tz="UTC")
    new = await _timed(scheduler.initialize(registrations))
    initialized = _rss_mb()
    if not has_own_time:
        clock.set(boundary - AHEAD)
        assert scheduler._engine is not None
        scheduler._engine.wake()
    await everything.wait()
    stop = await _timed(scheduler.stop())
    again = await _timed(scheduler.initialize(registrations))
    await scheduler.stop()
    late.sort()
    return {
        "new": new,
        "preserved": again,
        "stop": stop,
        "first": late[0],
        "median": late[len(late) // 2],
        "last": late[-1],
        "empty_mb": empty,
        "initialized_mb": initialized,
        "most_mb": _rss_mb(),
    }


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    print(json.dumps(asyncio.run(measure(sys.argv[1], int(sys.argv[2])))))
