"""Text that is not UTF-8, as a damaged disk leaves it: found once reading has failed, and kept from failing others.

SQLite keeps any bytes as text, and the driver cannot read them: one such row would fail every statement that comes
across it. Nothing is checked beforehand. A statement that fails on it is repeated after all tables have been searched:
what cannot be read is replaced by what can be shown of it, its schedule is put in quarantine, its run is given up.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import apsw

from duly.clock import Clock
from duly.model.events import RUN_DEAD, SCHEDULE_QUARANTINED, Event
from duly.stores.sqlite.claiming import give_up_without_schedule
from duly.stores.sqlite.executor import SqliteExecutor, Work
from duly.stores.sqlite.file import StoreFile, unavailable
from duly.stores.sqlite.reopening import ReopeningExecutor
from duly.stores.sqlite.rows import micros
from duly.stores.sqlite.transaction import SQL, write_events

T = TypeVar("T")
_log = logging.getLogger("duly")


def _in_json(text: str) -> str:
    return json.dumps({"unreadable": text})


_INSTEAD: dict[tuple[str, str], Callable[[str], str | None]] = {
    ("schedules", "source"): lambda _: "db",
    ("schedules", "timezone"): lambda _: None,
    ("schedules", "last_result"): _in_json,
    ("runs", "status"): lambda _: "dead",
    ("run_targets", "status"): lambda _: "failed",
    ("run_targets", "result"): lambda text: json.dumps({"text": text}),
    ("reminders", "status"): lambda _: "failed",
    ("delivery_attempts", "kind"): lambda _: "reminder",
    ("delivery_attempts", "status"): lambda _: "unknown",
    ("reminder_acks", "response"): lambda _: "dismiss",
    **{("users", name): lambda _: None for name in ("timezone", "language", "quiet_from", "quiet_to")},
    ("nodes", "handlers"): lambda _: "[]",
    ("nodes", "state"): lambda _: "alive",  # and lost a moment later, as every node of which something is unreadable
    ("events", "data"): _in_json,
}
"""Columns of which every reader expects one of a few values, or JSON. All others show the bytes as `\\xff`."""
_NEEDED = frozenset({"id", "schedule_id", "origin", "handler", "status"})
"""Columns of a run without which it cannot be carried out."""


class RepairingExecutor(SqliteExecutor):
    """Another gate, whose work is repeated once after what it could not read has been put right."""

    def __init__(self, gate: ReopeningExecutor, path: Path, clock: Clock) -> None:
        super().__init__(path)
        self._gate = gate
        self._clock = clock

    async def write(self, work: Work[T]) -> T:
        try:
            return await self._gate.write(work)
        except UnicodeDecodeError:
            await self._mend()
        return await self._gate.write(work)

    async def read(self, work: Work[T]) -> T:
        try:
            return await self._gate.read(work)
        except UnicodeDecodeError:
            await self._mend()
        return await self._gate.read(work)

    async def close(self) -> None:
        await self._gate.close()

    async def _mend(self) -> None:
        now, file = self._clock.now(), self._gate.file
        if file is None:
            return  # it was replaced: the next try says so
        events = mend(file, now) if self._gate.inline else await asyncio.to_thread(mend, file, now)
        if events:
            await self._gate.write(lambda connection: write_events(connection, events))


@dataclass(frozen=True, slots=True)
class _Table:
    name: str
    texts: tuple[str, ...]
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Damaged:
    """A row with text that cannot be read."""

    table: _Table
    key: tuple[Any, ...]
    """What names it; text as bytes."""
    texts: dict[str, bytes]
    """The columns that cannot be read."""

    @property
    def where(self) -> tuple[str, list[Any]]:
        """The condition that finds it, as long as it is what it was, and its values."""
        names = [
            f"{name} = CAST(? AS TEXT)" if isinstance(value, bytes) else f"{name} = ?" for name, value in self._named
        ]
        same = [f"CAST({name} AS BLOB) = ?" for name in self.texts]
        return " AND ".join([*names, *same]), [*(value for _, value in self._named), *self.texts.values()]

    @property
    def _named(self) -> list[tuple[str, Any]]:
        return list(zip(self.table.key, self.key, strict=True))

    @property
    def told(self) -> str:
        """Where it is and what it holds, for people."""
        columns = ", ".join(f"{self.table.name}.{name} ({shown(raw)!r:.80})" for name, raw in self.texts.items())
        return f"not UTF-8 text: {columns}"


def shown(raw: bytes) -> str:
    """What can be shown of bytes that are not UTF-8; never JSON, if they were to be."""
    return raw.decode("utf-8", "backslashreplace")


def mend(file: StoreFile, now: datetime) -> list[Event]:
    """Search all tables and put right what cannot be read; gives what there is to tell."""
    connection = file.connect()
    try:
        # A row may name another that is no longer known under that name: it stays all the same.
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.create_scalar_function("is_utf8", lambda *raw: _is_utf8(raw[0]), 1, deterministic=True)
        found = [row for table in _tables(connection) for row in _search(connection, table)]
        return _put_all_right(connection, found, now) if found else []
    except apsw.Error as error:
        raise unavailable(file.path, error) from error
    finally:
        file.let_go(connection)


def _is_utf8(raw: Any) -> bool:
    try:
        bytes(raw).decode()
    except UnicodeDecodeError:
        return False
    return True


def _tables(connection: apsw.Connection) -> Iterator[_Table]:
    """The tables of the schema that hold text."""
    for name, without_rowid in list(connection.execute(SQL.tables)):
        columns = list(connection.execute(SQL.columns_of, {"name": name}))
        texts = tuple(column for column, kind, _ in columns if kind == "TEXT")
        key = tuple(column for column, _, place in sorted(columns, key=lambda each: each[2]) if place)
        if texts:
            yield _Table(name, texts, key if without_rowid else ("rowid",))


def _search(connection: apsw.Connection, table: _Table) -> Iterator[_Damaged]:
    """Rows with text that cannot be read. One look at all columns of a row is enough for most."""
    wanted = [f"CAST({name} AS BLOB)" if name in table.texts else name for name in (*table.key, *table.texts)]
    texts = ", ".join(table.texts)
    statement = (
        f"SELECT {', '.join(wanted)} FROM {table.name} "  # noqa: S608  names from the schema
        f"WHERE NOT is_utf8(CAST(concat_ws(' ', {texts}) AS BLOB))"
    )
    for row in list(connection.execute(statement)):
        values = dict(zip(table.texts, row[len(table.key) :], strict=True))
        unreadable = {name: raw for name, raw in values.items() if raw is not None and not _is_utf8(raw)}
        yield _Damaged(table, tuple(row[: len(table.key)]), unreadable)


def _put_all_right(connection: apsw.Connection, found: Iterable[_Damaged], now: datetime) -> list[Event]:
    connection.execute("BEGIN IMMEDIATE")
    events = [event for row in found for event in _put_right(connection, row, now)]
    events += give_up_without_schedule(connection, now)
    connection.execute("COMMIT")
    return events


def _put_right(connection: apsw.Connection, row: _Damaged, now: datetime) -> list[Event]:
    instead = {name: _INSTEAD.get((row.table.name, name), str)(shown(raw)) for name, raw in row.texts.items()}
    try:
        changed = _replace(connection, row, instead)
    except apsw.ConstraintError:  # another row has that name
        marks = {name: f" (damaged {sha256(raw).hexdigest()[:12]})" for name, raw in row.texts.items()}
        instead = {name: text and text + marks[name] for name, text in instead.items()}
        changed = _replace(connection, row, instead)
    if not changed:
        return []  # another process was quicker
    _log.error("%s: %s; the row is shown with what could be read of it", connection.filename, row.told)
    first = row.key[0]
    row_id = instead.get("id") or (shown(first) if isinstance(first, bytes) else str(first))
    if row.table.name == "schedules":
        return _quarantine(connection, row_id, row, now)
    if row.table.name == "runs" and not _NEEDED.isdisjoint(row.texts):
        return _give_up(connection, row_id, row, now)
    if row.table.name == "nodes":
        # Whether it is alive cannot be judged; if it is, its next beat tells it to join again.
        connection.execute(SQL.bury, {"id": row_id, "state": "lost"})
    return []


def _replace(connection: apsw.Connection, row: _Damaged, instead: dict[str, str | None]) -> bool:
    condition, values = row.where
    changes = ", ".join(f"{name} = ?" for name in instead)
    statement = f"UPDATE {row.table.name} SET {changes} WHERE {condition}"  # noqa: S608  names from the schema
    before = connection.total_changes()
    connection.execute(statement, [*instead.values(), *values])
    return connection.total_changes() > before


def _quarantine(connection: apsw.Connection, schedule_id: str, row: _Damaged, now: datetime) -> list[Event]:
    reason = f"{row.told}; save the schedule again under its name, or delete it"
    name = connection.execute(SQL.quarantine, {"id": schedule_id, "reason": reason}).get
    return [Event(SCHEDULE_QUARANTINED, now, schedule_id, data={"name": name, "reason": reason})]


def _give_up(connection: apsw.Connection, run_id: str, row: _Damaged, now: datetime) -> list[Event]:
    dead = connection.execute(SQL.give_up_unreadable, {"id": run_id, "now": micros(now), "reason": row.told}).get
    if dead is None:
        return []  # it was over before
    schedule_id, attempt = dead
    # The name of its schedule may be what cannot be read next.
    return [Event(RUN_DEAD, now, schedule_id, run_id, data={"name": None, "reason": row.told, "attempt": attempt})]
