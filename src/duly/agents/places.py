"""Places for the targets of prompts: how many run at once, and whose turn it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

from duly.planning.places import Pool, Ready, share_out


class Places:
    """So many places, shared out between owners as an engine shares out its own.

    A prompt with many targets waits for many places, so first come, first served would let one owner hold them all.
    """

    def __init__(self, size: int, owner_share: float = 1.0) -> None:
        self.size = size
        self.owner_share = owner_share
        self._held: dict[str, int] = {}
        self._waiting: dict[str, tuple[Ready, asyncio.Future[None]]] = {}
        self._numbers = count()

    def change(self, size: int, owner_share: float) -> None:
        """Let other numbers hold from now on; what has a place keeps it."""
        self.size = size
        self.owner_share = owner_share
        self._share_out()

    @asynccontextmanager
    async def hold(self, lane: str) -> AsyncIterator[None]:
        """A place for as long as the block lasts, when it is this lane's turn."""
        number = next(self._numbers)
        turn = asyncio.get_running_loop().create_future()
        self._waiting[str(number)] = (Ready(number, str(number), lane), turn)
        self._share_out()
        try:
            await turn
            yield
        finally:
            if self._waiting.pop(str(number), None) is None:  # it got a place, perhaps in the moment it was cancelled
                self._held[lane] -= 1
                if not self._held[lane]:
                    del self._held[lane]
                self._share_out()

    def _share_out(self) -> None:
        pool = Pool(handlers=(), size=self.size, held=self._held, owner_share=self.owner_share)
        for name in share_out(pool, [ready for ready, _ in self._waiting.values()]):
            ready, turn = self._waiting.pop(name)
            self._held[ready.lane] = self._held.get(ready.lane, 0) + 1
            if not turn.done():
                turn.set_result(None)
