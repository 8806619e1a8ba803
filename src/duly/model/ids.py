"""Names for things: sortable by time, fit to log, and never a proof of anything.

An id is a prefix and a UUID of version 7 (RFC 9562) as 32 hexadecimal digits.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

RandomBits = Callable[[int], int]
"""`duly.entropy.random_bits` in production, a seeded generator in the simulator."""

SCHEDULE = "sched_"
RUN = "run_"
TOKEN = "tok_"  # noqa: S105  a prefix, not a secret
NODE = "node_"


def make_id(prefix: str, now: datetime, random_bits: RandomBits) -> str:
    """A fresh id that sorts by the millisecond it was made in."""
    milliseconds = int(now.timestamp() * 1000) & 0xFFFF_FFFF_FFFF
    noise = random_bits(74)
    number = milliseconds << 80 | 0x7 << 76 | (noise >> 62) << 64 | 0b10 << 62 | (noise & (1 << 62) - 1)
    return f"{prefix}{number:032x}"
