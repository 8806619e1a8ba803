"""Waiting for what cannot be left half done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
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
