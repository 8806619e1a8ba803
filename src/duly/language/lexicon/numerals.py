"""Number words that follow from others."""

from __future__ import annotations

from collections.abc import Sequence


def tens_and_units(tens: Sequence[str], units: Sequence[str], *joined: str) -> dict[float, str]:
    """20 to 99: the tens as they are, the rest put together from `{ten}` and `{unit}` in each of some ways."""
    found: dict[float, str] = {}
    for index, ten in enumerate(tens, 2):
        found[index * 10] = ten
        for value, unit in enumerate(units[1:], 1):
            found[index * 10 + value] = "|".join(way.format(ten=ten, unit=unit) for way in joined)
    return found
