"""Waiting for what cannot be left half done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager
from typing import TypeVar

T = TypeVar("T")


def _nothing() -> None:
    pass


async def uninterrupted(work: Awaitable[T], asked: Callable[[], None] = _nothing) -> T:
    """Wait for it to the end, even when asked to stop; that is told to `asked` at once, and passed on then."""
    task = asyncio.ensure_future(work)
    stopped: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            stopped = error
            asked()
    if stopped is not None:
        task.exception()  # it does not matter any more
        raise stopped
    return task.result()


@asynccontextmanager
async def entered(context: AbstractContextManager[T]) -> AsyncIterator[T]:
    """A context whose beginning and end block, such as a folder that is made and removed: both in a thread."""
    with ExitStack() as unless_in_thread:
        try:
            yield await uninterrupted(asyncio.to_thread(unless_in_thread.enter_context, context))
        finally:
            await uninterrupted(asyncio.to_thread(unless_in_thread.close))
