"""The people whom reminders are for, and where they can be reached.

Reminders that are due at the same minute are often for the same person. Those that ask about a person at the same time
share one answer of the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Generic, TypeVar

from duly.planning.reach import INBOX, Endpoint, Route, route
from duly.ports.people import LOCAL_USER, People, User, UserChannel

T = TypeVar("T")


class Addressees:
    """Finds people and their channels."""

    def __init__(self, people: People) -> None:
        self._users = _Together[User | None](people.get)
        self._channels = _Together[list[UserChannel]](people.channels)

    async def user(self, user_id: str) -> User | None:
        """Find a person."""
        return await self._users.ask(user_id)

    async def route(self, user_id: str, wished: str | None) -> Route:
        """Choose the endpoints of a person, given the channel that a message wishes for."""
        own = [Endpoint(each.channel, each.address) for each in await self._channels.ask(user_id)]
        return route(own, Endpoint(INBOX, user_id), wished)


def local_user(now: datetime) -> User:
    """Give the local user, whom the store need not have."""
    return User(id=LOCAL_USER, name=LOCAL_USER, is_admin=True, created_at=now)


class _Together(Generic[T]):
    """Asks once for callers who ask for the same while the answer is on its way. It keeps no answer for later ones."""

    def __init__(self, ask: Callable[[str], Awaitable[T]]) -> None:
        self._ask = ask
        self._asked: dict[str, asyncio.Future[tuple[T] | None]] = {}

    async def ask(self, key: str) -> T:
        """Give the answer of a caller who asked for the same just before, or ask."""
        if (asked := self._asked.get(key)) is not None:
            # Shielded: a caller that is cancelled must not take the answer from the others.
            answer = await asyncio.shield(asked)
            return await self._ask(key) if answer is None else answer[0]
        mine: asyncio.Future[tuple[T] | None] = asyncio.get_running_loop().create_future()
        self._asked[key] = mine
        found: tuple[T] | None = None  # stays so after a fault or a cancellation: then each asks by itself
        try:
            found = (await self._ask(key),)
        finally:
            del self._asked[key]
            mine.set_result(found)
        return found[0]
