"""The stores. `open_store(url)` returns one: a file name stands for SQLite, a `postgresql://` URL for PostgreSQL."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from contextlib import suppress

from duly.clock import Clock, SystemClock
from duly.errors import InvalidInputError
from duly.ports.store import FullStore, Store

_POSTGRES = ("postgresql://", "postgres://")


def store_url(store: str | os.PathLike[str]) -> str:
    """Return the name or URL of a store as text; a file may be given as a path."""
    with suppress(TypeError):
        if isinstance(url := os.fspath(store), str):
            return url
    raise InvalidInputError(f"store must be a file name or a postgresql:// URL, got {store!r}")


def is_server(url: str) -> bool:
    """Tell whether a URL names a database server, and not a file on this machine."""
    return url.startswith(_POSTGRES)


def open_store(
    store: str | os.PathLike[str], clock: Clock | None = None, *, direct: str | None = None, inline: bool = False
) -> FullStore:
    """Return the store that a file name or a URL names; call its `open` before using it.

    `direct` is a second URL of the same database, past a pooler. `inline` does all work in the caller's thread, for
    tests on virtual time.
    """
    url = store_url(store)
    clock = clock or SystemClock()
    if direct is not None and not (is_server(url) and is_server(direct)):
        raise InvalidInputError("store_direct is a second postgresql:// address of a store that has one: leave it out")
    if is_server(url):
        from duly.stores.postgres.store import PostgresStore

        return PostgresStore(url, clock, direct)
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


class OpenedStore:
    """Opens a store once and closes it once, although several callers ask for both."""

    def __init__(self, store: Store, in_use: Callable[[], bool]) -> None:
        self._store = store
        self._in_use = in_use
        self._is_open = False
        self._closing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        if not self._is_open:
            await self._store.open()
            self._is_open = True

    async def close(self) -> None:
        """Close the store unless it is in use; a caller that asks while it is being closed waits for the same end."""
        if self._is_open and not self._in_use():
            self._is_open = False
            self._closing = asyncio.get_running_loop().create_task(self._store.close())
        if (closing := self._closing) is not None:
            try:
                await asyncio.shield(closing)
            finally:
                if closing.done():
                    self._closing = None
