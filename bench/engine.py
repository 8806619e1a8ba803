"""The engine beside its peers, in one run: firing, adding, idling, keeping time, pages, coming back from the dead.

Everything durable: SQLite with `synchronous = FULL`, PostgreSQL with `fsync = on`. duly runs with the settings that a
program gets, except in rows that name another.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median

from tests.postgres_server import OwnServer

from bench import raw
from bench.peers import PEERS

FIRES = int(os.environ.get("DULY_BENCH_FIRES", "10000"))
MANY = 10 * FIRES
MILLION = int(os.environ.get("DULY_BENCH_MILLION", "1000000"))
ROUNDS = int(os.environ.get("DULY_BENCH_ROUNDS", "3"))
SECONDS = int(os.environ.get("DULY_BENCH_SECONDS", "15"))
TUNED = 2000
FEW = 100
_SCHEDULED = "huey (one-off, scheduled)"
_TARGETS = {"sqlite": (12, _SCHEDULED, 40), "postgres": (10, "APScheduler 3", 60)}
"""How many times as fast as which peer, and what part of the bare driver, in per cent."""
_ABOUT_PEERS = (
    "Peers differ in what they do: huey's *queued* tasks are ready in its queue before the clock starts, nothing falls",
    "due and no next run is written; its *scheduled* ones fall due, as ours do.",
    "",
    "All schedules of duly share one trigger and one policy, except in the row of mixed ones: sixty triggers, seven",
    "policies and arguments of their own. A row with a number of places sets `max_concurrency`; the others do not.",
)


def report() -> str:
    """The section of the results about the engine."""
    lines = ["## The engine", ""]
    with _postgres() as server:
        lines += _fire(server) + _add() + _idle(server) + _steady(server) + _large(server) + _restart()
    return "\n".join([*lines, ""])


@contextmanager
def _postgres() -> Iterator[OwnServer]:
    server = OwnServer(durable=True)
    try:
        yield server
    finally:
        server.close()


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="duly-bench-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _worker(*arguments: object) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.engine_worker", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode not in (0, -9):
        raise RuntimeError(done.stderr[-1500:])
    figures: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1]) if done.stdout else {}
    return figures


def _fire(server: OwnServer) -> list[str]:
    lines = [
        f"### Fire: {FIRES:,} schedules due at one instant, a handler that does nothing, every outcome durable",
        "",
        "| store | who | fires/s | duly is |",
        "|---|---|---|---|",
    ]
    for store in ("sqlite", "postgres"):
        ours, limit, peers = _fire_on(store, server)
        usual = ours["duly"]
        lines += [f"| {store} | **{name}** | **{speed:,.0f}** | |" for name, speed in ours.items()]
        lines += [f"| {store} | {name} | {speed:,.0f} | {usual / speed:.1f}x |" for name, speed in peers.items()]
        lines.append(f"| {store} | bare driver, same rows in batches | {limit:,.0f} | {usual / limit:.0%} of it |")
        times, peer, part = _TARGETS[store]
        mixed, many = (ours[name] / usual * 100 for name in (_MIXED, f"duly, {MANY:,} due"))
        lines.append(
            f"| {store} | *targets* | | {_verdict(usual / peers[peer], times)} of {peer}; "
            f"{_verdict(usual / limit * 100, part, '%')} of the bare driver; mixed {_verdict(mixed, 80, '%')}; "
            f"{MANY:,} due {_verdict(many, 90, '%')} |"
        )
    return [*lines, "", *_ABOUT_PEERS, ""]


_MIXED = "duly, mixed schedules"


def _fire_on(store: str, server: OwnServer) -> tuple[dict[str, float], float, dict[str, float]]:
    """Rounds are interleaved, so that a busy moment of the machine hits everybody."""
    scenarios: dict[str, tuple[object, ...]] = {
        "duly": ("fire", FIRES),
        _MIXED: ("mixed", FIRES),
        f"duly, {MANY:,} due": ("fire", MANY),
        f"duly, {FEW} places": ("fire", FIRES, FEW),
        f"duly, {TUNED:,} places": ("fire", FIRES, TUNED),
    }
    found: dict[str, list[float]] = {name: [] for name in scenarios}
    limits = []
    peers: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name, (scenario, *numbers) in scenarios.items():
            with _target(store, server) as target:
                found[name].append(_worker(scenario, target, *numbers)["fire"])
        with _target(store, server) as target:
            limits.append(raw.sqlite(Path(target), FIRES) if store == "sqlite" else raw.postgres(target, FIRES))
        for peer in PEERS:
            if peer.store == store:
                with _target(store, server, migrated=False) as target:
                    peers.setdefault(peer.name, []).append(peer.run(target.removeprefix("postgresql://"))["fire"])
    ours = {name: median(speeds) for name, speeds in found.items()}
    return ours, median(limits), {name: median(speeds) for name, speeds in peers.items()}


@contextmanager
def _target(store: str, server: OwnServer, *, migrated: bool = True) -> Iterator[str]:
    if store == "sqlite":
        with _folder() as folder:
            yield str(folder / "bench.db")
    else:
        with server.database(migrated=migrated) as url:
            yield server.tcp_url(url)


def _add() -> list[str]:
    rounds, theirs_of = [], []
    for _ in range(ROUNDS):
        with _folder() as folder:
            rounds.append(_worker("add", folder / "bench.db", FIRES))
            theirs_of.append(PEERS[0].run(str(folder / "peer.db"))["add"])
    ours = {name: median(each[name] for each in rounds) for name in rounds[0]}
    theirs = median(theirs_of)
    return [
        "### Add: schedules per second on SQLite",
        "",
        "| who | per second | duly is |",
        "|---|---|---|",
        f"| **duly**, one by one | **{ours['one_by_one']:,.0f}** | {_verdict(ours['one_by_one'] / theirs, 2.5)} |",
        f"| processor time of one | {ours['cpu_ms']:.2f} ms | {_at_most(ours['cpu_ms'], 0.35)} ms |",
        f"| **duly**, a hundred callers at once | **{ours['concurrent']:,.0f}** | |",
        f"| **duly**, in bulk | **{ours['bulk']:,.0f}** | {_verdict(ours['bulk'], 40_000, '/s')} |",
        f"| APScheduler 3, one by one (it has no bulk) | {theirs:,.0f} | |",
        "",
    ]


def _idle(server: OwnServer) -> list[str]:
    lines = [
        f"### Idle: {MILLION:,} schedules, none due",
        "",
        "| store | ready after | CPU per minute | of the server | memory (RSS) |",
        "|---|---|---|---|---|",
    ]
    for store in ("sqlite", "postgres"):
        with _target(store, server) as target:
            _worker("fill", target, MILLION)
            os.sync()  # what the filling left to write is not the engine's to wait for
            before = server_seconds(server)
            figures = _worker("idle", target, 2 * SECONDS)
            # The worker also waits for two seconds before it counts.
            beside = (server_seconds(server) - before) / (2 * SECONDS + 2) * 60 if store == "postgres" else 0.0
        cpu = figures["cpu_per_minute"]
        lines.append(
            f"| {store} | {figures['ready']:.2f} s ({_at_most(figures['ready'], 2)} s) | "
            f"{cpu:.3f} s ({_at_most(cpu, 0.2)} s) | {beside:.3f} s ({_at_most(beside, 0.2)} s) | "
            f"{figures['rss_mb']:.0f} MB ({_at_most(figures['rss_mb'], 120)} MB) |"
        )
    return [*lines, "", "What the filling left to write is synced to disk before the clock starts.", ""]


def server_seconds(server: OwnServer) -> float:
    """The processor time of a server's processes, with those that have ended, in seconds."""
    ticks = 0
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (place / "cwd").readlink().is_relative_to(server.folder):
                # user, system, and both of the children that have ended
                ticks += sum(map(int, (place / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _steady(server: OwnServer) -> list[str]:
    lines = [
        "### Steady: fires spread evenly",
        "",
        "*Bare* sleeps to the same instants and commits once for all that have come.",
        "",
        "| store | rate | p50 late | p99 | p99.9 | worst | bare p99 | ratio | CPU | of the server |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for store, rate, most, share in (
        ("sqlite", 200, 2, 0.10),
        ("sqlite", 1000, 2, None),
        ("postgres", 200, 4, 0.20),
        ("postgres", 1000, 4, None),
    ):
        with _target(store, server) as target:
            before = server_seconds(server)
            figures = _worker("steady", target, rate, SECONDS)
            beside = (server_seconds(server) - before) / SECONDS if store == "postgres" else 0.0
        ratio = figures["p99"] / figures["bare_p99"]
        late = " | ".join(f"{figures[name] * 1e3:.1f} ms" for name in ("p50", "p99", "p999", "worst", "bare_p99"))
        cpu = f"{figures['cpu']:.0%}" + ("" if share is None else f" ({_at_most(figures['cpu'], share)})")
        lines.append(
            f"| {store} | {rate}/s | {late} | {ratio:.1f}x ({_at_most(ratio, most)}x) | {cpu} | {beside:.0%} |"
        )
    return [*lines, "", "The share of the server includes making the schedules and the bare commits.", ""]


def _large(server: OwnServer) -> list[str]:
    lines = [
        f"### Large stores: pages of 100 from the middle of {MILLION + MANY:,} schedules and {MANY:,} runs",
        "",
        "| store | schedules | history | health | text that is nowhere |",
        "|---|---|---|---|---|",
    ]
    for store in ("sqlite", "postgres"):
        with _target(store, server) as target:
            _worker("fire", target, MANY)  # first: it makes every schedule due
            _worker("fill", target, MILLION)
            found = _worker("pages", target, MANY // 2)
        limits = {"schedules": 10, "history": 10, "health": 20, "text": 100}
        cells = [f"{found[name]:.1f} ms ({_at_most(found[name], most)} ms)" for name, most in limits.items()]
        lines.append(f"| {store} | {' | '.join(cells)} |")
    return [*lines, "", "A search for text reads every schedule that the other filters leave.", ""]


def _restart() -> list[str]:
    with _folder() as folder:
        store = folder / "bench.db"
        _worker("overdue", store, FIRES)
        figures = _worker("restart", store, FIRES)
    exactly_once = figures["runs"] == figures["succeeded"] == FIRES
    return [
        f"### Restart: SIGKILL with {FIRES:,} overdue",
        "",
        "| figure | measured | target |",
        "|---|---|---|",
        f"| ready after | {figures['ready']:.2f} s | {_at_most(figures['ready'], 1)} s |",
        f"| all carried out after | {figures['done']:.2f} s | |",
        f"| one accepted run each | {figures['succeeded']:,.0f} of {FIRES:,} | {'met' if exactly_once else 'MISSED'} |",
        "",
    ]


def _verdict(measured: float, target: float, unit: str = "x") -> str:
    return f"{measured:.1f}{unit} ({'met' if measured >= target else 'MISSED'}: {target}{unit})"


def _at_most(measured: float, target: float) -> str:
    return f"{'met' if measured <= target else 'MISSED'}: {target}"


if __name__ == "__main__":
    sys.stdout.write(report())
