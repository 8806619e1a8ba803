"""The executor runs work on a few connections, opened when needed and dropped when anything is wrong with them.

The engine has connections of its own. Those of all others are dealt out among the callers in turns, so that no caller
waits behind everything that another one has asked for.

Work that cannot have taken effect is run again: when a connection has died while it was idle, or when the server ended
one of two transactions that waited for each other. Work that may have been committed is never repeated; the caller gets
an error that says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

import psycopg
from psycopg.pq import TransactionStatus

from duly.errors import StoreVersionError
from duly.model.events import Event
from duly.ports.reading import OF_ENGINE, READERS, is_of_engine, works_for
from duly.stores import queries
from duly.stores.postgres.address import Address, tells_of_pooler
from duly.stores.postgres.connection import Session, connect
from duly.turns import SharedPlaces

T = TypeVar("T")
Work = Callable[[Session], Awaitable[T]]

_ATTEMPTS = 5
_PAUSE = 0.02
_AGAIN = 1.0  # seconds until a task is cancelled again: the end of a connection attempt may swallow a cancellation
_GRACE = 2.0  # seconds that work under way has to end when the executor closes


class TryAgainError(Exception):
    """Another process was faster: the work has to be run again. `cause` is raised after too many attempts."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class PostgresExecutor:
    """Runs work on the database; `announce` gets the events that the work wrote, after the commit."""

    def __init__(self, address: Address, announce: Callable[[Sequence[Event]], None]) -> None:
        self._address = address
        self._announce = announce
        self._idle: list[Session] = []
        self._room = SharedPlaces(READERS, READERS - 1)
        self._room_of_engine = SharedPlaces(OF_ENGINE, OF_ENGINE - 1)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._busy: dict[asyncio.Task[Any] | None, Session] = {}
        self._closing = False

    async def write(self, work: Work[T]) -> T:
        """Run work in a transaction; returns once it is committed and on disk. Work may be run more than once."""

        async def write(session: Session) -> T:
            result = await session.transaction(work, self._check_version)
            if written := session.written:
                session.written = []  # the connection may be idle for long, and the events very many
                self._announce(written)
            return result

        return await self._shielded(write)

    async def read(self, work: Work[T]) -> T:
        """Run work that changes nothing. When the caller is cancelled, the server is asked to end it."""
        task = self._begun(lambda session: session.reading(work))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()  # not awaited: a server that does not answer would keep the caller
            raise

    def _check_version(self, found: int) -> None:
        """Refuse to write into a schema that a newer duly has raised meanwhile."""
        if found > (known := queries.newest_migration("postgres")):
            raise StoreVersionError(self._address.shown, found, known)

    async def close(self) -> None:
        """Wait for the work under way; work that the server does not answer is given up, and may take effect later."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_GRACE)
        self._closing = True
        while self._tasks:
            for task in self._tasks:
                if (session := self._busy.get(task)) is None:
                    task.cancel()  # it waits for a free connection, or is connecting
                else:
                    session.sever()  # cancelled, the driver would ask the server first
            await asyncio.wait(self._tasks, timeout=_AGAIN)
        await self._forget_idle()

    async def _shielded(self, work: Work[T]) -> T:
        # Shielded: the work is done even if the caller was cancelled meanwhile.
        return await asyncio.shield(self._begun(work))

    def _begun(self, work: Work[T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(self._until_closed(work))
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # read, so that asyncio does not log an error that no caller waits for

    async def _until_closed(self, work: Work[T]) -> T:
        try:
            return await self._with_session(work)
        except asyncio.CancelledError:
            if not self._closing:
                raise
            raise self._address.unavailable(TimeoutError("closed before it answered")) from None

    async def _with_session(self, work: Work[T]) -> T:
        async with self._place():
            for attempt in range(1, _ATTEMPTS + 1):
                session = self._idle.pop() if self._idle else await connect(self._address)
                try:
                    result = await self._do(work, session)
                except Exception as error:
                    if tells_of_pooler(error):
                        self._address.seems_pooled = True
                    if _is_final(error):
                        await session.close()
                    again = attempt < _ATTEMPTS and _cannot_have_happened(session, error)
                    await self._after_fault(session)
                    if not again:
                        fault = error.cause if isinstance(error, TryAgainError) else self._address.translated(error)
                        if fault is error:
                            raise
                        raise fault from (fault.__cause__ or error)
                    await asyncio.sleep(_PAUSE * (attempt - 1))
                except BaseException:
                    await session.close()
                    raise
                else:
                    self._give_back(session)
                    return result
        raise AssertionError("the last attempt returns or raises")

    def _place(self) -> AbstractAsyncContextManager[None]:
        who = works_for()
        return (self._room_of_engine if is_of_engine(who) else self._room).place(who)

    async def _do(self, work: Work[T], session: Session) -> T:
        task = asyncio.current_task()
        self._busy[task] = session
        try:
            return await work(session)
        finally:
            del self._busy[task]

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
    """Tell whether the connection is of no use any more: ended by the server, to one that takes no writes any longer,
    or not to where its statements were prepared.
    """
    if tells_of_pooler(error):
        return True
    return isinstance(error, psycopg.Error) and (error.sqlstate or "").startswith(("08", "57P", "25P03", "25006"))


def _cannot_have_happened(session: Session, error: Exception) -> bool:
    """Tell whether failed work has surely changed nothing, and may succeed when it is run again at once."""
    if tells_of_pooler(error) or isinstance(
        error, TryAgainError | psycopg.errors.DeadlockDetected | psycopg.errors.SerializationFailure
    ):
        return True
    return session.lost and not (session.fresh or session.committing or session.severed)
