"""The blind loop of kills, long enough to mean something and short enough to run every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.kill_loop import kill_loop
from tests.integration.engine_support.process_cluster import process_cluster


@pytest.mark.parametrize(("store", "rounds", "seed"), [("sqlite", 50, 1), ("postgres", 50, 2)])
def test_killing_workers_loses_no_run_and_accepts_none_twice(
    store: str, rounds: int, seed: int, tmp_path: Path
) -> None:
    with process_cluster(store, tmp_path) as cluster:
        campaign = kill_loop(cluster, rounds, seed)
    assert campaign.attempts > len(campaign.runs) / 2
    assert campaign.pruned > 0
