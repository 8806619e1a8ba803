"""Waiting for a condition instead of for a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds until a condition that should have come true counts as a failure: a loaded machine is no bug."""
_LOOK_EVERY = 0.05


def eventually(condition: Callable[[], T | None], what: str, within: float = PATIENCE) -> T:
    """Ask again and again until the answer is true; gives the answer."""
    deadline = time.monotonic() + within
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"still waiting for {what} after {within:g} s")
        time.sleep(_LOOK_EVERY)
    return answer
