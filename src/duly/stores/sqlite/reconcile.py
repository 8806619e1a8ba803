"""A namespace brought in line with what is wanted, decided while nobody else writes."""

from __future__ import annotations

import json

import apsw

from duly.ports.store import Decide, Reconciliation
from duly.stores.sqlite import nodes, runs, schedules
from duly.stores.sqlite.cycle import SQL, cancelled, write_events
from duly.stores.sqlite.rows import micros


def reconcile(connection: apsw.Connection, namespace: str, decide: Decide, boottime: float) -> None:
    """Look, decide, write; the caller holds the write lock."""
    living = [owner.node_id for owner, _ in nodes.living(connection) if not nodes.is_silent(owner, boottime)]
    decided = decide(runs.standings(connection, namespace), living)
    _call_off(connection, decided)
    schedules.save(connection, decided.rows, decided.merge, decided.events)


def _call_off(connection: apsw.Connection, decided: Reconciliation) -> None:
    now, reason = micros(decided.at), decided.reason
    values = {"ids": json.dumps(list(decided.call_off)), "now": now, "reason": reason}
    called_off = list(connection.execute(SQL.call_off_unbegun, values))
    write_events(connection, [cancelled(schedule_id, run_id, reason, now) for schedule_id, run_id in called_off])
