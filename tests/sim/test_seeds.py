"""Dozens of small worlds in which everything goes wrong, each judged from the first fire to the last outcome."""

from __future__ import annotations

import pytest

from tests.sim.regressions import REGRESSIONS
from tests.sim.replay import explain
from tests.sim.simulator import simulate

SEEDS = 20
"""`make chaos` tries thousands."""
CHUNK = 10


@pytest.mark.parametrize("start", range(0, SEEDS, CHUNK))
def test_no_simulated_scenario_violates_an_invariant(start: int) -> None:
    seeds = set(range(start, start + CHUNK)) - REGRESSIONS.keys()  # which the next test simulates
    reports = [simulate(seed) for seed in sorted(seeds)]
    wrong = [report for report in reports if report.violations]
    assert not wrong, "\n\n".join(map(explain, wrong))


@pytest.mark.parametrize("seed", REGRESSIONS, ids=lambda seed: f"{seed}")
def test_no_seed_that_found_a_bug_finds_it_again(seed: int) -> None:
    report = simulate(seed)
    assert not report.violations, f"{explain(report)}\nonce found: {REGRESSIONS[seed]}"
