"""Whether two words are forms of one: "vitamine" and "vitamins", "tabletu" and "tableta"."""

from __future__ import annotations

from duly.language.text import fold

_SHORTEST_STEM = 4


def is_form_of(word: str, other: str) -> bool:
    """Tell whether two folded words have the same stem; short words have to be equal."""
    stem = _stem(word)
    return word == other or (len(word) >= _SHORTEST_STEM and (other.startswith(stem) or _stem(other) == stem))


def _stem(folded: str) -> str:
    """Cut the ending of a long word, which changes with its case and number."""
    word = fold(folded)
    keep = max(_SHORTEST_STEM, len(word) - 2)
    return word[:keep] if len(word) > keep else word
