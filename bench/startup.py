"""How long the command line takes, as real processes: people and shells wait for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from bench.measure import table, take_turns, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

DULY = str(Path(sys.executable).with_name("duly"))
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "duly --version": [DULY, "--version"],
    'duly next "0 9 * * *"': [DULY, "next", "0 9 * * *"],
    'duly next "0 9 * * *" --tz Europe/Berlin': [DULY, "next", "0 9 * * *", "--tz", "Europe/Berlin"],
}
ROUNDS = 15
TARGET = 200


def report() -> str:
    """The measurements as Markdown."""
    runs = {name: _command(argv) for name, argv in COMMANDS.items()}
    for run in runs.values():
        run()
    taken = {name: seconds * 1e3 for name, seconds in take_turns(runs, ROUNDS, perf_counter).items()}
    lines = [verdict(name, taken[name], TARGET, " ms", at_most=True) for name in COMMANDS if name.startswith("duly")]
    rows = [[f"`{name}`", f"{millis:.0f}"] for name, millis in taken.items()]
    return "\n\n".join(
        [
            "## Starting up",
            f"Wall time of real processes, the median of {ROUNDS}.",
            "\n".join(lines),
            table(["command", "ms"], rows),
        ]
    )


def _command(argv: list[str]) -> Callable[[], object]:
    return lambda: subprocess.run(argv, check=True, capture_output=True)
