"""Loss of power, in short: the same seeds every time."""

from __future__ import annotations

import pytest

from tests.chaos.power_loss import campaign


def test_no_acknowledged_commit_is_lost_when_power_is() -> None:
    assert campaign(range(4)) > 50


def test_the_check_sees_what_is_lost_when_nothing_is_synced() -> None:
    with pytest.raises(Exception, match=r"lost|malformed|not a database|ok"):
        campaign(range(4), synchronous="OFF")
