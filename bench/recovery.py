"""Recovery: how long the next start takes after `kill -9` with very many runs under way, and whether that grows evenly.

Both for the declarative scheduler and for an engine as the daemon has it, on both stores, everything durable.
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

from bench.declarative import _target
from bench.measure import verdict

NUMBERS = (6_250, 25_000, 100_000)
KINDS = ("declarative", "engine")
_LONGEST = 60
_STEEPEST = 5.0


def report(numbers: tuple[int, ...] = NUMBERS) -> str:
    """The section of the results about recovery."""
    lines = [
        "## Recovery after `kill -9`",
        "",
        "So many runs are under way when their process is killed. Measured is the next start, until all of them are",
        "taken back, with its processor time, how much of that a start without lost runs does not need, and the",
        "longest time between two heartbeats meanwhile.",
        "",
        "| store | runs of | runs | start without | start | processor time | for lost runs | longest between beats |",
        "|---|---|---|---|---|---|---|---|",
    ]
    targets = []
    for store in ("sqlite", "postgres"):
        for kind in KINDS:
            spent = {}
            for number in numbers:
                with _target(store) as target:
                    figures = _measured(target, kind, number)
                spent[number] = figures["processor"]
                lines.append(
                    f"| {store} | {kind} | {number:,} | {figures['without']:.1f} s | **{figures['start']:.1f} s** "
                    f"| {figures['processor']:.1f} s | {figures['more']:.1f} s | {figures['between']:.1f} s |"
                )
            of = f"{store}, {kind}"
            last, before = numbers[-1], numbers[-2]
            what = f"{of}, start after {last:,} lost runs"
            targets.append(verdict(what, figures["start"], _LONGEST, " s", at_most=True))
            growth = spent[last] / spent[before]
            what = f"{of}, processor time of {last // before} times as many"
            targets.append(verdict(what, growth, _STEEPEST, " times", at_most=True))
    return "\n".join([*lines, "", *targets, ""])


def _measured(target: str, kind: str, number: int) -> dict[str, float]:
    enough = timedelta(seconds=10 + number / 2000)  # all tasks are known at the next full minute
    boundary = (datetime.now(UTC) + enough).replace(second=0, microsecond=0) + timedelta(minutes=1)
    killed = _run("begin", target, kind, number, boundary)
    if killed.returncode != -9:
        raise RuntimeError(killed.stderr[-1500:])
    done = _run("recover", target, kind, number, boundary)
    if done.returncode:
        raise RuntimeError(done.stderr[-1500:])
    figures: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return figures


def _run(phase: str, target: str, kind: str, number: int, boundary: datetime) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench.recovery_worker", phase, target, kind, str(number), boundary.isoformat()]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=1200)


if __name__ == "__main__":
    sys.stdout.write(report(tuple(map(int, sys.argv[1:])) or NUMBERS))
