"""Sharing the write lock of a file between threads and processes.

SQLite does not queue connections that wait for the lock: each tries again after a while. A connection that writes again
at once after a commit always gets the lock first, so the others could wait for ever. Two rules prevent that. Within a
process a heartbeat goes first: the writing thread waits while a heartbeat wants to write. And a writer that has held
the lock for long leaves it free for a moment, in which other connections, also of other processes, can take it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from weakref import WeakValueDictionary

_LONGEST_WAIT = 0.25  # seconds in which a heartbeat gets its turn, unless another process holds the lock
_LONG = 0.1  # seconds of writing without a break
_BREAK = 0.004  # seconds: longer than the pause between two tries of those who wait
_PAUSES = (0.0005, 0.001)  # seconds between the first tries to get the lock
_PAUSE = 0.002  # and between all others


class WriteTurns:
    """Lets heartbeats of this process go before the thread that writes, for one file."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._beats = 0
        self._no_beat = threading.Event()
        self._no_beat.set()

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Mark that a heartbeat wants to write, so that the writing thread gives way after its transaction."""
        with self._lock:
            self._beats += 1
            self._no_beat.clear()
        try:
            yield
        finally:
            with self._lock:
                self._beats -= 1
                if not self._beats:
                    self._no_beat.set()

    def give_way(self) -> None:
        """Wait until no heartbeat wants to write, but not for ever."""
        if not self._no_beat.is_set():
            self._no_beat.wait(_LONGEST_WAIT)


_of_files: WeakValueDictionary[str, WriteTurns] = WeakValueDictionary()
_registering = threading.Lock()


def write_turns_at(path: Path) -> WriteTurns:
    """Return the turns at a file: one object for all callers in this process while any of them keeps it."""
    with _registering:
        return _of_files.setdefault(str(path.resolve()), WriteTurns())


class WriteBreaks:
    """Decides when a writer has to leave the lock free for a moment."""

    def __init__(self, monotonic: Callable[[], float], sleep: Callable[[float], None] = time.sleep) -> None:
        self._monotonic = monotonic
        self._sleep = sleep
        self._held = 0.0
        self._began = self._ended = monotonic()

    def is_due(self, now: float) -> bool:
        """Tell whether the writer has written for long without having left the lock free for as long as a break."""
        if now - self._ended >= _BREAK:
            self._held = 0.0
        return self._held >= _LONG

    def writing(self) -> Self:
        """Write, after a break if one is due: `with breaks.writing():`, not by two threads at once."""
        return self

    def __enter__(self) -> None:
        now = self._monotonic()
        if self.is_due(now):
            self._sleep(_BREAK)
            self._held = 0.0
            now = self._monotonic()
        self._began = now

    def __exit__(self, *_error: object) -> None:
        self._ended = self._monotonic()
        self._held += self._ended - self._began


def patient(seconds: float, sleep: Callable[[float], None] = time.sleep) -> Callable[[int], bool]:
    """Make a handler for a lock that is taken: it tries again every few milliseconds, for so many seconds.

    SQLite's own handler sleeps longer and longer, up to a tenth of a second, and misses the moments between.
    """

    def wait(tries: int) -> bool:
        first = tries < len(_PAUSES)
        if not first and (tries - len(_PAUSES)) * _PAUSE + sum(_PAUSES) >= seconds:
            return False
        sleep(_PAUSES[tries] if first else _PAUSE)
        return True

    return wait
