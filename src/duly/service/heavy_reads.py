"""Heavy reads take turns: searches, and what works out the times of many schedules.

A search keeps a reader of the store busy, and times are worked out on the event loop, a few milliseconds at a time. So
a caller may have two heavy reads under way; more wait for a moment in a line of that caller. All of them together leave
one reader of the store, and most of the time of the event loop, to those who ask for little.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from duly.errors import TooManyRequestsError
from duly.ports.reading import READERS
from duly.turns import SharedPlaces

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.service.access.scopes import Caller

OF_ALL = READERS - 1
"""Heavy reads that are under way at once."""
OF_ONE = 2
"""Those of them that one caller may have."""
PATIENCE = 5.0
"""Seconds that another one waits for its turn."""
RETRY_AFTER = 1


class HeavyReads:
    """Says who may read much now. A process has one of these for each store."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._room = SharedPlaces(OF_ALL, OF_ONE)

    def place(self, caller: Caller) -> AbstractAsyncContextManager[None]:
        """Read during the block. Raises `TooManyRequestsError` if the caller's other heavy reads take too long."""
        return self.place_of(caller.name)

    @asynccontextmanager
    async def place_of(self, name: str) -> AsyncIterator[None]:
        """Read during the block, as the caller of that name."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def is_late() -> None:
            if not turn.done():
                turn.set_exception(
                    TooManyRequestsError(
                        f"{name} has {OF_ONE} heavy reads under way (searches, or times of many schedules) and "
                        f"more are waiting, and this one has waited {PATIENCE:g} seconds for its turn: wait until the "
                        f"others are over, or ask for less",
                        RETRY_AFTER,
                    )
                )

        cancel = self._clock.call_later(PATIENCE, is_late)
        try:
            await self._room.wait_for(name, turn)
        finally:
            cancel()
        try:
            yield
        finally:
            self._room.give_back(name)
