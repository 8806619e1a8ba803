"""Checkpoints: moving the log into the file, with a stamp in the header of the file.

SQLite could make checkpoints by itself. They would leave no trace by which `file` can tell a checkpoint of duly from
another program that writes an older copy over the file.

The stamp is raised in a transaction that has work to do anyway, and the checkpoint follows its commit: neither waits
for a lock that another process holds. Only the one after a migration waits for those who read.

A long one is made beside the thread that writes, which would write nothing for a tenth of a second otherwise. What is
written meanwhile is moved after it, until little is left. That rest the thread that writes moves after a commit, while
nothing is added: then the log begins anew. It matters that it does, since a log that grows is a longer file with every
commit, and the disk takes half as long again to sync that. Where other processes write all the time, the rest may never
be little; once the log is very long, it is moved all the same.
"""

from __future__ import annotations

import queue
import threading
from contextlib import suppress

import apsw

from duly.clock import Clock
from duly.errors import StoreError
from duly.stores.sqlite.file import StoreFile

_PAGES = 4000
_MORE_PAGES = 1000  # until the next try, while others still read what is in the log
_SECONDS = 300.0
_LONG = 500  # pages: moving fewer takes a few milliseconds
_REST = 500  # pages at most that a checkpoint beside the thread that writes leaves to it
_MOST_PAGES = 16_000  # a log that is longer is worth a wait of the thread that writes
_PASSES = 4  # of a checkpoint beside it, each for what was written during the one before
_LARGEST_STAMP = 2**31 - 1


class CheckpointThread:
    """Makes checkpoints over a connection of its own. The thread starts with the first of them."""

    def __init__(self, file: StoreFile) -> None:
        self._file = file
        self._wanted: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self.is_busy = False
        self.has_ended = False
        """Whether a checkpoint has ended; something that was written meanwhile may still be in the log."""
        self.moved = 0
        """How many pages of the log were moved when it ended."""

    def begin(self) -> None:
        """Begin a checkpoint; not while one is being made."""
        self.is_busy = True
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="duly-sqlite-checkpoint", daemon=True)
            self._thread.start()
        self._wanted.put(True)

    def close(self) -> None:
        """Wait for the checkpoint that is being made, and end the thread."""
        if self._thread is not None:
            self._wanted.put(False)
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        connection: apsw.Connection | None = None
        while self._wanted.get():
            with suppress(apsw.Error, StoreError):  # it is tried again later; work meets the same fault, and reports it
                if connection is None:
                    connection = self._file.connect()
                self._file.verify(connection)
                self._move_all(connection)
            self.has_ended = True
            self.is_busy = False
        if connection is not None:
            with suppress(apsw.Error, StoreError):
                self._file.let_go(connection)

    def _move_all(self, connection: apsw.Connection) -> None:
        """Move the log into the file, and then what was written meanwhile: the less there is, the shorter a pass."""
        for _ in range(_PASSES):
            in_log, self.moved = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            if self.moved == in_log:
                return
            # SQLite has left that to the checkpoint that moves the last page, and so to the thread that writes.
            self._file.sync()


class Checkpoints:
    """Watches the log of the connection that writes: call `before_commit` and `after_commit` in every transaction."""

    def __init__(self, connection: apsw.Connection, clock: Clock, beside: CheckpointThread | None = None) -> None:
        self._connection = connection
        self._beside = beside
        self._clock = clock
        self._pages = 0
        self._due_at = _PAGES
        self._last = clock.monotonic()
        self._stamped = False
        self._all_wanted = False
        connection.set_wal_hook(self._committed)

    def want_all(self) -> None:
        """Let the next transaction end with a checkpoint that leaves the log empty, once no one reads from it."""
        self._all_wanted = True

    def before_commit(self) -> None:
        """Raise the stamp if a checkpoint is due: the log has grown, or a few minutes have passed."""
        self._stamped = self._is_due()
        if self._stamped:
            stamp = int(self._connection.execute("PRAGMA user_version").get)
            self._connection.execute(f"PRAGMA user_version = {min(stamp + 1, _LARGEST_STAMP)}")

    def after_commit(self) -> None:
        """Move the log into the file, if the transaction raised the stamp.

        A fault here does not concern the work that was just committed; the checkpoint is tried again later.
        """
        if self._beside is not None and self._beside.has_ended:
            self._beside.has_ended = False
            rest = self._pages - self._beside.moved  # less than none when the log has begun anew since
            if 0 < rest <= _REST or self._pages >= _MOST_PAGES:
                self._checkpoint("PASSIVE")
        if not self._stamped:
            return
        how = "TRUNCATE" if self._all_wanted else "PASSIVE"
        self._stamped = False
        self._all_wanted = False
        self._last = self._clock.monotonic()
        self._due_at = max(_PAGES, self._pages + _MORE_PAGES)
        if self._beside is not None and how == "PASSIVE" and self._pages >= _LONG:
            self._beside.begin()
        else:
            self._checkpoint(how)

    def _checkpoint(self, how: str) -> None:
        with suppress(apsw.Error):
            self._connection.execute(f"PRAGMA wal_checkpoint({how})")

    def _is_due(self) -> bool:
        if self._beside is not None and self._beside.is_busy:
            return False
        return self._all_wanted or self._pages >= self._due_at or self._clock.monotonic() - self._last >= _SECONDS

    def _committed(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        if pages < self._pages:  # the log began anew
            self._due_at = _PAGES
        self._pages = pages
        return apsw.SQLITE_OK
