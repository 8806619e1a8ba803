"""Reconciling a namespace with what a definition wants.

While one process writes, all others wait, and with very many schedules they would give up. So everything is decided
before the write lock is taken, on what was stored at one moment; then it is checked that nothing has changed since.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import apsw

from duly.ports.store import Decide, Reconciliation
from duly.stores.sqlite import nodes, runs, schedules
from duly.stores.sqlite.cycle import cancelled
from duly.stores.sqlite.rows import micros
from duly.stores.sqlite.transaction import SQL, write_events

_AT_ONCE = 10_000  # schedules in one text


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
    changes: schedules.Changes


def prepare(connection: apsw.Connection, namespace: str, decide: Decide, observed: nodes.Observation) -> Prepared:
    """Read and decide; nothing is written."""
    with connection:  # everything as it was at one moment
        digest = blake2b()
        there: list[Sequence[Any]] = []
        for text in _texts(connection, namespace):
            digest.update(text.encode())
            there += json.loads(text)
        seen = Seen(_living(connection, observed), digest.digest(), _unfinished(connection, namespace))
        standings = runs.standings(connection, namespace)
    decided = decide(standings, seen.living)
    return Prepared(seen, decided, schedules.work_out(decided.rows, there, decided.merge))


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
