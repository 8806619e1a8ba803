"""Slips of the finger in one word: two letters swapped, one left out, one doubled, or a neighbouring key.

Only long words are compared, and a slip changes neither the first nor the last letter, nor hits another key in the
ending: in most languages the ending alone tells "I am taking it" from "I took it", and a wrong guess there would cost
the deed.
"""

from __future__ import annotations

from collections.abc import Iterable

_SHORTEST = 6
_ENDING = 2
_ROWS = ("qwertzuiop", "asdfghjkl", "yxcvbnm"), ("qwertyuiop", "asdfghjkl", "zxcvbnm")
"""The German and the English keyboard, which differ in two letters."""


def _neighbours() -> frozenset[tuple[str, str]]:
    """Return the pairs of letters whose keys touch."""
    pairs: set[tuple[str, str]] = set()
    for rows in _ROWS:
        keys = {
            letter: (column + row * 0.5, row) for row, line in enumerate(rows) for column, letter in enumerate(line)
        }
        for one, (column, row) in keys.items():
            for other, (beside, line) in keys.items():
                if one != other and abs(column - beside) <= 1 and abs(row - line) <= 1:
                    pairs.add((one, other))
    return frozenset(pairs)


_TOUCH = _neighbours()


class LongWords:
    """The words among which a mistyped one is looked for."""

    def __init__(self, words: Iterable[str]) -> None:
        self._by_outline: dict[tuple[str, str], list[str]] = {}
        """By their first and their last letter, which a slip leaves as they are."""
        for word in words:
            if len(word) >= _SHORTEST:
                self._by_outline.setdefault((word[0], word[-1]), []).append(word)

    def meant_by(self, typed: str) -> list[str]:
        """Return the words of which one slip makes the typed one; none for a short one."""
        if len(typed) < _SHORTEST:
            return []
        return [word for word in self._by_outline.get((typed[0], typed[-1]), ()) if is_slip(typed, word)]


def is_slip(typed: str, meant: str) -> bool:
    """Tell whether one slip makes `typed` of `meant`; the two share their first and their last letter."""
    difference = len(typed) - len(meant)
    if difference not in (-1, 0, 1):
        return False
    start = 0
    while start < min(len(typed), len(meant)) and typed[start] == meant[start]:
        start += 1
    rest_typed = typed[start:]
    rest_meant = meant[start:]
    if difference == -1:
        return rest_typed == rest_meant[1:]
    if difference == 1:
        extra = rest_typed[:1]
        sides = {typed[start - 1], rest_typed[1:2]}
        return rest_typed[1:] == rest_meant and any(extra == side or (extra, side) in _TOUCH for side in sides)
    if rest_typed[2:] == rest_meant[2:] and rest_typed[:2] == rest_meant[1::-1]:
        return len(rest_typed) > 1
    return len(rest_typed) > _ENDING and rest_typed[1:] == rest_meant[1:] and (rest_typed[:1], rest_meant[:1]) in _TOUCH
