"""Reconciling a namespace with what a definition wants.

While one process writes, all others wait, and with very many schedules they would give up. So everything is decided
before the write lock is taken, on what was stored at one moment; then it is checked that nothing has changed since.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from hashlib import blake2b
from operator import itemgetter
from typing import Any, NamedTuple

import apsw

from duly.ports.store import Decide, Glance, Glimpse, Reconciliation
from duly.stores.sqlite import nodes, runs, schedules
from duly.stores.sqlite.cycle import cancelled
from duly.stores.sqlite.rows import SCHEDULE_COLUMNS, has_times, micros, to_time
from duly.stores.sqlite.transaction import SQL, write_events

_AT_ONCE = 2000  # schedules in one text: more would not be quicker, and need more memory
_WATERMARK, _NEXT_FIRE_AT, _NEXT_RUN_AT = map(SCHEDULE_COLUMNS.index, ("watermark", "next_fire_at", "next_run_at"))
_columns = itemgetter(*map(SCHEDULE_COLUMNS.index, Glimpse._fields))


class Seen(NamedTuple):
    """What a decision depends on, in a short form."""

    living: Sequence[str]
    schedules: bytes
    """A digest of all their columns. A run that has begun and ended since has changed its schedule, too."""
    unfinished: Sequence[tuple[Any, ...]]


class Prepared(NamedTuple):
    """A decision with everything it will write, and what it was based on."""

    seen: Seen
    decided: Reconciliation
    changes: schedules.PendingWrites


def prepare(connection: apsw.Connection, namespace: str, decide: Decide, observed: nodes.Observation) -> Prepared:
    """Read and decide; nothing is written."""
    with connection:  # everything as it was at one moment
        living = _living(connection, observed)
        decided = decide(runs.standings(connection, namespace), living)
        digest = blake2b()
        there: list[Sequence[Any]] = []
        retimed: dict[str, tuple[Any, ...]] = {}
        for text in _texts(connection, namespace):
            digest.update(text.encode())
            rows: list[Sequence[Any]] = json.loads(text)
            there += rows if decided.glance is None else _glance(rows, decided.glance, micros(decided.at), retimed)
        seen = Seen(living, digest.digest(), _unfinished(connection, namespace))
    changes = schedules.work_out(decided.rows, there, decided.merge)
    changes.retimed |= retimed
    return Prepared(seen, decided, changes)


def _glance(
    rows: Iterable[Sequence[Any]], glance: Glance, now: int, retimed: dict[str, tuple[Any, ...]]
) -> Iterator[Sequence[Any]]:
    """Note the new times of rows for which a glance is enough; give the others."""
    moments: dict[datetime, int] = {}
    for row in rows:
        at = glance(Glimpse._make(_columns(row)), to_time(row[_WATERMARK])) if has_times(row) else None
        if at is None:
            yield row
            continue
        moment = moments.get(at)
        if moment is None:
            moment = moments[at] = micros(at)
        if row[_NEXT_FIRE_AT] != moment or row[_NEXT_RUN_AT] != moment:
            retimed[row[0]] = (row[0], moment, moment, now)


def is_fresh(connection: apsw.Connection, namespace: str, seen: Seen, observed: nodes.Observation) -> bool:
    """Tell whether nothing has changed since; the caller holds the write lock."""
    if _living(connection, observed) != seen.living or _unfinished(connection, namespace) != seen.unfinished:
        return False
    digest = blake2b()
    for text in _texts(connection, namespace):
        digest.update(text.encode())
    return digest.digest() == seen.schedules


def write(connection: apsw.Connection, prepared: Prepared) -> None:
    """Write what was decided."""
    decided = prepared.decided
    now = micros(decided.at)
    values = {"ids": json.dumps(list(decided.call_off)), "now": now, "reason": decided.reason}
    called_off = [row[0] for row in connection.execute(SQL.call_off_unbegun, values)]
    write_events(connection, cancelled(connection, called_off, now))
    schedules.write(connection, prepared.changes)
    write_events(connection, decided.events)


def _living(connection: apsw.Connection, observed: nodes.Observation) -> list[str]:
    return [owner.node_id for owner, _ in nodes.not_gone(connection, observed)]


def _unfinished(connection: apsw.Connection, namespace: str) -> list[tuple[Any, ...]]:
    return list(connection.execute(SQL.unfinished, {"namespace": namespace}))


def _texts(connection: apsw.Connection, namespace: str) -> Iterator[str]:
    """Read all columns of all schedules, many rows in one text: each row would cost a step of the driver."""
    values: dict[str, Any] = {"namespace": namespace, "after": "", "limit": _AT_ONCE}
    while True:
        text, values["after"] = next(iter(connection.execute(SQL.in_namespace, values)))
        if values["after"] is None:
            return
        yield text
