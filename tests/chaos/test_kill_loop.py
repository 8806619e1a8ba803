"""The blind loop of kills, long enough to mean something and short enough to run every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.kill_loop import kill_loop
from tests.integration.engine_support.lab import laboratory


@pytest.mark.parametrize(("store", "rounds", "seed"), [("sqlite", 50, 1), ("postgres", 50, 2)])
def test_nothing_is_lost_and_nothing_accepted_twice(store: str, rounds: int, seed: int, tmp_path: Path) -> None:
    with laboratory(store, tmp_path) as lab:
        campaign = kill_loop(lab, rounds, seed)
    assert campaign.attempts > len(campaign.runs) / 2
