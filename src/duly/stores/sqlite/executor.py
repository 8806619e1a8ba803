"""Executors run the work of a store on connections to its SQLite file.

All writes of a process go through one thread, which takes everything that is waiting and commits it together: the
disk is asked to sync once for many callers. Readers have connections of their own and never wait for it: the engine
some, and all callers some others, which take turns there.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import apsw

from duly import failpoints
from duly.clock import Clock
from duly.errors import StoreNotOpenError
from duly.model.events import Event
from duly.ports.reading import works_for
from duly.stores.sqlite.checkpoints import Checkpoints, CheckpointThread
from duly.stores.sqlite.file import StoreConnection, StoreFile, unavailable
from duly.stores.sqlite.readers import Readers, caused
from duly.stores.sqlite.schema import is_current
from duly.stores.sqlite.write_lock import WriteBreaks, write_turns_at

T = TypeVar("T")
Work = Callable[[apsw.Connection], T]
Announce = Callable[[Sequence[Event]], None]
"""Takes, in the event loop, the events that a piece of work wrote, after the commit."""

_LARGEST_GROUP = 256
_WRITER_CACHE = -16_000  # kilobytes at most: what a large batch touches twice is read once
_UNAVAILABLE = (
    apsw.BusyError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.FullError,
    apsw.IOError,
    apsw.LockedError,
    apsw.NotADBError,
    apsw.ReadOnlyError,
    apsw.NoMemError,
)


class SqliteExecutor(ABC):
    """Runs work on the database. Subclasses decide in which thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @abstractmethod
    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        """Run work in a transaction; returns once it is committed and, if it has to be durable, on disk."""

    @abstractmethod
    async def read(self, work: Work[T]) -> T:
        """Run work that changes nothing."""

    @abstractmethod
    async def close(self) -> None:
        """Close every connection."""

    def _translated(self, error: Exception) -> Exception:
        """Turn an error of the driver into one of ours.

        As long as an error is kept, its frames keep the cursors they were reading from, and these the connection in
        the past: it would see nothing that is written from then on.
        """
        traceback.clear_frames(error.__traceback__)
        return unavailable(self._path, error) if isinstance(error, _UNAVAILABLE) else error


class Writer:
    """The connection of a process that writes, one transaction after the other."""

    def __init__(self, file: StoreFile, clock: Clock, beside: CheckpointThread | None = None) -> None:
        self.connection = file.connect()
        self._file = file
        self.checkpoints = Checkpoints(self.connection, clock, beside)
        self._checked = -1
        """The version of the data after the last commit, up to which the schema was checked.

        It changes with every commit, also of other processes: by it SQLite knows whether its cached pages are valid.
        """

    def run(self, work: Work[T], *, durable: bool = True) -> T:
        """Run work in a transaction; returns once it is committed into the file that the path leads to.

        Work that need not be durable does not wait for the disk while it holds the lock: if the machine fails, it may
        not have happened, and never in part. The next durable commit takes it to the disk as well.
        """
        if durable:
            return self._run(work)
        self.connection.execute("PRAGMA synchronous = NORMAL")
        try:
            return self._run(work)
        finally:
            self.connection.execute("PRAGMA synchronous = FULL")

    def _run(self, work: Work[T]) -> T:
        connection = self.connection
        connection.written = []
        connection.execute("BEGIN IMMEDIATE")
        try:
            if connection.data_version() != self._checked:  # others have written since the last commit here
                is_current(connection, self._file.path)  # raises an error if a newer duly has raised the schema
            result = work(connection)
            self.checkpoints.before_commit()
            failpoints.hit("sqlite.before_commit")
            connection.execute("COMMIT")
            self._checked = connection.data_version()
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        failpoints.hit("sqlite.after_commit")
        self._file.verify(connection)
        self.checkpoints.after_commit()
        return result


class InlineExecutor(SqliteExecutor):
    """Runs all work in the thread of the caller: for tests on virtual time, which another thread would not obey."""

    def __init__(self, file: StoreFile, clock: Clock, announce: Announce) -> None:
        super().__init__(file.path)
        self._announce = announce
        self._file = file
        self.writer = Writer(file, clock)
        self._connection = self.writer.connection

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        try:
            result = self.writer.run(work, durable=durable)
        except Exception as error:
            raise self._translated(error) from error
        if self._connection.written:
            self._announce(self._connection.written)
        return result

    async def read(self, work: Work[T]) -> T:
        try:
            self._file.verify(self._connection)
            return work(self._connection)
        except Exception as error:
            raise self._translated(error) from error

    async def close(self) -> None:
        self._file.rescue(self._connection)
        self._file.let_go(self._connection)
        self._file.close()


