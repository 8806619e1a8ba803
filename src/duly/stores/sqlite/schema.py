"""The schema of a file: its version, its identity, and raising it to the version that this code knows."""

from __future__ import annotations

from pathlib import Path

import apsw

from duly import failpoints
from duly.entropy import random_bits
from duly.errors import StoreError, StoreVersionError
from duly.stores import queries

SQL = queries.load("sqlite")


def version_of(connection: apsw.Connection) -> int:
    """Return the number of the last migration; 0 when the file has no schema of duly."""
    try:
        return connection.execute(SQL.version).get or 0
    except apsw.SQLError:  # there is no such table
        return 0


def identity_of(connection: apsw.Connection) -> int:
    """Return the identity of a store: a random number that it gets with its schema, and that its copies share."""
    return int(connection.execute("PRAGMA application_id").get)


def identify(connection: apsw.Connection) -> None:
    """Give a store its identity if it has none yet."""
    if not identity_of(connection):
        connection.execute(f"PRAGMA application_id = {1 + random_bits(31) % (2**31 - 1)}")


def is_current(connection: apsw.Connection, path: Path) -> bool:
    """Tell whether the schema is the one this code knows; an older one has to be migrated, a newer one is refused.

    Called when a store is opened, without a lock, so that a command which only reads does not wait for a process that
    writes; and in every transaction that writes, because a newer duly may have raised the schema meanwhile.
    """
    found = version_of(connection)
    known = queries.newest_migration("sqlite")
    if found > known:
        raise StoreVersionError(str(path), found, known)
    return found == known


def migrate(connection: apsw.Connection, path: Path) -> None:
    """Bring an older schema up to date; the caller holds the write lock, so only one process does it."""
    steps = queries.migrations("sqlite")
    connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT")
    identify(connection)
    for version, script in steps[version_of(connection) :]:
        try:
            connection.execute(script)
        except apsw.SQLError as error:
            raise StoreError(f"{path} is a database, but not one of ours: {error}") from error
        failpoints.hit("migration.step")
        connection.execute("INSERT INTO schema_version VALUES (?)", (version,))
