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
            async for _ in session.connection.notifies(timeout=_CHECK_EVERY):
                self._call()
            await session.run("SELECT 1")

    def _call(self) -> None:
        for callback in self._callbacks:
            callback()
