"""Running work again after text that is not UTF-8 was repaired; `repair.py` says how that is done."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from duly.stores.sqlite.executor import SqliteExecutor, Work
from duly.stores.sqlite.transaction import write_events

if TYPE_CHECKING:
    from pathlib import Path

    from duly.clock import Clock
    from duly.stores.sqlite.reopening import ReopeningExecutor

T = TypeVar("T")


class RepairingExecutor(SqliteExecutor):
    """Passes work to another executor, and repeats it once after it has repaired text that could not be read."""

    def __init__(self, executor: ReopeningExecutor, path: Path, clock: Clock) -> None:
        super().__init__(path)
        self._executor = executor
        self._clock = clock

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        try:
            return await self._executor.write(work, durable=durable)
        except UnicodeDecodeError:
            await self._repair()
        return await self._executor.write(work, durable=durable)

    async def read(self, work: Work[T]) -> T:
        try:
            return await self._executor.read(work)
        except UnicodeDecodeError:
            await self._repair()
        return await self._executor.read(work)

    async def close(self) -> None:
        await self._executor.close()

    async def _repair(self) -> None:
        from duly.stores.sqlite.repair import repair  # late: disks are seldom damaged

        now = self._clock.now()
        file = self._executor.file
        if file is None:
            return  # it was replaced: the next call raises the error
        events = repair(file, now) if self._executor.inline else await asyncio.to_thread(repair, file, now)
        if events:
            await self._executor.write(lambda connection: write_events(connection, events))
