"""Progress of what takes long: one line on a terminal that is written over, and nothing where no person looks."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TextIO, TypeVar

from duly.service.searching import progress_of

Item = TypeVar("Item")
_ERASE = "\r\x1b[K"


class ProgressLine:
    """A line on the standard error of a person at a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_seen = stream.isatty()
        self._is_shown = False

    def show(self, text: str) -> None:
        """Write a text over the one before."""
        if self._is_seen:
            self._stream.write(f"{_ERASE}{text}")
            self._stream.flush()
            self._is_shown = True

    def erase(self) -> None:
        if self._is_shown:
            self._stream.write(_ERASE)
            self._stream.flush()
            self._is_shown = False


@contextmanager
def progress_line() -> Iterator[ProgressLine]:
    """Show progress in a block; the line is gone after it."""
    line = ProgressLine(sys.stderr)
    try:
        yield line
    finally:
        line.erase()


async def searched(
    ask: Callable[[str | None, int], Awaitable[tuple[list[Item], str | None]]], cursor: str | None, limit: int
) -> tuple[list[Item], str | None]:
    """Ask for a page; if it is a search that takes long, go on until the page is full or the search is over.

    `ask` takes a cursor and a number of items. A person at a terminal sees how far the search has come.
    """
    items: list[Item] = []
    with progress_line() as line:
        while True:
            found, cursor = await ask(cursor, limit - len(items))
            items += found
            progress = progress_of(cursor)
            if progress is None or len(items) >= limit:
                return items, cursor
            line.show(f"{progress}, {len(items):,} found …")
