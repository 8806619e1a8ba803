"""Lists in pages: a limited number of items, long values cut, and a limited number of characters in a page.

Lists of things go through `fill`, journal and audit through `newest`. A cut text ends in "…", and `truncated` of its
item has the full length of each cut field; a caller who needs all of it asks for that one item.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from duly.errors import InvalidInputError
from duly.service.schedules import values
from duly.service.schedules.when import When
from duly.zones import iso

if TYPE_CHECKING:
    from duly.ports.audit import AuditFilter
    from duly.ports.records import EventFilter

MAX_PAGE = 500
"""The largest number of items that a caller may ask for."""
EXCERPT = 500
"""Characters that one field of an item has in a list."""
READABLE = 4000
"""Characters of a message where people read it: in the inbox, and when it is pushed to them."""
MOST_CHARACTERS = 200_000
"""Characters that all items of a page have together, as JSON. MCP sends each answer twice: as text and as structure."""
_CHUNK = 51
"""Rows that are read at once: a usual page, but not all of the largest one, because a row may have a megabyte."""
_MARK = "…"
_MOST_KEPT = 2048
_KEPT_CHARACTERS = 4000
_NEVER_LONG = frozenset({bool, int, float, datetime, type(None)})

Row = TypeVar("Row")
View = TypeVar("View")
Key = TypeVar("Key")
Filter = TypeVar("Filter", "EventFilter", "AuditFilter")


async def fill(
    read: Callable[[Key | None, int], Awaitable[Sequence[Row]]],
    show: Callable[[Sequence[Row]], Awaitable[Sequence[View | None]]],
    key: Callable[[Row], Key],
    limit: int,
    *,
    after: Key | None = None,
    longest: int = EXCERPT,
) -> tuple[list[View], Key | None]:
    """Give a page of what follows the key `after`, and the key after which the next page begins; None on the last one.

    `read` gives a number of rows after a key, `show` a view of each row, or None for a row that the caller may not see.
    A page ends after `limit` items, before the item that would make it too large, or after many rows that the caller
    may not see: it may be empty although there are more.
    """
    check_limit(limit)
    shown: list[View] = []
    last = after
    looked_at = characters = 0
    while True:
        asked = min(_CHUNK, limit - len(shown) + 1)  # one more than fits tells whether there is another page
        rows = await read(last, asked)
        for row, view in zip(rows, await show(rows), strict=True):
            if len(shown) == limit or looked_at == limit + MAX_PAGE:
                return shown, last
            if view is not None:
                short, size = _measured(view, longest)
                characters += size
                if shown and characters > MOST_CHARACTERS:
                    return shown, last
                shown.append(short)
            last = key(row)
            looked_at += 1
        if len(rows) < asked:
            return shown, None


async def newest(
    read: Callable[[Filter], Awaitable[Sequence[Row]]],
    show: Callable[[Row], Awaitable[View | None]],
    number: Callable[[Row], int],
    wanted: Filter,
    *,
    most: int | None,
    most_characters: int | None = None,
) -> tuple[list[View], int | None]:
    """Give the newest entries in the order they were written, and the number before which older ones follow.

    `read` gives entries by a filter, the newest first; `show` gives the view of one, or None when the caller may not
    see it. Without `most` all are given.
    """
    shown: list[View] = []
    oldest: int | None = None
    characters = 0
    while True:
        rows = await read(wanted)
        for row in rows:
            view = await show(row)
            if view is None:
                continue
            if most is not None:
                characters += 0 if most_characters is None else size_of(view)
                if len(shown) == most or (shown and most_characters is not None and characters > most_characters):
                    return shown[::-1], oldest
            shown.append(view)
            oldest = number(row)
        if len(rows) < wanted.limit:
            return shown[::-1], None
        wanted = replace(wanted, before=number(rows[-1]))


def check_limit(limit: int) -> None:
    """Refuse a page without items, and one that is too large."""
    if type(limit) is not int or not 1 <= limit <= MAX_PAGE:
        raise InvalidInputError(f"limit must lie between 1 and {MAX_PAGE}, got {limit!r:.100}")


def excerpt(view: View, longest: int = EXCERPT) -> View:
    """Cut the long values of an item; its `truncated` gets their full lengths in characters, by field."""
    cut: dict[str, Any] = {}
    lengths: dict[str, int] = {}
    shape = shape_of(type(view))
    for name, value in zip(shape.names, shape.values(view), strict=True):
        kind = type(value)
        if kind in _NEVER_LONG or (kind is str and len(value) <= longest):
            continue
        if name == "truncated" or isinstance(value, int | float | datetime):
            continue
        size = len(value) if isinstance(value, str) else size_of(value)
        if size > longest:
            cut[name] = _cut(value, _Rest(longest))
            lengths[name] = size
    return replace(view, **cut, truncated=lengths) if cut else view  # type: ignore[type-var]


def _measured(view: View, longest: int) -> tuple[View, int]:
    """Give the excerpt of an item and its size; views do not change, so the sizes of small ones are remembered."""
    known = _MEASURED.get(id(view))
    if known is not None and known.view is view and known.longest == longest:
        return view, known.size
    short = excerpt(view, longest)
    size = size_of(short)
    if short is view and size <= _KEPT_CHARACTERS:
        if len(_MEASURED) >= _MOST_KEPT:
            _MEASURED.clear()
        _MEASURED[id(view)] = _Measure(view, longest, size)
    return short, size


class _Measure(NamedTuple):
    """The size of an item of which nothing is cut. It holds the item, so that no other can have its identity."""

    view: Any
    longest: int
    size: int


_MEASURED: dict[int, _Measure] = {}


def beginning(text: str, longest: int = READABLE) -> str:
    """Give a text as it is, or its beginning with a mark."""
    return text if len(text) <= longest else text[:longest] + _MARK


def size_of(value: Any) -> int:
    """Count the characters of a value as JSON."""
    return len(_SIZED.encode(value)) if value or not isinstance(value, list | dict) else 2


class _Rest:
    """Characters that are left for a value."""

    def __init__(self, characters: int) -> None:
        self.longest = characters
        self.characters = characters

    def spend(self, characters: int) -> None:
        self.characters -= characters


def _cut(value: Any, rest: _Rest) -> Any:
    """Give the beginning of a value, of the same type: texts get shorter, lists and objects lose their last entries."""
    if isinstance(value, str):
        kept = value[: max(rest.characters, 0)]
        rest.spend(len(kept))
        if len(kept) == len(value):
            return value
        return value.cut(kept + _MARK) if isinstance(value, When) else kept + _MARK
    if isinstance(value, Mapping):
        some: dict[str, Any] = {}
        for key, each in value.items():
            rest.spend(len(str(key)))
            if rest.characters <= 0:
                break
            some[key] = _cut(each, rest)
        return some
    if isinstance(value, list | tuple):
        listed: list[Any] = []
        for each in value:
            if rest.characters <= 0:
                break
            listed.append(_cut(each, rest))
        return listed
    if is_dataclass(value) and not isinstance(value, type):
        shorter = {
            each.name: _cut(content, _Rest(rest.longest))
            for each in fields(value)
            if isinstance(content := getattr(value, each.name), str)
        }
        rest.spend(size_of(value))
        return replace(value, **shorter)
    rest.spend(8)
    return value


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        shape = shape_of(type(value))
        return dict(zip(shape.names, shape.values(value), strict=True))
    return iso(value) if isinstance(value, datetime) else str(value)


_SIZED = json.JSONEncoder(ensure_ascii=False, default=_plain)


class ViewShape(NamedTuple):
    """What a kind of view has: looked up once, because lists show many of the same kind."""

    names: tuple[str, ...]
    required: frozenset[str]
    """The names of the fields that have no default."""
    values: Callable[[Any], tuple[Any, ...]]
    """Gives the values of a view, in the order of the names."""


_SHAPES: dict[Any, ViewShape] = {}


def shape_of(kind: Any) -> ViewShape:
    """Give the shape of a dataclass."""
    shape = _SHAPES.get(kind)
    if shape is None:
        shape = _SHAPES[kind] = _look_at(kind)
    return shape


def _look_at(kind: Any) -> ViewShape:
    known = fields(kind)
    names = tuple(each.name for each in known)
    required = (each.name for each in known if each.default is MISSING and each.default_factory is MISSING)
    several = len(names) > 1  # attrgetter gives a single value without a tuple around it
    return ViewShape(names, frozenset(required), attrgetter(*names) if several else _getter(names))


def _getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda view: tuple(getattr(view, name) for name in names)


def cursor_of(*key: str) -> str:
    """Make a cursor: the end of a page, as text that callers hand back."""
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


def read_cursor(cursor: str, parts: int) -> tuple[str, ...]:
    """Read the key in a cursor of a number of parts."""
    key = read_parts(cursor)
    if len(key) != parts:
        raise foreign(cursor)
    return key


def read_parts(cursor: str) -> tuple[str, ...]:
    """Read the key in a cursor of any number of parts."""
    try:
        key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if not isinstance(key, list):
            raise foreign(cursor)
        return tuple(values.text(each, "cursor") for each in key)
    except (ValueError, TypeError, RecursionError):
        raise foreign(cursor) from None


def foreign(cursor: str) -> InvalidInputError:
    """Make the error for a cursor that no page gave."""
    return InvalidInputError(f"cursor {cursor!r} is not one of ours: use next_cursor of the page before")
