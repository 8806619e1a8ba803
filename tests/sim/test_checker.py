"""The checker can fail: each known bug is found within a few seeds. And what it judges is the same every time."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

import pytest

from tests.sim.sabotage import BUGS
from tests.sim.simulator import simulate

MOST_SEEDS = 60


@cache
def is_innocent(seed: int) -> bool:
    """Tell whether a seed finds nothing in the engine as it is. Many bugs are found by the same seed."""
    return not simulate(seed).violations


@pytest.mark.parametrize("name", BUGS)
def test_the_checker_finds_each_planted_bug(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sabotage, complaint, first = BUGS[name]
    sabotage(monkeypatch)
    seen: set[str] = set()
    for seed in range(first, first + MOST_SEEDS):
        violations = simulate(seed).violations
        if any(complaint in line for line in violations):
            monkeypatch.undo()
            assert is_innocent(seed), f"seed {seed} fails without the bug, too, and proves nothing"
            return
        seen.update(violations[:2])
    pytest.fail(f"{MOST_SEEDS} seeds did not find it; they found {sorted(seen)[:5]}")


@pytest.mark.parametrize("seed", [3, 17, 42])
def test_a_seed_gives_the_same_trace_every_time(seed: int) -> None:
    assert simulate(seed).record.trace == simulate(seed).record.trace


def test_a_seed_gives_the_same_trace_in_another_process() -> None:
    here = simulate(7).record.trace
    told = subprocess.run(
        [sys.executable, "-m", "tests.sim.replay", "7"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "12345"},
    )
    assert told.stdout.splitlines()[: len(here)] == here
