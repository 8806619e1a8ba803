"""Damage done to stored rows behind the back of a store, as a broken disk or a careless hand would."""

from __future__ import annotations

import apsw
import psycopg
from psycopg import sql

from tests.conformance.stores.harness import PostgresHarness, SqliteHarness, StoreHarness

TOO_LATE, TOO_EARLY = 9_000_000_000_000_000_000, -9_000_000_000_000_000_000


def damage(harness: StoreHarness, table: str, column: str, value: object, name: str = "bad") -> None:
    """Put a value into a column of a schedule, or of its runs; times that are none are given in microseconds."""
    of = "id" if table == "schedules" else "schedule_id"
    if isinstance(harness, SqliteHarness):
        with apsw.Connection(str(harness.path)) as connection:
            changed = f"UPDATE {table} SET {column} = ? WHERE {of} IN (SELECT id FROM schedules WHERE name = ?)"  # noqa: S608
            connection.execute(changed, (value, name))
        return
    assert isinstance(harness, PostgresHarness)
    if isinstance(value, int):
        value = "infinity" if value > 0 else "-infinity"
    statement = sql.SQL("UPDATE {} SET {} = %s WHERE {} IN (SELECT id FROM schedules WHERE name = %s)")
    with psycopg.connect(harness.url, autocommit=True) as connection:
        connection.execute(statement.format(*map(sql.Identifier, (table, column, of))), (value, name))


def stored(harness: StoreHarness, column: str, name: str = "bad") -> object:
    """What is really in a column of a schedule, as text."""
    if isinstance(harness, SqliteHarness):
        with apsw.Connection(str(harness.path)) as connection:
            return connection.execute(f"SELECT CAST({column} AS TEXT) FROM schedules WHERE name = ?", (name,)).get  # noqa: S608
    assert isinstance(harness, PostgresHarness)
    with psycopg.connect(harness.url, autocommit=True) as connection:
        query = sql.SQL("SELECT {}::text FROM schedules WHERE name = %s").format(sql.Identifier(column))
        row = connection.execute(query, (name,)).fetchone()
    return None if row is None else row[0]
