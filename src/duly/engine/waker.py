"""Waiting by any clock: sleep that can be cut short, and answers that are not waited for longer than so long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from duly.clock import Clock
from duly.errors import StoreUnavailableError

T = TypeVar("T")


async def answered(clock: Clock, call: Callable[[], Awaitable[T]], within: float | None) -> T:
    """The answer to a call of the store; a `StoreUnavailableError` if it takes longer. None waits as long as it takes.

    With no time left, it is not called. What was called may take effect after it was given up.
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
