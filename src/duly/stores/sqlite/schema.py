"""The version of the schema in a file, and noticing that a newer duly has raised it."""

from __future__ import annotations

from pathlib import Path

import apsw

from duly.errors import StoreVersionError
from duly.stores import queries

SQL = queries.load("sqlite")


def version_of(connection: apsw.Connection) -> int:
    """The number of the last migration; 0 when the file has no schema of ours."""
    try:
        return connection.execute(SQL.version).get or 0
    except apsw.SQLError:  # there is no such table
        return 0


def is_current(connection: apsw.Connection, path: Path) -> bool:
    """Whether the schema is the one this code knows; an older one has to be migrated, a newer one is refused.

    Asked when a store is opened, without a lock, so that a command which only reads does not wait for a process that
    writes; and in every transaction that writes, because a newer duly may have raised the schema meanwhile.
    """
    found, known = version_of(connection), len(queries.migrations("sqlite"))
    if found > known:
        raise StoreVersionError(str(path), found, known)
    return found == known
