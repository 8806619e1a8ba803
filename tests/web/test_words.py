"""How far away and how long: what is said is the nearest to what is, and never a unit too little."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.web import words

_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86_400}
_SAID = re.compile(r"(\d+) (s|min|h|d)(?: (\d+)( h)?)?")


def _meant(said: str) -> tuple[int, int]:
    """Give the seconds that a text says, and its smallest unit."""
    found = _SAID.fullmatch(said)
    assert found, said
    amount, unit, more, hours = found.groups()
    small = _UNITS[unit] if unit == "s" or (unit == "min" and not more) else {"min": 1, "h": 60, "d": 3600}[unit]
    if unit == "d" and int(amount) >= 10:
        small = 86_400
    assert (hours is not None) == (unit == "d" and more is not None)
    return int(amount) * _UNITS[unit] + int(more or 0) * small, small


@given(st.floats(0, 30 * 86_400))
def test_a_span_is_said_to_the_nearest_unit(seconds: float) -> None:
    meant, unit = _meant(words.span(seconds))
    assert abs(meant - seconds) <= unit / 2 + 1e-6


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1199.5, "20 min"),
        (10_799.9, "3 h"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (3570, "1 h"),
        (86_399, "1 d"),
        (8880, "2 h 28"),
        (230_400, "2 d 16 h"),
    ],
)
def test_a_moment_that_was_just_named_is_not_said_a_unit_shorter(seconds: float, said: str) -> None:
    assert words.span(seconds) == said
