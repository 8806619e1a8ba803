"""The server under load: the API beside a bare FastAPI endpoint, pages of the dashboard, and a thousand listeners.

The daemon is a process of its own on a SQLite file that is filled beforehand. So is the endpoint it is compared with,
which has the same models over one durable insert and one select. Requests take turns over connections that stay open.
"""

from __future__ import annotations

import asyncio
import gzip
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import apsw

from bench.measure import table, take_turns, verdict
from bench.server_worker import made_view
from duly import Cron
from duly.clock import SystemClock
from duly.model.action import Job
from duly.model.policy import Policy
from duly.ports.codec import encode_action, encode_policy, encode_trigger
from duly.server.daemon import LINK
from duly.stores.sqlite.file import connect
from duly.stores.sqlite.rows import micros
from duly.stores.sqlite.store import SqliteStore

SIZES = tuple(int(each) for each in os.environ.get("DULY_BENCH_SIZES", "10000,100000").split(","))
ROUNDS = int(os.environ.get("DULY_BENCH_ROUNDS", "100"))
STREAMS = int(os.environ.get("DULY_BENCH_STREAMS", "1000"))
SECONDS = int(os.environ.get("DULY_BENCH_SECONDS", "20"))
RATE = 50
RUNS = 100_000
PAGES = {
    "Today": "/",
    "Schedules": "/schedules",
    "Schedules by attention": "/schedules?sort=attention",
    "Schedules by next run": "/schedules?sort=next",
    "Calendar week": "/calendar",
    "Calendar month": "/calendar?view=month",
    "Load": "/load",
    "Inbox": "/inbox",
}
NAMED = os.environ.get("DULY_BENCH_PAGES", ",".join(PAGES)).split(",")
_PATIENCE = 120
_MOST_BESIDE_BARE = 3
_MOST_MILLISECONDS = 200
_MOST_OF_OTHERS = 500
_MOST_KILOBYTES = 100
_MOST_WRITES = 4
_FIRES = int(os.environ.get("DULY_BENCH_FIRES", "200"))
_FIRING = 2
"""Seconds between two fires of a schedule that fires while pages are made."""
_LATEST = 500

_TOML = """
[server]
max_connections = {room}
max_strangers = {room}
max_connections_per_token = {room}
max_streams = {room}
max_streams_per_token = {room}
requests_per_minute = 1000000
[jobs]
noop = "duly_bench_noop:noop"
"""
_MAKE_SCHEDULE = """
INSERT INTO schedules
    (id, namespace, name, trigger, action, policy, handler, next_fire_at, next_run_at, created_at, updated_at,
     last_run_at, last_status, total_runs)
VALUES (:id, 'default', :name, :trigger, :action, :policy, 'job:noop', :later, :later, :made_at, :made_at, :ran_at,
        'succeeded', :runs)
"""
_MAKE_RUNS = """
WITH RECURSIVE
    numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < :number - 1),
    times (n, t) AS (SELECT n, :now - 3600000000 - n * 7919 % 21600 * 1000000 - n FROM numbers)
INSERT INTO runs
    (id, schedule_id, origin, fire_at, due_at, handler, status, attempt, fence, started_at, finished_at, result)
SELECT printf('run_%012x%020x', t / 1000, n), printf('sched_%032x', n % :schedules), 'schedule', t, t, 'job:noop',
       CASE WHEN n % 97 = 0 THEN 'failed' ELSE 'succeeded' END, 1, 1, t, t + 1000000, '"done"'
FROM times
"""

