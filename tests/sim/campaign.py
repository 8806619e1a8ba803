"""Simulate many seeds: `python -m tests.sim.campaign --seeds 10000 --start 1000`.

Some of them also simulate runs that an executor carries out: such a seed takes as long as several others.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from time import monotonic

from tests.sim.backends import BACKENDS
from tests.sim.elsewhere import simulate_elsewhere
from tests.sim.replay import explain, explain_elsewhere
from tests.sim.simulator import simulate

_EVERY = 100
ELSEWHERE_EVERY = 20
"""One seed of so many simulates executors, too."""


def check_seed(store: str, seed: int) -> str | None:
    """Explain what is wrong with a seed; None for a clean one. A simulation that raises is wrong too."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            report = simulate(seed, BACKENDS[store](Path(folder)))
        except Exception as error:
            return f"seed {seed}: {type(error).__name__}: {error}\nreplay: python -m tests.sim.replay {seed}"
    if report.violations:
        return explain(report)
    return check_elsewhere(seed) if seed % ELSEWHERE_EVERY == 0 else None


def check_elsewhere(seed: int) -> str | None:
    """Explain what is wrong with what executors carry out; None for a clean seed."""
    try:
        complaints = simulate_elsewhere(seed).complaints
    except Exception as error:
        complaints = [f"{type(error).__name__}: {error}"]
    return explain_elsewhere(seed, complaints) if complaints else None


def results(store: str, seeds: range, processes: int) -> Iterator[str | None]:
    """One answer for each seed, in order."""
    if processes == 1:
        yield from map(partial(check_seed, store), seeds)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(partial(check_seed, store), seeds, chunksize=5)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sim.campaign", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--store", choices=sorted(BACKENDS), default="memory")
    given = parser.parse_args()
    began = monotonic()
    wrong = 0
    seeds = range(given.start, given.start + given.seeds)
    for number, answer in enumerate(results(given.store, seeds, given.processes), start=1):
        if answer is not None:
            wrong += 1
            print(answer, flush=True)
        if number % _EVERY == 0 or number == len(seeds):
            print(f"{number}/{len(seeds)} seeds, {wrong} wrong, {monotonic() - began:.0f} s", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
