"""A sentence that says what and when: "stretch in 20 min", "tomorrow at 9 call the vet".

The longest end of the sentence that reads as a time is the time; without one, the longest beginning that does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from duly.errors import InvalidInputError, PhraseError
from duly.phrases import Phrase, parse
from duly.zones import Zone

LONGEST = 300
_MOST_WORDS = 40
_LONGEST_TIME = 14
"""Words of the longest time that is looked for."""
_LEAD = re.compile(r"^(?:please\s+)?remind\s+me\s+(?:to\s+|of\s+|about\s+)?", re.IGNORECASE)
_JOINT = re.compile(r"^(?:to|that|about|:)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence, taken apart."""

    text: str
    """What it is about."""
    phrase: Phrase
    """When."""


def read_saying(sentence: str, *, now: datetime, zone: Zone, prefer: str | None = None) -> Saying | None:
    """Take a sentence apart into a text and a time; None when it has no time, or nothing but a time."""
    words = _LEAD.sub("", " ".join(sentence.split())).split(" ")
    if len(sentence) > LONGEST or not 1 < len(words) <= _MOST_WORDS:
        return None
    if _read(" ".join(words), now, zone, prefer) is not None:
        return None  # nothing but a time
    shortest = max(1, len(words) - _LONGEST_TIME)
    for cut in range(shortest, len(words)):
        phrase = _read(" ".join(words[cut:]), now, zone, prefer)
        if phrase is not None:
            return Saying(_said(words[:cut]), phrase)
    for cut in range(min(len(words) - 1, _LONGEST_TIME), 0, -1):
        phrase = _read(" ".join(words[:cut]), now, zone, prefer)
        if phrase is not None:
            return Saying(_said(words[cut:]), phrase)
    return None


def _said(words: list[str]) -> str:
    text = _JOINT.sub("", " ".join(words)).strip(" ,:-—")
    return text or " ".join(words)


def _read(words: str, now: datetime, zone: Zone, prefer: str | None) -> Phrase | None:
    try:
        return parse(words, now=now, tz=zone, prefer=prefer)
    except (PhraseError, InvalidInputError):
        return None
