"""Whose turn it is to write to a file that has one write lock.

SQLite does not queue those who wait for the lock: each tries again after a while. Whoever writes again at once after a
commit is always quicker, so the others could wait for ever. Two rules keep that from happening. In one process a
heartbeat goes first: the thread that writes waits while one wants to. And a writer that has held the lock for long
leaves it free for a moment, in which others, also other processes, get their chance.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

_LONGEST_WAIT = 0.25  # seconds in which a heartbeat gets its turn, unless another process holds the lock
_LONG = 0.1  # seconds of writing without a break
_BREAK = 0.008  # seconds: longer than the pause between two tries of those who wait
_PAUSES = (0.0005, 0.001, 0.002, 0.003)  # seconds between the first tries to get the lock
_PAUSE = 0.005  # and between all others


class WriteTurns:
    """The turns of the threads of this process at one file."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._beats = 0
        self._nobody_beats = threading.Event()
        self._nobody_beats.set()

    @contextmanager
    def beating(self) -> Iterator[None]:
        """A heartbeat wants to write: the thread that writes gives way after its transaction."""
        with self._lock:
            self._beats += 1
            self._nobody_beats.clear()
        try:
            yield
        finally:
            with self._lock:
                self._beats -= 1
                if not self._beats:
                    self._nobody_beats.set()

    def give_way(self) -> None:
        """Wait until no heartbeat wants to write, but not for ever."""
        self._nobody_beats.wait(_LONGEST_WAIT)


_of_files: WeakValueDictionary[str, WriteTurns] = WeakValueDictionary()
_registering = threading.Lock()


def write_turns_at(path: Path) -> WriteTurns:
    """The turns at a file: the same for everybody in this process who asks while somebody holds on to them."""
    with _registering:
        return _of_files.setdefault(str(path.resolve()), WriteTurns())


class WriteBreaks:
    """When a writer has to leave the lock to others for a moment."""

    def __init__(self, monotonic: Callable[[], float], sleep: Callable[[float], None] = time.sleep) -> None:
        self._monotonic = monotonic
        self._sleep = sleep
        self._held = 0.0
        self._ended = monotonic()

    def is_due(self, now: float) -> bool:
        """Whether it has written for long, without having left the lock free for as long as a break."""
        if now - self._ended >= _BREAK:
            self._held = 0.0
        return self._held >= _LONG

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write, after a break if one is due."""
        if self.is_due(self._monotonic()):
            self._sleep(_BREAK)
            self._held = 0.0
        began = self._monotonic()
        try:
            yield
        finally:
            self._ended = self._monotonic()
            self._held += self._ended - began


def patient(seconds: float, sleep: Callable[[float], None] = time.sleep) -> Callable[[int], bool]:
    """What a connection does when the lock is taken: try again every few milliseconds, for so many seconds.

    SQLite's own way is to sleep longer and longer, up to a tenth of a second, and to miss the moments between.
    """

    def wait(tries: int) -> bool:
        first = tries < len(_PAUSES)
        if not first and (tries - len(_PAUSES)) * _PAUSE + sum(_PAUSES) >= seconds:
            return False
        sleep(_PAUSES[tries] if first else _PAUSE)
        return True

    return wait
