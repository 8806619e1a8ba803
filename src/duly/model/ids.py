"""Names for things: sortable by time, fit to log, and never a proof of anything.

An id is a prefix and a UUID of version 7 (RFC 9562) as 32 hexadecimal digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import count

RandomBits = Callable[[int], int]
"""`duly.entropy.random_bits` in production, a seeded generator in the simulator."""

SCHEDULE = "sched_"
RUN = "run_"
TOKEN = "tok_"  # noqa: S105  a prefix, not a secret
NODE = "node_"
_COUNTED = 15  # hexadecimal digits at the end that count


def make_id(prefix: str, now: datetime, random_bits: RandomBits) -> str:
    """A fresh id that sorts by the millisecond it was made in."""
    milliseconds = int(now.timestamp() * 1000) & 0xFFFF_FFFF_FFFF
    noise = random_bits(74)
    number = milliseconds << 80 | 0x7 << 76 | (noise >> 62) << 64 | 0b10 << 62 | (noise & (1 << 62) - 1)
    return f"{prefix}{number:032x}"


def make_ids(prefix: str, now: datetime, random_bits: RandomBits) -> Iterator[str]:
    """Fresh ids, each sorting after the one before: rows that come in the order of their keys are written quickest."""
    first = make_id(prefix, now, random_bits)
    head, noise = first[:-_COUNTED], int(first[-_COUNTED:], 16)
    for number in count(noise >> 1):  # half the range is left to count in
        yield f"{head}{number:0{_COUNTED}x}"
