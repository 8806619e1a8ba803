"""Running statements on a SQLite connection: the shared ones by name, and one statement for many rows.

Work on a file is done in the thread that holds the connection, so the coroutines of the shared code never wait here:
`finish` runs them to their end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from duly.stores import queries
from duly.stores.crud.database import Transaction
from duly.stores.sqlite.file import StoreConnection
from duly.stores.sqlite.rows import CODECS, audit_values, micros, time_near, time_of, to_schedule

if TYPE_CHECKING:
    from duly.model.audit import AuditEntry
    from duly.model.events import Event
    from duly.ports.records import NewRun, StoredSchedule

T = TypeVar("T")
SQL = queries.load("sqlite")

_ROW = re.compile(r"VALUES (\(\?(?:, \?)*\))")
_LONGEST = 16_000  # characters of a statement that the driver keeps prepared
_SIZES = (1000, 400, 200, 100, 50, 20, 10, 5, 2, 1)


def run_many(connection: apsw.Connection, statement: str, rows: Sequence[Sequence[Any]]) -> list[Any]:
    """Run a statement with the values of one row after `VALUES` for many rows; returns what it answers.

    A driver lets other threads run with every step it takes and then waits for its turn, so a statement per row costs
    most when the process is busiest. A statement with many rows is one step.
    """
    if len(rows) == 1:
        return list(connection.execute(statement, rows[0]))
    return run_flat(connection, statement, list(chain.from_iterable(rows)))


def run_flat(connection: apsw.Connection, statement: str, values: list[Any], *shared: Any) -> list[Any]:
    """Do the same with the values of all rows one after the other, without an object for each row.

    `shared` values are the same for all rows, and follow them in the statement.
    """
    answers: list[Any] = []
    start = 0
    for step, widened in _widened(statement):
        while len(values) - start >= step:
            answers += connection.execute(widened, [*values[start : start + step], *shared])
            start += step
    return answers


def update_flat(connection: apsw.Connection, statement: str, values: list[Any]) -> None:
    """Run an `UPDATE` by the id in the first column for many rows; of rows with the same id, all count, in order."""
    width = _widened(statement)[-1][0]
    ids = values[::width]
    if len(set(ids)) == len(ids):
        run_flat(connection, statement, values)
    else:
        connection.executemany(statement, batched(values, width))


def batched(values: Sequence[Any], width: int) -> Iterator[Sequence[Any]]:
    """Give the values of one row after the other."""
    return (values[start : start + width] for start in range(0, len(values), width))


@cache
def _widened(statement: str) -> list[tuple[int, str]]:
    """Widen a statement to several numbers of rows, so that any number of rows takes few statements.

    Gives how many values each takes; the last one takes those of one row.
    """
    row = _ROW.search(statement)
    if row is None:
        raise ValueError(f"no row of values in {statement!r}")
    before = statement[: row.start(1)]
    after = statement[row.end(1) :]
    values = row[1].replace(" ", "")
    most = (_LONGEST - len(statement)) // len(f"{values},")
    width = values.count("?")
    return [(number * width, before + ",".join([values] * number) + after) for number in _SIZES if number <= most]


def write_events(connection: apsw.Connection, events: Sequence[Event]) -> None:
    """Write events to the journal and the audit, and remember them for the listeners after the commit."""
    from duly.stores.sqlite import events as event_writing  # late: a command that only reads writes none

    event_writing.write(connection, events)


def get_schedules(connection: apsw.Connection, ids: Collection[str]) -> list[StoredSchedule]:
    """Read schedules by id, in the order asked for."""
    rows = {row[0]: to_schedule(row) for row in connection.execute(SQL.get_schedules, {"ids": json.dumps(list(ids))})}
    return [rows[each] for each in ids if each in rows]


class SqliteTransaction(Transaction):
    """Runs the shared statements on a connection that is in a transaction, or that only reads."""

    codecs = CODECS
    duplicate = apsw.ConstraintError
    dangling = apsw.ConstraintError
    before_all_times = -(2**63)

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    async def rows(self, statement: str, /, **values: Any) -> list[tuple[Any, ...]]:
        for name, value in values.items():
            if isinstance(value, datetime):
                values[name] = micros(value)
        return list(self._connection.execute(getattr(SQL, statement), values))

    lenient_rows = rows  # times are whole numbers here, which a row can always hold

    async def write_records(self, statement: str, records: Sequence[Any]) -> None:
        rows = [tuple(self.free_text_values(each).values()) for each in records]
        run_many(self._connection, getattr(SQL, statement), rows)

    async def lock(self, statement: str, /, **values: Any) -> None:
        """Do nothing: the write lock of the file is held already."""

    def snapshot(self) -> AbstractContextManager[object]:
        return self._connection

    def texts(self, values: Collection[str]) -> str:
        return json.dumps(list(values))

    def numbers(self, values: Collection[int]) -> str:
        return json.dumps(list(values))

    def times(self, values: Collection[datetime]) -> str:
        return json.dumps([micros(value) for value in values])

    def time(self, value: int) -> datetime:
        return time_of(value)

    def nearest(self, value: int | None) -> datetime | None:
        return time_near(value)

    def storable(self, text: str | None) -> str | None:
        return text if text is None or text.isascii() else text.encode(errors="backslashreplace").decode()

    async def add_audit_entries(self, entries: Sequence[AuditEntry]) -> None:
        run_many(self._connection, SQL.audit_entry, [audit_values(each) for each in entries])

    def tell_after_commit(self, events: Sequence[Event]) -> None:
        if isinstance(self._connection, StoreConnection):
            self._connection.written += events

    async def write_events(self, events: Sequence[Event]) -> None:
        write_events(self._connection, events)

    async def record_skips(self, runs: Sequence[NewRun], lanes: Mapping[str, str], now: datetime) -> set[str]:
        from duly.stores.sqlite.cycle import record  # late: few changes leave a fire out

        return record(self._connection, runs, lanes, "", micros(now))

    async def announce(self) -> None:
        """Do nothing: other processes on this machine watch the file."""

    async def schedules(self, ids: Collection[str]) -> list[StoredSchedule]:
        return get_schedules(self._connection, ids)


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never waits, and return its result."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("work on a SQLite file must not wait for the event loop")
