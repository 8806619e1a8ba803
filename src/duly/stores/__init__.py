"""Where duly remembers. `open_store(url)` is the one way to a store: a file for SQLite, a URL for PostgreSQL."""

from __future__ import annotations

import os
import re
from contextlib import suppress

from duly.clock import Clock, SystemClock
from duly.errors import InvalidInputError
from duly.ports.store import FullStore

_POSTGRES = ("postgresql://", "postgres://")


def store_url(store: str | os.PathLike[str]) -> str:
    """How a store is told, as text: a file may be a path."""
    with suppress(TypeError):
        if isinstance(url := os.fspath(store), str):
            return url
    raise InvalidInputError(f"store must be a file name or a postgresql:// URL, got {store!r}")


def is_server(url: str) -> bool:
    """Whether a store is kept by a database server, and not in a file on this machine."""
    return url.startswith(_POSTGRES)


def open_store(store: str | os.PathLike[str], clock: Clock | None = None, *, inline: bool = False) -> FullStore:
    """The store that a file name or a URL names; call its `open` before using it.

    `inline` does all work in the caller's thread, for tests on virtual time.
    """
    url, clock = store_url(store), clock or SystemClock()
    if is_server(url):
        from duly.stores.postgres.store import PostgresStore

        return PostgresStore(url, clock)
    path = url.removeprefix("sqlite:///") if url.startswith("sqlite:///") else url
    if not path or "://" in path:
        shown = re.sub("(?s)://.*@", "://…@", url).partition("?")[0]  # passwords may be in either place
        raise InvalidInputError(f"cannot open {shown!r}: expected a file name, sqlite:///FILE or postgresql://…")
    if path == ":memory:":
        raise InvalidInputError(
            "cannot open ':memory:': several connections share a store, so it has to be a file; "
            "name one in a temporary directory"
        )
    from duly.stores.sqlite.store import SqliteStore

    return SqliteStore(path, clock, inline=inline)
