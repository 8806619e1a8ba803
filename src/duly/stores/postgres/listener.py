"""Hints from other processes, over LISTEN and NOTIFY. Missing one costs a poll, never a fire."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import psycopg

from duly.errors import StoreUnavailableError
from duly.stores.postgres.address import Address
from duly.stores.postgres.connection import Session, connect

_CHECK_EVERY = 20.0  # seconds of silence after which the connection is checked
_PAUSE = 1.0


class Listener:
    """One connection that listens, in a task that connects again whenever it has to."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._callbacks: list[Callable[[], None]] = []
        self._task: asyncio.Task[None] | None = None
        self._session: Session | None = None
        self._stopping = False

    def add(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)
        if self._task is None:
            self._stopping = False
            self._task = asyncio.get_running_loop().create_task(self._listen_for_ever(), name="duly-postgres-listen")

    async def stop(self) -> None:
        """Stop listening, even if the server does not answer. Idempotent."""
        self._stopping = True
        while self._task is not None:
            if self._session is not None:
                self._session.sever()  # cancelled, the driver would ask the server first
            self._task.cancel()  # repeatedly: the end of a connection attempt may swallow a cancellation
            await asyncio.wait({self._task}, timeout=_PAUSE)
            if self._task.done():
                self._task = None

    async def _listen_for_ever(self) -> None:
        while not self._stopping:
            try:
                self._session = await connect(self._address)
            except StoreUnavailableError:
                await asyncio.sleep(_PAUSE)  # the engine meets the same error, and reports it
                continue
            try:
                await self._listen(self._session)
            except (psycopg.Error, OSError):
                await asyncio.sleep(_PAUSE)
            finally:
                session, self._session = self._session, None
                await session.close()

    async def _listen(self, session: Session) -> None:
        await session.run("LISTEN duly_changed")
        self._call()  # a hint may have been missed before the connection listened
        while True:
            # Not the whole time in the driver, which looks up from its waiting ten times a second.
            if await _is_readable(session.connection.fileno(), _CHECK_EVERY):
                await self._take(session, patience=_PAUSE)
            else:
                await session.run("SELECT 1")
                await self._take(session, patience=0)  # a hint that came with the answer

    async def _take(self, session: Session, patience: float) -> None:
        """Take the hints that have come."""
        heard = [each async for each in session.connection.notifies(timeout=patience, stop_after=1)]
        if heard:
            self._call()

    def _call(self) -> None:
        for callback in self._callbacks:
            callback()


async def _is_readable(fileno: int, patience: float) -> bool:
    """Wait until there is something to read; False if nothing came in time."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(fileno, ready.set)
    try:
        await asyncio.wait_for(ready.wait(), patience)
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(fileno)
    return True
