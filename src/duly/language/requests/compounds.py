"""Words with hyphens that hold a number: "7-Uhr-Messung", "3-page report". Where a part is no time, none of it is."""

from __future__ import annotations

from collections.abc import Sequence

from duly.language.lexicon import kinds_of

_HYPHENS = ("-", "\u2010", "\u2011")


def parts_of_compounds(folded: Sequence[str], between: Sequence[str]) -> set[int]:
    """Return the places of numbers and words of time that are parts of such words.

    `between` is what stands before each word. "8-10" and "24-hour" are left: all their parts may be a time.
    """
    found: set[int] = set()
    first = 0
    for at in range(1, len(folded) + 1):
        if at < len(folded) and between[at] in _HYPHENS:
            continue
        compound = range(first, at)
        timely = {place for place in compound if folded[place][:1].isdecimal() or kinds_of(folded[place])}
        numbered = any(folded[place][:1].isdecimal() for place in compound)
        found |= timely if numbered and len(timely) < len(compound) else set()
        first = at
    return found
