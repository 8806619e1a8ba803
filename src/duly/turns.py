"""Turns: deals a few places out among callers who want more of them than there are.

Each caller waits in a line of their own, and the lines take turns: however much one caller asks for, another one waits
at most until the next place is free.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

Item = TypeVar("Item")


class TurnLines(Generic[Item]):
    """Places, who holds how many of them, and what waits for one."""

    def __init__(self, places: int, of_one: int) -> None:
        """`of_one` is the number of places that one caller may hold."""
        self._free = places
        self._of_one = of_one
        self._held: Counter[str] = Counter()
        self._lines: dict[str, deque[Item]] = {}
        """What waits, by caller: first the caller whose turn is next."""

    def take(self, who: str, item: Item) -> bool:
        """Take a place for an item; false if it waits in the line of its caller."""
        if self._free and self._held[who] < self._of_one:
            self._free -= 1
            self._held[who] += 1
            return True
        self._lines.setdefault(who, deque()).append(item)
        return False

    def give_back(self, who: str) -> tuple[str, Item] | None:
        """Give a place back; returns the item that has it from now on, and its caller."""
        self._free += 1
        self._held[who] -= 1
        if not self._held[who]:
            del self._held[who]
        following = next((each for each in self._lines if self._held[each] < self._of_one), None)
        if following is None:
            return None
        line = self._lines.pop(following)
        item = line.popleft()
        if line:
            self._lines[following] = line  # behind the others: it is their turn
        self._free -= 1
        self._held[following] += 1
        return following, item

    def leave(self, who: str, item: Item) -> bool:
        """Take an item out of its line; false if it does not wait there any more."""
        line = self._lines.get(who)
        if line is None or item not in line:
            return False
        line.remove(item)
        if not line:
            del self._lines[who]
        return True


class SharedPlaces:
    """Places that tasks hold during a block."""

    def __init__(self, places: int, of_one: int) -> None:
        """`of_one` is the number of places that one caller may hold."""
        self._turns: TurnLines[asyncio.Future[None]] = TurnLines(places, of_one)

    @asynccontextmanager
    async def place(self, who: str) -> AsyncIterator[None]:
        """Hold a place during the block, once it is the turn of this caller."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        await self.wait_for(who, turn)
        try:
            yield
        finally:
            self.give_back(who)

    async def wait_for(self, who: str, turn: asyncio.Future[None]) -> None:
        """Wait for a place; with an error that is set to `turn`, or when the task is cancelled, there is none."""
        if self._turns.take(who, turn):
            return
        try:
            await turn
        except BaseException:
            if not self._turns.leave(who, turn):
                self.give_back(who)
            raise

    def give_back(self, who: str) -> None:
        """Give a place back, to the task whose turn it is."""
        following = self._turns.give_back(who)
        if following is not None and not following[1].done():  # one that was cancelled just now gives it back itself
            following[1].set_result(None)
