"""Random bits for ids, not for secrets: faster than the system's, and different in every process."""

from __future__ import annotations

import os
import random

_source = random.Random()  # noqa: S311  ids prove nothing

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_source.seed)


def random_bits(count: int) -> int:
    """Give so many random bits, as a number."""
    return _source.getrandbits(count)
