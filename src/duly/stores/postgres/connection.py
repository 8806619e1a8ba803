"""A connection to PostgreSQL: opening it, running statements and transactions, and giving it up.

A pooler may stand between, and give each transaction another connection of its own to the server. What one transaction
leaves there, the next one does not find, or another process does: prepared statements, settings, LISTEN. So behind a
pooler nothing is left, and everything is said in the transaction that needs it.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import psycopg
from psycopg import AsyncConnection
from psycopg.pq import TransactionStatus

from duly import failpoints
from duly.errors import DecodeError, InvalidInputError
from duly.model.events import Event
from duly.stores.postgres.address import STATEMENT_POOLING, Address, refuses_transactions
from duly.stores.postgres.arrays import teach
from duly.stores.postgres.unreadable import be_lenient, find_unreadable

T = TypeVar("T")

_PATIENCE = 20.0  # seconds a statement may take, as the client sees it; the server gives up a little earlier
_SETTINGS = {
    "statement_timeout": "15s",
    "idle_in_transaction_session_timeout": "10s",
    "TimeZone": "UTC",
    "jit": "off",
}
# Every statement of duly has an index to use; without these settings the planner may ignore it for a table that has
# grown since it was last analysed.
BEGIN = """
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_mergejoin = off;
"""
_THESE_SETTINGS = "".join(f"SET LOCAL {name} = '{value}';\n" for name, value in _SETTINGS.items())
_BEGIN_POOLED = f"{BEGIN}{_THESE_SETTINGS}"
_BEGIN_READING_POOLED = f"BEGIN ISOLATION LEVEL READ COMMITTED;\n{_THESE_SETTINGS}"
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
        self.is_pooled = False
        """A pooler stands between, and may give each transaction another connection to the server."""
        self.written: list[Event] = []
        """The events of the transaction under way, or of the last one, until the listeners have heard them."""
        self.patience = patience
        """Seconds that a statement may take, as this side sees it."""

    async def fetch(
        self, statement: str, values: dict[str, Any] | None = None, *, lenient: bool = False
    ) -> list[tuple[Any, ...]]:
        """Run a statement; returns the rows it answers with."""
        watch = asyncio.get_running_loop().call_later(self.patience, self.sever)
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
        watch = asyncio.get_running_loop().call_later(self.patience, self.sever)
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
        watch = asyncio.get_running_loop().call_later(self.patience, self.sever)
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
        begin = _BEGIN_POOLED if self.is_pooled else BEGIN
        version = await self.run(begin if check_version is None else f"{begin}{_VERSION}")
        async with self._rolled_back_if_it_fails():
            if check_version is not None:
                check_version(int(version))
            result = await work(self)
            failpoints.hit("postgres.before_commit")
        self.committing = True
        await self.run("COMMIT")
        self.committing = False
        failpoints.hit("postgres.after_commit")
        return result

    async def reading(self, work: Callable[[Session], Awaitable[T]]) -> T:
        """Run work that changes nothing: each statement by itself, or in a transaction where a pooler needs one."""
        if not self.is_pooled:
            return await work(self)
        self.committing = False
        await self.run(_BEGIN_READING_POOLED)
        async with self._rolled_back_if_it_fails():
            result = await work(self)
        await self.run("COMMIT")
        return result

    @asynccontextmanager
    async def _rolled_back_if_it_fails(self) -> AsyncIterator[None]:
        try:
            yield
        except BaseException:
            with suppress(psycopg.Error):  # the first error is the one to report
                await self.run("ROLLBACK")
            raise

    async def close(self) -> None:
        with suppress(psycopg.Error, OSError):
            await self.connection.close()


def sever(connection: psycopg.AsyncConnection[Any] | psycopg.Connection[Any]) -> None:
    """Cut a connection from another thread or task: a caller that waits for an answer gets an error at once."""
    with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


def speaking_to(connection: psycopg.AsyncConnection[Any] | psycopg.Connection[Any], settings: Mapping[str, str]) -> str:
    """Write the statement that asks who answers, and makes settings for the connection if that is who was called.

    A pooler answers a caller under a number of its own, and lends the caller a server with another one: there the
    settings are over with the statement.
    """
    pooled = f"pg_backend_pid() <> {connection.info.backend_pid}"
    chosen = [f"set_config('{name}', '{value}', {pooled})" for name, value in settings.items()]
    return f"SELECT {', '.join([pooled, *chosen])}"


async def connect(address: Address, patience: float = _PATIENCE) -> Session:
    """Open a connection with the settings of duly."""
    try:
        session = Session(await AsyncConnection.connect("", autocommit=True, **address.parameters), patience)
    except (psycopg.Error, OSError) as error:
        raise address.unavailable(error) from error
    try:
        teach(session.connection)
        session.is_pooled = await session.run(speaking_to(session.connection, _SETTINGS)) or address.seems_pooled
        if session.is_pooled:
            session.connection.prepare_threshold = None
    except psycopg.Error as error:
        await session.close()
        raise address.unavailable(error) from error
    except BaseException:
        await session.close()
        raise
    return session


async def refuse_statement_pooling(session: Session, address: Address) -> None:
    """Raise an error where a pooler lends connections by the statement."""

    async def look(session: Session) -> bool:
        one, two = [await session.value("SELECT pg_backend_pid()") for _ in range(2)]
        return bool(one == two)

    try:
        is_whole = await session.reading(look)
    except psycopg.OperationalError as error:
        if not refuses_transactions(error):
            raise
        is_whole = False
    if not is_whole:
        raise InvalidInputError(f"cannot use {address.shown}: {STATEMENT_POOLING}")
