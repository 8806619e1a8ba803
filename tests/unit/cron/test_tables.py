"""The tables answer as a search through the values would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duly.cron.tables import ahead, behind, values, week_ahead, week_behind
from tests.unit.cron.strategies import examples

SIZE = 60
WEEKDAYS = range(1, 1 << 7)


@examples(60)
@given(st.sets(st.integers(0, SIZE - 1)))
def test_the_first_value_from_a_number_on_and_the_last_one_below_it(named: set[int]) -> None:
    bits = sum(1 << value for value in named)
    assert values(bits) == tuple(sorted(named))
    for number in range(SIZE + 1):
        assert ahead(bits, SIZE)[number] == min((value for value in named if value >= number), default=-1)
        assert behind(bits, SIZE)[number] == max((value for value in named if value < number), default=-1)


def test_the_days_to_the_next_named_weekday_are_counted_round_the_week() -> None:
    for bits in WEEKDAYS:
        for weekday in range(8):
            days = next(days for days in range(1, 8) if bits >> (weekday + days) % 7 & 1)
            assert week_ahead(bits)[weekday] == days


def test_the_days_since_the_last_named_weekday_are_counted_round_the_week() -> None:
    for bits in WEEKDAYS:
        for weekday in range(9):
            days = next(days for days in range(1, 8) if bits >> (weekday - days) % 7 & 1)
            assert week_behind(bits)[weekday] == days
