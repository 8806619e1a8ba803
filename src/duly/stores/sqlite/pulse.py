"""The connection of the heartbeat: it does not wait for the writing thread, and not long for other processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import apsw

from duly.clock import Clock
from duly.errors import StoreReplacedError, StoreUnavailableError
from duly.planning.lease import Lease
from duly.stores.sqlite.file import StoreFile, unavailable
from duly.stores.sqlite.rows import micros
from duly.stores.sqlite.transaction import SQL
from duly.stores.sqlite.write_lock import WriteTurns, write_turns_at

T = TypeVar("T")

_LONGEST_PATIENCE = 0.5


class SqlitePulse:
    """Renews the lease of a node. The connection is opened in the heartbeat's thread.

    Without a file, because it was replaced right after the node joined, every beat fails and the lease ends.
    """

    def __init__(self, file: StoreFile | None, clock: Clock, lease: float) -> None:
        self._file = file
        self._clock = clock
        self._patience = min(_LONGEST_PATIENCE, Lease(lease).retry_every)
        self._turns = WriteTurns() if file is None else write_turns_at(file.path)
        self._connection: apsw.Connection | None = None
        self._was_busy = True
        """Whether the last beat that failed only had to wait for the write lock of another process."""

    def beat(self, node_id: str) -> bool:
        def write(connection: apsw.Connection) -> bool:
            with self._turns.beating():
                # The time before the wait for the lock: a lease that is counted too short is safe, one too long is not.
                now = micros(self._clock.now())
                values = {"id": node_id, "beat_at": self._clock.boottime(), "seen_at": now}
                return connection.execute(SQL.beat, values).get is not None

        try:
            return self._use(write)
        except StoreUnavailableError as error:
            self._was_busy = isinstance(error.__cause__, apsw.BusyError)
            raise

    def is_undoubted(self, node_id: str) -> bool:
        if not self._was_busy:  # a full or broken disk: results could not be recorded, so runs must not go on
            return False
        return self._use(lambda connection: connection.execute(SQL.is_undoubted, {"id": node_id}).get is not None)

    def _use(self, work: Callable[[apsw.Connection], T]) -> T:
        if self._file is None:
            raise StoreUnavailableError("the store is not open")
        try:
            if self._connection is None:
                self._connection = self._file.connect(self._patience)
            answer = work(self._connection)
            self._file.verify(self._connection)
        except StoreReplacedError:
            self.close()
            raise
        except apsw.Error as error:
            raise unavailable(self._file.path, error) from error
        return answer

    def close(self) -> None:
        if self._connection is not None and self._file is not None:
            self._file.let_go(self._connection)
            self._connection = None
