"""Each key has one offset, always the same, and never as long as the cadence."""

import hashlib
from datetime import time, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.cron import Cron
from duly.errors import InvalidRecurrenceError
from duly.recurrence import DayInterval, Once, SecondInterval, stagger_offset_seconds
from tests.unit.recurrence.helpers import utc

NOW = utc("2026-11-15 10:00")
DAILY = DayInterval(on_times=(time(9),))


@pytest.mark.parametrize("key", [None, ""])
def test_no_key_no_offset(key: str | None) -> None:
    assert stagger_offset_seconds(key, DAILY, after=NOW) == 0


def test_the_hash_decides() -> None:
    number = int.from_bytes(hashlib.sha256("büro".encode()).digest()[:8], "big")
    assert stagger_offset_seconds("büro", DAILY, after=NOW) == number % 901
    assert stagger_offset_seconds("büro", Cron("*/5 * * * *"), after=NOW) == number % 300
    assert stagger_offset_seconds("büro", DAILY, after=NOW, max_stagger_seconds=59) == number % 60


@settings(deadline=None)
@given(st.text(min_size=1), st.integers(1, 5000), st.integers(0, 5000))
def test_an_offset_stays_below_cadence_and_cap(key: str, cadence: int, cap: int) -> None:
    offset = stagger_offset_seconds(key, SecondInterval(cadence), after=NOW, max_stagger_seconds=cap)
    assert 0 <= offset < cadence
    assert offset <= cap
    assert offset == stagger_offset_seconds(key, SecondInterval(cadence), after=NOW, max_stagger_seconds=cap)


@pytest.mark.parametrize("at", [NOW + timedelta(seconds=5), NOW - timedelta(seconds=5)])
def test_a_trigger_that_occurs_once_has_no_cadence(at: Any) -> None:
    number = int.from_bytes(hashlib.sha256(b"key").digest()[:8], "big")
    assert stagger_offset_seconds("key", Once(at), after=NOW) == number % 901


@pytest.mark.parametrize("cap", [-1, 1.5, True])
def test_a_cap_is_a_whole_number(cap: Any) -> None:
    with pytest.raises(InvalidRecurrenceError, match="max_stagger_seconds must be a whole number from 0"):
        stagger_offset_seconds("key", DAILY, after=NOW, max_stagger_seconds=cap)
