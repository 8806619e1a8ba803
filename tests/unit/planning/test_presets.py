"""The snoozes that are offered: how they are written, when they are offered, and the moments that they mean."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.errors import InvalidInputError
from duly.planning.presets import (
    Preset,
    offers,
    read_day_parts,
    read_presets,
    snoozed_until,
    written_day_parts,
    written_presets,
)
from duly.zones import Zone

ZAGREB = Zone.of("Europe/Zagreb")
PRESETS = st.one_of(
    st.integers(1, 1440).map(lambda minutes: Preset(minutes=minutes)),
    st.sampled_from([Preset(part="evening"), Preset(part="tomorrow")]),
)
MOMENTS = st.integers(0, 366 * 24 * 60).map(
    lambda minutes: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
)


def at(hour: int, minute: int = 0, day: int = 16) -> datetime:
    """A moment of November 2026 on the clocks of Zagreb."""
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC) - timedelta(hours=1)


@pytest.mark.parametrize(
    ("hour", "offered"),
    [
        (10, {"10": at(10, 10), "60": at(11), "evening": at(19), "tomorrow": at(9, day=17)}),
        (18, {"10": at(18, 10), "60": at(19), "tomorrow": at(9, day=17)}),
        (23, {"10": at(23, 10), "60": at(0, day=17), "tomorrow": at(9, day=17)}),
        (1, {"10": at(1, 10), "60": at(2), "evening": at(19), "tomorrow": at(9, day=17)}),
    ],
)
def test_the_usual_snoozes_are_offered_while_they_make_sense(hour: int, offered: dict[str, datetime]) -> None:
    found = offers(read_presets(None), at(hour), ZAGREB, read_day_parts(None))
    assert {each.preset.code: each.until for each in found} == offered


def test_the_parts_of_a_persons_day_are_their_own() -> None:
    parts = read_day_parts("morning=6:30, evening=21:00")
    assert snoozed_until(Preset(part="tomorrow"), at(12), ZAGREB, parts) == at(6, 30, day=17)
    assert snoozed_until(Preset(part="evening"), at(12), ZAGREB, parts) == at(21)
    assert written_day_parts(parts) == "morning=06:30, evening=21:00"
    assert written_day_parts(read_day_parts(None)) is None


@given(st.lists(PRESETS, min_size=1, max_size=6, unique=True))
def test_presets_are_read_as_they_are_written(presets: list[Preset]) -> None:
    assert read_presets(written_presets(presets)) == tuple(presets)


@given(PRESETS, MOMENTS)
def test_a_snooze_ends_ahead_and_within_two_days(preset: Preset, now: datetime) -> None:
    until = snoozed_until(preset, now, ZAGREB, read_day_parts(None))
    assert timedelta(0) < until - now <= timedelta(days=2)


@pytest.mark.parametrize("text", ["", "soon", "10", "2d", "0m", "30s", "1m,2m,3m,4m,5m,6m,7m"])
def test_other_snoozes_are_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="snoozes must be"):
        read_presets(text)


@pytest.mark.parametrize("text", ["morning", "dawn=05:00", "morning=25:00", "evening=7"])
def test_other_parts_of_a_day_are_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="day_parts"):
        read_day_parts(text)
