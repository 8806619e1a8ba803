"""Large stores: pages, health, a search for text and `duly list` at 10, 100 and 1,000 thousand schedules, and idling.

Each size has as many finished runs as schedules; one schedule of a thousand fails, one of a hundred is paused. Rows are
written past the front door, as years of work leave them. `DULY_BENCH_SIZES` names other sizes.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import psycopg
from tests.postgres_server import OwnServer

from bench.measure import table
from duly import Cron, Duly, ScheduleFilter
from duly.clock import SystemClock
from duly.model.action import Job
from duly.model.policy import Policy
from duly.ports.codec import encode_action, encode_policy, encode_trigger
from duly.ports.records import StoredSchedule
from duly.ports.timeline import Ranked, ScheduleSearch
from duly.service.schedules.finding import search_of_schedules
from duly.service.searching import SearchSizes
from duly.stores import open_store
from duly.stores.sqlite.file import connect
from duly.stores.sqlite.rows import micros

SIZES = tuple(int(each) for each in os.environ.get("DULY_BENCH_SIZES", "10000,100000,1000000").split(","))
ROUNDS = int(os.environ.get("DULY_BENCH_ROUNDS", "3"))
SECONDS = int(os.environ.get("DULY_BENCH_SECONDS", "30"))
_MANY = 11
_WELL = 5  # the rank of what needs no attention
_PATIENCE = 1800
LIMITS = {
    "schedules": 10,
    "by_attention": 10,
    "by_next_run": 10,
    "failing": 10,
    "paused": 10,
    "history": 10,
    "history_of_one": 10,
    "health": 20,
    "list": 400,
    "answer": 100,
}
NAMES = {
    "schedules": "100 schedules from the middle",
    "by_attention": "100 schedules by attention, past those that need it",
    "by_next_run": "100 schedules by the next run, the second page",
    "failing": "100 schedules that fail",
    "paused": "100 schedules that are paused",
    "history": "100 runs from the middle",
    "history_of_one": "100 runs of one schedule",
    "health": "`health()`",
    "list": "`duly list`, the process",
    "list_cpu": "`duly list`, its processor time",
    "answer": "an answer of a search for text that is nowhere",
    "text": "the whole search (a scan)",
}

_ABOUT_SEARCH = (
    "A search for text is a scan: it reads every schedule that the other filters leave. An answer comes after a tenth"
    " of a second and says how far the search has come; the first one also counts how much there is."
)
_SQLITE_SCHEDULES = """
WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < :number - 1)
INSERT INTO schedules
    (id, namespace, name, trigger, action, policy, handler, next_fire_at, next_run_at, created_at, updated_at,
     last_run_at, last_status, total_runs)
SELECT printf('sched_%032x', n), 'user:local', printf('old-%07d', n), :trigger, :action, :policy, 'job:noop', :later,
       :later, :old, :old, :old, 'succeeded', 1
FROM numbers
"""
_FAILING = """
UPDATE schedules SET last_status = 'failed', consecutive_failures = 1, failing_since = last_run_at
WHERE name LIKE 'old-%500'
"""
_PAUSED = """
UPDATE schedules SET enabled = FALSE, disabled_by = 'person', next_fire_at = NULL, next_run_at = NULL
WHERE name LIKE 'old-%77'
"""
_SQLITE_RUNS = """
WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < :number - 1)
INSERT INTO runs
    (id, schedule_id, origin, fire_at, due_at, handler, status, attempt, fence, started_at, finished_at, result)
SELECT printf('run_%012x%020x', :made_at, n), printf('sched_%032x', n * 7919 % :number), 'schedule', :old + n, :old + n,
       'job:noop', 'succeeded', 1, 1, :old, :old, '"a result of some length, as results are"'
FROM numbers
"""
_POSTGRES_SCHEDULES = """
INSERT INTO schedules
    (id, namespace, name, trigger, action, policy, handler, next_fire_at, next_run_at, created_at, updated_at,
     last_run_at, last_status, total_runs)
SELECT 'sched_' || lpad(to_hex(n), 32, '0'), 'user:local', 'old-' || lpad(n::text, 7, '0'), %(trigger)s, %(action)s,
       %(policy)s, 'job:noop', %(later)s, %(later)s, %(old)s, %(old)s, %(old)s, 'succeeded', 1
FROM generate_series(0, %(number)s - 1) AS n
"""
_POSTGRES_RUNS = """
INSERT INTO runs
    (id, schedule_id, origin, fire_at, due_at, handler, status, attempt, fence, started_at, finished_at, result)
