"""Backups of a PostgreSQL database: each table as COPY writes it, all from one snapshot.

Neither pg_dump nor a superuser is needed: it reads as the user of the store, and puts back as the owner of its tables.
Only tables of duly are in it, and none of others. A snapshot keeps no writer waiting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.sql import SQL, Identifier

from duly.errors import BackupError
from duly.stores import queries
from duly.stores.backup.archive import PIECE, Backup, pieces
from duly.stores.postgres.address import Address
from duly.stores.postgres.schema import MIGRATION

if TYPE_CHECKING:
    from duly.stores.backup import Telling
    from duly.stores.backup.writing import NewArchive

_MADE = re.compile(r"^CREATE TABLE (?:IF NOT EXISTS )?(\w+)", re.MULTILINE)
_VERSIONS = "schema_version"
_COLUMNS = """
SELECT attname, attidentity <> '' FROM pg_attribute
WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
"""
_PARENTS = """
SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
WHERE contype = 'f' AND conrelid <> confrelid AND conrelid = ANY(%s::regclass[])
"""
_SETTINGS = """
SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = 0;
SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL TimeZone = 'UTC'; SET LOCAL IntervalStyle = 'postgres';
SET LOCAL extra_float_digits = 1
"""

Connection = psycopg.Connection[Any]


@cache
def tables() -> tuple[str, ...]:
    """Give the names of all tables that any version of duly has made."""
    made = (name for _, script in queries.migrations("postgres") for name in _MADE.findall(script))
    return tuple(sorted({_VERSIONS, *made}))


def write(url: str, archive: NewArchive, heard: Telling) -> None:
    """Copy all tables of duly into an archive."""
    address = Address(url)
    with _transaction(address, "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY") as connection:
        archive.store = "postgres"
        archive.schema = _version(connection)
        if not archive.schema:
            raise BackupError(address.shown, "is no store of duly: it has no schema_version")
        for name in _present(connection):
            columns = connection.execute(_COLUMNS, [name]).fetchall()
            archive.columns[name] = tuple(str(column) for column, _ in columns)
            for column in (str(column) for column, counts in columns if counts):
                sequence = _value(connection, "SELECT pg_get_serial_sequence(%s, %s)", name, column)
                last = _value(connection, f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}")  # noqa: S608  named by the server
                archive.counters[f"{name}.{column}"] = last
            archive.tables[name] = _write_table(connection, archive, name, heard)


def _write_table(connection: Connection, archive: NewArchive, name: str, heard: Telling) -> int:
    """Write a table, in pieces that hold many rows; give how many rows it has."""
    heard(name)
    gathered = bytearray()
    done = 0
    with archive.member(_member(name)) as add, connection.cursor() as cursor:
        with cursor.copy(SQL("COPY {} ({}) TO STDOUT").format(*_named(name, archive.columns[name]))) as copy:
            for row in copy:
                gathered += row
                if len(gathered) >= PIECE:
                    add(bytes(gathered))
                    done += len(gathered)
                    gathered.clear()
                    heard(f"{name}: {done >> 20:,} MB")
        add(bytes(gathered))
        return cursor.rowcount


def restore(url: str, backup: Backup, heard: Telling, *, force: bool) -> None:
    """Put a backup that was checked into a database, in one transaction: all of it, or nothing."""
    address = Address(url)
    with _transaction(address, "BEGIN") as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION])
        _make_room(connection, address, backup, force=force)
        names = _in_order(connection, _present(connection))
        if unknown := set(backup.columns) - set(names):
            raise BackupError(backup.file, f"is damaged: it has a table that duly does not know, {min(unknown)}")
        listed = SQL(", ").join(map(Identifier, names))
        for name in names:
            connection.execute(SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(Identifier(name)))
        connection.execute(SQL("TRUNCATE {}").format(listed))
        for name in names:
            if name in backup.columns:
                _read_table(connection, backup, name, heard)
        for name in names:
            connection.execute(SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(Identifier(name)))
        for counter, last in backup.counters.items():
            name, _, column = counter.partition(".")
            connection.execute(
                "SELECT setval(pg_get_serial_sequence(%s, %s), greatest(%s, 1), %s)", [name, column, last, last > 0]
            )
    with _connected(address) as connection:  # the planner knows nothing of the new rows yet
        connection.execute(SQL("ANALYZE {}").format(listed))


def _make_room(connection: Connection, address: Address, backup: Backup, *, force: bool) -> None:
    """Make the tables of a database without any; refuse one that is in use."""
    found = _version(connection)
    if not found:
        connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
        for _, script in queries.migrations("postgres")[: backup.schema]:
            connection.execute(script.encode())
        return
    empty = "name an empty database in duly.toml"
    if found == queries.newest_migration("postgres") and (living := connection.execute(_LIVING).fetchall()):
        raise BackupError(address.shown, f"is in use by an engine, {living[0][0]}: stop all of them first, or {empty}")
    schedules = _value(connection, "SELECT count(*) FROM schedules")
    if schedules and not force:
        raise BackupError(
            address.shown, f"holds {schedules:,} schedules: {empty}; --force deletes all that duly has in this one"
        )
    if found != backup.schema:
        raise BackupError(
            address.shown, f"has schema version {found}, and {backup.file.name} has {backup.schema}: {empty}"
        )


_LIVING = queries.load("postgres").living


def _read_table(connection: Connection, backup: Backup, name: str, heard: Telling) -> None:
    with connection.cursor() as cursor:
        named = _named(name, backup.columns[name])
        with cursor.copy(SQL("COPY {} ({}) FROM STDIN").format(*named)) as copy:
            for piece in pieces(backup, _member(name), heard):
                copy.write(piece)
        if cursor.rowcount != backup.tables.get(name):
            raise BackupError(
                backup.file, f"is damaged: {name} has {cursor.rowcount} rows, and its manifest says otherwise"
            )


def _in_order(connection: Connection, names: list[str]) -> list[str]:
    """Give tables in an order in which each comes after those that its rows refer to."""
    order = TopologicalSorter[str]({name: set() for name in names})
    for child, parent in connection.execute(_PARENTS, [names]).fetchall():
        order.add(child.rpartition(".")[2], parent.rpartition(".")[2])
    return list(order.static_order())


def _present(connection: Connection) -> list[str]:
    return [name for name in tables() if _value(connection, "SELECT to_regclass(%s) IS NOT NULL", name)]


def _version(connection: Connection) -> int:
    if _value(connection, "SELECT to_regclass(%s) IS NULL", _VERSIONS):
        return 0
    return int(_value(connection, "SELECT coalesce(max(version), 0) FROM schema_version"))


def _value(connection: Connection, statement: str, *values: str) -> Any:
    row = connection.execute(statement.encode(), values or None).fetchone()
    return None if row is None else row[0]


def _named(table: str, columns: tuple[str, ...]) -> tuple[Identifier, Any]:
    return Identifier(table), SQL(", ").join(map(Identifier, columns))


def _member(name: str) -> str:
    return f"tables/{name}.copy"


@contextmanager
def _connected(address: Address) -> Iterator[Connection]:
    """Connect for the block; errors of the server become ours."""
    try:
        with psycopg.connect("", autocommit=True, prepare_threshold=None, **address.parameters) as connection:
            yield connection
    except psycopg.Error as error:
        raise address.translated(error) from error


@contextmanager
def _transaction(address: Address, begin: str) -> Iterator[Connection]:
    """Run the block in one transaction, which may take as long as it takes, also behind a pooler.

    Times are written and read in one way, also where the server, the database or the role say another.
    """
    with _connected(address) as connection:
        connection.execute(f"{begin}; {_SETTINGS}".encode())
        yield connection
        connection.execute("COMMIT")
