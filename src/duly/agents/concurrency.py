"""Which targets of prompts may run at the same time: limited places, and one run at a time per session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count

from duly.planning.places import Pool, Ready, share_out


class PromptPlaces:
    """A limited number of places for targets, shared out between owners as an engine shares out its own.

    A prompt with many targets waits for many places, so first come, first served would let one owner hold them all.
    """

    def __init__(self, size: int, owner_share: float = 1.0) -> None:
        self.size = size
        self.owner_share = owner_share
        self._held: dict[str, int] = {}
        self._waiting: dict[str, tuple[Ready, asyncio.Future[None]]] = {}
        self._numbers = count()

    def change(self, size: int, owner_share: float) -> None:
        """Use other numbers from now on; a target that has a place keeps it."""
        self.size = size
        self.owner_share = owner_share
        self._share_out()

    @asynccontextmanager
    async def hold(self, lane: str) -> AsyncIterator[None]:
        """Wait for a place of a lane, and hold it for as long as the block lasts."""
        number = next(self._numbers)
        turn = asyncio.get_running_loop().create_future()
        self._waiting[str(number)] = (Ready(number, str(number), lane), turn)
        self._share_out()
        try:
            await turn
            yield
        finally:
            # Not waiting any more means that it has a place, perhaps since the moment in which it was cancelled.
            if self._waiting.pop(str(number), None) is None:
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


class NamedLocks:
    """Locks of this process by name: for runs, and for sessions, which two agents at once would spoil."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._wanted: dict[str, int] = {}

    @asynccontextmanager
    async def hold_session(self, find: Callable[[], Awaitable[str | None]]) -> AsyncIterator[str | None]:
        """Hold the session that `find` returns, for as long as the block lasts.

        It is looked up again under the lock: the run that held the lock may have pinned another session.
        """
        while True:
            session = await find()
            if session is None:
                yield None
                return
            async with self.hold(session):
                if session == await find():
                    yield session
                    return

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[None]:
        """Hold the lock of a name for as long as the block lasts; a lock exists only while it is wanted."""
        lock = self._locks.setdefault(name, asyncio.Lock())
        self._wanted[name] = self._wanted.get(name, 0) + 1
        try:
            async with lock:
                yield
        finally:
            self._wanted[name] -= 1
            if not self._wanted[name]:
                del self._wanted[name], self._locks[name]
