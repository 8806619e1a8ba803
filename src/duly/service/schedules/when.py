"""When a schedule fires, in words: one sentence for those who read, and its parts for those who ask."""

from __future__ import annotations

import re
from typing import Self

_ONCE = "once "
_ZONE = re.compile(r" \(([\w+-]+(?:/[\w+-]+)*)\)$")
_UTC = "UTC"


class When(str):
    """A sentence such as "every day at 09:00 (Asia/Tokyo)".

    It is a text wherever a text is wanted, in JSON too. Faces that need more than the sentence ask it for its parts.
    """

    __slots__ = ("once", "rhythm", "zone")

    once: bool
    """Whether it names a single instant."""
    rhythm: str
    """The sentence without the zone at its end."""
    zone: str | None
    """The zone at its end."""

    def __new__(cls, rhythm: str, zone: str | None = None, *, once: bool = False) -> Self:
        ending = "" if zone is None else f" {_UTC}" if zone == _UTC else f" ({zone})"
        made = super().__new__(cls, rhythm + ending)
        made.once = once
        made.rhythm = rhythm
        made.zone = zone
        return made

    @classmethod
    def read(cls, sentence: str) -> Self:
        """Make it of a sentence that came as JSON from a daemon elsewhere: the reverse of writing it."""
        if sentence.startswith(_ONCE):
            return cls(sentence, once=True)
        if found := _ZONE.search(sentence):
            return cls(sentence[: found.start()], found[1])
        if sentence.endswith(f" {_UTC}"):
            return cls(sentence.removesuffix(f" {_UTC}"), _UTC)
        return cls(sentence)

    def cut(self, text: str) -> Self:
        """Give the beginning of the sentence that fits into a list."""
        return type(self)(text, once=self.once)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, handler: object) -> object:
        """Describe it as what it is in JSON: a text."""
        return handler(str)  # type: ignore[operator]
