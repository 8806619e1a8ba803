"""Times that PostgreSQL can store and Python cannot represent: finding them in an answer, and reading the others."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg import AsyncCursor, postgres
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format
from psycopg.pq.abc import PGresult

from duly.errors import DecodeError
from duly.ports.records import SCHEDULE_COLUMNS
from duly.stores.quarantine import EARLIEST, LATEST, damaged

_TIME = postgres.types["timestamptz"].oid
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_FIRST = (EARLIEST - _EPOCH) // timedelta(microseconds=1)
_LAST = (LATEST - _EPOCH) // timedelta(microseconds=1)
_OF_SCHEDULES = {each.name for each in SCHEDULE_COLUMNS}
OUTSIDE = "microseconds after 2000, outside the years 1 to 9999"


class _Lenient(Loader):
    """A time, or the number it is stored as where there is no such time."""

    format = Format.BINARY

    def load(self, data: Buffer) -> datetime | int:
        value = int.from_bytes(data, signed=True)
        return _EPOCH + timedelta(microseconds=value) if _FIRST <= value <= _LAST else value


def be_lenient(cursor: AsyncCursor[Any]) -> None:
    """Let a cursor return numbers for times outside the calendar."""
    cursor.adapters.register_loader("timestamptz", _Lenient)


def nearest(moment: datetime | int | None) -> datetime | None:
    """Return a time, or the nearest one within the calendar."""
    if isinstance(moment, int):
        return EARLIEST if moment < 0 else LATEST
    return moment


def readable(moment: datetime | int | None) -> datetime | None:
    """Return a time, or None for one outside the calendar."""
    return None if isinstance(moment, int) else moment


def find_unreadable(answer: PGresult | None) -> DecodeError | None:
    """Find the first such time in an answer, after reading it has failed; None when the error had another cause.

    The answer is a binary one: there, times are microseconds since 2000.
    """
    if answer is None:
        return None
    names = [(answer.fname(index) or b"").decode() for index in range(answer.nfields)]
    times = [index for index in range(answer.nfields) if answer.ftype(index) == _TIME]
    for row in range(answer.ntuples):
        for index in times:
            value = int.from_bytes(answer.get_value(row, index) or b"", signed=True)
            if not _FIRST <= value <= _LAST:
                name = answer.get_value(row, names.index("name")) if "name" in names else None
                values = {names[index]: value, "name": (name or b"").decode()}
                what = "schedule" if names[index] in _OF_SCHEDULES else "run"
                return damaged(what, names[index], values, OUTSIDE)
    return None
