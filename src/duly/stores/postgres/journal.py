"""The journal of durable events, for whoever reads it."""

from __future__ import annotations

from duly.model.events import Event
from duly.ports.records import EventFilter
from duly.stores.postgres.arrays import Texts
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import SQL
from duly.stores.postgres.rows import to_event


async def following(session: Session, after: int, limit: int) -> list[tuple[int, Event]]:
    """Durable events from a place on."""
    return [to_event(row) for row in await session.fetch(SQL.journal, {"after": after, "limit": limit})]


async def page(session: Session, wanted: EventFilter) -> list[tuple[int, Event]]:
    """A page of the journal, the newest entries first."""
    values = {
        "schedule_id": wanted.schedule_id,
        "run_id": wanted.run_id,
        "any_name": not wanted.names,
        "names": Texts(wanted.names),
        "namespace": wanted.namespace,
        "project": wanted.project,
        "since": wanted.since,
        "until": wanted.until,
        "after": wanted.after,
        "before": wanted.before,
        "limit": wanted.limit,
    }
    return [to_event(row) for row in await session.fetch(SQL.list_events, values)]
