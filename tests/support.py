"""A clock for tests of machines whose wall clock is wrong."""

from __future__ import annotations

from datetime import datetime, timedelta

from duly.clock import SystemClock


class MachineClock(SystemClock):
    """The clocks of a machine whose wall clock is wrong."""

    def __init__(self, ahead: timedelta) -> None:
        self.ahead = ahead

    def now(self) -> datetime:
        return super().now() + self.ahead
