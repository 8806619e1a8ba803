"""Batches: what many callers ask for at the same time is answered together."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from duly.jobs.waiting import uninterrupted

Item = TypeVar("Item")
Answer = TypeVar("Answer")
MOST = 500
_LONGEST_GATHERING = 10
"""Turns of the event loop that the first caller waits for others at most."""


class Batches(Generic[Item, Answer]):
    """Gathers what callers ask for, and answers one batch after the other: while one is on its way, the next grows."""

    def __init__(self, answer: Callable[[list[Item]], Awaitable[Sequence[Answer]]], most: int = MOST) -> None:
        """`answer` gives an answer to each item of a batch, in order; what it raises is raised to all its callers."""
        self._answer = answer
        self._most = most
        self._waiting: deque[tuple[Item, asyncio.Future[Answer]]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._on_its_way: asyncio.Future[None] | None = None
        """Done when the batch on its way is."""

    async def ask(self, item: Item) -> Answer:
        """Wait for the answer. A caller that is cancelled leaves at once, unless its batch is on its way."""
        loop = asyncio.get_running_loop()
        asked: asyncio.Future[Answer] = loop.create_future()
        self._waiting.append((item, asked))
        if self._task is None:
            self._task = loop.create_task(self._work())
        try:
            return await asked
        except asyncio.CancelledError:
            waits = any(each is asked for _, each in self._waiting)
            if not waits and self._on_its_way is not None:
                await uninterrupted(self._on_its_way)
            raise

    async def _work(self) -> None:
        try:
            while self._waiting:
                await self._gather()
                number = min(self._most, len(self._waiting))
                batch = [self._waiting.popleft() for _ in range(number)]
                if batch := [each for each in batch if not each[1].done()]:
                    self._on_its_way = asyncio.get_running_loop().create_future()
                    try:
                        await self._answer_all(batch)
                    finally:
                        self._on_its_way.set_result(None)
                        self._on_its_way = None
        finally:
            self._task = None

    async def _gather(self) -> None:
        """Let callers come that are about to ask: an engine begins many runs in a few turns of the event loop."""
        for _ in range(_LONGEST_GATHERING):
            before = len(self._waiting)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            if len(self._waiting) in (before, self._most):
                return

    async def _answer_all(self, batch: Sequence[tuple[Item, asyncio.Future[Answer]]]) -> None:
        try:
            answers = await self._answer([item for item, _ in batch])
        except asyncio.CancelledError:
            for _, asked in batch:
                asked.cancel()
            raise
        except Exception as error:
            for asked in (asked for _, asked in batch if not asked.done()):
                asked.set_exception(error)
                asked.exception()  # its caller may be gone, and asyncio would log an error that is never looked at
            return
        for (_, asked), answer in zip(batch, answers, strict=True):
            if not asked.done():
                asked.set_result(answer)
