"""When what is in the log is moved into the file, and the stamp that this leaves in the file's header.

SQLite could do it by itself. It would leave no trace by which `file` can tell our own checkpoint from another program
that writes an older copy over the file.
"""

from __future__ import annotations

import apsw

from duly.clock import Clock

_PAGES = 4000
_MORE_PAGES = 1000  # until the next try, while others still read what is in the log
_SECONDS = 300.0
_LARGEST_STAMP = 2**31 - 1


class Checkpoints:
    """Watches the log of the connection that writes: call `run_if_due` after a commit."""

    def __init__(self, connection: apsw.Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._pages = 0
        self._due_at = _PAGES
        self._last = clock.monotonic()
        connection.set_wal_hook(self._committed)

    def _committed(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        if pages < self._pages:  # the log began anew
            self._due_at = _PAGES
        self._pages = pages
        return apsw.SQLITE_OK

    def run_if_due(self) -> None:
        """Move what is in the log into the file once the log has grown, and every few minutes."""
        if self._pages >= self._due_at or self._clock.monotonic() - self._last >= _SECONDS:
            self.run()

    def run(self, how: str = "PASSIVE") -> None:
        """Move what is in the log into the file.

        A fault here is none of the work that was just committed: it is tried again later.
        """
        self._last = self._clock.monotonic()
        self._due_at = max(_PAGES, self._pages + _MORE_PAGES)
        try:
            self._stamp()
            self._connection.execute(f"PRAGMA wal_checkpoint({how})")
        except apsw.Error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _stamp(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        stamp = int(self._connection.execute("PRAGMA user_version").get)
        self._connection.execute(f"PRAGMA user_version = {min(stamp + 1, _LARGEST_STAMP)}")
        self._connection.execute("COMMIT")
