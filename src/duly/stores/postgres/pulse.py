"""The connection of the heartbeat: it answers in time, even when the server does not.

The driver has no setting to wait for less than two seconds, nor to give up on a silent connection; so it works in a
thread of its own, and is cut off when it takes too long.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import psycopg

from duly.clock import Clock
from duly.errors import StoreUnavailableError
from duly.stores.postgres.address import Address
from duly.stores.postgres.connection import sever, speaking_to
from duly.stores.postgres.transaction import SQL

_SHARE = 8  # a beat may take an eighth of the lease: two failed ones leave time to stop before the lease ends
_LONGEST = 2.0


class PostgresPulse:
    """Renews the lease of a node."""

    def __init__(self, address: Address, lease: float, clock: Clock) -> None:
        self._address = address
        self._clock = clock
        self._patience = min(_LONGEST, lease / _SHARE)
        self._settings = {"statement_timeout": str(int(self._patience * 1000))}
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="duly-postgres-pulse")
        self._pending: Future[bool] | None = None
        self._connection: psycopg.Connection[Any] | None = None
        self._is_pooled = False

    def beat(self, node_id: str) -> bool:
        if self._pending is not None and not self._pending.done():
            self._cut()  # the first cut found no connection if it was still connecting
            raise self._silence()  # an answer to the last beat would be too old to count
        self._pending = self._worker.submit(self._beat, node_id)
        try:
            return self._pending.result(self._patience)
        except TimeoutError:
            self._cut()
            raise self._silence() from None
        except psycopg.Error as error:
            raise self._address.unavailable(error) from error

    def is_undoubted(self, node_id: str) -> bool:  # noqa: ARG002
        return False  # no lock of another node keeps a node from beating, so there are no doubts here

    def close(self) -> None:
        if self._pending is not None and not self._pending.done():
            self._cut()
        self._worker.shutdown()
        self._drop()

    def _silence(self) -> StoreUnavailableError:
        return StoreUnavailableError(f"cannot use {self._address.shown}: no answer within {self._patience:g} s")

    def _cut(self) -> None:
        if (connection := self._connection) is not None:
            sever(connection)

    # in the worker's thread, or after it has ended

    def _beat(self, node_id: str) -> bool:
        known = self._connection is not None
        try:
            return self._ask(node_id)
        except psycopg.Error:
            self._drop()
            if not known:
                raise
        try:  # the connection had died since the last beat
            return self._ask(node_id)
        except psycopg.Error:
            self._drop()
            raise

    def _ask(self, node_id: str) -> bool:
        if self._connection is None:
            parameters = {**self._address.parameters, "connect_timeout": 2, "application_name": "duly pulse"}
            self._connection = psycopg.connect("", autocommit=True, **parameters)
            said = self._connection.execute(speaking_to(self._connection, self._settings).encode()).fetchone()
            self._is_pooled = said is None or said[0] or self._address.seems_pooled
        values = {"id": node_id, "seen_at": self._clock.now()}
        if self._is_pooled:
            return self._ask_at_once(self._connection, values)
        return self._connection.execute(SQL.beat, values).fetchone() is not None

    def _ask_at_once(self, connection: psycopg.Connection[Any], values: dict[str, object]) -> bool:
        """Beat through a pooler: setting and statement are one message, and so one transaction."""
        settings = "".join(f"SET LOCAL {name} = '{value}';" for name, value in self._settings.items())
        cursor = psycopg.ClientCursor(connection)
        cursor.execute(f"{settings}{SQL.beat}".encode(), values)
        while cursor.nextset():
            pass
        return cursor.fetchone() is not None

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(psycopg.Error, OSError):
                connection.close()
