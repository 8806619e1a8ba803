"""The engine beside its peers, in one run: firing, adding, idling, keeping time, coming back from the dead.

Everything durable: SQLite with `synchronous = FULL`, PostgreSQL with `fsync = on`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from tests.postgres_server import OwnServer

from bench import raw
from bench.peers import PEERS

FIRES = 10_000
MILLION = 1_000_000
ROUNDS = 3
_ABOUT_PEERS = (
    "Peers differ in what they do: huey's *queued* tasks are ready in its queue before the clock starts, nothing falls",
    "due and no next run is written; its *scheduled* ones fall due, as ours do.",
    "",
    "All schedules of duly share one trigger and one policy, so what is decided and written once for equal ones helps",
    "here (fire, and adding in bulk); schedules that differ gain less.",
)


def report() -> str:
    """The section of the results about the engine."""
    lines = ["## The engine", ""]
    with _postgres() as server:
        lines += _fire(server) + _add() + _idle() + _steady() + _restart()
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
        lines.append(f"| {store} | **duly** | **{ours:,.0f}** | |")
        lines += [f"| {store} | {name} | {speed:,.0f} | {ours / speed:.1f}x |" for name, speed in peers.items()]
        fastest = max(peers.values())
        share = f"{ours / limit:.0%} of it"
        lines.append(f"| {store} | bare driver, same rows in batches | {limit:,.0f} | {share} |")
        lines.append(
            f"| {store} | *targets* | | {_verdict(ours / fastest, 10)} of the fastest peer; "
            f"{_verdict(ours / limit * 100, 10, '%')} of the limit |"
        )
    return [*lines, "", *_ABOUT_PEERS, ""]


def _fire_on(store: str, server: OwnServer) -> tuple[float, float, dict[str, float]]:
    """Rounds are interleaved, so that a busy moment of the machine hits everybody."""
    ours, limits = [], []
    peers: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        with _target(store, server) as target:
            ours.append(_worker("fire", target, FIRES)["fire"])
        with _target(store, server) as target:
            limits.append(raw.sqlite(Path(target), FIRES) if store == "sqlite" else raw.postgres(target, FIRES))
        for peer in PEERS:
            if peer.store == store:
                with _target(store, server, migrated=False) as target:
                    peers.setdefault(peer.name, []).append(peer.run(target.removeprefix("postgresql://"))["fire"])
    return median(ours), median(limits), {name: median(speeds) for name, speeds in peers.items()}


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
        f"| **duly**, one by one | **{ours['one_by_one']:,.0f}** | {_verdict(ours['one_by_one'] / theirs, 2)} |",
        f"| **duly**, in bulk | **{ours['bulk']:,.0f}** | {_verdict(ours['bulk'] / theirs, 20)} |",
        f"| APScheduler 3, one by one (it has no bulk) | {theirs:,.0f} | |",
        "",
    ]


def _idle() -> list[str]:
    with _folder() as folder:
        store = folder / "bench.db"
        _worker("fill", store, MILLION)
        os.sync()  # what the filling left to write is not the engine's to wait for
        figures = _worker("idle", store, 30)
        size = store.stat().st_size / 2**20
    return [
        f"### Idle: {MILLION:,} schedules, none due ({size:,.0f} MB on disk)",
        "",
        "| figure | measured | target |",
        "|---|---|---|",
        f"| ready after | {figures['ready']:.2f} s | {_at_most(figures['ready'], 2)} s |",
        f"| CPU per minute | {figures['cpu_per_minute']:.3f} s | {_at_most(figures['cpu_per_minute'], 0.2)} s |",
        f"| memory (RSS) | {figures['rss_mb']:.0f} MB | {_at_most(figures['rss_mb'], 120)} MB |",
        "",
        "The filled file is synced to disk before the clock starts: without that, a start took about two seconds.",
        "",
    ]


def _steady() -> list[str]:
    lines = [
        "### Steady: fires spread evenly, on SQLite",
        "",
        "| rate | p50 late | p99 late | bare `asyncio.sleep` p99 | ratio | CPU |",
        "|---|---|---|---|---|---|",
    ]
    for rate, most in ((200, 4), (1000, 10)):
        with _folder() as folder:
            figures = _worker("steady", folder / "bench.db", rate, 15)
        ratio = figures["p99"] / figures["bare_p99"]
        lines.append(
            f"| {rate}/s | {figures['p50'] * 1e3:.1f} ms | {figures['p99'] * 1e3:.1f} ms | "
            f"{figures['bare_p99'] * 1e3:.1f} ms | {ratio:.1f}x, target {_at_most(ratio, most)}x | "
            f"{figures['cpu']:.0%} |"
        )
    return [*lines, ""]


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
