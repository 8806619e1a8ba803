"""Times that PostgreSQL can store and Python has no room for: which of an answer it is."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime, timedelta

from psycopg import postgres
from psycopg.pq.abc import PGresult

from duly.errors import DecodeError
from duly.ports.records import StoredSchedule
from duly.stores.damage import damaged

_TIME = postgres.types["timestamptz"].oid
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_EARLIEST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_LATEST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_OF_SCHEDULES = {each.name for each in fields(StoredSchedule)}


def find_unreadable(answer: PGresult | None) -> DecodeError | None:
    """The first such time in an answer, looked for once reading all of it has failed; None when it was something else.

    The answer is a binary one: there, times are microseconds since 2000.
    """
    if answer is None:
        return None
    names = [(answer.fname(index) or b"").decode() for index in range(answer.nfields)]
    times = [index for index in range(answer.nfields) if answer.ftype(index) == _TIME]
    for row in range(answer.ntuples):
        for index in times:
            value = int.from_bytes(answer.get_value(row, index) or b"", signed=True)
            if not _EARLIEST <= value <= _LATEST:
                name = answer.get_value(row, names.index("name")) if "name" in names else None
                told = {names[index]: value, "name": (name or b"").decode()}
                what = "schedule" if names[index] in _OF_SCHEDULES else "run"
                return damaged(what, names[index], told, "microseconds after 2000, outside the years 1 to 9999")
    return None
