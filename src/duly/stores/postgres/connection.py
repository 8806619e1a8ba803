"""Connections to one PostgreSQL: a few, opened when needed, and thrown away when anything is wrong with them.

A call that cannot have taken effect is tried again here: when a connection turns out to have died while it was not
used, or when the server broke a tie between transactions. What may have been committed is never repeated; the caller
learns that the answer is not known.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import psycopg
from psycopg import AsyncConnection
from psycopg.pq import TransactionStatus

from duly import failpoints
from duly.errors import StoreUnavailableError
from duly.stores.postgres.address import Address
from duly.stores.postgres.arrays import teach

T = TypeVar("T")

_CONNECTIONS = 4
_ATTEMPTS = 5
_PAUSE = 0.02
_PATIENCE = 20.0  # seconds a statement may take, as the client sees it; the server gives up a little earlier
_SETTINGS = """
SET statement_timeout = '15s';
SET idle_in_transaction_session_timeout = '10s';
SET TimeZone = 'UTC';
SET jit = off;
"""
# Everything a transaction of ours looks for has an index; a table that has grown since it was last analysed must not
# talk the planner out of using it.
_BEGIN = """
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_mergejoin = off;
"""


class TryAgainError(Exception):
    """Somebody was quicker; the same work on what is there now will do. `cause` is for when it never does."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Session:
    """A connection with a watch: a server that does not answer is as good as gone."""

    def __init__(self, connection: AsyncConnection[Any], patience: float = _PATIENCE) -> None:
        self.connection = connection
        self.fresh = True
        """Nothing has been done with it yet, so it cannot have died while it was not used."""
        self.committing = False
        """Nobody knows whether a transaction that fails now took effect."""
        self.severed = False
        self._patience = patience

    async def fetch(self, statement: str, values: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """Run a statement; gives the rows it answers with."""
        watch = asyncio.get_running_loop().call_later(self._patience, self._sever)
        try:
            cursor = self.connection.cursor(binary=True)
            await cursor.execute(statement, values)
            return await cursor.fetchall() if cursor.description is not None else []
        finally:
            watch.cancel()

    @asynccontextmanager
    async def meanwhile(
        self, statement: str, values: dict[str, Any]
    ) -> AsyncIterator[asyncio.Task[list[tuple[Any, ...]]]]:
        """Run a statement while the block does something else, without the server. The task is done after the block."""
        running = asyncio.get_running_loop().create_task(self.fetch(statement, values))
        await asyncio.sleep(0)  # lets it out
        try:
            yield running
        except BaseException:
            await asyncio.gather(running, return_exceptions=True)  # what went wrong first is the better story
            raise
        await running

    async def run(self, script: str) -> None:
        """Run statements without values, any number of them."""
        watch = asyncio.get_running_loop().call_later(self._patience, self._sever)
        try:
            await self.connection.execute(script)
        finally:
            watch.cancel()

    def _sever(self) -> None:
        self.severed = True
        sever(self.connection)

    async def value(self, statement: str, values: dict[str, Any] | None = None) -> Any:
        """The first value of the first row; None when there is no row."""
        rows = await self.fetch(statement, values)
        return rows[0][0] if rows else None

    @property
    def lost(self) -> bool:
        return self.connection.closed or self.connection.pgconn.transaction_status == TransactionStatus.UNKNOWN

    async def transaction(self, work: Callable[[Session], Awaitable[T]]) -> T:
        """Run work in a transaction; returns once it is committed and on disk."""
        self.committing = False
        await self.run(_BEGIN)
        try:
            result = await work(self)
            failpoints.hit("postgres.before_commit")
        except BaseException:
            with suppress(psycopg.Error):  # what went wrong before is the better story
                await self.run("ROLLBACK")
            raise
        self.committing = True
        await self.run("COMMIT")
        self.committing = False
        failpoints.hit("postgres.after_commit")
        return result

    async def close(self) -> None:
        with suppress(psycopg.Error, OSError):
            await self.connection.close()


Work = Callable[[Session], Awaitable[T]]


def sever(connection: psycopg.AsyncConnection[Any] | psycopg.Connection[Any]) -> None:
    """Cut a connection from outside: whoever waits for its answer learns at once that there will be none."""
    with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


async def connect(address: Address, patience: float = _PATIENCE) -> Session:
    """A connection with the settings every one of ours has."""
    try:
        session = Session(await AsyncConnection.connect("", autocommit=True, **address.parameters), patience)
    except (psycopg.Error, OSError) as error:
        raise address.unavailable(error) from error
    try:
        teach(session.connection)
        await session.run(_SETTINGS)
    except psycopg.Error as error:
        await session.close()
        raise address.unavailable(error) from error
    return session


class Gate:
    """Where work for the database is handed in."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._idle: list[Session] = []
        self._room = asyncio.Semaphore(_CONNECTIONS)
        self._tasks: set[asyncio.Task[Any]] = set()

    async def write(self, work: Work[T]) -> T:
        """Run work in a transaction; returns once it is committed and on disk. Work may be run more than once."""
        return await self._shielded(lambda session: session.transaction(work))

    async def read(self, work: Work[T]) -> T:
        """Run work that changes nothing."""
        return await self._shielded(work)

    async def close(self) -> None:
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self._forget_idle()

    async def _shielded(self, work: Work[T]) -> T:
        # Shielded: work that was handed in is done even if whoever asked has gone away.
        task = asyncio.get_running_loop().create_task(self._with_session(work))
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return await asyncio.shield(task)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # if nobody is left to hear of it, that is that

    async def _with_session(self, work: Work[T]) -> T:
        async with self._room:
            for attempt in range(1, _ATTEMPTS + 1):
                session = self._idle.pop() if self._idle else await connect(self._address)
                try:
                    result = await work(session)
                except Exception as error:
                    if _is_final(error):
                        await session.close()
                    again = attempt < _ATTEMPTS and _cannot_have_happened(session, error)
                    await self._after_fault(session)
                    if not again:
                        cause = error.cause if isinstance(error, TryAgainError) else error
                        raise self._address.translated(cause) from cause
                    await asyncio.sleep(_PAUSE * (attempt - 1))
                except BaseException:
                    await session.close()
                    raise
                else:
                    self._give_back(session)
                    return result
        raise AssertionError("the last attempt returns or raises")

    def _give_back(self, session: Session) -> None:
        session.fresh = False
        self._idle.append(session)

    async def _after_fault(self, session: Session) -> None:
        """Keep a connection that is in order; when one has been lost, the idle ones have been, too."""
        if session.lost:
            await session.close()
            await self._forget_idle()
        elif session.connection.pgconn.transaction_status == TransactionStatus.IDLE:
            self._give_back(session)
        else:
            await session.close()

    async def _forget_idle(self) -> None:
        idle, self._idle = self._idle, []
        for session in idle:
            await session.close()


def _is_final(error: Exception) -> bool:
    """Whether the server said that it will not answer this connection again."""
    return isinstance(error, psycopg.Error) and (error.sqlstate or "").startswith(("08", "57P", "25P03"))


def _cannot_have_happened(session: Session, error: Exception) -> bool:
    """Whether work that failed is known to have changed nothing, and may succeed if tried again at once."""
    if isinstance(error, TryAgainError | psycopg.errors.DeadlockDetected | psycopg.errors.SerializationFailure):
        return True
    return session.lost and not (session.fresh or session.committing or session.severed)


def not_open(address: Address) -> StoreUnavailableError:
    return StoreUnavailableError(f"{address.shown} is not open")
