"""Waiting: a time limit by any clock, and waits that a cancellation must not cut short."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager
from types import TracebackType
from typing import TypeVar

from duly.clock import Cancel, Clock
from duly.errors import RunTimeoutError

T = TypeVar("T")


class Deadline:
    """A time limit for a block, like `asyncio.timeout`, but by a `Clock`, so that it holds on virtual time too.

    When the time is up it cancels the task inside, and turns that cancellation into a `RunTimeoutError`.
    """

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
            # `uncancel` counts: if more cancellations are left than at the start, another caller wants the task to
            # stop as well, and that is not to be hidden behind a timeout.
            only_ours = self._task.uncancel() <= self._cancelling
            if only_ours and kind is asyncio.CancelledError:
                raise RunTimeoutError(self._seconds) from error

    def _expire(self) -> None:
        self._expired = True
        if self._task is not None:
            self._task.cancel()


def _nothing() -> None:
    pass


async def uninterrupted(work: Awaitable[T], on_cancel: Callable[[], None] = _nothing) -> T:
    """Wait for work to its end, even when cancelled meanwhile; the cancellation is raised after the end.

    `on_cancel` is called at once when a cancellation comes.
    """
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
            on_cancel()
    if cancelled is not None:
        task.exception()  # asyncio would log an error that is never looked at
        raise cancelled
    return task.result()


@asynccontextmanager
async def entered(context: AbstractContextManager[T]) -> AsyncIterator[T]:
    """Enter and leave a context that blocks, such as a folder that is made and removed, in a thread."""
    with ExitStack() as unless_in_thread:
        try:
            yield await uninterrupted(asyncio.to_thread(unless_in_thread.enter_context, context))
        finally:
            await uninterrupted(asyncio.to_thread(unless_in_thread.close))
