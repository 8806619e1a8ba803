"""What a doubtful sentence may mean, as every face hands it back: each reading says text and time apart.

A reading that comes back in this form is not audited again: its time is read whole, and its text is a text.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from duly.errors import DoubtfulSentenceError, PhraseError
from duly.language.requests import Doubt, Sentence
from duly.phrases import Phrase, describe, parse
from duly.recurrence import Once
from duly.service.reminders.timing import phrase_options
from duly.zones import Zone, iso


@dataclass(frozen=True, slots=True)
class Meaning:
    """One of the things that a sentence may mean."""

    message: str
    words: str
    """When, in words that are read whole, or an ISO time."""
    lang: str
    """The language of these words."""
    schedule: dict[str, Any]
    next_run_at: str | None
    options: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Give it as the body of a new reminder, with its words and its next time."""
        said = {"message": self.message, "schedule": self.schedule, "words": self.words}
        options = {name: list(value) if isinstance(value, tuple) else value for name, value in self.options.items()}
        return {**said, "next_run_at": self.next_run_at, **options}


def meaning_of(said: Sentence, zone: Zone, now: datetime) -> Meaning:
    """Say a reading so that it is read again as the same."""
    trigger = said.phrase.trigger
    lang = said.phrase.lang
    first = trigger.at if isinstance(trigger, Once) else trigger.get_next_occurrence(now)
    if isinstance(trigger, Once):
        words = zone.localize(trigger.at).replace(tzinfo=None).isoformat(timespec="seconds")
        schedule = {"type": "once", "at": iso(zone.localize(trigger.at))}
    else:
        words, lang = _words_of_series(said.phrase, zone, now)
        schedule = {"type": "smart", "text": words}
    return Meaning(said.text, words, lang, schedule, None if first is None else iso(first), phrase_options(said.phrase))


def _words_of_series(phrase: Phrase, zone: Zone, now: datetime) -> tuple[str, str]:
    """Say a series in the language in which it was read; in English where only that is read again as the same."""
    for lang in (phrase.lang, "en"):
        words = describe(phrase.trigger, lang, tz=zone)
        try:
            if parse(words, now=now, tz=zone, lang=lang).trigger == phrase.trigger:
                return words, lang
        except PhraseError:
            continue
    return phrase.text, phrase.lang


def doubt_error(text: str, doubt: Doubt, zone: Zone, now: datetime) -> DoubtfulSentenceError:
    """Make the error of a doubtful sentence, which holds its readings."""
    meanings = [meaning_of(each, zone, now) for each in doubt.readings]
    return DoubtfulSentenceError(
        f"text {text!r:.200} is not clear: {why(doubt)}{_choices(meanings)}",
        understood=doubt.understood,
        missed=doubt.missed,
        readings=[each.to_json() for each in meanings],
    )


def why(doubt: Doubt) -> str:
    """Say what was understood, and what was not."""
    if doubt.reason:
        return f"{doubt.missed!r}: {doubt.reason}"
    understood = (
        f"{doubt.understood!r} was understood as its time" if doubt.understood else "its time was not understood"
    )
    if doubt.missed:
        return f"{understood}, {doubt.missed!r} may belong to it and was not"
    return f"{understood}, and may mean several things"


def _choices(meanings: list[Meaning]) -> str:
    listed = "; ".join(f"{number}. {each.words}: {each.message}" for number, each in enumerate(meanings, 1))
    return f"; it may mean {listed}" if listed else "; say when in other words"
