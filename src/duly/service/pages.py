"""Lists in pages: so many items at most, long values cut, and a bounded number of characters in all of a page.

Every list that a face shows goes through `fill`. What it cuts is marked: a cut text ends in "…", and `truncated` of the
item says how long each cut field really is. Whoever needs all of it asks for that one item.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from duly.errors import InvalidInputError
from duly.service.schedules import values
from duly.zones import iso

MAX_PAGE = 500
"""Items that a page may have, whatever a caller asks for."""
EXCERPT = 500
"""Characters that one field of an item has in a list."""
READABLE = 4000
"""The same where people read the messages themselves: in the inbox, and in what is pushed to them."""
MOST_CHARACTERS = 200_000
"""Characters that all items of a page have together, as JSON. MCP sends each answer twice: as text and as structure."""
_CHUNK = 16
"""Rows that are read at once: each may be a megabyte, and of most of it an excerpt is all that is shown."""
_MARK = "…"

Row = TypeVar("Row")
View = TypeVar("View")
Key = TypeVar("Key")


async def fill(
    read: Callable[[Key | None, int], Awaitable[Sequence[Row]]],
    show: Callable[[Sequence[Row]], Awaitable[Sequence[View | None]]],
    key: Callable[[Row], Key],
    limit: int,
    *,
    after: Key | None = None,
    longest: int = EXCERPT,
) -> tuple[list[View], Key | None]:
    """A page of what follows the key `after`, and the key after which the next page begins; None on the last page.

    `read` gives so many rows after a key, `show` a view of each row, or None for one that the caller may not see. A
    page ends after `limit` items, before the item that would make it too large, or after many rows that the caller may
    not see: it may be empty although there are more.
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
                short = excerpt(view, longest)
                characters += size_of(short)
                if shown and characters > MOST_CHARACTERS:
                    return shown, last
                shown.append(short)
            last, looked_at = key(row), looked_at + 1
        if len(rows) < asked:
            return shown, None


def check_limit(limit: int) -> None:
    """Refuse a page without items, and one that is too large."""
    if type(limit) is not int or not 1 <= limit <= MAX_PAGE:
        raise InvalidInputError(f"limit must lie between 1 and {MAX_PAGE}, got {limit!r:.100}")


def excerpt(view: View, longest: int = EXCERPT) -> View:
    """An item with its long values cut; `truncated` tells their full lengths in characters, by field."""
    cut, lengths = {}, {}
    for each in fields(view):  # type: ignore[arg-type]  # views are dataclasses
        value = getattr(view, each.name)
        if each.name != "truncated" and not isinstance(value, int | float | datetime | None):
            size = len(value) if isinstance(value, str) else size_of(value)
            if size > longest:
                cut[each.name], lengths[each.name] = _cut(value, _Rest(longest)), size
    return replace(view, **cut, truncated=lengths) if cut else view  # type: ignore[type-var]


def beginning(text: str, longest: int = READABLE) -> str:
    """A text as it is, or its beginning with a mark."""
    return text if len(text) <= longest else text[:longest] + _MARK


def size_of(value: Any) -> int:
    """How many characters a value has as JSON."""
    return len(json.dumps(value, ensure_ascii=False, default=_plain))


class _Rest:
    """Characters that are left for a value."""

    def __init__(self, characters: int) -> None:
        self.longest = characters
        self.characters = characters

    def spend(self, characters: int) -> None:
        self.characters -= characters


def _cut(value: Any, rest: _Rest) -> Any:
    """The beginning of a value, of the same kind: texts become shorter, lists and objects lose their last entries."""
    if isinstance(value, str):
        kept = value[: max(rest.characters, 0)]
        rest.spend(len(kept))
        return value if len(kept) == len(value) else kept + _MARK
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
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return iso(value) if isinstance(value, datetime) else str(value)


def cursor_of(*key: str) -> str:
    """Where a page ends, as text that callers hand back."""
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


def read_cursor(cursor: str, parts: int) -> tuple[str, ...]:
    """The key in a cursor of so many parts."""
    try:
        key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if not isinstance(key, list) or len(key) != parts:
            raise foreign(cursor)
        return tuple(values.text(each, "cursor") for each in key)
    except (ValueError, TypeError, RecursionError):
        raise foreign(cursor) from None


def foreign(cursor: str) -> InvalidInputError:
    """A cursor that no page ended with."""
    return InvalidInputError(f"cursor {cursor!r} is not one of ours: use next_cursor of the page before")
