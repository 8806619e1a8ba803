"""Sleep that can be cut short."""

from __future__ import annotations

import asyncio

from duly.clock import Clock


class Waker:
    """One sleeper, any number of callers that wake it. A call while nobody sleeps is not lost."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._called = False
        self._waiting: asyncio.Future[None] | None = None
        self._until = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None

    async def sleep(self, seconds: float) -> None:
        """Wait for a call, but not longer than this."""
        self._loop = asyncio.get_running_loop()
        if not self._called and seconds > 0:
            self._waiting = self._loop.create_future()
            self._until = self._clock.monotonic() + seconds
            cancel = self._clock.call_later(seconds, self.wake)
            try:
                await self._waiting
            finally:
                cancel()
                self._waiting = None
        self._called = False

    def wake(self) -> None:
        """Wake the sleeper; from the event loop."""
        self._called = True
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def wake_within(self, seconds: float) -> None:
        """Wake the sleeper, unless it wakes by itself so soon, or is awake: for news it looks for before it sleeps."""
        if self._waiting is not None and self._until - self._clock.monotonic() > seconds:
            self.wake()

    def wake_from_thread(self) -> None:
        """Wake the sleeper; from anywhere."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.wake)
