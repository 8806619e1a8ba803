"""Loss of power, in short: the same seeds every time."""

from __future__ import annotations

import pytest

from tests.chaos.power_loss import campaign


def test_a_power_loss_loses_no_acknowledged_commit() -> None:
    assert campaign(range(4)) > 50


def test_the_check_finds_losses_without_syncing() -> None:
    with pytest.raises(Exception, match=r"lost|malformed|not a database|ok"):
        campaign(range(4), synchronous="OFF")
