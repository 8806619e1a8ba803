"""Our own upkeep beside the work: forgetting, listing and migrating a large SQLite file while schedules fire.

A file with 1,000,000 schedules, 1,000,000 old runs and 3,000,000 old events is made, 100 schedules fire per second, and
everything old is forgotten meanwhile, in one process; another one waits to take over from it, and a third one wants to
write every few milliseconds. Printed is for how long the write lock was held and waited for at most, how late fires
were without and with upkeep, and whether anybody lost a lease.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw

from bench.engine_worker import HOUR
from bench.measure import verdict
from duly import Duly, EngineSettings, Event, ScheduleFilter
from duly.engine.maintenance import LONGEST_HOLD
from duly.stores import queries
from duly.stores.sqlite import executor as executors
from duly.stores.sqlite.file import connect
from duly.stores.sqlite.rows import micros

SCHEDULES = int(os.environ.get("DULY_BENCH_SCHEDULES", "1000000"))
RUNS = SCHEDULES
EVENTS = 3 * SCHEDULES
RATE = 100
SECONDS = int(os.environ.get("DULY_BENCH_SECONDS", "90"))
_OLD = timedelta(days=60)
_BETWEEN = 0.005  # seconds between two turns of the process that wants to write
_LOST = ("node.lost", "run.lease_lost", "run.rescued")


def report() -> str:
    """The section of the results about upkeep."""
    folder = Path(tempfile.mkdtemp(prefix="duly-bench-", dir=os.environ.get("DULY_BENCH_FOLDER")))
    try:
        path = folder / "upkeep.db"
        migrated = _make(path)
        before, during = _measured(path, upkeep=False), _measured(path, upkeep=True)
        size = path.stat().st_size / 2**20
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    held = verdict("a batch of upkeep holds the write lock", during["longest_batch"] * 1e3, 50, " ms", at_most=True)
    waited = verdict("another writer waits for the lock", during["longest_wait"] * 1e3, 50, " ms", at_most=True)
    lines = [
        f"## Upkeep beside {RATE} fires per second, on SQLite",
        "",
        f"{SCHEDULES:,} schedules, {RUNS:,} old runs, {EVENTS:,} old events ({size:,.0f} MB); {SECONDS} s each.",
        f"Another process watches this one. Building the indexes of the newest schema took {migrated:.1f} s.",
        "",
        held,
        waited,
        "",
        "| figure | without upkeep | while forgetting and listing |",
        "|---|--:|--:|",
    ]
    rows: list[tuple[str, str, Callable[[float], str]]] = [
        ("fires", "fires", "{:,.0f}".format),
        ("late, p50", "p50", _ms),
        ("late, p99", "p99", _ms),
        ("late, longest", "latest", _ms),
        ("longest hold of the write lock by a batch of upkeep", "longest_batch", _ms),
        ("batches over 50 ms", "long_batches", "{:,.0f}".format),
        ("longest hold of the write lock by anything", "longest_hold", _ms),
        ("wait of another writer, p50", "wait_p50", _ms),
        ("wait of another writer, p99", "wait_p99", _ms),
        ("wait of another writer, p99.9", "wait_p999", _ms),
        ("wait of another writer, longest", "longest_wait", _ms),
        ("longest time between two beats", "longest_silence", _ms),
        ("rows forgotten", "forgotten", "{:,.0f}".format),
        ("rows forgotten per second", "forgotten_per_second", "{:,.0f}".format),
        ("leases lost, nodes taken for dead, runs rescued", "lost", "{:,.0f}".format),
    ]
    lines += [f"| {name} | {show(before[key])} | {show(during[key])} |" for name, key, show in rows]
    return "\n".join([*lines, ""])


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f} ms"


def _measured(path: Path, *, upkeep: bool) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.upkeep", str(path)]
    rival = subprocess.Popen([*command, "rival"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        done = subprocess.run([*command, "fire", str(int(upkeep))], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr[-2000:])
    finally:
        told, _ = rival.communicate(b"stop\n", timeout=120)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    figures["lost"] += json.loads(told)["lost"]
    return figures


# the file

_MAKE_SCHEDULES = """
WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < :number - 1)
INSERT INTO schedules
    (id, namespace, name, trigger, action, policy, handler, next_fire_at, next_run_at, created_at, updated_at)
