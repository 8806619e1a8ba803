"""Arrays as values of statements: one array per column, so that a batch of any size is one statement.

Each kind has a fixed type, so that a statement is prepared once for all values, and an encoding that costs a fraction
of a general one: with a thousand rows per statement that is most of the client's work. Columns are
encoded as soon as they are made, which may be while the server is still busy with the statement before.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from psycopg import AsyncConnection
from psycopg.adapt import Dumper
from psycopg.postgres import types
from psycopg.pq import Format

from duly.errors import InvalidInputError

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)  # PostgreSQL counts from here
_TIME = types["timestamptz"].oid
_HEAD = struct.Struct("!iiIii")  # dimensions, whether there are NULLs, type of the elements, how many, first index
_NULL = -1
_MOMENT = 8  # bytes


class TextArray:
    """A column of text."""

    __slots__ = ("data",)

    def __init__(self, values: Sequence[str | None]) -> None:
        self.data = _texts(values)


class TimeArray:
    """A column of instants; numbers are microseconds since 2000."""

    __slots__ = ("data",)

    def __init__(self, values: Sequence[datetime | int | None]) -> None:
        self.data = _times(values)


class NumberArray:
    """A column of whole numbers."""

    __slots__ = ("data",)

    def __init__(self, values: Sequence[int | None]) -> None:
        times = len(values) if _are_equal(values) else 1
        some = values[:1] if times > 1 else values
        self.data = _literal(["NULL" if number is None else str(number) for number in some] * times)


class RealArray:
    """A column of numbers."""

    __slots__ = ("data",)

    def __init__(self, values: Sequence[float | None]) -> None:
        self.data = _literal(["NULL" if number is None else repr(number) for number in values])


class FlagArray:
    """A column of flags."""

    __slots__ = ("data",)

    def __init__(self, values: Sequence[bool]) -> None:
        self.data = _literal(["t" if flag else "f" for flag in values])


ArrayColumn = TextArray | TimeArray | NumberArray | RealArray | FlagArray


def _are_equal(values: Sequence[object]) -> bool:
    """Tell whether all values of a column are the same, as many are in a batch of equal schedules."""
    return len(values) > 1 and values[0] == values[-1] and values.count(values[0]) == len(values)


def _texts(values: Sequence[str | None]) -> bytes:
    texts = [text for text in values if text is not None]
    if len(texts) < len(values):
        return _literal(["NULL" if text is None else f'"{_escaped(text)}"' for text in values])
    if not texts:
        return b"{}"
    joined = '","'.join(texts)
    if "\\" in joined or joined.count('"') != 2 * (len(texts) - 1):
        joined = '","'.join([_escaped(text) for text in texts])
    return _literal([f'"{joined}"'])


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _literal(elements: Sequence[str]) -> bytes:
    text = "{" + ",".join(elements) + "}"
    if "\0" in text:
        raise InvalidInputError("PostgreSQL cannot store text with a NUL character (\\x00): leave it out")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"text must be valid Unicode: {error}") from error


def _times(values: Sequence[datetime | int | None]) -> bytes:
    if not values:
        return struct.pack("!iiI", 0, 0, _TIME)
    if _are_equal(values):
        return _HEAD.pack(1, 1, _TIME, len(values), 1) + _times(values[:1])[_HEAD.size :] * len(values)
    data: list[int] = []
    for moment in values:
        if moment is None:
            data.append(_NULL)
        elif isinstance(moment, int):
            data += _MOMENT, moment
        else:
            since = moment - _EPOCH
            data.append(_MOMENT)
            data.append((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds)
    if len(data) == 2 * len(values):
        layout = "iq" * len(values)
    else:
        layout = "".join(["i" if moment is None else "iq" for moment in values])
    return _HEAD.pack(1, 1, _TIME, len(values), 1) + struct.pack(f"!{layout}", *data)


class _ColumnDumper(Dumper):
    def dump(self, obj: ArrayColumn) -> bytes:
        return obj.data


class _TextArrayDumper(_ColumnDumper):
    oid = types["text"].array_oid


class _TimeArrayDumper(_ColumnDumper):
    oid = types["timestamptz"].array_oid
    format = Format.BINARY


class _NumberArrayDumper(_ColumnDumper):
    oid = types["int8"].array_oid


class _RealArrayDumper(_ColumnDumper):
    oid = types["float8"].array_oid


class _FlagArrayDumper(_ColumnDumper):
    oid = types["bool"].array_oid


def teach(connection: AsyncConnection[Any]) -> None:
    """Teach a connection to take arrays as values."""
    connection.adapters.register_dumper(TextArray, _TextArrayDumper)
    connection.adapters.register_dumper(TimeArray, _TimeArrayDumper)
    connection.adapters.register_dumper(NumberArray, _NumberArrayDumper)
    connection.adapters.register_dumper(RealArray, _RealArrayDumper)
    connection.adapters.register_dumper(FlagArray, _FlagArrayDumper)
