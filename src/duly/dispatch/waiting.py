"""Waiting for what cannot be left half done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def uninterrupted(work: Awaitable[T]) -> T:
    """Wait for it to the end, even when asked to stop; that is then passed on."""
    task = asyncio.ensure_future(work)
    stopped: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            stopped = error
    if stopped is not None:
        task.exception()  # it does not matter any more
        raise stopped
    return task.result()