SELECT printf('sched_%032x', n), 'default', 'old' || n, '{"kind": "cron", "expression": "0 0 1 1 *"}',
       '{"kind": "job", "name": "noop"}', '{}', 'job:noop', :later, :later, :old, :old
FROM numbers
"""
_MAKE_RUNS = """
WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < :number - 1)
INSERT INTO runs
    (id, schedule_id, origin, fire_at, due_at, handler, status, attempt, fence, started_at, finished_at, result)
SELECT printf('run_%012x%020x', :made_at, n), printf('sched_%032x', n * 7919 % :schedules), 'schedule', :old + n,
       :old + n, 'job:noop', 'succeeded', 1, 1, :old, :old, '"a result of some length, as results are"'
FROM numbers
"""
_MAKE_EVENTS = """
WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < :number - 1)
INSERT INTO events (at, name, schedule_id, run_id, data)
SELECT :old + n, 'run.failed', printf('sched_%032x', n % :schedules), printf('run_%032x', n),
       '{"error": "ValueError: something went wrong"}'
FROM numbers
"""


def _make(path: Path) -> float:
    """A large file, as years of work leave it; gives the seconds that bringing its schema up to date takes."""
    made = connect(path)
    made.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA wal_autocheckpoint = 4000")
    steps = queries.migrations("sqlite")
    made.execute("CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT")
    for version, script in steps[:10]:
        made.execute(script)
        made.execute("INSERT INTO schema_version VALUES (?)", (version,))
    now = micros(datetime.now(UTC))
    old = now - int(_OLD.total_seconds()) * 1_000_000
    values = {"later": now + 10**15, "old": old, "made_at": old // 1000}
    with made:
        for statement, number in ((_MAKE_SCHEDULES, SCHEDULES), (_MAKE_RUNS, RUNS), (_MAKE_EVENTS, EVENTS)):
            made.execute(statement, {**values, "number": number, "schedules": SCHEDULES})
    began = time.perf_counter()
    with made:
        for version, script in steps[10:]:
            made.execute(script)
            made.execute("INSERT INTO schema_version VALUES (?)", (version,))
    took = time.perf_counter() - began
    made.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    made.close()
    os.sync()
    return took


# the processes


async def _fire(path: str, upkeep: bool) -> dict[str, float]:
    """Fire, with or without upkeep, and watch how that goes."""
    holds, late, lost, batches, forgotten = list[float](), list[float](), list[str](), list[float](), 0
    _measure_holds(holds)
    app = Duly(
        path,
        settings=EngineSettings(prune_every=1.0 if upkeep else 1e6),
        on_event=lambda event: lost.append(event.kind.name) if event.kind.name in _LOST else None,
    )

    @app.job
    async def note(run: Any) -> None:
        late.append(time.time() - run.fire_at.timestamp())

    await app.open()
    prune = app._store.prune

    async def measured(*arguments: Any) -> Any:
        nonlocal forgotten
        pruned = await prune(*arguments)
        forgotten += pruned.rows
        batches.append(pruned.seconds)
        return pruned

    setattr(app._store, "prune", measured)  # noqa: B010  a type checker would not let us
    await _make_steady(app, f"{upkeep}", RATE * SECONDS)
    holds.clear()
    await app.engine.start()
    command = [sys.executable, "-m", "bench.upkeep", path, "wait"]
    waiter = await asyncio.to_thread(subprocess.Popen, command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    began = time.perf_counter()
    silence = asyncio.create_task(_longest_silence(app, path))
    listing = asyncio.create_task(_list_for_ever(app)) if upkeep else None
    while len(late) < RATE * SECONDS:
        await asyncio.sleep(0.1)
    took = time.perf_counter() - began
    waits, _ = await asyncio.to_thread(waiter.communicate, b"stop\n", 120)
    for task in (silence, listing):
        if task is not None:
            task.cancel()
    with suppress(asyncio.CancelledError):
        await silence
    longest_silence = _silences[0]
    await app.close()
    late.sort()
    return {
        "fires": len(late),
        "p50": late[len(late) // 2],
        "p99": late[int(len(late) * 0.99)],
        "latest": late[-1],
        "longest_batch": max(batches, default=0.0),
        "long_batches": sum(each > LONGEST_HOLD for each in batches),
        "longest_hold": max(holds),
        "longest_silence": longest_silence,
        "forgotten": forgotten,
        "forgotten_per_second": forgotten / took,
        "lost": len(lost),
        **json.loads(waits),
    }


_silences = [0.0]


async def _make_steady(app: Duly, name: str, number: int) -> None:
    """So many schedules that fire once each, evenly spread, from two seconds on."""
    await app.add(app.draft(f"steady-{name}-{each:06}", HOUR, job="note") for each in range(number))
    rows = await app._store.schedules(ScheduleFilter(handler="job:note", limit=2 * number))
    rows = [row for row in rows if row.name.startswith(f"steady-{name}-")]
    start, gap = datetime.now(UTC) + timedelta(seconds=10), timedelta(seconds=1) / RATE
    times = {row.id: start + gap * index for index, row in enumerate(rows)}
    await app._store.edit(list(times), lambda row: replace(row, next_fire_at=times[row.id], next_run_at=times[row.id]))


def _measure_holds(holds: list[float]) -> None:
    """For how long each transaction of this process has the write lock, the commit included."""
    run = executors.Writer.run

    def timed(writer: executors.Writer, work: Callable[[apsw.Connection], Any], *, durable: bool = True) -> Any:
        began = 0.0

        def inside(inner: apsw.Connection) -> Any:
            nonlocal began
            began = time.perf_counter()
            return work(inner)

        try:
            return run(writer, inside, durable=durable)
        finally:
            holds.append(time.perf_counter() - began if began else 0.0)

    setattr(executors.Writer, "run", timed)  # noqa: B010  a type checker would not let us


async def _longest_silence(app: Duly, path: str) -> None:
    """Look at the beats of this process all the time."""
    looking = apsw.Connection(path)
    try:
        while True:
            beat_at = looking.execute("SELECT beat_at FROM nodes WHERE id = ?", (app.engine.node_id,)).get
            if beat_at is not None:
                _silences[0] = max(_silences[0], time.clock_gettime(time.CLOCK_BOOTTIME) - beat_at)
            await asyncio.sleep(0.1)
    finally:
        looking.close()


async def _list_for_ever(app: Duly) -> None:
    """What people do meanwhile: lists, page by page, and health."""
    after = None
    while True:
        rows = await app._store.schedules(ScheduleFilter(limit=500, after=after))
        after = (rows[-1].namespace, rows[-1].name) if rows else None
        await app.health()
        await asyncio.sleep(1)


async def _rival(path: str) -> dict[str, float]:
    """An engine that serves nothing and would take over."""
    lost: list[str] = []

    def hear(event: Event) -> None:
        if event.kind.name in _LOST:
            lost.append(event.kind.name)

    app = Duly(path, settings=EngineSettings(prune_every=1e6), on_event=hear)
    await app.open()
    began = max((seq for seq, _ in await _journal(app)), default=0)
    await app.engine.start()
    await asyncio.to_thread(sys.stdin.readline)
    told = [event.kind.name for seq, event in await _journal(app) if seq > began]
    await app.close()
    return {"lost": len(lost) + sum(name in _LOST for name in told)}


def _wait(path: str) -> dict[str, float]:
    """Take the write lock every few milliseconds, as another process that writes does, until told to stop."""
    waits: list[float] = []
    over = threading.Event()

    def listen() -> None:
        sys.stdin.readline()
        over.set()

    threading.Thread(target=listen, daemon=True).start()
    writing = connect(Path(path))
    while not over.wait(_BETWEEN):
        began = time.perf_counter()
        writing.execute("BEGIN IMMEDIATE")
        waits.append(time.perf_counter() - began)
        writing.execute("ROLLBACK")
    writing.close()
    waits.sort()

    def at(part: float) -> float:
        return waits[int(len(waits) * part)]

    return {"wait_p50": at(0.5), "wait_p99": at(0.99), "wait_p999": at(0.999), "longest_wait": waits[-1]}


async def _journal(app: Duly) -> list[tuple[int, Event]]:
    return await app._store.journal(EVENTS, 100_000)


def main() -> None:
    path, role, *upkeep = sys.argv[1:]
    if role == "wait":
        figures = _wait(path)
    else:
        figures = asyncio.run(_rival(path) if role == "rival" else _fire(path, upkeep == ["1"]))
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
