"""Columns on their way to the server: one array each, so that a batch of any size is one statement.

Each kind has a fixed type, so that a statement is prepared once whatever its values are, and an encoding that costs a
fraction of what a general one does; with a thousand rows per statement that is most of the client's work.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from psycopg import AsyncConnection
from psycopg.adapt import Dumper
from psycopg.postgres import types
from psycopg.pq import Format

from duly.errors import InvalidInputError

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)  # PostgreSQL counts from here
_HEAD = struct.Struct("!iiIii")  # dimensions, flags, type of the elements, how many, number of the first
_NULL = -1


@dataclass(frozen=True, slots=True)
class Texts:
    values: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class Times:
    values: Sequence[datetime | None]


@dataclass(frozen=True, slots=True)
class Numbers:
    values: Sequence[int | None]


@dataclass(frozen=True, slots=True)
class Flags:
    values: Sequence[bool]


Column = Texts | Times | Numbers | Flags


def checked(text: str) -> str:
    """Text that the server can keep."""
    if "\0" in text:
        raise InvalidInputError(f"PostgreSQL cannot store text with a NUL character: {text[:80]!r}")
    return text


def _encoded(text: str) -> bytes:
    try:
        return checked(text).encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"text must be valid Unicode, got half of a character: {error}") from error


class _TextsDumper(Dumper):
    oid = types["text"].array_oid

    def dump(self, obj: Texts) -> bytes:
        values = obj.values
        if None in values:
            return _encoded("{" + ",".join(["NULL" if text is None else _quoted(text) for text in values]) + "}")
        if not values:
            return b"{}"
        joined = '","'.join(values)  # type: ignore[arg-type]  # there is no None
        if "\\" in joined or joined.count('"') != 2 * (len(values) - 1):
            joined = '","'.join([_escaped(text) for text in values])  # type: ignore[arg-type]
        return _encoded('{"' + joined + '"}')


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _quoted(text: str) -> str:
    return '"' + _escaped(text) + '"'


class _TimesDumper(Dumper):
    oid = types["timestamptz"].array_oid
    format = Format.BINARY

    def dump(self, obj: Times) -> bytes:
        if not obj.values:
            return struct.pack("!iiI", 0, 0, types["timestamptz"].oid)
        layout, data = ["!"], []
        for moment in obj.values:
            if moment is None:
                layout.append("i")
                data.append(_NULL)
            else:
                since = moment - _EPOCH
                layout.append("iq")
                data.append(8)
                data.append((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds)
        head = _HEAD.pack(1, 1, types["timestamptz"].oid, len(obj.values), 1)
        return head + struct.pack("".join(layout), *data)


class _NumbersDumper(Dumper):
    oid = types["int8"].array_oid

    def dump(self, obj: Numbers) -> bytes:
        return ("{" + ",".join(["NULL" if number is None else str(number) for number in obj.values]) + "}").encode()


class _FlagsDumper(Dumper):
    oid = types["bool"].array_oid

    def dump(self, obj: Flags) -> bytes:
        return ("{" + ",".join(["t" if flag else "f" for flag in obj.values]) + "}").encode()


def teach(connection: AsyncConnection[Any]) -> None:
    """Let a connection take columns as parameters."""
    for kind, dumper in (
        (Texts, _TextsDumper),
        (Times, _TimesDumper),
        (Numbers, _NumbersDumper),
        (Flags, _FlagsDumper),
    ):
        connection.adapters.register_dumper(kind, dumper)
