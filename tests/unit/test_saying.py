"""Sentences that say what and when."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from duly.service.reminders.saying import read_saying
from duly.zones import Zone

NOW = datetime(2027, 3, 26, 13, 32, tzinfo=UTC)
BERLIN = Zone.of("Europe/Berlin")


@pytest.mark.parametrize(
    ("sentence", "text", "time"),
    [
        ("stretch in 20 min", "stretch", "in 20 min"),
        ("remind me to stretch in 20 min", "stretch", "in 20 min"),
        ("call the vet tomorrow at 9", "call the vet", "tomorrow at 9"),
        ("tomorrow at 9 call the vet", "call the vet", "tomorrow at 9"),
        ("take medicine every day at 8", "take medicine", "every day at 8"),
        ("Vitamine jeden Morgen um 8", "Vitamine", "jeden Morgen um 8"),
    ],
)
def test_a_sentence_is_taken_apart(sentence: str, text: str, time: str) -> None:
    said = read_saying(sentence, now=NOW, zone=BERLIN)
    assert said is not None
    assert said.text == text
    assert said.phrase.text == time


@pytest.mark.parametrize("sentence", ["", "stretch", "in 20 min", "pause backup-db", "a " * 200, "x" * 1000])
def test_a_sentence_without_text_or_time_is_none(sentence: str) -> None:
    assert read_saying(sentence, now=NOW, zone=BERLIN) is None
