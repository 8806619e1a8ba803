"""A length of time means the same at every door, because one function reads it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from duly.agents.limits import ResetForm, limit_reset
from duly.model.checks import seconds_in
from duly.planning.presets import read_presets
from duly.service.reminders.requests import read_length
from duly.service.schedules import values
from duly.web.edit_reminder import EMPTY, raw

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


def _of_an_agent(text: str) -> float:
    reset = limit_reset(text, NOW, "UTC", ResetForm.LENGTH)
    assert reset is not None
    return (reset - NOW).total_seconds()


DOORS: dict[str, Callable[[str], float | None]] = {
    "every reader": seconds_in,
    "a schedule": lambda text: values.duration(text, "timeout").total_seconds(),
    "a reminder": lambda text: read_length(text, "every").total_seconds(),
    "a preset": lambda text: (read_presets(text)[0].minutes or 0) * 60.0,
    "an agent": _of_an_agent,
    "the editor": lambda text: raw({**EMPTY, "nag_minutes": text})["nag_minutes"] * 60.0,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("text", "length"), [("90m", timedelta(hours=1.5)), ("1h30m", timedelta(hours=1.5))])
def test_a_length_means_the_same_at_every_door(door: str, text: str, length: timedelta) -> None:
    assert DOORS[door](text) == length.total_seconds()


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("", None), ("15", 15), ("15 min", 15), ("2 hours", 120), ("1 h 30 min", 90), ("90s", "90s"), ("soon", "soon")],
)
def test_the_editor_takes_minutes_without_a_unit_and_leaves_the_rest_as_it_was_typed(
    text: str, minutes: int | str | None
) -> None:
    assert raw({**EMPTY, "nag_minutes": text})["nag_minutes"] == minutes


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("about an hour and 5 mins.", 3900), ("2 days, 3 hrs", 183_600), ("1 wk", 604_800), ("1500 milliseconds", 1.5)],
)
def test_the_words_of_an_agent_are_read_as_well(text: str, seconds: float) -> None:
    assert _of_an_agent(text) == seconds
