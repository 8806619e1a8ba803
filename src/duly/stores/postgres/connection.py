"""A connection to PostgreSQL: opening it, running statements and transactions, and giving it up."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import psycopg
from psycopg import AsyncConnection
from psycopg.pq import TransactionStatus

from duly import failpoints
from duly.errors import DecodeError
from duly.model.events import Event
from duly.stores.postgres.address import Address
from duly.stores.postgres.arrays import teach
from duly.stores.postgres.unreadable import be_lenient, find_unreadable

T = TypeVar("T")

_PATIENCE = 20.0  # seconds a statement may take, as the client sees it; the server gives up a little earlier
_SETTINGS = """
SET statement_timeout = '15s';
SET idle_in_transaction_session_timeout = '10s';
SET TimeZone = 'UTC';
SET jit = off;
"""
# Every statement of duly has an index to use; without these settings the planner may ignore it for a table that has
# grown since it was last analysed.
BEGIN = """
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_mergejoin = off;
"""
_VERSION = "SELECT coalesce(max(version), 0) FROM schema_version"


class Session:
    """A connection that is given up when the server does not answer in time."""

    def __init__(self, connection: AsyncConnection[Any], patience: float = _PATIENCE) -> None:
        self.connection = connection
        self.fresh = True
        """It was not used yet, so it cannot have died while it was idle."""
        self.committing = False
        """A transaction that fails now may have taken effect."""
        self.severed = False
        self.written: list[Event] = []
        """The events of the transaction under way, or of the last one, until the listeners have heard them."""
        self._patience = patience

    async def fetch(
        self, statement: str, values: dict[str, Any] | None = None, *, lenient: bool = False
    ) -> list[tuple[Any, ...]]:
        """Run a statement; returns the rows it answers with."""
        watch = asyncio.get_running_loop().call_later(self._patience, self.sever)
        try:
            cursor = self.connection.cursor(binary=True)
            if lenient:
                be_lenient(cursor)
            await cursor.execute(statement, values)
            return await cursor.fetchall() if cursor.description is not None else []
        except psycopg.DataError as error:
            raise find_unreadable(cursor.pgresult) or error from error
        finally:
            watch.cancel()

    async def fetch_leniently(self, statement: str, values: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """Run a statement; a time outside the calendar is returned as the number it is stored as."""
        try:
            return await self.fetch(statement, values)
        except DecodeError:  # seldom: the faster way is tried first
            return await self.fetch(statement, values, lenient=True)

    async def fetch_together(self, asked: Sequence[tuple[str, dict[str, Any]]]) -> list[list[tuple[Any, ...]]]:
        """Run statements in one round trip; a time outside the calendar is returned as the number it is stored as."""
        watch = asyncio.get_running_loop().call_later(self._patience, self.sever)
        try:
            cursors = [self.connection.cursor(binary=True) for _ in asked]
            async with self.connection.pipeline():
                for cursor, (statement, values) in zip(cursors, asked, strict=True):
                    be_lenient(cursor)
                    await cursor.execute(statement, values)
            return [await cursor.fetchall() for cursor in cursors]
        finally:
            watch.cancel()

    @asynccontextmanager
    async def meanwhile(
        self, statement: str, values: dict[str, Any]
    ) -> AsyncIterator[asyncio.Task[list[tuple[Any, ...]]]]:
        """Run a statement while the block works without the server. The task is done after the block."""
        running = asyncio.get_running_loop().create_task(self.fetch(statement, values))
        await asyncio.sleep(0)  # lets the task begin
        try:
            yield running
        except BaseException:
            await asyncio.gather(running, return_exceptions=True)  # the first error is the one to report
            raise
        await running

    async def run(self, script: str) -> Any:
        """Run any number of statements without values; returns the one value that the last one answers, if any."""
        watch = asyncio.get_running_loop().call_later(self._patience, self.sever)
        try:
            cursor = await self.connection.execute(script)
            while cursor.nextset():
                pass
            row = None if cursor.description is None else await cursor.fetchone()
            return None if row is None else row[0]
        finally:
            watch.cancel()

    def sever(self) -> None:
        """Give the connection up: a caller that waits for an answer gets an error at once."""
        self.severed = True
        sever(self.connection)

    async def value(self, statement: str, values: dict[str, Any] | None = None) -> Any:
        """Return the first value of the first row; None when there is no row."""
        rows = await self.fetch(statement, values)
        return rows[0][0] if rows else None

    @property
    def lost(self) -> bool:
        return self.connection.closed or self.connection.pgconn.transaction_status == TransactionStatus.UNKNOWN

    async def transaction(
        self, work: Callable[[Session], Awaitable[T]], check_version: Callable[[int], None] | None = None
    ) -> T:
        """Run work in a transaction; returns once it is committed and on disk.

        `check_version` is handed the version of the schema before the work begins. It comes with the answer to BEGIN,
        so that asking costs no time of its own.
        """
        self.committing = False
        self.written = []
        version = await self.run(BEGIN if check_version is None else f"{BEGIN}{_VERSION}")
        try:
            if check_version is not None:
                check_version(int(version))
            result = await work(self)
            failpoints.hit("postgres.before_commit")
        except BaseException:
            with suppress(psycopg.Error):  # the first error is the one to report
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


def sever(connection: psycopg.AsyncConnection[Any] | psycopg.Connection[Any]) -> None:
    """Cut a connection from another thread or task: a caller that waits for an answer gets an error at once."""
    with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


async def connect(address: Address, patience: float = _PATIENCE) -> Session:
    """Open a connection with the settings of duly."""
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
    except BaseException:
        await session.close()
        raise
    return session
