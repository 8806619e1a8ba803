"""One run at a time on a session: two agents that write one conversation would spoil it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager


class Locks:
    """Who holds which session, or run, in this process."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._wanted: dict[str, int] = {}

    @asynccontextmanager
    async def hold(self, find: Callable[[], Awaitable[str | None]]) -> AsyncIterator[str | None]:
        """The session that `find` gives, for as long as the block lasts.

        It is looked up again once it is ours: whoever had it before may have moved on to another.
        """
        while True:
            session = await find()
            if session is None:
                yield None
                return
            async with self.hold_one(session):
                if session == await find():
                    yield session
                    return

    @asynccontextmanager
    async def hold_one(self, name: str) -> AsyncIterator[None]:
        """What is meant by a name, for as long as the block lasts."""
        lock = self._locks.setdefault(name, asyncio.Lock())
        self._wanted[name] = self._wanted.get(name, 0) + 1
        try:
            async with lock:
                yield
        finally:
            self._wanted[name] -= 1
            if not self._wanted[name]:
                del self._wanted[name], self._locks[name]
