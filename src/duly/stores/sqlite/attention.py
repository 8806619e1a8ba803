"""Finding the schedules that may need attention: every look is an index and a limit."""

from __future__ import annotations

import json
from collections.abc import Collection

import apsw

from duly.planning.attention import EndedToken
from duly.ports.upkeep import LOOKED_AHEAD, Troubled
from duly.stores.sqlite.cycle import SQL
from duly.stores.sqlite.rows import time_near, to_time
from duly.stores.sqlite.schedules import get_many

_LOOKS = (SQL.failing, SQL.ended_badly, SQL.quarantined, SQL.resting, SQL.unplanned, SQL.coming_unserved)


def troubled(connection: apsw.Connection, now: int, served: Collection[str], ended_after: int, limit: int) -> Troubled:
    """Schedules that may need attention, and when the oldest of their pending runs was due."""
    values = {"now": now, "served": json.dumps(list(served)), "ended_after": ended_after, "limit": limit, "most": 1}
    values["ahead"] = LOOKED_AHEAD * limit
    found = {row[0] for statement in _LOOKS for row in connection.execute(statement, values)}
    held_up = {
        schedule_id: moment
        for handler, number, *_ in list(connection.execute(SQL.pending_by_handler, values))
        if number
        for schedule_id, due_at in connection.execute(SQL.held_up, {**values, "handler": handler})
        if (moment := time_near(due_at)) is not None
    }
    ended = {
        row[0]: EndedToken.of(row[1], row[2], to_time(row[3]), to_time(row[4]))
        for row in connection.execute(SQL.disowned, values)
    }
    rows = get_many(connection, sorted(found | held_up.keys() | ended.keys()))
    return Troubled(rows=rows, held_up=held_up, disowned=ended)
