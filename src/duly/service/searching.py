"""Search schedules and runs for a text, a part at a time.

No index finds a text within a text without making every new schedule dearer. So a search reads what is stored, in the
order of the list: a call searches for as long as a person waits gladly, and gives what it has found. The cursor then
says where the next call goes on, how much was searched, and how much there is.

A search keeps a reader of the store busy: callers take turns at it (`heavy_reads`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from duly.service.pages import cursor_of, foreign, read_parts

if TYPE_CHECKING:
    from duly.clock import Clock

LONGEST = 0.07
"""Seconds after which a call begins no further statement, so that its answer comes within a tenth of a second."""
LARGE = 50_000
"""With more schedules than this a search goes by name, also where another order was asked for."""
_FIRST_ROWS = 2000
_MOST_ROWS = 20_000
_AIM = 0.025  # seconds for which one statement searches
_GROWTH = 3.0
_REMEMBERED = 300.0  # seconds
_MOST_SIZES = 1000
_MARK = "search"
_NUMBERS = 2
_DIGITS = 15

At = TypeVar("At")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """How far a search has come that is not over."""

    searched: int
    total: int

    def __str__(self) -> str:
        return f"searched {self.searched:,} of {self.total:,}"


class SearchStretch(NamedTuple, Generic[At, Found]):
    """What one statement searched: what it found, how many rows it looked at, and the last of them."""

    found: Sequence[Found]
    searched: int
    end: At | None


class Begun(NamedTuple, Generic[At]):
    """How far earlier calls of a search have come."""

    place: At | None = None
    searched: int = 0
    total: int | None = None


class SearchedRows(NamedTuple, Generic[At, Found]):
    """The questions of a search to a store."""

    read: Callable[[At | None, int], Awaitable[SearchStretch[At, Found]]]
    """Searches so many rows after a place."""
    between: Callable[[At | None, At], Awaitable[int]]
    """Counts the rows from one place to another."""
    size: Callable[[], Awaitable[int]]
    """Counts the rows that the whole search has to look at."""


class Search(Generic[At, Found]):
    """One call of a search: goes on where the last one ended, and ends when its time is over."""

    def __init__(self, clock: Clock, rows: SearchedRows[At, Found], begun: Begun[At]) -> None:
        self._clock = clock
        self._rows = rows
        self._until = clock.monotonic() + LONGEST
        self._at_once = _FIRST_ROWS
        self._ahead: list[Found] = []
        self._stretches: list[tuple[At | None, int]] = []
        """Of each stretch: the place before it, and how many rows were searched before it."""
        self._place = begun.place
        self._searched = begun.searched
        self._total = begun.total
        self.is_over = False
        """Whether everything was searched."""

    @property
    def is_late(self) -> bool:
        """Whether the time of this call is over; a first stretch is always searched."""
        return bool(self._stretches) and self._clock.monotonic() >= self._until

    async def next(self, count: int) -> list[Found]:
        """Give the next rows that were found: fewer than asked for at the end of the search or of its time."""
        while len(self._ahead) < count and not self.is_over and not self.is_late:
            await self._look()
        found = self._ahead[:count]
        del self._ahead[:count]
        return found

    async def following(self, last: At | None) -> tuple[At, SearchProgress | None] | None:
        """Say where the next page begins: after the last row of a full page, or where the search stopped.

        None when there is no next page. Without progress the search was never late.
        """
        if last is None:
            if self.is_over or self._place is None:
                return None
            if self._total is None:
                self._total = max(await self._rows.size(), self._searched)
            return self._place, SearchProgress(self._searched, self._total)
        if self._total is None:
            return last, None
        return last, SearchProgress(await self._searched_upto(last), self._total)

    async def _look(self) -> None:
        began = self._clock.monotonic()
        stretch = await self._rows.read(self._place, self._at_once)
        took = self._clock.monotonic() - began
        self.is_over = stretch.searched < self._at_once
        self._stretches.append((self._place, self._searched))
        self._ahead += stretch.found
        self._searched += stretch.searched
        self._place = stretch.end or self._place
        fits = min(_GROWTH, _AIM / took) if took > 0 else _GROWTH
        self._at_once = min(_MOST_ROWS, max(_FIRST_ROWS // 4, int(self._at_once * fits)))

    async def _searched_upto(self, last: At) -> int:
        """Count what was searched up to a row: in the stretch that it was found in."""
        for before, searched in reversed(self._stretches):
            between = await self._rows.between(before, last)
            if between:
                return searched + between
        return self._searched


class SearchSizes:
    """Remembers for some minutes how much there is to search: counting takes as long as searching does in a call."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[Hashable, tuple[float, int]] = {}

    async def of(self, key: Hashable, count: Callable[[], Awaitable[int]]) -> int:
        """Give the size under a key, counted now or a short time ago."""
        now = self._clock.monotonic()
        at, size = self._known.get(key, (-_REMEMBERED, 0))
        if now - at < _REMEMBERED:
            return size
        size = await count()
        if len(self._known) >= _MOST_SIZES:
            self._known.clear()
        self._known[key] = (now, size)
        return size


def search_cursor(place: Sequence[str], progress: SearchProgress) -> str:
    """Make the cursor of a search that is not over: how far it has come, and its place."""
    return cursor_of(_MARK, str(progress.searched), str(progress.total), *place)


def begun_at(cursor: str | None, parts: int) -> Begun[tuple[str, ...]] | None:
    """Read the cursor of a search whose places have so many parts; None if it is a cursor of another kind."""
    found = None if cursor is None else _read(cursor)
    if found is None:
        return None
    progress, place = found
    if len(place) != parts:
        raise foreign(str(cursor))
    return Begun(place, progress.searched, progress.total)


def progress_of(cursor: object) -> SearchProgress | None:
    """Say how far the search has come that gave a cursor; None if it was no search, or none that takes long."""
    found = _read(cursor) if isinstance(cursor, str) else None
    return None if found is None else found[0]


def _read(cursor: str) -> tuple[SearchProgress, tuple[str, ...]] | None:
    try:
        mark, *key = read_parts(cursor)
    except ValueError:
        return None
    if (
        mark != _MARK
        or len(key) <= _NUMBERS
        or not all(each.isdecimal() and len(each) < _DIGITS for each in key[:_NUMBERS])
    ):
        return None
    return SearchProgress(int(key[0]), int(key[1])), tuple(key[_NUMBERS:])
