"""Hints from other processes, over LISTEN and NOTIFY. Missing one costs a poll, never a fire.

To listen, a connection must stay with one server. Through a pooler it need not: then hints are heard at the second
address that the settings name, or not at all, and everyone is called each second instead.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import psycopg

from duly.errors import StoreUnavailableError
from duly.stores.postgres.address import Address
from duly.stores.postgres.connection import Session, connect
from duly.stores.postgres.transaction import SQL

_log = logging.getLogger("duly")
_CHECK_EVERY = 20.0  # seconds of silence after which the connection is checked
_PAUSE = 1.0
_LOOKS = 3
_UNTIL_THEN = "Until then duly looks for the changes of other processes each second"

Whereabouts = tuple[Any, ...]
"""Which running server answers, and which of its databases."""


class _UnfitError(Exception):
    """The second address cannot be listened at; the message says why."""


class Listener:
    """One connection that listens, in a task that connects again whenever it has to."""

    def __init__(
        self,
        address: Address,
        direct: Address | None = None,
        where: Callable[[], Awaitable[Whereabouts]] | None = None,
    ) -> None:
        """`direct` is the second address. `where` tells where the store is: elsewhere there is nothing to hear."""
        self._address = direct or address
        self._main = address
        self._is_second = direct is not None
        self._where = where
        self._callbacks: list[Callable[[], None]] = []
        self._task: asyncio.Task[None] | None = None
        self._session: Session | None = None
        self._stopping = False
        self.fault: str | None = None
        """Why nothing is heard at the second address, and what to do."""

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
                is_fit = await self._listen_while_it_lasts()
            except (StoreUnavailableError, psycopg.Error, OSError) as error:
                self._blame(f"{self._address.unavailable(error) if isinstance(error, psycopg.Error) else error}")
                await self._go_by_polls(_PAUSE)
            except _UnfitError as error:
                self._blame(str(error))
                await self._go_by_polls(_CHECK_EVERY)
            else:
                if not is_fit:
                    await self._go_by_polls()

    async def _listen_while_it_lasts(self) -> bool:
        """Listen until the connection breaks; false at once where a pooler stands between."""
        self._session = session = await connect(self._address)
        try:
            if session.is_pooled and not self._is_second:
                return False
            await self._listen(session)
        finally:
            self._session = None
            await session.close()
        return True

    async def _listen(self, session: Session) -> None:
        if session.is_pooled:
            await self._check_that_sessions_are_kept(session)
        await self._check_place(session)
        server = await _server(session)
        await session.run("LISTEN duly_changed")
        self.fault = None
        self._call()  # a hint may have been missed before the connection listened
        while True:
            # Not the whole time in the driver, which looks up from its waiting ten times a second.
            if await _is_readable(session.connection.fileno(), _CHECK_EVERY):
                await self._take(session, patience=_PAUSE)
                continue
            if await _server(session) != server:
                raise self._unfit()
            await self._check_place(session)
            await self._take(session, patience=0)  # a hint that came with the answer

    async def _check_place(self, session: Session) -> None:
        """Make sure that the store works where this connection listens: it may have moved to another server."""
        if self._where is None or await whereabouts(session) == await self._where():
            return
        if not self._is_second:
            raise psycopg.OperationalError("the store is on another server now")
        raise _UnfitError(leads_elsewhere(self._address, self._main))

    async def _check_that_sessions_are_kept(self, session: Session) -> None:
        """Make sure that a pooler leaves each caller its own server connection, as one for sessions does."""
        with suppress(StoreUnavailableError, psycopg.Error):  # one for sessions may have none left for a second caller
            other = await connect(self._address)
            try:
                pairs = {(await _server(session), await _server(other)) for _ in range(_LOOKS)}
            finally:
                await other.close()
            if len(pairs) > 1 or any(one == two for one, two in pairs):
                raise self._unfit()

    def _unfit(self) -> _UnfitError:
        return _UnfitError(
            f"store_direct ({self._address.shown}) goes through a pooler that lends connections by the transaction: "
            f"name the server itself, or a pool for sessions"
        )

    def _blame(self, reason: str) -> None:
        fault = f"{reason}. {_UNTIL_THEN}"
        if self._is_second and self.fault != fault:
            self.fault = fault
            _log.warning("%s", fault)

    async def _go_by_polls(self, seconds: float | None = None) -> None:
        """Call everyone each second instead: for so many seconds, or as long as this listens at all."""
        until = None if seconds is None else asyncio.get_running_loop().time() + seconds
        while not self._stopping and (until is None or asyncio.get_running_loop().time() < until):
            if self._is_second or seconds is None:  # else the engine meets the same fault, and has a pace of its own
                self._call()
            await asyncio.sleep(_PAUSE)

    async def _take(self, session: Session, patience: float) -> None:
        """Take the hints that have come."""
        heard = [each async for each in session.connection.notifies(timeout=patience, stop_after=1)]
        if heard:
            self._call()

    def _call(self) -> None:
        for callback in self._callbacks:
            callback()


async def whereabouts(session: Session) -> Whereabouts:
    """Tell which running server answers, and which of its databases."""
    return (await session.fetch(SQL.whereabouts))[0]


def leads_elsewhere(direct: Address, main: Address) -> str:
    """Say that a second address is of no use."""
    return f"store_direct ({direct.shown}) leads to another database than store ({main.shown}): name the same one"


async def _server(session: Session) -> int:
    """Tell which connection of the server answers."""
    return int(await session.value("SELECT pg_backend_pid()"))


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
