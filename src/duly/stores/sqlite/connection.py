"""Connections to one SQLite file: how they are opened, and the thread that writes.

All writes of a process go through one thread, which takes everything that is waiting and commits it together: the
disk is asked to sync once for many callers. Readers have connections of their own and never wait for it.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import apsw

from duly import failpoints
from duly.errors import StoreUnavailableError
from duly.model.events import Event
from duly.stores.sqlite.turns import Breaks, patient, turns_at

T = TypeVar("T")
Work = Callable[[apsw.Connection], T]
Announce = Callable[[Sequence[Event]], None]
"""Is handed, in the event loop, the events that a piece of work wrote, after the commit."""

_BUSY_MILLISECONDS = 5_000
_BETWEEN_TRIES = 10  # milliseconds
_LARGEST_GROUP = 256
_READERS = 2
_STATEMENTS = 250  # kept prepared: those for many rows come in several sizes
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
_DAMAGED = (apsw.CorruptError, apsw.NotADBError)


class Connection(apsw.Connection):
    """A connection that keeps the events written in the transaction under way, so that they can be told after it."""

    written: list[Event]


def connect(path: Path, patience: float | None = None) -> Connection:
    """A connection with the settings every one of ours has; it waits so many seconds for a lock that others hold."""
    try:
        connection = Connection(str(path), statementcachesize=_STATEMENTS)
        connection.written = []
        _use_wal(connection)
        connection.set_busy_handler(patient(_BUSY_MILLISECONDS / 1000 if patience is None else patience))
        for setting in ("synchronous = FULL", "foreign_keys = ON", "wal_autocheckpoint = 4000"):
            connection.execute(f"PRAGMA {setting}")
        # SQLite's own lower() knows ASCII only.
        connection.create_scalar_function("lower_case", lambda *texts: str(texts[0]).lower(), 1, deterministic=True)
    except apsw.Error as error:
        raise unavailable(path, error) from error
    return connection


def _use_wal(connection: apsw.Connection) -> None:
    """Switch a file that does not use a write-ahead log yet; a reader must not wait for a writer over that.

    Of processes that open a new file at once only one can switch it; SQLite does not let the others wait for it.
    """
    for _ in range(_BUSY_MILLISECONDS // _BETWEEN_TRIES):
        try:
            _switch_to_wal(connection)
        except apsw.BusyError:
            time.sleep(_BETWEEN_TRIES / 1000)
        else:
            return
    _switch_to_wal(connection)


def _switch_to_wal(connection: apsw.Connection) -> None:
    if connection.execute("PRAGMA journal_mode").get != "wal":
        connection.execute("PRAGMA journal_mode = WAL")


def unavailable(path: Path, error: Exception) -> StoreUnavailableError:
    """The error the engine waits out, from one of the driver's."""
    advice = "; put a copy from before in its place, or move it away to start afresh"
    return StoreUnavailableError(
        f"cannot use {path}: {type(error).__name__}: {error}{advice if isinstance(error, _DAMAGED) else ''}"
    )


class Gate(ABC):
    """Where work for the database is handed in. Subclasses decide which thread does it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @abstractmethod
    async def write(self, work: Work[T]) -> T:
        """Run work in a transaction; returns once it is committed and on disk."""

    @abstractmethod
    async def read(self, work: Work[T]) -> T:
        """Run work that changes nothing."""

    @abstractmethod
    async def close(self) -> None:
        """Let go of every connection."""

    def _translated(self, error: Exception) -> Exception:
        """What to tell whoever asked.

        As long as an error is kept, its frames keep the cursors they were reading from, and these the connection in
        the past: it would see nothing that is written from then on.
        """
        traceback.clear_frames(error.__traceback__)
        return unavailable(self._path, error) if isinstance(error, _UNAVAILABLE) else error


class InlineGate(Gate):
    """Everything in the caller's thread: for virtual time, where a thread of our own would not stand still."""

    def __init__(self, path: Path, announce: Announce) -> None:
        super().__init__(path)
        self._announce = announce
        self._connection = connect(path)

    async def write(self, work: Work[T]) -> T:
        try:
            result = _transaction(self._connection, work)
        except Exception as error:
            raise self._translated(error) from error
        if self._connection.written:
            self._announce(self._connection.written)
        return result

    async def read(self, work: Work[T]) -> T:
        try:
            return work(self._connection)
        except Exception as error:
            raise self._translated(error) from error

    async def close(self) -> None:
        self._connection.close()


