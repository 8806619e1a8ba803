"""Who sends tasks to Celery, to be measured from outside: `python -m bench.executors_worker SCENARIO …` prints JSON."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from celery import Celery
from celery.beat import PersistentScheduler, Service

from duly import every
from duly.clock import SystemClock
from duly.config.settings import Settings
from duly.entropy import random_bits
from duly.model.action import Job
from duly.model.events import RUN_HANDED_OVER, Event
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.store import FullStore
from duly.runtime.runtime import Runtime
from duly.service.schedules.drafts import Draft, to_row

EXECUTOR = "heavy"
TASK = "bench.executors_app.note"
HOUR = every(1).hours()


def celery_app(broker: str) -> Celery:
    """Make an app with default settings, and the task that is sent."""
    app = Celery("bench", broker=broker, set_as_current=False)

    @app.task(name=TASK)  # type: ignore[untyped-decorator]
    def note(at: float) -> None: ...

    return app


async def add_schedules(store: FullStore, times: list[datetime]) -> None:
    """Add a schedule for each time, which fires then, past the front door: nobody schedules in the past on purpose."""
    drafts = (
        Draft(name=f"s{number}", trigger=HOUR, action=Job(name=TASK, executor=EXECUTOR, args={"at": at.timestamp()}))
        for number, at in enumerate(times)
    )
    now = SystemClock().now()
    rows = [to_row(each, now, lambda *_: None, random_bits) for each in drafts]
    due = [replace(row, next_fire_at=at, next_run_at=at) for row, at in zip(rows, times, strict=True)]
    await store.save(due, lambda _old, new: new)


async def burst(folder: str, store: str, broker: str, number: int) -> dict[str, float]:
    """Hand over what is due at one instant, until the last handover is noted as sent."""
    heavy = ExecutorSettings(
        name=EXECUTOR, kind=ExecutorKind.CELERY, tasks=(TASK,), broker=broker, callback="http://127.0.0.1:9"
    )
    runtime = Runtime(Settings(data_dir=Path(folder), store=store, executors={EXECUTOR: heavy}))
    await runtime.open()
    await add_schedules(runtime.store, [SystemClock().now()] * number)
    await runtime.prepare()
    sent = 0

    def count(event: Event) -> None:
        nonlocal sent
        sent += event.kind == RUN_HANDED_OVER

    runtime.hear(count)
    wall, cpu = time.perf_counter(), time.process_time()
    await runtime.start_engine()
    while sent < number:
        await asyncio.sleep(0.005)
    await runtime.stop_engine()
    figures = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    await runtime.close()
    return figures


def plain(broker: str, number: int) -> dict[str, float]:
    """Send as many with `apply_async` in a loop."""
    task = celery_app(broker).tasks[TASK]
    at = time.time()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(number):
        task.apply_async(kwargs={"at": at})
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def beat(folder: str, broker: str, number: int) -> dict[str, float]:
    """Let Celery's beat send as many entries that are due, with the scheduler that it comes with."""
    app = celery_app(broker)
    at = time.time()
    app.conf.beat_schedule = {
        f"s{each}": {"task": TASK, "schedule": 3600.0, "kwargs": {"at": at}} for each in range(number)
    }
    service = Service(app, scheduler_cls=PersistentScheduler, schedule_filename=f"{folder}/beat")
    scheduler = service.get_scheduler()
    for entry in scheduler.schedule.values():
        entry.last_run_at -= timedelta(seconds=3600)
    sent = 0

    def send(*arguments: object, **options: object) -> object:
        nonlocal sent
        sent += 1
        return ask(*arguments, **options)

    ask = scheduler.apply_async
    scheduler.apply_async = send
    wall, cpu = time.perf_counter(), time.process_time()
    while sent < number:
        scheduler.tick()
    scheduler.sync()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def at_times(broker: str, start: float, rate: int, number: int) -> dict[str, float]:
    """Send tasks at their times, evenly spread, as a timer does that knows nothing else."""
    task = celery_app(broker).tasks[TASK]
    for each in range(number):
        at = start + each / rate
        time.sleep(max(0.0, at - time.time()))
        task.apply_async(kwargs={"at": at})
    return {}


def main() -> None:
    name, *arguments = sys.argv[1:]
    print(json.dumps(SCENARIOS[name](*arguments)))


SCENARIOS: dict[str, Callable[..., dict[str, float]]] = {
    "burst": lambda folder, store, broker, number: asyncio.run(burst(folder, store, broker, int(number))),
    "plain": lambda broker, number: plain(broker, int(number)),
    "beat": lambda folder, broker, number: beat(folder, broker, int(number)),
    "at_times": lambda broker, start, rate, number: at_times(broker, float(start), int(rate), int(number)),
}

if __name__ == "__main__":
    main()
