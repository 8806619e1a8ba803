"""Forms of words: each a tuple of folded words, in sets that are looked for at a place of a text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

Form = tuple[str, ...]
"""The folded words of one form."""


@lru_cache(maxsize=1024)
def _lengths(forms: frozenset[Form]) -> tuple[int, ...]:
    return tuple(sorted({len(form) for form in forms}, reverse=True))


def longest(forms: frozenset[Form], words: Sequence[str], at: int = 0) -> int:
    """Return how many words the longest form has that stands at a place; 0 for none."""
    left = len(words) - at
    return next((size for size in _lengths(forms) if size <= left and tuple(words[at : at + size]) in forms), 0)


def longest_end(forms: frozenset[Form], words: Sequence[str], end: int) -> int:
    """Return how many words the longest form has that ends before a place; 0 for none."""
    return next((size for size in _lengths(forms) if size <= end and tuple(words[end - size : end]) in forms), 0)
