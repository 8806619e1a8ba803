"""A namespace brought in line with what is wanted.

While one process writes, all others wait, and with very many schedules they would not wait for ever. So everything is
worked out before, on what was there at one moment; whoever then may write looks whether it still is.
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
    """What a decision depends on, short enough to keep."""

    living: Sequence[str]
    schedules: bytes
    """A digest of all there is about them. A run that was begun and has ended since has changed its schedule, too."""
    unfinished: Sequence[tuple[Any, ...]]


class Prepared(NamedTuple):
    """A decision with all that is to be written, and what it was made of."""

    seen: Seen
    decided: Reconciliation
    changes: schedules.Changes


def prepare(connection: apsw.Connection, namespace: str, decide: Decide, observed: nodes.Observation) -> Prepared:
    """Look and decide; nothing is written."""
    with connection:  # everything as it was at one moment
        digest, there = blake2b(), []
        for text in _texts(connection, namespace):
            digest.update(text.encode())
            there += json.loads(text)
        seen = Seen(_living(connection, observed), digest.digest(), _unfinished(connection, namespace))
        standings = runs.standings(connection, namespace)
    decided = decide(standings, seen.living)
    return Prepared(seen, decided, schedules.work_out(decided.rows, there, decided.merge))


def is_fresh(connection: apsw.Connection, namespace: str, seen: Seen, observed: nodes.Observation) -> bool:
    """Whether everything still is as it was; the caller holds the write lock."""
    if _living(connection, observed) != seen.living or _unfinished(connection, namespace) != seen.unfinished:
        return False
    digest = blake2b()
    for text in _texts(connection, namespace):
        digest.update(text.encode())
    return digest.digest() == seen.schedules


def write(connection: apsw.Connection, prepared: Prepared) -> None:
    """Write what was decided."""
    decided = prepared.decided
    now, reason = micros(decided.at), decided.reason
    values = {"ids": json.dumps(list(decided.call_off)), "now": now, "reason": reason}
    called_off = [row[0] for row in connection.execute(SQL.call_off_unbegun, values)]
    write_events(connection, cancelled(connection, called_off, now))
    schedules.write(connection, prepared.changes)
    write_events(connection, decided.events)


def _living(connection: apsw.Connection, observed: nodes.Observation) -> list[str]:
    return [owner.node_id for owner, _ in nodes.not_gone(connection, observed)]


def _unfinished(connection: apsw.Connection, namespace: str) -> list[tuple[Any, ...]]:
    return list(connection.execute(SQL.unfinished, {"namespace": namespace}))


def _texts(connection: apsw.Connection, namespace: str) -> Iterator[str]:
    """All columns of all schedules: many in one text, for every row would be a step of the driver."""
    values: dict[str, Any] = {"namespace": namespace, "after": "", "limit": _AT_ONCE}
    while True:
        text, values["after"] = next(iter(connection.execute(SQL.in_namespace, values)))
        if values["after"] is None:
            return
        yield text
