"""Rules are expanded as `dateutil` expands them, from anywhere, and never for longer than the budget allows."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import pytest
from dateutil.rrule import DAILY, HOURLY, MONTHLY, WEEKLY, YEARLY, rrule, weekday
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.errors import ExpansionError, InvalidInputError
from duly.expansion import bounded
from duly.service.calendar.expanding import WEEKDAYS, Expansion
from tests.support import tries

FREQUENCIES = {"HOURLY": HOURLY, "DAILY": DAILY, "WEEKLY": WEEKLY, "MONTHLY": MONTHLY, "YEARLY": YEARLY}
NEVER = [
    {"FREQ": "YEARLY", "BYMONTH": [2], "BYMONTHDAY": [30]},
    {"FREQ": "MONTHLY", "BYMONTH": [2], "BYMONTHDAY": [31]},
    {"FREQ": "DAILY", "BYMONTH": [2], "BYMONTHDAY": [30]},
    {"FREQ": "DAILY", "BYSETPOS": [7]},
    {"FREQ": "WEEKLY", "BYMONTHDAY": [-31], "BYMONTH": [4]},
]


def face(year: int, month: int, day: int, hour: int = 0) -> datetime:
    """What a clock shows."""
    return datetime(year, month, day, hour)  # noqa: DTZ001


starts = st.datetimes(face(1990, 1, 1), face(2030, 1, 1)).map(lambda at: at.replace(microsecond=0))


def reference(parts: dict[str, Any], start: datetime) -> rrule:
    days = [weekday(WEEKDAYS.index(day[-2:]), int(day[:-2] or 0) or None) for day in parts.get("BYDAY", ())]
    return rrule(
        FREQUENCIES[parts["FREQ"]],
        dtstart=start,
        interval=parts.get("INTERVAL", 1),
        byweekday=days or None,
        bymonthday=parts.get("BYMONTHDAY"),
        bymonth=parts.get("BYMONTH"),
        bysetpos=parts.get("BYSETPOS"),
        wkst=WEEKDAYS.index(parts.get("WKST", "MO")),
    )


@st.composite
def rules(draw: st.DrawFn) -> dict[str, Any]:
    """Rules that have times: a day that every month has, wherever days are named."""
    freq = draw(st.sampled_from(list(FREQUENCIES)))
    parts: dict[str, Any] = {"FREQ": freq, "INTERVAL": draw(st.sampled_from([1, 2, 3, 5, 13]))}
    if freq == "HOURLY":
        return parts
    numbers = st.just("") if freq in ("DAILY", "WEEKLY") else st.sampled_from(["1", "2", "-1", "-2", "4"])
    if draw(st.booleans()):
        number = draw(st.booleans())
        days = st.tuples(numbers if number else st.just(""), st.sampled_from(WEEKDAYS)).map("".join)
        parts["BYDAY"] = draw(st.lists(days, min_size=1, max_size=3, unique=True))
    elif draw(st.booleans()) and freq != "WEEKLY":
        parts["BYMONTHDAY"] = [*draw(st.lists(st.sampled_from([1, 13, 28, 31, -1, -31]), max_size=3)), 5]
    if draw(st.booleans()) and freq in ("MONTHLY", "YEARLY") and len(parts) > 2:
        parts["BYSETPOS"] = draw(st.lists(st.sampled_from([1, 2, -1]), min_size=1, max_size=2, unique=True))
    if draw(st.booleans()) and parts["INTERVAL"] in (1, 5):
        parts["BYMONTH"] = draw(st.lists(st.integers(1, 12), min_size=1, max_size=4, unique=True))
    if draw(st.booleans()):
        parts["WKST"] = draw(st.sampled_from(WEEKDAYS))
    return parts


@settings(max_examples=tries(300), deadline=None)
@given(rules(), starts, st.integers(0, 4000))
def test_any_span_has_the_times_that_dateutil_finds(parts: dict[str, Any], start: datetime, after: int) -> None:
    low = start + timedelta(days=after)
    high = low + timedelta(days=1000)
    wanted = list(islice(reference(parts, start).between(low, high, inc=True), 100))
    assert list(islice(Expansion(parts, start).between(low, high), 100)) == wanted


@pytest.mark.parametrize("parts", NEVER)
def test_a_rule_without_any_time_ends_at_the_budget(parts: dict[str, Any]) -> None:
    with bounded("a rule", most=5000), pytest.raises(ExpansionError, match="a rule takes more than 5000 steps"):
        list(Expansion(parts, face(2026, 1, 1)).between(face(2026, 1, 1)))


@pytest.mark.parametrize("freq", ["HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
def test_what_lies_before_costs_nothing(freq: str) -> None:
    with bounded("a rule", most=500):
        old = Expansion({"FREQ": freq, "INTERVAL": 7}, face(1, 1, 1, 9))
        assert len(list(islice(old.between(face(2026, 1, 1)), 20))) == 20


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"FREQ": "MONTHLY", "BYMONTHDAY": [0]}, "BYMONTHDAY takes numbers from 1 to 31, and from -1 to -31, got 0"),
        ({"FREQ": "MONTHLY", "BYDAY": ["99MO"]}, "BYDAY takes numbers from 1 to 53, and from -1 to -53, got 99"),
        ({"FREQ": "DAILY", "BYSETPOS": [367]}, "BYSETPOS takes numbers from 1 to 366, and from -1 to -366, got 367"),
    ],
)
def test_numbers_out_of_range_are_refused(parts: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidInputError, match=reason):
        Expansion(parts, face(2026, 1, 1))
