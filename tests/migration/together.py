"""Processes that start at the same moment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def open_together(urls: list[str], processes: int) -> list[str]:
    """Let several processes open the same stores at once; what went wrong in each of them."""
    command = [sys.executable, "-m", "tests.migration.opener", *urls]
    pipe = subprocess.PIPE
    started = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=ROOT) for _ in range(processes)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    ends = [process.communicate(timeout=60) for process in started]
    return [errors for output, errors in ends if output != "done\n"]