_LATE = """
SELECT started_at - fire_at FROM runs
WHERE fire_at BETWEEN :began AND :until AND started_at IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class Address:
    """A server, and what it takes to be let in."""

    host: str
    port: int
    token: str = ""
    cookie: str = ""
    process: int = 0
    folder: Path = Path()


@dataclass(frozen=True, slots=True)
class PageFigures:
    """A page: how long it takes, how late others are answered meanwhile, and how large it is."""

    first: float
    """Seconds of the first request, of which much is kept."""
    seconds: float
    processor: float
    late: float
    """The longest that a small request waited while the page was made for the first time, in seconds."""
    plain: int
    packed: int


@dataclass(frozen=True, slots=True)
class FireFigures:
    """How late runs started, and how long pages took meanwhile, in seconds."""

    late: list[float]
    pages: list[float]


def report() -> str:
    """The section of the results about the server."""
    found = Figures()
    for size in SIZES:
        with _served(size) as (daemon, bare):
            found.add_api(size, _api(daemon, bare))
            if size == SIZES[0]:
                found.add_pages(size, _pages(daemon))
                found.add_live(_live(daemon))
                found.add_fires(size, _fires(daemon))
    how = f"Wall time of requests over loopback, the median of {ROUNDS}."
    bare_is = "*Bare* is FastAPI with the same models over one durable insert or select, on SQLite."
    return "\n\n".join(
        [
            "## The server",
            f"{how} {bare_is}",
            "\n".join(found.verdicts),
            table(["request, schedules", "duly, ms", "bare, ms", "ratio"], found.api),
            table(
                ["page, schedules", "first ms", "ms", "processor ms", "others wait, ms", "KB", "KB compressed"],
                found.pages,
            ),
            table(
                ["streams", "open", "events/s each", "writes/s at most", "p50 ms", "p99 ms", "latest ms"], found.live
            ),
            table(
                ["fires a second, schedules", "runs", "late p50 ms", "late p99 ms", "Today p50 ms", "Today p95 ms"],
                found.fires,
            ),
        ]
    )


@dataclass(slots=True)
class Figures:
    """What was measured, as rows of tables, and whether the targets are met."""

    verdicts: list[str] = field(default_factory=list)
    api: list[list[str]] = field(default_factory=list)
    pages: list[list[str]] = field(default_factory=list)
    live: list[list[str]] = field(default_factory=list)
    fires: list[list[str]] = field(default_factory=list)

    def add_api(self, size: int, measured: dict[str, dict[str, float]]) -> None:
        for name, taken in measured.items():
            ratio = taken["duly"] / taken["bare"]
            shown = [f"{taken[each] * 1e3:.1f}" for each in ("duly", "bare")]
            self.api.append([f"{name}, {size:,}", *shown, f"{ratio:.1f}x"])
            self._judge(f"{name}, {size:,} schedules", ratio, _MOST_BESIDE_BARE, "x")

    def add_pages(self, size: int, measured: dict[str, PageFigures]) -> None:
        for name, page in measured.items():
            times = (page.first, page.seconds, page.processor, page.late)
            self.pages.append(
                [
                    f"{name}, {size:,}",
                    *(f"{each * 1e3:.0f}" for each in times),
                    *(f"{each / 1e3:.0f}" for each in (page.plain, page.packed)),
                ]
            )
            most = _MOST_MILLISECONDS if name.startswith(("Today", "Schedules")) else _MOST_OF_OTHERS
            self._judge(name, page.seconds * 1e3, most, " ms")
            self._judge(name, page.packed / 1e3, _MOST_KILOBYTES, " KB")

    def add_live(self, measured: dict[str, float]) -> None:
        self.live.append([f"{STREAMS:,}, {RATE} events/s", *_shown(measured)])
        self._judge("live events, p99", measured["p99"] * 1e3, _LATEST, " ms")
        self._judge("live events lost, of every fiftieth stream", measured["lost"], 0, "")
        self._judge("writes a second", measured["writes"], _MOST_WRITES, "")

    def add_fires(self, size: int, measured: dict[str, FireFigures]) -> None:
        for name, each in measured.items():
            times = (*_ranks(each.late, 0.5, 0.99), *_ranks(each.pages, 0.5, 0.95))
            shown = ["—" if value is None else f"{value * 1e3:.0f}" for value in times]
            self.fires.append([f"{_FIRES}, {size:,}, {name}", f"{len(each.late):,}", *shown])
        beside = measured["Today in a loop"]
        self._judge("Today beside fires, p95", (_ranks(beside.pages, 0.95)[0] or 0) * 1e3, _MOST_MILLISECONDS, " ms")

    def _judge(self, name: str, value: float, target: float, unit: str) -> None:
        self.verdicts.append(verdict(name, value, target, unit, at_most=True))


def _shown(figures: dict[str, float]) -> list[str]:
    return [
        f"{figures['open']:,.0f}",
        f"{figures['events']:.1f}",
        f"{figures['writes']:.1f}",
        *(f"{figures[name] * 1e3:.0f}" for name in ("p50", "p99", "latest")),
    ]


# what is measured


def _api(daemon: Address, bare: Address) -> dict[str, dict[str, float]]:
    ask = {"duly": _asking(daemon, "/api/v1/schedules"), "bare": _asking(bare, "/schedules")}
    numbers = count()

    def create(name: str) -> Callable[[], object]:
        body = {"cron": "0 9 * * *", "job_name": "noop"}
        return lambda: ask[name]("POST", json.dumps({"name": f"new-{next(numbers)}", **body}).encode(), query="")

    listing = {name: (lambda each=each: each("GET", query="?limit=50")) for name, each in ask.items()}
    creating = {name: create(name) for name in ask}
    for contenders in (listing, creating):
        for contender in contenders.values():
            contender()
    return {"list 50": take_turns(listing, ROUNDS, perf_counter), "create": take_turns(creating, ROUNDS, perf_counter)}


def _asking(of: Address, path: str) -> Callable[..., bytes]:
    connection = http.client.HTTPConnection(of.host, of.port, timeout=_PATIENCE)
    headers = {"Authorization": f"Bearer {of.token}", "Content-Type": "application/json"}

    def ask(method: str, body: bytes | None = None, query: str = "") -> bytes:
        while True:
            connection.request(method, path + query, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            if answer.status != http.HTTPStatus.SERVICE_UNAVAILABLE or b"is starting" not in content:
                break
            time.sleep(0.05)  # it answers before it is ready
        if answer.status >= http.HTTPStatus.BAD_REQUEST:
            raise RuntimeError(f"{method} {path}: {answer.status} {content[:500]!r}")
        return content

    return ask


def _pages(daemon: Address) -> dict[str, PageFigures]:
    """By page, in turn: each is asked for once before it is measured."""
    return {name: _page(daemon, path) for name, path in PAGES.items() if name in NAMED}


def _page(daemon: Address, path: str) -> PageFigures:
    connection = http.client.HTTPConnection(daemon.host, daemon.port, timeout=_PATIENCE)
    got = b""
    packing = ""

    def get() -> None:
        nonlocal got, packing
        connection.request("GET", path, headers={"Cookie": daemon.cookie, "Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        got = answer.read()
        packing = answer.getheader("Content-Encoding") or ""
        if answer.status != http.HTTPStatus.OK:
            raise RuntimeError(f"GET {path}: {answer.status}")

    with _waiting(daemon) as waited:
        began = perf_counter()
        get()
        first = perf_counter() - began
    rounds = max(1, ROUNDS // 5)
    before = _processor_time(daemon.process)
    seconds = take_turns({path: get}, rounds, perf_counter)[path]
    processor = (_processor_time(daemon.process) - before) / rounds
    plain = gzip.decompress(got) if packing == "gzip" else got
    return PageFigures(
        first=first,
        seconds=seconds,
        processor=processor,
        late=max(waited, default=0.0),
        plain=len(plain),
        packed=len(got if packing == "gzip" else gzip.compress(got, 5)),
    )


@contextmanager
def _waiting(daemon: Address) -> Iterator[list[float]]:
    """Ask for something small again and again, and note how long each answer took."""
    waited: list[float] = []
    is_over = threading.Event()

    def ask() -> None:
        connection = http.client.HTTPConnection(daemon.host, daemon.port, timeout=_PATIENCE)
        while not is_over.is_set():
            began = perf_counter()
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            waited.append(perf_counter() - began)
        connection.close()

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield waited
    finally:
        is_over.set()
        asking.join()


def _processor_time(process: int) -> float:
    """Give the seconds that a process has computed, by all of its threads."""
    user, system = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _live(daemon: Address) -> dict[str, float]:
    """Listen with many clients while two schedules are paused and resumed, fifty times a second."""
    command = [sys.executable, "-m", "bench.server_worker", "listen", daemon.host, str(daemon.port), daemon.token]
    listening = subprocess.Popen([*command, str(STREAMS), str(SECONDS)], stdout=subprocess.PIPE, text=True)
    is_over = threading.Event()
    try:
        assert listening.stdout is not None
        if listening.stdout.readline().strip() != "open":
            raise RuntimeError("the listeners could not connect")
        changing = threading.Thread(target=_change, args=(daemon, is_over))
        changing.start()
        figures: dict[str, Any] = json.loads(listening.stdout.readline())
        is_over.set()
        changing.join()
        return figures
    finally:
        is_over.set()
        listening.kill()
        listening.wait()


def _change(daemon: Address, is_over: threading.Event) -> None:
    paths = [f"/api/v1/schedules/sched_{0:032x}/{verb}" for verb in ("pause", "resume")]
    asking = [_asking(daemon, path) for path in paths]
    began = perf_counter()
    for number in count():
        if is_over.wait(max(0.0, began + number / RATE - perf_counter())):
            return
        asking[number % 2]("POST")


def _fires(daemon: Address) -> dict[str, FireFigures]:
    """Let schedules fire, first alone and then while a browser loads Today again and again."""
    make = _asking(daemon, "/api/v1/schedules")
    for number in range(_FIRES * _FIRING):
        body = {"name": f"firing-{number}", "when": f"every {_FIRING} seconds", "job_name": "noop"}
        make("POST", json.dumps(body).encode())
    alone = _fired(daemon, None)
    return {"alone": alone, "Today in a loop": _fired(daemon, PAGES["Today"])}


def _fired(daemon: Address, path: str | None) -> FireFigures:
    connection = http.client.HTTPConnection(daemon.host, daemon.port, timeout=_PATIENCE)
    took: list[float] = []
    began = datetime.now(UTC)
    until = perf_counter() + SECONDS
    while perf_counter() < until:
        if path is None:
            time.sleep(0.1)
            continue
        asked = perf_counter()
        connection.request("GET", path, headers={"Cookie": daemon.cookie, "Accept-Encoding": "gzip"})
        connection.getresponse().read()
        took.append(perf_counter() - asked)
    rows = apsw.Connection(str(daemon.folder / "schedules.db"), flags=apsw.SQLITE_OPEN_READONLY)
    span = {"began": micros(began), "until": micros(datetime.now(UTC) - timedelta(seconds=1))}
    late = [each / 1e6 for (each,) in rows.execute(_LATE, span)]
    rows.close()
    return FireFigures(late, took)


def _ranks(values: list[float], *ranks: float) -> list[float | None]:
    ranked = sorted(values)
    return [ranked[int(len(ranked) * rank)] if ranked else None for rank in ranks]


# the servers


@contextmanager
def _served(size: int) -> Iterator[tuple[Address, Address]]:
    """A daemon with so many schedules, and the bare endpoint with as many rows."""
    folder = Path(tempfile.mkdtemp(prefix="duly-bench-", dir=os.environ.get("DULY_BENCH_FOLDER")))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        asyncio.run(_make_file(folder / "schedules.db", size))
        _make_bare_file(folder / "bare.db", size)
        (folder / "duly.toml").write_text(_TOML.format(room=STREAMS + 500), encoding="utf-8")
        (folder / "duly_bench_noop.py").write_text("async def noop() -> None: ...\n", encoding="utf-8")
        yield stack.enter_context(_daemon(folder)), stack.enter_context(_bare(folder / "bare.db"))


@contextmanager
def _daemon(folder: Path) -> Iterator[Address]:
    files = ["--data-dir", str(folder), "--config", str(folder / "duly.toml")]
    command = [sys.executable, "-m", "duly", "up", "--port", "0", *files]
    with _process(command, stdout=subprocess.PIPE, text=True) as process:
        place = None
        assert process.stdout is not None
        while place is None:
            line = process.stdout.readline()
            if not line:
                raise RuntimeError("the daemon did not start")
            place = re.match(r"dashboard\s+http://([^:]+):(\d+)", line)
        host = place[1]
        port = int(place[2])
        link = (folder / LINK).read_text(encoding="utf-8").strip()
        token = (folder / "local.token").read_text(encoding="utf-8").strip()
        _until_open(host, port)
        yield Address(host, port, token, _sign_in(host, port, link.partition(f":{port}")[2]), process.pid, folder)


def _sign_in(host: str, port: int, path: str) -> str:
    connection = http.client.HTTPConnection(host, port, timeout=_PATIENCE)
    connection.request("GET", path)
    cookies = connection.getresponse().headers.get_all("Set-Cookie") or []
    connection.close()
    return "; ".join(cookie.partition(";")[0] for cookie in cookies)


@contextmanager
def _bare(file: Path) -> Iterator[Address]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with _process([sys.executable, "-m", "bench.server_worker", "bare", str(file), str(port)]):
        _until_open("127.0.0.1", port)
        yield Address("127.0.0.1", port)


@contextmanager
def _process(command: list[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()


def _until_open(host: str, port: int) -> None:
    for _ in range(_PATIENCE * 20):
        try:
            socket.create_connection((host, port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"nothing listens on {host}:{port}")


async def _make_file(path: Path, size: int) -> None:
    store = SqliteStore(path, SystemClock())
    await store.open()
    await store.close()
    now = datetime.now(UTC)
    made = connect(path)
    with made:
        made.executemany(_MAKE_SCHEDULE, (_schedule(number, now) for number in range(size)))
        made.execute(_MAKE_RUNS, {"now": micros(now), "number": max(RUNS, size), "schedules": size})
    made.execute("ANALYZE")
    made.close()


def _schedule(number: int, now: datetime) -> dict[str, Any]:
    """A daily job that is not due while this measures."""
    later = now + timedelta(hours=1, seconds=number * 7919 % 82800)
    return {
        "id": f"sched_{number:032x}",
        "name": f"made-{number:06d}",
        "trigger": encode_trigger(Cron(f"{later.minute} {later.hour} * * *")),
        "action": encode_action(Job("noop")),
        "policy": encode_policy(Policy()),
        "later": micros(later.replace(second=0, microsecond=0)),
        "made_at": micros(now - timedelta(days=1)),
        "ran_at": micros(now - timedelta(hours=1)),
        "runs": 1,
    }


def _make_bare_file(path: Path, size: int) -> None:
    made = apsw.Connection(str(path))
    made.execute("CREATE TABLE schedules (name TEXT PRIMARY KEY, view TEXT NOT NULL)")
    views = (made_view(f"made-{number:06d}") for number in range(size))
    with made:
        made.executemany(
            "INSERT INTO schedules VALUES (?, ?)", ((each.name, json.dumps(asdict(each))) for each in views)
        )
    made.close()
