"""A duly process to be measured from outside: `python -m bench.engine_worker SCENARIO STORE …` prints JSON."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from duly import Cron, Duly, EngineSettings, ScheduleFilter, Status, every
from duly.ports.records import StoredSchedule

HOUR = every(1).hours()


def _app(store: str, **settings: float) -> Duly:
    app = Duly(store, settings=EngineSettings(**settings))  # type: ignore[arg-type]  # numbers all

    @app.job
    async def noop() -> None:
        return None

    return app


async def _make_due(app: Duly, at: datetime) -> None:
    """Let every schedule fall due at one instant, past the front door: nobody schedules in the past on purpose."""

    def due(row: StoredSchedule) -> StoredSchedule:
        return replace(row, next_fire_at=at, next_run_at=at)

    after = None
    while rows := await app._store.schedules(ScheduleFilter(limit=5000, after=after)):
        await app._store.edit([row.id for row in rows], due)
        after = (rows[-1].namespace, rows[-1].name)


async def _carried_out(app: Duly, number: int) -> None:
    """Until all of them ended and the last outcome is on disk: a stopped engine has nothing left to write."""
    while app.engine.work.counts.total() < number:
        await asyncio.sleep(0.005)
    await app.engine.stop()


async def fire(store: str, number: int) -> dict[str, float]:
    """Many schedules due at one instant, a handler that does nothing, until the last outcome is durable."""
    app = _app(store, max_concurrency=2000)
    await app.open()
    await app.add(app.draft(f"s{each}", HOUR, job="noop") for each in range(number))
    await _make_due(app, datetime.now(UTC))
    begun, cpu = time.perf_counter(), time.process_time()
    await app.engine.start()
    await _carried_out(app, number)
    took, cpu = time.perf_counter() - begun, time.process_time() - cpu
    succeeded = await app.history(statuses=(Status.SUCCEEDED,), limit=2 * number)
    if len(succeeded) != number:
        raise RuntimeError(f"{len(succeeded)} of {number} have an outcome")
    await app.close()
    return {"fire": number / took, "cpu_us": cpu / number * 1e6}


async def add(store: str, number: int) -> dict[str, float]:
    """Schedules made one by one, and all at once."""
    app = _app(store)
    await app.open()
    begun = time.perf_counter()
    for each in range(number):
        await app.add([app.draft(f"one-{each}", HOUR, job="noop")])
    one_by_one = number / (time.perf_counter() - begun)
    begun = time.perf_counter()
    await app.add(app.draft(f"bulk-{each}", HOUR, job="noop") for each in range(number))
    bulk = number / (time.perf_counter() - begun)
    await app.close()
    return {"one_by_one": one_by_one, "bulk": bulk}


async def fill(store: str, number: int) -> dict[str, float]:
    """A store with very many schedules, none of them due soon."""
    app = _app(store)
    await app.open()
    far = Cron("0 0 1 1 *")
    for start in range(0, number, 50_000):
        await app.add(app.draft(f"f{each}", far, job="noop") for each in range(start, min(start + 50_000, number)))
    await app.close()
    return {"number": number}


async def idle(store: str, seconds: int) -> dict[str, float]:
    """How quickly an engine is ready, and what it costs while nothing is due."""
    begun = time.perf_counter()
    app = _app(store)
    await app.open()
    await app.engine.start()
    ready = time.perf_counter() - begun
    await asyncio.sleep(2)
    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.sleep(seconds)
    per_minute = (time.process_time() - cpu) / (time.perf_counter() - wall) * 60
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    await app.close()
    return {"ready": ready, "cpu_per_minute": per_minute, "rss_mb": rss}


async def steady(store: str, rate: int, seconds: int) -> dict[str, float]:
    """Fires spread evenly: how late each handler starts, beside bare `asyncio.sleep` to the same instants."""
    late: list[float] = []
    app = Duly(store)

    @app.job
    async def note(run: object) -> None:
        late.append(time.time() - run.fire_at.timestamp())  # type: ignore[attr-defined]

    await app.open()
    start = datetime.now(UTC) + timedelta(seconds=3)
    await app.add(app.draft(f"s{each}", HOUR, job="note") for each in range(rate * seconds))
    gap = timedelta(seconds=1) / rate
    rows = await app._store.schedules(ScheduleFilter(limit=rate * seconds))
    start = datetime.now(UTC) + timedelta(seconds=2)
    times = {row.id: start + gap * index for index, row in enumerate(rows)}
    await app._store.edit(list(times), lambda row: replace(row, next_fire_at=times[row.id], next_run_at=times[row.id]))
    await app.engine.start()
    cpu, wall = time.process_time(), time.perf_counter()
    while len(late) < rate * seconds:
        await asyncio.sleep(0.05)
    share = (time.process_time() - cpu) / (time.perf_counter() - wall)
    await app.close()
    bare = await _bare_sleep(rate, min(seconds, 10))
    return {"p50": _at(late, 0.5), "p99": _at(late, 0.99), "bare_p99": _at(bare, 0.99), "cpu": share}


async def _bare_sleep(rate: int, seconds: int) -> list[float]:
    late: list[float] = []
    start = time.time() + 0.2

    async def one(at: float) -> None:
        await asyncio.sleep(at - time.time())
        late.append(time.time() - at)

    await asyncio.gather(*(one(start + each / rate) for each in range(rate * seconds)))
    return late


def _at(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)]


async def overdue(store: str, number: int) -> dict[str, float]:
    """Leave so many schedules overdue and die."""
    app = _app(store)
    await app.open()
    await app.add(app.draft(f"s{each}", HOUR, job="noop") for each in range(number))
    await _make_due(app, datetime.now(UTC))
    await app.engine.start()
    await asyncio.sleep(0.05)  # somewhere in the middle of it
    os.kill(os.getpid(), 9)
    return {}


async def restart(store: str, number: int) -> dict[str, float]:
    """Take over after that: how soon the engine is ready, how soon all is done, how often each ran."""
    begun = time.perf_counter()
    app = _app(store, max_concurrency=2000)
    await app.open()
    await app.engine.start()
    ready = time.perf_counter() - begun
    while True:
        view = await app._store.overview(datetime.now(UTC))
        if not (view.pending or view.running or view.waiting or view.oldest_due_at):
            break
        await asyncio.sleep(0.01)
    runs = await app.history(limit=number * 2)
    succeeded = [run for run in runs if run.status == "succeeded"]
    await app.close()
    return {"ready": ready, "done": time.perf_counter() - begun, "runs": len(runs), "succeeded": len(succeeded)}


SCENARIOS: dict[str, Callable[..., Coroutine[None, None, dict[str, float]]]] = {
    "fire": fire,
    "add": add,
    "fill": fill,
    "idle": idle,
    "steady": steady,
    "overdue": overdue,
    "restart": restart,
}


def main() -> None:
    name, store, *numbers = sys.argv[1:]
    figures = asyncio.run(SCENARIOS[name](store, *map(int, numbers)))
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
