"""The journal of durable events, for whoever reads it."""

from __future__ import annotations

import json

import apsw

from duly.model.events import Event
from duly.ports.records import EventFilter
from duly.stores.sqlite.cycle import SQL
from duly.stores.sqlite.rows import micros, to_event

_EARLIEST, _LATEST = -(2**63), 2**63 - 1


def following(connection: apsw.Connection, after: int, limit: int) -> list[tuple[int, Event]]:
    """Durable events from a place on."""
    return [to_event(row) for row in connection.execute(SQL.journal, {"after": after, "limit": limit})]


def page(connection: apsw.Connection, wanted: EventFilter) -> list[tuple[int, Event]]:
    """A page of the journal, the newest entries first."""
    values = {
        "schedule_id": wanted.schedule_id,
        "run_id": wanted.run_id,
        "names": json.dumps(wanted.names) if wanted.names else None,
        "namespace": wanted.namespace,
        "project": wanted.project,
        "since": _EARLIEST if wanted.since is None else micros(wanted.since),
        "until": _LATEST if wanted.until is None else micros(wanted.until),
        "after": wanted.after,
        "before": wanted.before,
        "limit": wanted.limit,
    }
    if wanted.schedule_id is not None:
        statement = SQL.list_events_of_schedule
    else:
        statement = SQL.list_events if wanted.run_id is None else SQL.list_events_of_run
    return [to_event(row) for row in connection.execute(statement, values)]
