"""Finding the schedules that may need attention: every look is an index and a limit."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from duly.planning.attention import EndedToken
from duly.ports.upkeep import LOOKED_AHEAD, Troubled
from duly.stores.postgres.arrays import Texts
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import SQL
from duly.stores.postgres.schedules import get_many
from duly.stores.postgres.unreadable import nearest

_LOOKS = (SQL.failing, SQL.ended_badly, SQL.quarantined, SQL.resting, SQL.unplanned, SQL.coming_unserved)


async def troubled(
    session: Session, now: datetime, served: Collection[str], ended_after: datetime, limit: int
) -> Troubled:
    """Schedules that may need attention, and when the oldest of their pending runs was due."""
    values = {"now": now, "served": Texts(list(served)), "ended_after": ended_after, "limit": limit, "most": 1}
    values["ahead"] = LOOKED_AHEAD * limit
    found = {row[0] for statement in _LOOKS for row in await session.fetch(statement, values)}
    held_up: dict[str, datetime] = {}
    for handler, number, _ in await session.fetch_leniently(SQL.pending_by_handler, values):
        if number:
            for schedule_id, due_at in await session.fetch_leniently(SQL.held_up, {**values, "handler": handler}):
                moment = nearest(due_at)
                if moment is not None:
                    held_up[schedule_id] = moment
    ended = {row[0]: EndedToken.of(*row[1:]) for row in await session.fetch(SQL.disowned, values)}
    rows = await get_many(session, sorted(found | held_up.keys() | ended.keys()))
    return Troubled(rows=rows, held_up=held_up, disowned=ended)
