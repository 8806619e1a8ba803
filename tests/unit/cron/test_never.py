"""Expressions that can never fire are refused when written; the rare ones that can are found however far away."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.cron import Cron, is_valid
from duly.errors import InvalidCronExpressionError
from tests.unit.cron.oracle import Oracle
from tests.unit.cron.strategies import DATES, MONTH_FIELDS, WEEKDAY_FIELDS, examples

NEVER = [
    ("0 0 31 2 *", "or"),
    ("0 0 30 2 *", "or"),
    ("0 0 30,31 feb ?", "or"),
    ("0 0 31 4,6,9,11 *", "or"),
    ("0 0 31 apr,jun */2", "and"),
    ("0 0 L-30 2,4 *", "or"),
    ("0 0 L-29 2 *", "or"),
    ("0 0 L-30W sep *", "or"),
    ("0 0 31 2 1", "and"),
    ("0 0 1-7 * 1#2", "and"),
    ("0 0 8-14 * fri#1", "and"),
    ("0 0 15W * sun", "and"),
    ("0 0 LW * 0,6", "and"),
    ("0 0 1-21 * 3L", "and"),
    ("0 0 29-31 * mon#4", "and"),
    ("0 0 30 2 1#5", "and"),
]
RARE = [
    ("0 0 29 2 *", "or", "2028-02-29"),
    ("0 0 29 2 1", "and", "2044-02-29"),
    ("0 0 31 2 1", "or", "2026-02-02"),
    ("0 0 29 2 1#5", "and", "2044-02-29"),
    ("0 0 * 2 sun#5", "or", "2032-02-29"),
    ("0 0 31W 2 *", "or", "2026-02-27"),
    ("0 0 L-28 2 *", "or", "2028-02-01"),
    ("0 0 L-28W 2 6", "or", "2026-02-07"),
    ("0 0 1W * 1", "and", "2026-02-02"),
    ("0 0 13 * 5", "and", "2026-02-13"),
    ("0 0 30-31 * 0L", "and", "2026-05-31"),
]
START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(("expression", "day_match"), NEVER)
def test_a_date_that_never_comes_is_refused(expression: str, day_match: str) -> None:
    with pytest.raises(InvalidCronExpressionError, match="day field names days that never come") as caught:
        Cron(expression, day_match=day_match)
    error = caught.value
    assert expression[error.position :] == expression.split(maxsplit=2)[2]
    assert error.allowed == (1, 31)


@pytest.mark.parametrize("dialect", ["posix", "standard", "seconds"])
def test_in_every_dialect(dialect: str) -> None:
    assert not is_valid("0 0 31 2 *", dialect=dialect)
    with pytest.raises(InvalidCronExpressionError, match="would never fire") as caught:
        Cron(" 0  0 31 2 *", dialect=dialect)
    assert caught.value.position == 6


def test_the_position_counts_the_seconds_field() -> None:
    with pytest.raises(InvalidCronExpressionError) as caught:
        Cron("0 0 0 31 2 *", dialect="seconds")
    assert caught.value.position == 6


@pytest.mark.parametrize(("expression", "day_match", "fire"), RARE)
def test_a_rare_date_is_found(expression: str, day_match: str, fire: str) -> None:
    assert f"{Cron(expression, day_match=day_match).next(START):%Y-%m-%d}" == fire


@lru_cache(maxsize=1)
def all_kinds_of_months() -> list[tuple[int, int]]:
    """28 years hold every month with every weekday as its first day, leap years included."""
    return [(year, month) for year in range(2001, 2029) for month in range(1, 13)]


@examples(120)
@given(DATES, MONTH_FIELDS, WEEKDAY_FIELDS, st.sampled_from(["or", "and"]))
def test_refused_exactly_when_no_month_has_such_a_day(day: str, month: str, weekday: str, day_match: str) -> None:
    expression = f"0 0 {day} {month} {weekday}"
    oracle = Oracle(expression, day_match=day_match)
    expected = [oracle.days(*which) for which in all_kinds_of_months()]
    if not any(expected):
        with pytest.raises(InvalidCronExpressionError, match="would never fire"):
            Cron(expression, day_match=day_match)
    else:
        found = Cron(expression, day_match=day_match)._spec.days
        assert [found.of(*which).bits for which in all_kinds_of_months()] == [
            sum(1 << number for number in numbers) for numbers in expected
        ]


def test_every_kind_of_month_does_come() -> None:
    """What makes the check at parse time exact."""
    kinds = {(datetime(y, m, 1, tzinfo=UTC).isoweekday(), _length(y, m)) for y, m in all_kinds_of_months()}
    assert kinds == {(first, length) for first in range(1, 8) for length in (28, 29, 30, 31)}


def _length(year: int, month: int) -> int:
    return (datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC) - datetime(year, month, 1, tzinfo=UTC)).days
