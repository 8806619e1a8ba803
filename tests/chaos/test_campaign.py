"""The campaign from outside in its short form: half a minute, in which every kind of fault comes once.

Nothing here is decided by how fast the machine is: the checker judges what is left after everything came to its end.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.chaos.campaign import Outcome, campaign, storm
from tests.chaos.plan import Shape

SECONDS = 12.0
EVERYWHERE = {"kill", "freeze", "stop"}
FAULTS = {"sqlite": EVERYWHERE, "postgres": EVERYWHERE | {"partition", "server restart", "cut commits"}}


def test_a_campaign_of_faults_violates_no_invariant(tmp_path: Path) -> None:
    """Both stores at once, for most of the time is spent waiting for leases."""

    def judge(store: str) -> Outcome:
        folder = tmp_path / store
        folder.mkdir()
        return campaign(store, folder, seconds=SECONDS, seed=1, daemons=1)

    with ThreadPoolExecutor(len(FAULTS)) as pool:
        outcomes = dict(zip(FAULTS, pool.map(judge, FAULTS), strict=True))
    for store, outcome in outcomes.items():
        assert outcome.verdict.is_clean, f"{store}\n{outcome}"
        assert FAULTS[store] <= set(outcome.faults)
        assert outcome.verdict.expected == outcome.verdict.recorded > 50
        assert outcome.verdict.entered > 0


def test_a_storm_of_kills_gives_up_no_innocent_run(tmp_path: Path) -> None:
    def judge(store: str) -> Outcome:
        folder = tmp_path / store
        folder.mkdir()
        return storm(store, folder, seconds=SECONDS, seed=2, shape=Shape(once=5.0, messages=0.0))

    with ThreadPoolExecutor(len(FAULTS)) as pool:
        outcomes = dict(zip(FAULTS, pool.map(judge, FAULTS), strict=True))
    for store, outcome in outcomes.items():
        assert outcome.verdict.is_clean, f"{store}\n{outcome}"
        assert outcome.faults["kill"] > 0
