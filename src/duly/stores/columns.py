"""Records whose fields are the columns of a table, in the same order: to values by name, and back from a row."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")
Codec = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""How a value is written, and how it is read back."""
AS_JSON: Codec = (json.dumps, lambda text: tuple(json.loads(text)))
"""A tuple of texts, as no database has it."""


class Columns(Generic[T]):
    """One kind of record. `stored` says how a database keeps types it does not know."""

    def __init__(self, kind: type[T], stored: Mapping[type, Codec]) -> None:
        self._kind = kind
        hints = get_type_hints(kind)
        self._codecs = {each.name: _codec(_plain(hints[each.name]), stored) for each in fields(kind)}  # type: ignore[arg-type]

    def values(self, record: T) -> dict[str, Any]:
        """The record as values by column."""
        return {
            name: value if codec is None or value is None else codec[0](value)
            for name, codec in self._codecs.items()
            for value in [getattr(record, name)]
        }

    def record(self, row: Iterable[Any]) -> T:
        """The record in a row that has all columns, in order."""
        named = zip(self._codecs.items(), row, strict=True)
        values = {name: value if codec is None or value is None else codec[1](value) for (name, codec), value in named}
        return self._kind(**values)


def _plain(hint: Any) -> Any:
    """The type that may be missing: `datetime` of `datetime | None`. A tuple is one value."""
    if get_origin(hint) is tuple:
        return tuple
    return next((option for option in get_args(hint) if option is not type(None)), hint)


def _codec(hint: Any, stored: Mapping[type, Codec]) -> Codec | None:
    if isinstance(hint, type) and issubclass(hint, Enum):
        return (str, hint)
    return stored.get(hint)
