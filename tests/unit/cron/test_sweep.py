"""A sample of the sweep over all zones: the same zones every time, and some that change from run to run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.cron import sweep
from tests.unit.cron.oracle import transitions
from tests.unit.cron.strategies import examples

ODD = ["Pacific/Apia", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Pyongyang", "America/Caracas"]


@pytest.mark.parametrize("zone", sorted({*ODD, *sweep.zones()[::60]}))
def test_every_change_of_a_zone(zone: str) -> None:
    changes, fires = sweep.check_zone(zone)
    assert bool(fires) == bool(changes)


@examples(25)
@given(st.data())
def test_some_change_of_any_zone(data: st.DataObject) -> None:
    zone = data.draw(st.sampled_from(sweep.zones()))
    changes = transitions(zone, sweep.FIRST_YEAR, sweep.LAST_YEAR)
    if changes:
        assert sweep.check_change(zone, data.draw(st.sampled_from(changes)))
