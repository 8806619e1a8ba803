"""Repairing text that is not UTF-8, as a damaged disk leaves it.

SQLite keeps any bytes as text, and the driver cannot read them: one such row would fail every statement that reads
it. Nothing is checked beforehand. When a statement fails that way, all tables are searched, such text is replaced by a
readable form of it, its schedule is quarantined, its run is dead, and the statement is run again (`repairing.py`).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import apsw

from duly.model.events import SCHEDULE_QUARANTINED, Event
from duly.stores.run_records import run_dead
from duly.stores.sqlite.claiming import give_up_without_schedule
from duly.stores.sqlite.file import StoreFile, unavailable
from duly.stores.sqlite.rows import micros
from duly.stores.sqlite.transaction import SQL

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
    ("nodes", "state"): lambda _: "alive",  # and lost a moment later, as every node with unreadable text
    ("events", "data"): _in_json,
}
"""Replacements for columns that must hold one of a few values, or JSON. All others show the bytes as `\\xff`."""
_NEEDED = frozenset({"id", "schedule_id", "origin", "handler", "status"})
"""Columns of a run without which it cannot be carried out."""


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
    """The values of its key; text as bytes."""
    texts: dict[str, bytes]
    """The columns that cannot be read."""

    @property
    def where(self) -> tuple[str, list[Any]]:
        """Return a condition that finds the row while it is unchanged, and the values of the condition."""
        names = [
            f"{name} = CAST(? AS TEXT)" if isinstance(value, bytes) else f"{name} = ?" for name, value in self._named
        ]
        same = [f"CAST({name} AS BLOB) = ?" for name in self.texts]
        return " AND ".join([*names, *same]), [*(value for _, value in self._named), *self.texts.values()]

    @property
    def _named(self) -> list[tuple[str, Any]]:
        return list(zip(self.table.key, self.key, strict=True))

    @property
    def reason(self) -> str:
        """Return which columns cannot be read and what they hold, for people."""
        columns = ", ".join(f"{self.table.name}.{name} ({shown(raw)!r:.80})" for name, raw in self.texts.items())
        return f"not UTF-8 text: {columns}"


def shown(raw: bytes) -> str:
    """Make bytes that are not UTF-8 readable; the result is never valid JSON."""
    return raw.decode("utf-8", "backslashreplace")


def repair(file: StoreFile, now: datetime) -> list[Event]:
    """Search all tables and repair what cannot be read; returns the events to write."""
    connection = file.connect()
    try:
        # A row may refer to another by an id that was just replaced: it stays all the same.
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.create_scalar_function("is_utf8", lambda *raw: _is_utf8(raw[0]), 1, deterministic=True)
        found = [row for table in _tables(connection) for row in _search(connection, table)]
        return _repair_rows(connection, found, now) if found else []
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
    """Find the tables of the schema that hold text."""
    for name, without_rowid in list(connection.execute(SQL.tables)):
        columns = list(connection.execute(SQL.columns_of, {"name": name}))
        texts = tuple(column for column, kind, _ in columns if kind == "TEXT")
        key = tuple(column for column, _, place in sorted(columns, key=lambda each: each[2]) if place)
        if texts:
            yield _Table(name, texts, key if without_rowid else ("rowid",))


def _search(connection: apsw.Connection, table: _Table) -> Iterator[_Damaged]:
    """Find rows with text that cannot be read. All columns of a row are checked at once first."""
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


def _repair_rows(connection: apsw.Connection, found: Iterable[_Damaged], now: datetime) -> list[Event]:
    connection.execute("BEGIN IMMEDIATE")
    events = [event for row in found for event in _repair_row(connection, row, now)]
    events += give_up_without_schedule(connection, now)
    connection.execute("COMMIT")
    return events


def _repair_row(connection: apsw.Connection, row: _Damaged, now: datetime) -> list[Event]:
    instead = {name: _INSTEAD.get((row.table.name, name), str)(shown(raw)) for name, raw in row.texts.items()}
    try:
        changed = _replace(connection, row, instead)
    except apsw.ConstraintError:  # another row has that name
        marks = {name: f" (damaged {sha256(raw).hexdigest()[:12]})" for name, raw in row.texts.items()}
        instead = {name: text and text + marks[name] for name, text in instead.items()}
        changed = _replace(connection, row, instead)
    if not changed:
        return []  # another process has repaired it
    _log.error("%s: %s; the row is shown with what could be read of it", connection.filename, row.reason)
    first = row.key[0]
    row_id = instead.get("id") or (shown(first) if isinstance(first, bytes) else str(first))
    if row.table.name == "schedules":
        return _quarantine(connection, row_id, row, now)
    if row.table.name == "runs" and not _NEEDED.isdisjoint(row.texts):
        return _give_up(connection, row_id, row, now)
    if row.table.name == "nodes":
        # Whether the node is alive cannot be judged; if it is, its next heartbeat makes it register again.
        connection.execute(SQL.bury, {"id": row_id, "state": "lost", "seen_at": None})
    return []


def _replace(connection: apsw.Connection, row: _Damaged, instead: dict[str, str | None]) -> bool:
    condition, values = row.where
    changes = ", ".join(f"{name} = ?" for name in instead)
    statement = f"UPDATE {row.table.name} SET {changes} WHERE {condition}"  # noqa: S608  names from the schema
    before = connection.total_changes()
    connection.execute(statement, [*instead.values(), *values])
    return connection.total_changes() > before


def _quarantine(connection: apsw.Connection, schedule_id: str, row: _Damaged, now: datetime) -> list[Event]:
    reason = f"{row.reason}; save the schedule again under its name, or delete it"
    name = connection.execute(SQL.quarantine, {"id": schedule_id, "reason": reason}).get
    return [Event(SCHEDULE_QUARANTINED, now, schedule_id, data={"name": name, "reason": reason})]


def _give_up(connection: apsw.Connection, run_id: str, row: _Damaged, now: datetime) -> list[Event]:
    dead = connection.execute(SQL.give_up_unreadable, {"id": run_id, "now": micros(now), "reason": row.reason}).get
    if dead is None:
        return []  # it had ended before
    schedule_id, attempt = dead
    # Without a name: the name of the schedule may be unreadable, too.
    return [run_dead(now, run_id, schedule_id, None, row.reason, attempt)]
