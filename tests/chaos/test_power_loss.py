"""Loss of power, in short: the same seeds every time."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.chaos.power_loss import Loss, campaign, check_pruned


def test_a_power_loss_loses_no_acknowledged_commit() -> None:
    counted = Counter[str]()
    assert campaign(range(4), counted=counted) > 50
    assert counted["batches"] > 20
    assert counted["pages beside"] > 50


@pytest.mark.parametrize("synchronous", ["OFF", "NORMAL"])
def test_the_check_finds_losses_without_syncing(synchronous: str) -> None:
    with pytest.raises(Exception, match=r"lost|malformed|not a database|ok"):
        campaign(range(4), synchronous=synchronous)


@pytest.mark.parametrize(
    ("there", "certain", "fault"),
    [
        ({"c"}, 1, None),
        ({"a", "b", "c"}, 0, None),
        (set[str](), 2, None),
        ({"a", "c"}, 0, "in part"),
        ({"a", "b"}, 0, "a later one did not"),
        ({"c"}, 2, "durable"),
    ],
)
def test_the_check_knows_which_pruned_runs_may_come_back(there: set[str], certain: int, fault: str | None) -> None:
    nothing = frozenset[str]()
    pruned = (frozenset({"a", "b"}), frozenset({"c"}))
    loss = Loss(files={}, acknowledged=nothing, asked=nothing, pruned=pruned, pruned_for_certain=certain)
    if fault is None:
        check_pruned(loss, there)
    else:
        with pytest.raises(AssertionError, match=fault):
            check_pruned(loss, there)
