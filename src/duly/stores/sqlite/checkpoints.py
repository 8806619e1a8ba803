"""Checkpoints: moving the log into the file, with a stamp in the header of the file.

SQLite could make checkpoints by itself. They would leave no trace by which `file` can tell a checkpoint of duly from
another program that writes an older copy over the file.

The stamp is raised in a transaction that has work to do anyway, and the checkpoint follows its commit: neither waits
for a lock that another process holds. Only the one after a migration waits for those who read.
"""

from __future__ import annotations

from contextlib import suppress

import apsw

from duly.clock import Clock

_PAGES = 4000
_MORE_PAGES = 1000  # until the next try, while others still read what is in the log
_SECONDS = 300.0
_LARGEST_STAMP = 2**31 - 1


class Checkpoints:
    """Watches the log of the connection that writes: call `before_commit` and `after_commit` in every transaction."""

    def __init__(self, connection: apsw.Connection, clock: Clock) -> None:
        self._connection = connection
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
        if not self._stamped:
            return
        how = "TRUNCATE" if self._all_wanted else "PASSIVE"
        self._stamped = False
        self._all_wanted = False
        self._last = self._clock.monotonic()
        self._due_at = max(_PAGES, self._pages + _MORE_PAGES)
        with suppress(apsw.Error):
            self._connection.execute(f"PRAGMA wal_checkpoint({how})")

    def _is_due(self) -> bool:
        return self._all_wanted or self._pages >= self._due_at or self._clock.monotonic() - self._last >= _SECONDS

    def _committed(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        if pages < self._pages:  # the log began anew
            self._due_at = _PAGES
        self._pages = pages
        return apsw.SQLITE_OK
