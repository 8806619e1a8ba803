"""One seed again, line by line: `python -m tests.sim.replay SEED`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.sim.backends import BACKENDS
from tests.sim.simulator import Report, simulate

_SHOWN = 10


def explain(report: Report) -> str:
    """What was wrong with a seed, and how to see it again."""
    wrong = [f"  {line}" for line in report.violations[:_SHOWN]]
    more = len(report.violations) - len(wrong)
    return "\n".join(
        [
            f"seed {report.seed}: {len(report.violations)} violations",
            *wrong,
            *([f"  and {more} more"] if more else []),
            f"replay: python -m tests.sim.replay {report.seed}",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sim.replay", description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--store", choices=sorted(BACKENDS), default="memory")
    parser.add_argument("--only", default="", help="only lines that contain this")
    given = parser.parse_args()
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
