"""A time limit by any clock: like `asyncio.timeout`, which only knows the machine's."""

from __future__ import annotations

import asyncio
from types import TracebackType

from duly.clock import Cancel, Clock
from duly.errors import RunTimeoutError


class Deadline:
    """Cancels the task inside when the time is up, and turns that into a `RunTimeoutError`."""

    def __init__(self, clock: Clock, seconds: float | None) -> None:
        self._clock = clock
        self._seconds = seconds
        self._expired = False
        self._call_off: Cancel | None = None

    async def __aenter__(self) -> None:
        self._task = asyncio.current_task()
        if self._seconds is not None and self._task is not None:
            self._cancelling = self._task.cancelling()
            self._call_off = self._clock.call_later(self._seconds, self._expire)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._call_off is not None:
            self._call_off()
        if self._expired and self._task is not None and self._seconds is not None:
            nobody_else_asked = self._task.uncancel() <= self._cancelling
            if nobody_else_asked and kind is asyncio.CancelledError:
                raise RunTimeoutError(self._seconds) from error

    def _expire(self) -> None:
        self._expired = True
        if self._task is not None:
            self._task.cancel()
