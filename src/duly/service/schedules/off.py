"""Why a schedule does not fire any more, in the words of all who show it: the one table."""

from __future__ import annotations

from typing import NamedTuple


class OffWords(NamedTuple):
    """What is said of a schedule that is switched off."""

    state: str
    """One word, by which lists are narrowed down."""
    short: str
    """For a column."""
    phrase: str
    """For a line of its own."""
    sentence: str


_WORDS = {
    "person": OffWords("paused", "paused", "paused", "It is paused."),
    "finished": OffWords("finished", "finished", "finished", "It is finished."),
    "file": OffWords("off", "off (duly.toml)", "off in duly.toml", "It is switched off in duly.toml."),
}
_UNKNOWN = OffWords("paused", "off", "off", "It is paused.")


def off_words(disabled_by: str | None) -> OffWords:
    """Give the words for a schedule that is off, by what switched it off."""
    return _WORDS.get(disabled_by or "", _UNKNOWN)
