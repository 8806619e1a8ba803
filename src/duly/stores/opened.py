"""A store that is opened once and closed once, whoever asks for it and how often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from duly.ports.store import Store


class OpenedStore:
    """Knows whether a store is open, and keeps it open while it is in use."""

    def __init__(self, store: Store, in_use: Callable[[], bool]) -> None:
        self._store = store
        self._in_use = in_use
        self._is_open = False
        self._closing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        if not self._is_open:
            await self._store.open()
            self._is_open = True

    async def close(self) -> None:
        """Close it unless it is in use; one who asks while it is being closed waits for the same end."""
        if self._is_open and not self._in_use():
            self._is_open = False
            self._closing = asyncio.get_running_loop().create_task(self._store.close())
        if (closing := self._closing) is not None:
            try:
                await asyncio.shield(closing)
            finally:
                if closing.done():
                    self._closing = None
