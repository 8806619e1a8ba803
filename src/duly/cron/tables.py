"""Tables that answer "which named value comes next?" with one look-up, in either direction.

A field is an integer whose bits are its values. Finding the next bit takes four operations on integers, a table takes
one, and all expressions with the same field share it. An expression gets its tables when it is first asked, not when it
is read.
"""

from __future__ import annotations

from datetime import time, timedelta
from functools import cache, lru_cache

Table = tuple[int, ...]

CLOCK = tuple(tuple(time(hour, minute) for minute in range(60)) for hour in range(24))
"""The minutes of a day: `CLOCK[9][30]` is 09:30."""
DAYS = tuple(timedelta(days=number) for number in range(32))
"""Numbers of days as spans: adding one to a datetime is several times cheaper than making a datetime."""
SECONDS = tuple(timedelta(seconds=number) for number in range(60))


def values(bits: int) -> tuple[int, ...]:
    """List the numbers of the bits that are set."""
    return tuple(number for number in range(bits.bit_length()) if bits >> number & 1)


@lru_cache(maxsize=4096)
def ahead(bits: int, size: int) -> Table:
    """Give, for each number from 0 to `size`, the first value that is not below it; -1 where there is none."""
    table: list[int] = []
    for value in values(bits):
        table += [value] * (value + 1 - len(table))
    return tuple(table + [-1] * (size + 1 - len(table)))


@lru_cache(maxsize=4096)
def behind(bits: int, size: int) -> Table:
    """Give, for each number from 0 to `size`, the last value below it; -1 where there is none."""
    table: list[int] = []
    last = -1
    for value in values(bits):
        table += [last] * (value + 1 - len(table))
        last = value
    return tuple(table + [last] * (size + 1 - len(table)))


@cache
def week_ahead(weekdays: int) -> Table:
    """Give, for each weekday from 0 to 7 (both Sunday), the number of days until the next one that is named: 1 to 7."""
    following = ahead(weekdays | weekdays << 7 | weekdays << 14, 14)
    return tuple(following[weekday + 1] - weekday for weekday in range(8))


@cache
def week_behind(weekdays: int) -> Table:
    """Give, for each weekday from 0 to 8 (Sunday is 0 and 7), the number of days since the last one before: 1 to 7."""
    preceding = behind(weekdays | weekdays << 7 | weekdays << 14, 15)
    return tuple(weekday + 7 - preceding[weekday + 7] for weekday in range(9))
