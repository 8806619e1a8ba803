"""The engine beside its peers, in one run: firing, adding, keeping time, coming back from the dead.

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
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from tests.postgres_server import OwnServer

from bench import raw
from bench.peers import PEERS

FIRES = int(os.environ.get("DULY_BENCH_FIRES", "10000"))
MANY = 10 * FIRES
ROUNDS = int(os.environ.get("DULY_BENCH_ROUNDS", "3"))
SECONDS = int(os.environ.get("DULY_BENCH_SECONDS", "10"))
FEW = 100
_SCHEDULED = "huey (one-off, scheduled)"
_TARGETS = {"sqlite": (12, _SCHEDULED, 40), "postgres": (10, "APScheduler 3", 60)}
"""How many times as fast as which peer, and what part of the bare driver, in per cent."""
_LATE = {"sqlite": 2, "postgres": 4}
"""How many times as late as bare sleeping and committing."""
_SHARES = {("sqlite", 200): (10, None), ("postgres", 200): (20, 15)}
"""The share of a core at most, in per cent: of duly, and of the server."""
_MIXED = "duly, mixed schedules"
_MANY_DUE = f"duly, {MANY:,} due"
_ABOUT_LATE = (
    "A run is written a moment before its time, so its handler does not wait for the commit; bare p99 includes one. "
    "The worst ones wait for the event loop, or for a transaction that took longer than 20 ms."
)
_ABOUT_PEERS = (
    "Peers differ in what they do: huey's *queued* tasks are ready in its queue before the clock starts, nothing falls",
    "due and no next run is written; its *scheduled* ones fall due, as ours do.",
    "",
    "All schedules of duly share one trigger and one policy, except in the row of mixed ones: sixty triggers, seven",
    "policies and arguments of their own. All rows use the default settings (`max_concurrency=500`, `batch=1000`), but",
    "for the one that names its places: it sets `max_concurrency`. The bare driver writes the same rows into the same",
    "tables with the same indexes, and knows them all beforehand.",
)


_ABOUT_ADDING = (
    "APScheduler 3 uses SQLite as it comes: `synchronous = FULL` with a rollback journal, four syncs for a schedule.",
    "That is about as durable as the log of duly, which is synced once. It keeps less: one row in two indexes. duly",
    "also writes an entry of the journal and one of the audit, chained by hashes.",
)


def report() -> str:
    """The section of the results about the engine."""
    lines = ["## The engine", ""]
    with _postgres() as server:
        lines += _loaded(_fire(server)) + _loaded(_add()) + _loaded(_steady(server)) + _loaded(_restart())
    return "\n".join([*lines, ""])


def _loaded(lines: list[str]) -> list[str]:
    """Add how busy the machine was; above one per core, others slowed it down."""
    return [*lines, f"Medians of {ROUNDS} interleaved rounds; load {os.getloadavg()[0]:.1f} at the end.", ""]


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
        "| store | who | fires/s | processor time of one | duly is |",
        "|---|---|---|---|---|",
    ]
    for store in ("sqlite", "postgres"):
        ours, limit, peers = _fire_on(store, server)
        usual = ours["duly"]["fire"]
        lines += [
            f"| {store} | **{name}** | **{each['fire']:,.0f}** | {each['cpu_us']:.0f} µs | |"
            for name, each in ours.items()
        ]
        lines += [f"| {store} | {name} | {speed:,.0f} | | {usual / speed:.1f}x |" for name, speed in peers.items()]
        lines.append(f"| {store} | bare driver, same rows in batches | {limit:,.0f} | | {usual / limit:.0%} of it |")
        times, peer, part = _TARGETS[store]
        mixed, many = (ours[name]["fire"] / usual * 100 for name in (_MIXED, _MANY_DUE))
        lines.append(
            f"| {store} | *targets* | | | {_least(usual / peers[peer], times)} of {peer}; "
            f"{_least(usual / limit * 100, part, ' %')} of the bare driver; mixed {_least(mixed, 80, ' %')}; "
            f"{MANY:,} due {_least(many, 90, ' %')} |"
        )
    return [*lines, "", *_ABOUT_PEERS, ""]


def _fire_on(store: str, server: OwnServer) -> tuple[dict[str, dict[str, float]], float, dict[str, float]]:
    """Rounds are interleaved, so that a busy moment of the machine hits all of them."""
    scenarios: dict[str, tuple[object, ...]] = {
        "duly": ("fire", FIRES),
        _MIXED: ("mixed", FIRES),
        _MANY_DUE: ("fire", MANY),
        f"duly, {FEW} places": ("fire", FIRES, FEW),
    }
    found: dict[str, list[dict[str, float]]] = {name: [] for name in scenarios}
    limits = []
    peers: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name, (scenario, *numbers) in scenarios.items():
            with _target(store, server) as target:
                found[name].append(_worker(scenario, target, *numbers))
        with _target(store, server) as target:
            limits.append(raw.sqlite(Path(target), FIRES) if store == "sqlite" else raw.postgres(target, FIRES))
        for peer in PEERS:
            if peer.store == store:
                with _target(store, server, migrated=False) as target:
                    peers.setdefault(peer.name, []).append(peer.run(target.removeprefix("postgresql://"))["fire"])
    ours = {name: _medians(rounds) for name, rounds in found.items()}
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
    ours = _medians(rounds)
    theirs = median(theirs_of)
    return [
        "### Add: schedules per second on SQLite",
        "",
        "| who | per second | duly is |",
        "|---|---|---|",
        f"| **duly**, one by one | **{ours['one_by_one']:,.0f}** | {_least(ours['one_by_one'] / theirs, 2.5)} |",
        f"| processor time of one | | {_most(ours['cpu_ms'], 0.35, ' ms')} |",
        f"| **duly**, a hundred callers at once | **{ours['concurrent']:,.0f}** | |",
        f"| **duly**, in bulk | **{ours['bulk']:,.0f}** | {_least(ours['bulk'], 40_000, '/s')} |",
        f"| APScheduler 3, one by one (it has no bulk) | {theirs:,.0f} | |",
        "",
        *_ABOUT_ADDING,
        "",
    ]


def _steady(server: OwnServer) -> list[str]:
    lines = [
        "### Steady: fires spread evenly",
        "",
        f"How late handlers begin, in {SECONDS} seconds. *Bare* sleeps to the same instants and commits once for all",
        "that have come, in the same process afterwards.",
        "",
        "| store | rate | p50 late | p99 | p99.9 | worst | bare p99 | ratio | processor | of the server |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    cases = (("sqlite", 200), ("sqlite", 1000), ("postgres", 200), ("postgres", 1000))
    found: dict[tuple[str, int], list[dict[str, float]]] = {case: [] for case in cases}
    for _ in range(ROUNDS):
        for store, rate in cases:
            with _target(store, server) as target:
                found[store, rate].append(_worker("steady", target, rate, SECONDS, _folder_of(server, store)))
    for (store, rate), rounds in found.items():
        figures = _medians(rounds)
        late = " | ".join(f"{figures[name] * 1e3:.1f} ms" for name in ("p50", "p99", "p999", "worst", "bare_p99"))
        ratio = _most(figures["p99"] / figures["bare_p99"], _LATE[store], "x")
        ours, theirs = _SHARES.get((store, rate), (None, None))
        beside = "" if store == "sqlite" else _share(figures["server"], theirs)
        lines.append(f"| {store} | {rate}/s | {late} | {ratio} | {_share(figures['cpu'], ours)} | {beside} |")
    return [*lines, "", _ABOUT_LATE, ""]


def _folder_of(server: OwnServer, store: str) -> Path | str:
    return server.folder if store == "postgres" else ""


def _share(measured: float, target: float | None) -> str:
    return f"{measured:.1%}" if target is None else _most(measured * 100, target, " %")


def _restart() -> list[str]:
    rounds = []
    for _ in range(ROUNDS):
        with _folder() as folder:
            store = folder / "bench.db"
            _worker("overdue", store, FIRES)
            rounds.append(_worker("restart", store, FIRES))
    figures = _medians(rounds)
    once = all(each["runs"] == each["succeeded"] == FIRES for each in rounds)
    return [
        f"### Restart: SIGKILL with {FIRES:,} overdue",
        "",
        "| figure | measured |",
        "|---|---|",
        f"| ready after | {_most(figures['ready'], 1, ' s')} |",
        f"| all carried out after | {figures['done']:.2f} s |",
        f"| one accepted run each | {figures['succeeded']:,.0f} of {FIRES:,} ({'met' if once else '**missed**'}) |",
        "",
    ]


def _medians(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: median(each[name] for each in rounds) for name in rounds[0]}


def _least(measured: float, target: float, unit: str = "x") -> str:
    met = "met" if measured >= target else "**missed**"
    return f"{measured:,.1f}{unit} ({met}: at least {target:,g}{unit})"


def _most(measured: float, target: float, unit: str) -> str:
    met = "met" if measured <= target else "**missed**"
    return f"{measured:.2f}{unit} ({met}: at most {target:g}{unit})"


if __name__ == "__main__":
    sys.stdout.write(report())
