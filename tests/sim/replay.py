"""One seed again, line by line: `python -m tests.sim.replay SEED`, with `--elsewhere` for what executors carry out."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.sim.backends import BACKENDS
from tests.sim.elsewhere import simulate_elsewhere
from tests.sim.simulator import Report, simulate

_SHOWN = 10


def explain(report: Report) -> str:
    """What was wrong with a seed, and how to see it again."""
    return _explained(report.seed, [str(each) for each in report.violations], "")


def explain_elsewhere(seed: int, complaints: Sequence[str]) -> str:
    """The same for what executors carry out."""
    return _explained(seed, complaints, " --elsewhere")


def _explained(seed: int, wrong: Sequence[str], option: str) -> str:
    more = len(wrong) - _SHOWN
    return "\n".join(
        [
            f"seed {seed}: {len(wrong)} violations",
            *(f"  {line}" for line in wrong[:_SHOWN]),
            *([f"  and {more} more"] if more > 0 else []),
            f"replay: python -m tests.sim.replay {seed}{option}",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sim.replay", description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--store", choices=sorted(BACKENDS), default="memory")
    parser.add_argument("--only", default="", help="only lines that contain this")
    parser.add_argument("--elsewhere", action="store_true", help="runs that an executor carries out")
    given = parser.parse_args()
    if given.elsewhere:
        found = simulate_elsewhere(given.seed)
        print("\n".join(line for line in found.trace if given.only in line))
        print(explain_elsewhere(given.seed, found.complaints))
        return 1 if found.complaints else 0
    with tempfile.TemporaryDirectory() as folder:
        report = simulate(given.seed, BACKENDS[given.store](Path(folder)))
    for line in report.record.trace:
        if given.only in line:
            print(line)
    print(f"\n{report.scenario.rates}\n{report.scenario.settings}")
    print(explain(report))
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
