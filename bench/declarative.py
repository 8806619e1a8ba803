"""The declarative scheduler with very many registrations: how long `initialize` takes, how late they start, memory.

Everything durable, as for the engine. The bound is the specification's: a minute for 10,000 tasks, ten for 100,000.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.postgres_server import OwnServer

from bench.measure import verdict
from duly.declarative.callbacks import allowed_lateness

NUMBERS = (100, 10_000, 100_000)
_MANY = 100_000


def report(numbers: tuple[int, ...] = NUMBERS) -> str:
    """The section of the results about the declarative scheduler."""
    lines = [
        "## The declarative scheduler",
        "",
        "All tasks fall due at one boundary, with a callback that does nothing.",
        "",
        "| store | tasks | `initialize`, new | preserved | first late by | median | last | allowed | `stop` | RSS |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    targets = []
    for store in ("sqlite", "postgres"):
        for number in numbers:
            with _target(store) as target:
                figures = _worker(target, number)
            lines.append(_line(store, number, figures))
            if number == _MANY:
                targets += _targets(store, figures)
    return "\n".join([*lines, "", *targets, ""])


def _targets(store: str, figures: dict[str, float]) -> list[str]:
    """Say whether very many tasks start quickly and in little memory."""
    memory = verdict(f"{store}, memory of a task", _kilobytes(figures, _MANY), 2, " KB", at_most=True)
    known = verdict(f"{store}, `initialize` of {_MANY:,} known tasks", figures["preserved"], 3, " s", at_most=True)
    return [known, memory] if store == "sqlite" else [memory]


def _kilobytes(figures: dict[str, float], number: int) -> float:
    return (figures["most_mb"] - figures["empty_mb"]) * 1024 / number


def _line(store: str, number: int, figures: dict[str, float]) -> str:
    allowed = allowed_lateness(number)
    verdict = "met" if figures["last"] <= allowed else "MISSED"
    per_task = _kilobytes(figures, number)
    return (
        f"| {store} | {number:,} | {figures['new']:.2f} s | {figures['preserved']:.2f} s "
        f"| {figures['first'] * 1e3:.0f} ms | {figures['median']:.2f} s | **{figures['last']:.2f} s** "
        f"| {allowed:g} s: {verdict} | {figures['stop']:.2f} s | {figures['most_mb']:.0f} MB, {per_task:.1f} KB |"
    )


def _worker(target: str, number: int) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.declarative_worker", target, str(number)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1200)
    if done.returncode:
        raise RuntimeError(done.stderr[-1500:])
    figures: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return figures


@contextmanager
def _target(store: str) -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="duly-bench-"))
    server = OwnServer(durable=True) if store == "postgres" else None
    try:
        if server is None:
            yield str(folder / "bench.db")
        else:
            with server.database() as url:
                yield server.tcp_url(url)
    finally:
        if server is not None:
            server.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.stdout.write(report(tuple(map(int, sys.argv[1:])) or NUMBERS))