class ThreadedExecutor(SqliteExecutor):
    """Runs writing work in groups in one thread, and reading work in a few others."""

    def __init__(self, file: StoreFile, clock: Clock, announce: Announce) -> None:
        super().__init__(file.path)
        self._announce = announce
        self._file = file
        self._turns = write_turns_at(file.path)
        self._breaks = WriteBreaks(clock.monotonic)
        self._inbox: queue.SimpleQueue[_Piece | None] = queue.SimpleQueue()
        self._closed = False
        self._beside = CheckpointThread(file)
        self.writer = Writer(file, clock, self._beside)
        self._writing = self.writer.connection
        self._writing.execute(f"PRAGMA cache_size = {_WRITER_CACHE}")
        self._readers = Readers(file, self._translated)
        self._thread = threading.Thread(target=self._write_for_ever, name="duly-sqlite-write", daemon=True)
        self._thread.start()

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        self._refuse_if_closed()
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._inbox.put(_Piece(work, answer, durable))
        return await answer  # the work is done even if the caller was cancelled meanwhile

    async def read(self, work: Work[T]) -> T:
        self._refuse_if_closed()
        return await self._readers.read(works_for(), work)

    async def close(self) -> None:
        self._closed = True
        self._inbox.put(None)
        await asyncio.to_thread(self._thread.join)
        await asyncio.to_thread(self._beside.close)
        connections = await asyncio.to_thread(self._readers.close)
        await asyncio.to_thread(self._file.rescue, self._writing)
        for connection in (*connections, self._writing):
            self._file.let_go(connection)
        self._file.close()

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreNotOpenError(str(self._path))

    def _write_for_ever(self) -> None:
        while (first := self._inbox.get()) is not None:
            group = [first]
            while len(group) < _LARGEST_GROUP and not self._inbox.empty():  # no other thread takes anything out
                following = self._inbox.get()
                if following is None:
                    self._inbox.put(None)
                    break
                group.append(following)
            self._commit(group)

    def _commit(self, group: list[_Piece]) -> None:
        """Run a group in one transaction: each piece may fail by itself, the commit fails or succeeds for all."""
        outcomes: list[_WorkOutcome] = []
        try:
            self._turns.give_way()
            with self._breaks.writing():
                durable = group[0].durable or any(piece.durable for piece in group)
                self.writer.run(lambda _: _run_each(self._writing, group, outcomes), durable=durable)
        except BaseException as error:  # the thread must outlive every error of the work
            outcomes = [_WorkOutcome(piece.answer, fault=error) for piece in group]
        self._send(outcomes)

    def _send(self, outcomes: list[_WorkOutcome]) -> None:
        """Let each event loop tell its callers: one call for all of them, because each call wakes the loop."""
        if len(outcomes) == 1 and outcomes[0].fault is None:
            [outcome] = outcomes
            with suppress(RuntimeError):  # the event loop is closed, and no caller waits
                outcome.answer.get_loop().call_soon_threadsafe(self._tell, outcome)
            return
        by_loop: dict[asyncio.AbstractEventLoop, list[_WorkOutcome]] = {}
        for each in outcomes:
            outcome = each
            if isinstance(each.fault, Exception):
                outcome = each._replace(fault=caused(self._translated(each.fault), each.fault))
            by_loop.setdefault(each.answer.get_loop(), []).append(outcome)
        for loop, some in by_loop.items():
            with suppress(RuntimeError):  # the event loop is closed, and no caller waits
                if len(some) == 1:
                    loop.call_soon_threadsafe(self._tell, some[0])
                else:
                    loop.call_soon_threadsafe(self._tell_each, loop, some)

    def _tell_each(self, loop: asyncio.AbstractEventLoop, outcomes: list[_WorkOutcome]) -> None:
        for each in outcomes:
            loop.call_soon(self._tell, each)  # by itself: a listener that fails concerns no other caller

    def _tell(self, outcome: _WorkOutcome) -> None:
        """Announce the events before the result is set; also when the caller was cancelled meanwhile."""
        answer = outcome.answer
        if outcome.events:
            self._announce(outcome.events)
        if answer.cancelled():
            return
        if outcome.fault is None:
            answer.set_result(outcome.result)
        else:
            answer.set_exception(outcome.fault)


class _Piece(NamedTuple):
    """Work that waits to be written, and who waits for it."""

    work: Work[Any]
    answer: asyncio.Future[Any]
    durable: bool


class _WorkOutcome(NamedTuple):
    """How a piece of work ended: with a result or with a fault."""

    answer: asyncio.Future[Any]
    result: Any = None
    fault: BaseException | None = None
    events: Sequence[Event] = ()


def _run_each(connection: StoreConnection, group: list[_Piece], outcomes: list[_WorkOutcome]) -> None:
    if len(group) == 1:
        [(work, answer, _)] = group
        outcomes.append(_WorkOutcome(answer, work(connection), events=connection.written))
        return
    deferred: list[tuple[Event, str]] = []
    connection.deferred = deferred
    try:
        outcomes.extend(_run_one(connection, piece, deferred) for piece in group)
    finally:
        connection.deferred = None
    from duly.stores.sqlite.events import write_out  # late: a command that only reads writes none

    write_out(connection, deferred)


def _run_one(connection: StoreConnection, piece: _Piece, deferred: list[tuple[Event, str]]) -> _WorkOutcome:
    """Run one of several pieces, so that its failure takes back nothing but what it did itself.

    The journal and the audit are written once for all pieces: before the next piece changes a page, SQLite keeps a copy
    of it, and each piece would change the same pages there.
    """
    connection.execute("SAVEPOINT piece")
    connection.written = []
    before = len(deferred)
    try:
        result = piece.work(connection)
    except _UNAVAILABLE:
        raise  # the fault concerns the whole group
    except Exception as error:
        connection.execute("ROLLBACK TO piece; RELEASE piece")
        del deferred[before:]
        return _WorkOutcome(piece.answer, fault=error)
    connection.execute("RELEASE piece")
    return _WorkOutcome(piece.answer, result, events=connection.written)
