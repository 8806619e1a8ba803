"""When a person may be reached: quiet hours in their zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.action import Priority
from duly.planning.reach import quiet_until
from duly.zones import Zone

ZAGREB = Zone.of("Europe/Zagreb")


def at(text: str) -> datetime:
    """A wall-clock time in Zagreb in 2026."""
    return ZAGREB.shifted(datetime.fromisoformat(f"2026-{text}"))


@pytest.mark.parametrize(
    ("begin", "end", "moment", "over"),
    [
        ("22:00", "07:00", "11-16T21:59", None),
        ("22:00", "07:00", "11-16T22:00", "11-17T07:00"),
        ("22:00", "07:00", "11-16T23:59:59", "11-17T07:00"),
        ("22:00", "07:00", "11-16T00:00", "11-16T07:00"),
        ("22:00", "07:00", "11-16T06:59:59", "11-16T07:00"),
        ("22:00", "07:00", "11-16T07:00", None),
        ("13:00", "14:30", "11-16T13:00", "11-16T14:30"),
        ("13:00", "14:30", "11-16T14:30", None),
        ("13:00", "14:30", "11-16T12:59", None),
        ("00:00", "06:00", "11-16T00:00", "11-16T06:00"),
        ("18:00", "00:00", "11-16T18:00", "11-17T00:00"),
        ("08:00", "08:00", "11-16T08:00", None),
        # clocks go forward on 29 March at 2, back on 25 October at 3
        ("22:00", "02:30", "03-28T23:00", "03-29T03:00"),
        ("22:00", "07:00", "10-24T23:00", "10-25T07:00"),
    ],
)
def test_the_end_of_quiet_hours(begin: str, end: str, moment: str, over: str | None) -> None:
    assert quiet_until(begin, end, ZAGREB, at(moment)) == (None if over is None else at(over))


def test_a_window_that_ends_in_a_repeated_hour_ends_twice() -> None:
    second_pass = datetime(2026, 10, 25, 1, 10, tzinfo=UTC)  # 02:10 for the second time
    assert quiet_until("22:00", "02:30", ZAGREB, second_pass) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_critical_messages_do_not_wait_for_the_end_of_quiet_hours() -> None:
    held = [quiet_until("22:00", "07:00", ZAGREB, at("11-16T23:00"), priority) is not None for priority in Priority]
    assert held == [priority is not Priority.CRITICAL for priority in Priority]


def test_without_a_window_it_is_never_quiet() -> None:
    assert quiet_until(None, None, ZAGREB, at("11-16T03:00")) is None
    assert quiet_until("22:00", None, ZAGREB, at("11-16T23:00")) is None


clocks = st.times().map(lambda moment: f"{moment:%H:%M}")


seconds = st.integers(0, 366 * 86_400)
moments = seconds.map(lambda passed: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=passed))


@given(clocks, clocks, moments)
def test_quiet_ends_ahead_and_within_a_day(begin: str, end: str, moment: datetime) -> None:
    over = quiet_until(begin, end, ZAGREB, moment)
    if over is not None:
        assert moment < over <= moment + timedelta(hours=25)
        assert f"{ZAGREB.localize(over):%H:%M}" in (end, "03:00")
