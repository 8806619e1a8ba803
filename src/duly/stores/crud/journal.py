"""Reading the journal: the events that a store has kept."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from duly.model.events import CATALOGUE, Event, EventKind
from duly.ports.records import EventFilter
from duly.stores.crud.database import Transaction


async def following(tx: Transaction, after: int, limit: int) -> list[tuple[int, Event]]:
    """Read the entries after a number, oldest first."""
    return [_to_event(tx, row) for row in await tx.rows("journal", after=after, limit=limit)]


async def page(tx: Transaction, wanted: EventFilter) -> list[tuple[int, Event]]:
    """Read a page of the journal, newest entries first."""
    if wanted.schedule_id is not None:
        statement = "list_events_of_schedule"
    else:
        statement = "list_events" if wanted.run_id is None else "list_events_of_run"
    rows = await tx.rows(
        statement,
        schedule_id=wanted.schedule_id,
        run_id=wanted.run_id,
        any_name=not wanted.names,
        names=tx.texts(wanted.names),
        namespace=wanted.namespace,
        project=wanted.project,
        since=wanted.since,
        until=wanted.until,
        after=wanted.after,
        before=wanted.before,
        limit=wanted.limit,
    )
    return [_to_event(tx, row) for row in rows]


async def lately(tx: Transaction, name: str, since: datetime, limit: int) -> list[Event]:
    """Read entries of one kind since a time, newest first."""
    rows = await tx.rows("list_lately", name=name, since=since, limit=limit)
    return [event for _, event in (_to_event(tx, row) for row in rows)]


def _to_event(tx: Transaction, row: tuple[Any, ...]) -> tuple[int, Event]:
    """Read an entry; one that a newer version of duly wrote keeps its name."""
    seq, at, name, schedule_id, run_id, node_id, data = row
    kind = CATALOGUE.get(name) or EventKind(name, "unknown to this version of duly", durable=True)
    return seq, Event(
        kind=kind,
        at=tx.time(at),
        schedule_id=schedule_id,
        run_id=run_id,
        node_id=node_id,
        data=json.loads(data),
    )