SELECT 'run_' || lpad(to_hex(%(made_at)s::bigint), 12, '0') || lpad(to_hex(n), 20, '0'),
       'sched_' || lpad(to_hex(n::bigint * 7919 %% %(number)s), 32, '0'), 'schedule',
       %(old)s + n * interval '1 microsecond', %(old)s + n * interval '1 microsecond', 'job:noop', 'succeeded', 1, 1,
       %(old)s, %(old)s, '"a result of some length, as results are"'
FROM generate_series(0, %(number)s - 1) AS n
"""


def report(sizes: tuple[int, ...] = SIZES) -> str:
    """The section of the results about large stores."""
    found: dict[tuple[str, int], dict[str, float]] = {}
    server = OwnServer(durable=True)
    try:
        for store in ("sqlite", "postgres"):
            for size in sizes:
                with _made(store, server, size) as (target, folder):
                    found[store, size] = _measured(target, folder, server if size == max(sizes) else None)
    finally:
        server.close()
    rows = [
        [f"{store}: {name}", *(f"{found[store, size][key]:,.1f} ms" for size in sizes)]
        for store in ("sqlite", "postgres")
        for key, name in NAMES.items()
    ]
    largest = {store: found[store, max(sizes)] for store in ("sqlite", "postgres")}
    return "\n\n".join(
        [
            "## Large stores",
            f"As many finished runs as schedules; wall time, the median of {ROUNDS} processes that ask {_MANY} times.",
            "\n".join(_verdicts(largest, max(sizes))),
            table(["store: question", *(f"{size:,}" for size in sizes)], rows),
            _ABOUT_SEARCH,
            "",
        ]
    )


def _verdicts(largest: dict[str, dict[str, float]], size: int) -> list[str]:
    lines = []
    for store, figures in largest.items():
        for key, most in LIMITS.items():
            lines.append(_verdict(f"{store}, {size:,}: {NAMES[key]}", figures[key], most, "ms"))
        lines.append(_verdict(f"{store}, {size:,}: idle, duly a minute", figures["idle"], 0.2, "s"))
        if store == "postgres":
            lines.append(_verdict(f"{store}, {size:,}: idle, the server a minute", figures["idle_server"], 0.2, "s"))
    return lines


def _verdict(name: str, value: float, most: float, unit: str) -> str:
    shown = f"{value:.2f}" if unit == "s" else f"{value:.1f}"
    return f"- {'met' if value <= most else '**missed**'}: {name} {shown} {unit}, target at most {most:g} {unit}"


def _measured(target: str, folder: Path, idle_beside: OwnServer | None) -> dict[str, float]:
    rounds = [_worker("pages", target) for _ in range(ROUNDS)]
    figures = {name: median(each[name] for each in rounds) for name in rounds[0]}
    listed = [_listed(folder) for _ in range(ROUNDS + 1)][1:]
    figures["list"] = median(each[0] for each in listed)
    figures["list_cpu"] = median(each[1] for each in listed)
    if idle_beside is not None:
        figures |= _worker("idle", target, SECONDS, idle_beside.folder)
    return figures


@contextmanager
def _made(store: str, server: OwnServer, size: int) -> Iterator[tuple[str, Path]]:
    """A store of a size, and a data directory that leads to it."""
    folder = Path(tempfile.mkdtemp(prefix="duly-bench-", dir=os.environ.get("DULY_BENCH_FOLDER")))
    try:
        if store == "sqlite":
            target = str(folder / "schedules.db")
            _fill_sqlite(target, size)
            yield target, folder
        else:
            with server.database() as url:
                target = server.tcp_url(url)
                (folder / "duly.toml").write_text(f"store = {json.dumps(target)}\n", encoding="utf-8")
                _fill_postgres(target, size)
                yield target, folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _values(now: datetime, size: int) -> dict[str, object]:
    return {
        "number": size,
        "later": now + timedelta(days=10_000),
        "old": now - timedelta(days=20),
        "trigger": encode_trigger(Cron("0 0 1 1 *")),
        "action": encode_action(Job("noop")),
        "policy": encode_policy(Policy()),
    }


def _fill_sqlite(target: str, size: int) -> None:
    asyncio.run(_migrated(target))
    values = _values(datetime.now(UTC), size)
    stored = {name: micros(value) if isinstance(value, datetime) else value for name, value in values.items()}
    stored["made_at"] = int(str(stored["old"])) // 1000
    made = connect(Path(target))
    made.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA wal_autocheckpoint = 4000")
    with made:
        made.execute(_SQLITE_SCHEDULES, stored)
        made.execute(_SQLITE_RUNS, stored)
        made.execute(_FAILING)
        made.execute(_PAUSED)
    made.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    made.close()
    os.sync()


async def _migrated(target: str) -> None:
    store = open_store(target, SystemClock())
    await store.open()
    await store.close()


def _fill_postgres(target: str, size: int) -> None:
    values = _values(datetime.now(UTC), size)
    old = values["old"]
    assert isinstance(old, datetime)
    values["made_at"] = int(old.timestamp() * 1000)
    with psycopg.connect(target, autocommit=True) as session:
        session.execute(_POSTGRES_SCHEDULES, values)
        session.execute(_POSTGRES_RUNS, values)
        session.execute(_FAILING)
        session.execute(_PAUSED)
        session.execute("VACUUM ANALYZE schedules")
        session.execute("VACUUM ANALYZE runs")
        session.execute("CHECKPOINT")


def _listed(folder: Path) -> tuple[float, float]:
    """Milliseconds that `duly list` takes, the whole process, and those of a processor."""
    command = [sys.executable, "-m", "duly", "list", "--data-dir", str(folder)]
    # As installed: with compiled modules, which the first of these processes writes.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    began = time.perf_counter()
    before = os.times()
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=_PATIENCE, cwd=folder, env=environment
    )
    took = (time.perf_counter() - began) * 1e3
    after = os.times()
    worked = after.children_user + after.children_system - before.children_user - before.children_system
    if done.returncode or "old-" not in done.stdout:
        raise RuntimeError(done.stderr[-1500:] or done.stdout[-1500:])
    return took, worked * 1e3


def _worker(*arguments: object) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.large", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE)
    if done.returncode:
        raise RuntimeError(done.stderr[-1500:])
    figures: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return figures


# the processes that are measured


def server_seconds(folder: Path) -> float:
    """The processor time of the processes of a server, with those that have ended, in seconds."""
    ticks = 0
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (place / "cwd").readlink().is_relative_to(folder):
                # user, system, and both of the children that have ended
                ticks += sum(map(int, (place / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


async def pages(target: str) -> dict[str, float]:
    """Milliseconds of each question: the median of some."""
    app = Duly(target, namespace="user:local")
    await app.open()
    store = app._store
    clock = SystemClock()
    sizes = SearchSizes(clock)  # a process counts once in some minutes how much there is to search
    nowhere = ScheduleSearch(text="not to be found")
    rows = await store.schedules(ScheduleFilter(limit=1, after=("user:local", "old-0004")))
    middle = ScheduleFilter(limit=100, after=("user:local", rows[0].name))
    newest = await app.history(limit=1)
    half = f"{int(newest[0].id[-20:], 16) // 2:020x}"
    before = newest[0].id[:-20] + half
    later = await store.timeline.ranked(Ranked(order="next", limit=100))

    async def listed(**wanted: Any) -> object:
        found = await store.timeline.ranked(Ranked(limit=100, **wanted))
        return await store.timeline.schedules([each.schedule_id for each in found])

    asked: dict[str, Callable[[], Coroutine[None, None, object]]] = {
        "schedules": lambda: app.schedules(middle),
        "by_attention": lambda: listed(order="attention", after=(_WELL, "user:local", rows[0].name)),
        "by_next_run": lambda: listed(order="next", after=later[-1].place),
        "failing": lambda: listed(order="attention", state="failing"),
        "paused": lambda: listed(order="attention", state="paused"),
        "history": lambda: app.history(limit=100, before=before),
        "history_of_one": lambda: app.history(rows[0].name, limit=100),
        "health": app.health,
        "answer": lambda: search_of_schedules(store, clock, nowhere, None, 50, _nothing, sizes),
        "text": lambda: app.schedules(ScheduleFilter(limit=100, text="not to be found")),
    }
    found: dict[str, float] = {}
    for name, ask in asked.items():
        took = []
        for _ in range(1 if name == "text" else _MANY):
            begun = time.perf_counter()
            await ask()
            took.append((time.perf_counter() - begun) * 1e3)
        found[name] = median(took)
    await app.close()
    return found


async def _nothing(rows: Sequence[StoredSchedule]) -> list[None]:
    return [None for _ in rows]


async def idle(target: str, seconds: int, server: Path) -> dict[str, float]:
    """Processor seconds in a minute in which nothing is due: of an engine, and of the server with this folder."""
    app = Duly(target)

    @app.job
    async def noop() -> None:
        return None

    await app.open()
    await app.engine.start()
    await asyncio.sleep(2)
    began = time.perf_counter()
    cpu = time.process_time()
    beside = server_seconds(server)
    await asyncio.sleep(seconds)
    minutes = (time.perf_counter() - began) / 60
    figures = {
        "idle": (time.process_time() - cpu) / minutes,
        "idle_server": (server_seconds(server) - beside) / minutes,
    }
    await app.close()
    return figures


def main() -> None:
    name, target, *more = sys.argv[1:]
    figures = asyncio.run(pages(target) if name == "pages" else idle(target, int(more[0]), Path(more[1])))
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
