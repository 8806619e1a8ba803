"""A process that is killed with runs under way, and one that recovers from that:
`python -m bench.recovery_worker begin|recover STORE declarative|engine NUMBER BOUNDARY`. The second prints JSON.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import psycopg

from bench.declarative_worker import AHEAD, ShiftedClock
from duly import Duly, EngineSettings
from duly.declarative import Scheduler
from duly.engine.heartbeat import Heartbeat
from duly.recurrence import run_now

Callback = Callable[[], Awaitable[None]]
_LATER = timedelta(seconds=30)


class Subject:
    """A scheduler or an engine on a store, to be started and stopped."""

    def __init__(self, store: str, kind: str, number: int, callback: Callback) -> None:
        self._has_own_time = store.startswith("postgres")
        self._clock = ShiftedClock(datetime.now(UTC))
        self._number = number
        self._callback = callback
        self._scheduler = Scheduler(store, clock=self._clock, tz="UTC") if kind == "declarative" else None
        self._app = Duly(store, settings=EngineSettings(max_concurrency=number))
        self._app.job(name="hold")(callback)

    async def start(self, boundary: datetime) -> None:
        if self._scheduler is None:
            await self._app.__aenter__()
            return
        cron = f"{boundary.minute} {boundary.hour} * * *"
        pause = timedelta(minutes=5)
        await self._scheduler.initialize(
            [(f"task-{each}", cron, self._callback, pause) for each in range(self._number)]
        )

    async def fall_due(self, boundary: datetime) -> None:
        """Let all runs begin."""
        if self._scheduler is None:
            await self._app.add([self._app.draft(f"run-{each}", run_now(), job="hold") for each in range(self._number)])
        elif not self._has_own_time:
            self.be_at(boundary - AHEAD)
            assert self._scheduler._engine is not None
            self._scheduler._engine.wake()

    def be_at(self, moment: datetime) -> None:
        if self._scheduler is not None and not self._has_own_time:
            self._clock.set(moment)

    async def stop(self) -> None:
        await (self._app.__aexit__(None, None, None) if self._scheduler is None else self._scheduler.stop())


async def begin(store: str, kind: str, number: int, boundary: datetime) -> None:
    begun = 0
    everything = asyncio.Event()

    async def callback() -> None:
        nonlocal begun
        begun += 1
        if begun == number:
            everything.set()
        await asyncio.Event().wait()

    subject = Subject(store, kind, number, callback)
    await subject.start(boundary)
    await subject.fall_due(boundary)
    await everything.wait()
    os.kill(os.getpid(), signal.SIGKILL)


async def recover(store: str, kind: str, number: int, boundary: datetime) -> dict[str, float]:
    async def callback() -> None:
        await asyncio.Event().wait()

    if store.startswith("postgres"):  # the lease of the process that was killed need not be waited for
        with psycopg.connect(store, autocommit=True) as connection:
            connection.execute("UPDATE nodes SET beat_at = '-infinity'")
    beats = _watch_beats()
    subject = Subject(store, kind, number, callback)
    subject.be_at(boundary + _LATER)
    beats.append(time.monotonic())
    spent, took = await _timed(subject.start(boundary))
    beats.append(time.monotonic())
    await subject.stop()
    spent_without, without = await _timed(subject.start(boundary))
    return {
        "start": took,
        "without": without,
        "processor": spent,
        "more": spent - spent_without,
        "between": max(later - earlier for earlier, later in pairwise(beats)),
    }


def _watch_beats() -> list[float]:
    """Note when the heartbeat has beaten."""
    beats: list[float] = []
    step = Heartbeat.step

    def noted(self: Heartbeat) -> None:
        step(self)
        if not self.lost:
            beats.append(time.monotonic())

    Heartbeat.step = noted  # type: ignore[method-assign]
    return beats


async def _timed(work: Awaitable[None]) -> tuple[float, float]:
    spent, begun = time.process_time(), time.perf_counter()
    await work
    return time.process_time() - spent, time.perf_counter() - begun


async def main(phase: str, store: str, kind: str, number: int, boundary: datetime) -> None:
    if phase == "begin":
        await begin(store, kind, number, boundary)
    print(json.dumps(await recover(store, kind, number, boundary)), flush=True)
    os._exit(0)  # the runs go on for ever


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), datetime.fromisoformat(sys.argv[5])))
