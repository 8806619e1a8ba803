"""Every face says in the words of one table why a schedule is off."""

from __future__ import annotations

import pytest

from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.off import off_words
from duly.service.schedules.views import state_in_words
from duly.service.schedules.when import When
from duly.web.about import pill_of


@pytest.mark.parametrize(
    ("disabled_by", "state", "short", "phrase", "pill"),
    [
        ("person", "paused", "paused", "paused", "Paused"),
        ("finished", "finished", "finished", "finished", "Finished"),
        ("file", "off", "off (duly.toml)", "off in duly.toml", "Off in duly.toml"),
        (None, "paused", "off", "off", "Paused"),
    ],
)
def test_a_schedule_that_is_off(disabled_by: str | None, state: str, short: str, phrase: str, pill: str) -> None:
    words = off_words(disabled_by)
    assert (words.state, words.short, words.phrase) == (state, short, phrase)
    view = ScheduleView(
        id="s", name="n", namespace="d", enabled=False, when=When("w"), dispatch_mode="job", disabled_by=disabled_by,
        state=words.state,
    )  # fmt: skip
    assert state_in_words(view) == short
    assert state_in_words(view, "failing") == f"{short}, failing"
    assert pill_of(view) == pill
