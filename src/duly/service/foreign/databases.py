"""Reads rows from the database of another scheduler: a file of SQLite, or PostgreSQL. Nothing is written."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote, urlsplit

from duly.service.foreign.entries import Foreign, NotCarriedError


def rows_of(url: str, query: str, what: str) -> list[Foreign]:
    """Run one query; `what` names the tables in errors."""
    kind = urlsplit(url).scheme.partition("+")[0]
    if kind == "sqlite":
        return _from_sqlite(unquote(url.partition("://")[2].removeprefix("/")), query, what)
    if kind in ("postgresql", "postgres"):
        return _from_postgres(url.replace(urlsplit(url).scheme, "postgresql", 1), query, what)
    raise NotCarriedError(f"{url!r} is not read: give sqlite:///FILE or postgresql://USER@HOST/DATABASE")


def _from_sqlite(name: str, query: str, what: str) -> list[Foreign]:
    file = Path(name)
    if not file.is_file():
        raise NotCarriedError(
            f"there is no file {name!r}: sqlite:///db.sqlite3 lies in this folder, sqlite:////srv/db.sqlite3 elsewhere"
        )
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        try:
            return [dict(row) for row in connection.execute(query)]
        except sqlite3.DatabaseError as error:
            raise _unreadable(what, error) from error


def _from_postgres(url: str, query: str, what: str) -> list[Foreign]:
    try:
        import psycopg
        from psycopg.rows import dict_row
    except ImportError:
        raise NotCarriedError('PostgreSQL needs a driver: pip install "psycopg[binary]"') from None
    try:
        with psycopg.connect(url, autocommit=True) as connection, connection.cursor(row_factory=dict_row) as cursor:
            return list(cursor.execute(query.encode()).fetchall())
    except psycopg.Error as error:
        raise _unreadable(what, error) from error


def _unreadable(what: str, error: Exception) -> NotCarriedError:
    return NotCarriedError(f"{what} cannot be read there: {str(error).splitlines()[0]}")
