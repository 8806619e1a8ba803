"""Ids: sortable by time and fit for logs. An id is no secret: knowing one gives no access.

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
NO_AUTH_TOKEN = "tok_no_auth"  # noqa: S105  an id, not a secret
"""The token that stands for everyone without one while a daemon asks for none (`--no-auth`), and is revoked after."""
_COUNTED = 15  # hexadecimal digits at the end that count


def make_id(prefix: str, now: datetime, random_bits: RandomBits) -> str:
    """Make an id that sorts by the millisecond it was made in."""
    milliseconds = int(now.timestamp() * 1000) & 0xFFFF_FFFF_FFFF
    noise = random_bits(74)
    # RFC 9562: 48 bits of time, the version (7), 12 random bits, the variant (0b10), 62 random bits
    number = milliseconds << 80 | 0x7 << 76 | (noise >> 62) << 64 | 0b10 << 62 | (noise & (1 << 62) - 1)
    return f"{prefix}{number:032x}"


def make_ids(prefix: str, now: datetime, random_bits: RandomBits) -> Iterator[str]:
    """Make ids, each sorting after the one before: a store writes rows fastest in the order of their keys."""
    first = make_id(prefix, now, random_bits)
    head = first[:-_COUNTED]
    noise = int(first[-_COUNTED:], 16)
    for number in count(noise >> 1):  # starts in the lower half of the range, so that counting up cannot overflow it
        yield f"{head}{number:0{_COUNTED}x}"
