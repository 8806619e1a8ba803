"""Work on many rows, a page at a time, each page in a transaction of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

Row = TypeVar("Row")


async def page_by_page(
    read: Callable[[str], Awaitable[Sequence[Row]]],
    use: Callable[[Sequence[Row]], Awaitable[int]],
    key: Callable[[Row], str],
) -> int:
    """Read the rows after a key and use them, until there are none; gives the sum of what `use` gives.

    The next page begins after the last row of the one before, so a row that `use` leaves as it was is not read twice.
    """
    after, total = "", 0
    while page := await read(after):
        total += await use(page)
        after = key(page[-1])
    return total
