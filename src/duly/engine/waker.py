"""Waiting by any clock: a sleep that can be cut short, a limit for answers of the store, and pauses after failures."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from duly.clock import Clock
from duly.errors import StoreUnavailableError
from duly.model.events import STORE_RECOVERED, STORE_UNAVAILABLE
from duly.planning.lease import pause_after

T = TypeVar("T")


async def answered(clock: Clock, call: Callable[[], Awaitable[T]], within: float | None) -> T:
    """Call the store; raise `StoreUnavailableError` if it does not answer `within` so many seconds. None sets no limit.

    With no time left, the store is not called. A call that was given up may still take effect.
    """
    if within is None:
        return await call()
    if within <= 0:
        raise StoreUnavailableError("the store did not answer before: it was not asked again")
    answer = asyncio.ensure_future(call())
    late = False

    def give_up() -> None:
        nonlocal late
        late = True
        answer.cancel()

    call_off = clock.call_later(within, give_up)
    try:
        return await answer
    except asyncio.CancelledError:
        if late:
            raise StoreUnavailableError(f"the store did not answer within {within:g} s") from None
        raise
    finally:
        call_off()


class Waker:
    """One sleeper, and any number of callers that wake it. A call before the sleep ends that sleep at once."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._called = False
        self._waiting: asyncio.Future[None] | None = None
        self._until = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None

    async def sleep(self, seconds: float) -> None:
        """Sleep until a caller wakes it, at most so many seconds."""
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
        """Wake the sleeper. To be called in the event loop."""
        self._called = True
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def wake_before(self, seconds: float) -> None:
        """Wake the sleeper, unless it wakes by itself within so many seconds: then it finds the news."""
        if seconds <= 0 or self._waiting is None or self._until - self._clock.monotonic() > seconds:
            self.wake()

    def wake_within(self, seconds: float) -> None:
        """Wake the sleeper, unless it is awake or wakes by itself within so many seconds.

        For news that the sleeper looks for before it sleeps.
        """
        if self._waiting is not None and self._until - self._clock.monotonic() > seconds:
            self.wake()

    def wake_from_thread(self) -> None:
        """Wake the sleeper. May be called in any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.wake)


class Outage:
    """Failures of the store in a row: one event for all of them, with a growing pause before the next try."""

    def __init__(self, clock: Clock, tell: Callable[..., None]) -> None:
        self._clock = clock
        self._tell = tell
        self._since = 0.0
        self.failures = 0
        self.error: str | None = None

    def failed(self, error: Exception) -> float:
        """Count a failure; gives the seconds to wait before the next try."""
        if self.failures == 0:
            self._since = self._clock.monotonic()
            self._tell(STORE_UNAVAILABLE, error=f"{type(error).__name__}: {error}")
        self.failures += 1
        self.error = str(error) or type(error).__name__
        return pause_after(self.failures)

    def over(self) -> None:
        """End the outage: the store has answered."""
        if self.failures:
            self.failures = 0
            self.error = None
            self._tell(STORE_RECOVERED, seconds=self._clock.monotonic() - self._since)
