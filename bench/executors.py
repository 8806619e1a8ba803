"""Executors beside plain Celery, in one run: handing over, being on time, and what the shim costs a worker.

Redis is a real one, on a socket file; Celery, its workers and duly have their default settings. Everything duly writes
is durable: SQLite with `synchronous = FULL`, PostgreSQL with `fsync = on`.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median

from celery import Celery
from tests.integration.executors.parts import RedisServer
from tests.postgres_server import OwnServer

from bench.engine import _folder, _medians, _postgres, _target
from bench.engine_worker import _at, _server_seconds
from bench.executors_worker import EXECUTOR, TASK, add_schedules
from bench.measure import table, verdict
from bench.server import Address, _asking, _daemon
from duly.clock import SystemClock
from duly.stores import open_store

NUMBER = int(os.environ.get("DULY_BENCH_FIRES", "10000"))
ROUNDS = int(os.environ.get("DULY_BENCH_ROUNDS", "3"))
BEAT = int(os.environ.get("DULY_BENCH_BEAT", "2000"))
"""Entries of beat, which looks at all of them for each that it sends: with 10,000 it takes many minutes."""
RATE = 100
WINDOWS = int(os.environ.get("DULY_BENCH_WINDOWS", "3"))
WINDOW = 10
"""Seconds in which one of two sends, before it is the turn of the other."""
TASKS = int(os.environ.get("DULY_BENCH_TASKS", "2000"))
_LONGEST = 600
_PREPARING = timedelta(seconds=40)
_STORES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
_TOML = f"""
[executors.{EXECUTOR}]
kind = "celery"
broker = "{{broker}}"
tasks = ["{TASK}"]
"""
_SHIM = {"without the shim": "", "with it, sent by others": "yes", "with it, handed over by duly": "yes"}
_ABOUT_BURST = (
    "Until all are in Redis and noted as sent. Medians of {rounds} interleaved rounds, one of beat, which looks "
    "at all entries for each that it sends, and takes longer the more there are. "
    "The server of PostgreSQL adds {of_server:.0f} µs of processor time for each."
)
_ABOUT_LATE = (
    "Until the code of the task begins; for that, the worker has asked the daemon for leave (SQLite). In turns of "
    "{window} seconds with a timer that calls `apply_async`, at the same worker with two processes."
)
_ABOUT_SHIM = (
    "Processor time of a worker with two processes for each of {tasks:,} tasks that do nothing but note it; medians of "
    "{rounds} interleaved rounds. A task of duly asks for leave and reports its end, over HTTP."
)
Notes = dict[str, list[float]]


def report() -> str:
    """The section of the results about executors."""
    with ExitStack() as stack:
        folder = stack.enter_context(_folder())
        redis = RedisServer(folder)
        stack.callback(redis.stop)
        server = stack.enter_context(_postgres())
        parts = [*_burst(redis, server), *_late(redis), *_shim(redis)]
    return "\n\n".join(["## Executors", *parts, ""])


# handing over


def _burst(redis: RedisServer, server: OwnServer) -> list[str]:
    found: dict[str, list[dict[str, float]]] = {name: [] for name in (*_STORES, "plain")}
    for _ in range(ROUNDS):
        for store in _STORES:
            with _folder() as folder, _target(store, server) as target:
                beside = _server_seconds(str(server.folder))
                found[store].append(_sent(redis, "burst", folder, target, redis.url, NUMBER))
                found[store][-1]["server"] = _server_seconds(str(server.folder)) - beside
        found["plain"].append(_sent(redis, "plain", redis.url, NUMBER))
    with _folder() as folder:
        beat = _sent(redis, "beat", folder, redis.url, BEAT)
    plain = _medians(found["plain"])
    figures = {store: _medians(found[store]) for store in _STORES}
    rows = [[f"**duly**, {_STORES[store]}", *_costs(each, plain)] for store, each in figures.items()] + [
        ["`apply_async` in a loop", *_costs(plain, plain)],
        [f"beat with its own scheduler, {BEAT:,} entries", *_costs(beat, plain, BEAT)],
    ]
    of_server = figures["postgres"]["server"] / NUMBER * 1e6
    return [
        f"### {NUMBER:,} due at one instant, handed over",
        _ABOUT_BURST.format(rounds=ROUNDS, of_server=of_server),
        "\n".join(
            verdict(f"{_STORES[store]}, beside `apply_async`", each["cpu"] / plain["cpu"], 1.4, "x", at_most=True)
            for store, each in figures.items()
        ),
        table(["who", "processor time of one", "ratio", "time of one by the clock", "ratio"], rows),
    ]


def _costs(each: dict[str, float], plain: dict[str, float], number: int = NUMBER) -> list[str]:
    cpu, wall = (each[name] / number for name in ("cpu", "wall"))
    return [
        f"{cpu * 1e6:,.0f} µs",
        f"{cpu / plain['cpu'] * NUMBER:.2f}x",
        f"{wall * 1e6:,.0f} µs",
        f"{wall / plain['wall'] * NUMBER:.2f}x",
    ]


def _sent(redis: RedisServer, *arguments: object) -> dict[str, float]:
    """Let a process of its own send; fails if what is in Redis then is not what it had to send."""
    with redis.client() as client:
        client.flushall()
        figures = _worker(*arguments)
        there = client.llen("celery")
    if there != arguments[-1]:
        raise RuntimeError(f"{arguments[0]} sent {there} of {arguments[-1]}")
    return figures


def _worker(*arguments: object) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.executors_worker", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LONGEST)
    if done.returncode:
        raise RuntimeError(done.stderr[-1500:])
    figures: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return figures


# on time


def _late(redis: RedisServer) -> list[str]:
    start = SystemClock().now() + _PREPARING
    ours = [start + timedelta(seconds=2 * WINDOW * each) for each in range(WINDOWS)]
    theirs = [at + timedelta(seconds=WINDOW) for at in ours]
    times = [at + timedelta(seconds=each / RATE) for at in ours for each in range(RATE * WINDOW)]
    with _folder() as folder, _at_work(redis, folder, times, shim="yes") as place:
        if SystemClock().now() > start - timedelta(seconds=1):
            raise RuntimeError("the machine was too slow to prepare: the first fires would count as late")
        for at in theirs:
            _worker("at_times", redis.url, at.timestamp(), RATE, RATE * WINDOW)
        notes = place.wait(2 * len(times))
    rows = [[name, *(f"{_at(late, share) * 1e3:.1f} ms" for share in (0.5, 0.99, 1.0))] for name, late in notes.items()]
    more = (_at(notes["duly"], 0.99) - _at(notes["plain"], 0.99)) * 1e3
    return [
        f"### On time: {RATE} a second for {WINDOW * WINDOWS} seconds, from due to begun",
        _ABOUT_LATE.format(window=WINDOW),
        verdict("p99 later than a timer's", more, 20, " ms", at_most=True),
        table(["who", "p50", "p99", "worst"], rows),
    ]


class _Place:
    """A daemon and a worker, and what its tasks noted."""

    def __init__(self, worker: subprocess.Popen[bytes], daemon: Address | None, file: Path) -> None:
        self._worker = worker
        self._daemon = daemon
        self._file = file

    def wait(self, number: int) -> Notes:
        """Wait until so many tasks have begun."""
        until = time.monotonic() + _LONGEST
        while len(lines := self._file.read_text(encoding="utf-8").splitlines()) < number:
            if time.monotonic() > until:
                raise RuntimeError(f"only {len(lines)} of {number} tasks began")
            time.sleep(0.1)
        notes: Notes = {}
        for line in lines:
            who, late = line.split()
            notes.setdefault(who, []).append(float(late))
        return notes

    def processor(self) -> float:
        """Processor time of the worker so far, with its processes."""
        return sum(_seconds_of(place) for place in Path("/proc").glob("[0-9]*") if _leader(place) == self._worker.pid)

    def processor_of_daemon(self) -> float:
        return 0.0 if self._daemon is None else _seconds_of(Path(f"/proc/{self._daemon.process}"))


def _fields(process: Path) -> Sequence[str]:
    try:
        return (process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return ["0"] * 20


def _leader(process: Path) -> int:
    return int(_fields(process)[2])


def _seconds_of(process: Path) -> float:
    return sum(map(int, _fields(process)[11:13])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _at_work(redis: RedisServer, folder: Path, times: Sequence[datetime], *, shim: str) -> Iterator[_Place]:
    """Let a worker run, and a daemon with a schedule for each time, if there are any."""
    with redis.client() as client:
        client.flushall()
    with ExitStack() as stack:
        daemon = None
        if times:
            (folder / "duly.toml").write_text(_TOML.format(broker=redis.url), encoding="utf-8")
            asyncio.run(_fill(str(folder / "schedules.db"), times))
            daemon = stack.enter_context(_daemon(folder))
            _asking(daemon, "/api/v1/schedules")("GET", None)  # loads the API, as any request of a worker does
        notes = folder / "notes"
        notes.touch()
        worker = stack.enter_context(_celery_worker(redis.url, folder, notes, shim, daemon))
        yield _Place(worker, daemon, notes)


async def _fill(file: str, times: Sequence[datetime]) -> None:
    store = open_store(file, SystemClock())
    await store.open(create=True)
    await add_schedules(store, list(times))
    await store.close()


@contextmanager
def _celery_worker(
    broker: str, folder: Path, notes: Path, shim: str, daemon: Address | None
) -> Iterator[subprocess.Popen[bytes]]:
    environment = {
        **os.environ,
        "DULY_BENCH_BROKER": broker,
        "DULY_BENCH_NOTES": str(notes),
        "DULY_BENCH_SHIM": shim,
        **({} if daemon is None else {"DULY_URL": f"http://{daemon.host}:{daemon.port}"}),
    }
    with (folder / "worker.log").open("wb") as log:
        worker = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "bench.executors_app", "worker", "-n", "bench@here", "-c", "2"],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        app = Celery("watcher", broker=broker, set_as_current=False)
        until = time.monotonic() + _LONGEST
        while not app.control.ping(timeout=0.5, limit=1):
            if worker.poll() is not None or time.monotonic() > until:
                raise RuntimeError((folder / "worker.log").read_text(encoding="utf-8")[-1500:])
        app.close()
        yield worker
    finally:
        worker.terminate()
        try:
            worker.wait(_LONGEST / 10)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()


# what the shim costs


def _shim(redis: RedisServer) -> list[str]:
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in _SHIM}
    for _ in range(ROUNDS):
        for name, shim in _SHIM.items():
            found[name].append(_cost_of(redis, shim, by_duly="duly" in name))
    costs = {name: [median(each) / TASKS * 1e6 for each in zip(*rounds, strict=True)] for name, rounds in found.items()}
    least = costs["without the shim"][0]
    rows = [
        [name, f"{worker:,.0f} µs", f"{worker - least:+,.0f} µs", f"{daemon:,.0f} µs" if daemon else ""]
        for name, (worker, daemon) in costs.items()
    ]
    return [
        "### What the shim costs a worker",
        _ABOUT_SHIM.format(tasks=TASKS, rounds=ROUNDS),
        table(["worker", "of one task", "more", "the daemon beside it"], rows),
    ]


def _cost_of(redis: RedisServer, shim: str, *, by_duly: bool) -> tuple[float, float]:
    """Seconds of processor time of the worker and of the daemon, for all tasks."""
    begins = SystemClock().now() + _PREPARING
    with _folder() as folder, _at_work(redis, folder, [begins] * TASKS if by_duly else [], shim=shim) as place:
        if by_duly:
            time.sleep(max(0.0, (begins - SystemClock().now()).total_seconds() - 0.2))
        before, beside = place.processor(), place.processor_of_daemon()
        if not by_duly:
            _worker("plain", redis.url, TASKS)
        place.wait(TASKS)
        time.sleep(2)  # the last one reports its end
        return place.processor() - before, place.processor_of_daemon() - beside