class ThreadedGate(Gate):
    """One thread that writes, in groups, and a few that read."""

    def __init__(self, path: Path, announce: Announce, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__(path)
        self._announce = announce
        self._turns = turns_at(path)
        self._breaks = Breaks(monotonic)
        self._inbox: queue.SimpleQueue[tuple[Work[Any], asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self._writing = connect(path)
        self._writing.execute(f"PRAGMA cache_size = {_WRITER_CACHE}")
        self._local = threading.local()
        self._reading: list[apsw.Connection] = []
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="duly-sqlite-read")
        self._writer = threading.Thread(target=self._write_for_ever, name="duly-sqlite-write", daemon=True)
        self._writer.start()

    async def write(self, work: Work[T]) -> T:
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._inbox.put((work, answer))
        return await answer  # work that was handed in is done even if whoever asked has gone away

    async def read(self, work: Work[T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, work)

    async def close(self) -> None:
        self._inbox.put(None)
        await asyncio.to_thread(self._writer.join)
        await asyncio.to_thread(self._readers.shutdown)
        for connection in (*self._reading, self._writing):
            connection.close()

    def _read(self, work: Work[T]) -> T:
        try:
            if not hasattr(self._local, "connection"):
                self._local.connection = connect(self._path)
                self._reading.append(self._local.connection)
            return work(self._local.connection)
        except Exception as error:
            raise self._translated(error) from error

    def _write_for_ever(self) -> None:
        while (first := self._inbox.get()) is not None:
            group = [first]
            while len(group) < _LARGEST_GROUP:
                try:
                    following = self._inbox.get_nowait()
                except queue.Empty:
                    break
                if following is None:
                    self._inbox.put(None)
                    break
                group.append(following)
            self._commit(group)

    def _commit(self, group: list[tuple[Work[Any], asyncio.Future[Any]]]) -> None:
        """One transaction for all: each piece may fail by itself, the commit fails or succeeds for every one."""
        outcomes: list[_Outcome] = []
        try:
            self._turns.give_way()
            with self._breaks.writing():
                _transaction(self._writing, lambda _: _run_each(self._writing, group, outcomes))
        except BaseException as error:  # the thread must outlive whatever the work threw
            outcomes = [_Outcome(answer, fault=error) for _, answer in group]
        for each in outcomes:
            told = self._translated(each.fault) if isinstance(each.fault, Exception) else each.fault
            with suppress(RuntimeError):  # its loop was closed, and with it all that waited
                each.answer.get_loop().call_soon_threadsafe(self._tell, each._replace(fault=told))

    def _tell(self, outcome: _Outcome) -> None:
        """Announce the events first: whoever waits for the answer finds them told. Also if nobody waits any more."""
        answer = outcome.answer
        if outcome.events:
            self._announce(outcome.events)
        if answer.cancelled():
            return
        if outcome.fault is None:
            answer.set_result(outcome.result)
        else:
            answer.set_exception(outcome.fault)


class _Outcome(NamedTuple):
    """How a piece of work ended."""

    answer: asyncio.Future[Any]
    result: Any = None
    fault: BaseException | None = None
    events: Sequence[Event] = ()


def _run_each(
    connection: Connection, group: list[tuple[Work[Any], asyncio.Future[Any]]], outcomes: list[_Outcome]
) -> None:
    if len(group) == 1:
        [(work, answer)] = group
        outcomes.append(_Outcome(answer, work(connection), events=connection.written))
        return
    for work, answer in group:
        connection.execute("SAVEPOINT piece")
        connection.written = []
        try:
            result = work(connection)
        except _UNAVAILABLE:
            raise  # the whole group is in trouble
        except Exception as error:
            connection.execute("ROLLBACK TO piece; RELEASE piece")
            outcomes.append(_Outcome(answer, fault=error))
        else:
            connection.execute("RELEASE piece")
            outcomes.append(_Outcome(answer, result, events=connection.written))


def _transaction(connection: Connection, work: Work[T]) -> T:
    connection.written = []
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        failpoints.hit("sqlite.before_commit")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    failpoints.hit("sqlite.after_commit")
    return result
