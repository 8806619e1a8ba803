"""Beside cronexpr (ccronexpr in C), in UTC and where it can be trusted: one day field, and `prev` in any month."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import cronexpr
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.cron import Cron, is_valid
from tests.unit.cron.strategies import examples, posix_fields

_STEPS = st.sampled_from(["*/2", "*/7", "1-9/4", "2-12/3"])
_TIMES = st.tuples(_STEPS | posix_fields(0, 59), _STEPS | posix_fields(0, 23)).map(" ".join)
_DATED = st.tuples(_STEPS | posix_fields(1, 31), _STEPS | posix_fields(1, 12)).map(
    lambda pair: f"{pair[0]} {pair[1]} *"
)
_BY_WEEKDAY = st.tuples(posix_fields(1, 12), posix_fields(0, 6)).map(lambda pair: f"* {pair[0]} {pair[1]}")
EXPRESSIONS = st.tuples(_TIMES, _DATED | _BY_WEEKDAY).map(" ".join)
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1)).map(  # noqa: DTZ001
    lambda face: face.replace(second=0, microsecond=0, tzinfo=UTC)
)


@pytest.fixture(autouse=True, scope="module")
def _utc() -> Iterator[None]:
    """cronexpr takes the machine's zone for everybody's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@examples(200)
@given(EXPRESSIONS.filter(is_valid), MOMENTS)
def test_fires_at_the_same_times(expression: str, at: datetime) -> None:
    cron = Cron(expression)
    for _ in range(10):
        theirs = cronexpr.next_fire(f"0 {expression}", at)
        at = cron.next(at)
        assert at == theirs


@examples(200)
@given(_TIMES, posix_fields(1, 31) | st.just("*"), posix_fields(0, 6), MOMENTS)
def test_fired_at_the_same_times(times: str, date: str, weekday: str, at: datetime) -> None:
    expression = f"{times} {date} * *" if date != "*" else f"{times} * * {weekday}"
    cron = Cron(expression)
    for _ in range(10):
        theirs = cronexpr.prev_fire(f"0 {expression}", at)
        at = cron.prev(at)
        assert at == theirs


def test_a_difference_is_known() -> None:
    """Its way back into a month of 31 days leads to the 30th."""
    at = datetime(2000, 11, 26, tzinfo=UTC)
    assert f"{cronexpr.prev_fire('0 26 8 * 3 *', at):%m-%d}" == "03-30"
    assert f"{Cron('26 8 * 3 *').prev(at):%m-%d}" == "03-31"
