"""The threads of a process that read a SQLite file, each with a connection of its own.

The engine has threads for itself. Those of all others are dealt out among the callers in turns, so that no caller waits
behind everything that another one has asked for. What a caller does not wait for any more is ended.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import apsw

from duly.ports.reading import OF_ENGINE, READERS, is_of_engine
from duly.stores.sqlite.file import StoreFile
from duly.turns import TurnLines

T = TypeVar("T")
Work = Callable[[apsw.Connection], T]

_LOOK_EVERY = 20_000
"""Steps of SQLite, about a millisecond, after which a reader looks whether its caller still waits."""


class _AskedWork(NamedTuple):
    """Work, who asked for it, and who waits for it."""

    work: Work[Any]
    answer: asyncio.Future[Any]


class Readers:
    """All threads that read. They start when they are needed: a short command needs one."""

    def __init__(self, file: StoreFile, translated: Callable[[Exception], Exception]) -> None:
        self._rooms = [
            _ReadingRoom(file, translated, "read", READERS),
            _ReadingRoom(file, translated, "see", OF_ENGINE),
        ]

    async def read(self, who: str, work: Work[T]) -> T:
        """Run work that changes nothing, once it is the turn of the caller who asks."""
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._rooms[is_of_engine(who)].ask(who, _AskedWork(work, answer))
        return await answer

    def close(self) -> list[apsw.Connection]:
        """Wait for the work that was asked for, end the threads, and give their connections."""
        return [connection for room in self._rooms for connection in room.close()]


class _ReadingRoom:
    """Threads that some callers share: none of them may hold the last one."""

    def __init__(self, file: StoreFile, translated: Callable[[Exception], Exception], name: str, places: int) -> None:
        self._file = file
        self._translated = translated
        self._name = name
        self._places = places
        self._turns: TurnLines[_AskedWork] = TurnLines(places, places - 1)
        self._lock = threading.Lock()
        self._begun: queue.SimpleQueue[tuple[str, _AskedWork] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._connections: list[apsw.Connection] = []

    def ask(self, who: str, asked: _AskedWork) -> None:
        """Let a thread do the work, now or when it is the turn of its caller."""
        with self._lock:
            if not self._turns.take(who, asked):
                return
            if self._idle:
                self._idle -= 1
            else:
                self._start_one()
        self._begun.put((who, asked))  # half of what a pool of the standard library takes to hand over work

    def close(self) -> list[apsw.Connection]:
        """Wait for the work that was asked for, end the threads, and give their connections."""
        for _ in self._threads:
            self._begun.put(None)
        for thread in self._threads:
            thread.join()
        return self._connections

    def _start_one(self) -> None:
        name = f"duly-sqlite-{self._name}-{len(self._threads)}"
        thread = threading.Thread(target=self._read_for_ever, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _read_for_ever(self) -> None:
        reader = _Reader(self._file, self._translated, self._connections)
        while (turn := self._begun.get()) is not None:
            following: tuple[str, _AskedWork] | None = turn
            del turn  # what is done may hold cursors, and these would keep the connection in the past
            while following is not None:
                reader.carry_out(following[1])
                with self._lock:
                    following = self._turns.give_back(following[0])
                    if following is None:
                        self._idle += 1


class _Reader:
    """One connection that reads."""

    def __init__(
        self, file: StoreFile, translated: Callable[[Exception], Exception], connections: list[apsw.Connection]
    ) -> None:
        self._file = file
        self._translated = translated
        self._connections = connections
        self._connection: apsw.Connection | None = None
        self._answer: asyncio.Future[Any] | None = None

    def carry_out(self, asked: _AskedWork) -> None:
        """Do a piece of work, and let its event loop tell who waits for it."""
        work, answer = asked
        if answer.cancelled():
            return
        result: Any = None
        fault: BaseException | None = None
        self._answer = answer
        try:
            result = work(self._connected())
        except Exception as error:
            fault = caused(self._translated(error), error)
        except BaseException as error:  # the thread must outlive every error of the work
            fault = error
        self._answer = None
        with suppress(RuntimeError):  # its event loop is closed, and no caller waits
            answer.get_loop().call_soon_threadsafe(_tell, answer, result, fault)
        del work, answer, asked, result, fault  # as above

    def _connected(self) -> apsw.Connection:
        if self._connection is None:
            connection = self._file.connect()
            self._connections.append(connection)
            connection.set_progress_handler(self._is_abandoned, _LOOK_EVERY)
            self._connection = connection
        self._file.verify(self._connection)
        return self._connection

    def _is_abandoned(self) -> bool:
        return self._answer is not None and self._answer.cancelled()


def _tell(answer: asyncio.Future[Any], result: Any, fault: BaseException | None) -> None:
    if answer.cancelled():
        return
    if fault is None:
        answer.set_result(result)
    else:
        answer.set_exception(fault)


def caused(fault: Exception, cause: Exception) -> Exception:
    """Note what an error was made from, unless it is that error."""
    if fault is not cause:
        fault.__cause__ = cause
    return fault
