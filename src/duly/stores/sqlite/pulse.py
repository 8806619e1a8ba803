"""The heartbeat's own connection: it does not wait behind our own writing, and not for long behind that of others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import apsw

from duly.clock import Clock
from duly.errors import StoreUnavailableError
from duly.planning.lease import Lease
from duly.stores.sqlite.connection import connect, unavailable
from duly.stores.sqlite.cycle import SQL
from duly.stores.sqlite.turns import turns_at

T = TypeVar("T")

_LONGEST_PATIENCE = 0.5
_CHECKPOINT_PAGES = 8000  # twice those of a writer: moving pages into the file takes long, and is left to others


class SqlitePulse:
    """Beats for a node whose lease is so long. The connection is opened in the heartbeat's thread."""

    def __init__(self, path: Path, clock: Clock, lease: float) -> None:
        self._path = path
        self._clock = clock
        self._patience = min(_LONGEST_PATIENCE, Lease(lease).retry_every)
        self._turns = turns_at(path)
        self._connection: apsw.Connection | None = None
        self._was_busy = True
        """Whether the last beat that failed only had to wait for the write lock of another process."""

    def beat(self, node_id: str) -> bool:
        def write(connection: apsw.Connection) -> bool:
            with self._turns.beating():
                # The time is that before the wait for the lock: a lease is rather counted short than long.
                values = {"id": node_id, "beat_at": self._clock.boottime()}
                return connection.execute(SQL.beat, values).get is not None

        try:
            return self._use(write)
        except StoreUnavailableError as error:
            self._was_busy = isinstance(error.__cause__, apsw.BusyError)
            raise

    def is_undoubted(self, node_id: str) -> bool:
        if not self._was_busy:  # a full or broken disk: what is under way could not be recorded, so it must not go on
            return False
        return self._use(lambda connection: connection.execute(SQL.is_undoubted, {"id": node_id}).get is not None)

    def _use(self, work: Callable[[apsw.Connection], T]) -> T:
        try:
            if self._connection is None:
                self._connection = connect(self._path, self._patience)
                self._connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
            return work(self._connection)
        except apsw.Error as error:
            raise unavailable(self._path, error) from error

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
