"""What tests of several folders share: how many cases a law is tried with, and the clock of a wrong machine."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime, timedelta
from math import ceil
from random import Random
from typing import TypeVar

from duly.clock import SystemClock

T = TypeVar("T")

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "repeatable")
"""Of the property tests: `repeatable` in `make test`, `quick` in `make quick`, `explore` in `make chaos`."""
EXPLORING = PROFILE == "explore"
_SHARES = {"quick": 0.05, "repeatable": 0.4, "explore": 4.0}


def tries(number: int) -> int:
    """Return how many cases of a law to try: the share of this number that the profile can afford, five at least."""
    return max(5, round(number * _SHARES.get(PROFILE, 1.0)))


def some(cases: Iterable[T], of: int) -> list[T]:
    """Return one in so many cases of a law, always the same ones; all of them in `make chaos`."""
    known = [*cases]
    return known if EXPLORING else Random(0).sample(known, ceil(len(known) / of))


class MachineClock(SystemClock):
    """The clocks of a machine whose wall clock is wrong."""

    def __init__(self, ahead: timedelta) -> None:
        self.ahead = ahead

    def now(self) -> datetime:
        return super().now() + self.ahead
