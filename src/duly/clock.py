"""Three clocks, because three questions: is it due, how long did it take, is its owner still alive.

Wall time may jump, monotonic time may pause while the machine sleeps, boot time does neither. Everything that
needs time is handed a `Clock`; nothing else in duly reads one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

Cancel = Callable[[], None]


class Clock(Protocol):
    """What time is it? Real in production, virtual in tests."""

    def now(self) -> datetime:
        """Wall time, in UTC: decides what is due."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards: measure how long something took."""
        ...

    def boottime(self) -> float:
        """Seconds since boot, time asleep included: decide whether a lease ran out."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait, by this clock."""
        ...

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Cancel:
        """Call back after a while, in the running event loop; what it gives calls that off."""
        ...


class SystemClock:
    """The clocks of the machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def boottime(self) -> float:
        return time.clock_gettime(_BOOTTIME) if _BOOTTIME is not None else time.monotonic()

    async def sleep(self, seconds: float) -> None:
        import asyncio  # late: the command line asks for the time and never waits

        await asyncio.sleep(seconds)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Cancel:
        import asyncio

        return asyncio.get_running_loop().call_later(seconds, callback).cancel


# Only Linux tells the time since boot with sleep counted in; elsewhere monotonic time is the closest there is.
_BOOTTIME: int | None = getattr(time, "CLOCK_BOOTTIME", None)
