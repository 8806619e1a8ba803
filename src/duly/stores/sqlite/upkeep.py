"""Looking after itself: the schema, the figures for health."""

from __future__ import annotations

from pathlib import Path

import apsw

from duly import failpoints
from duly.errors import StoreError
from duly.ports.upkeep import Overview
from duly.stores import queries
from duly.stores.sqlite import clock, nodes
from duly.stores.sqlite.cycle import SQL
from duly.stores.sqlite.rows import time_near
from duly.stores.sqlite.schema import identify, version_of


def migrate(connection: apsw.Connection, path: Path) -> None:
    """Bring an older schema up to date; the caller holds the write lock, so only one process does it."""
    steps = queries.migrations("sqlite")
    connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT")
    identify(connection)
    for version, script in steps[version_of(connection) :]:
        try:
            connection.execute(script)
        except apsw.SQLError as error:
            raise StoreError(f"{path} is a database, but not one of ours: {error}") from error
        failpoints.hit("migration.step")
        connection.execute("INSERT INTO schema_version VALUES (?)", (version,))


def overview(connection: apsw.Connection, now: int, look: nodes.Look, at_most: int | None) -> Overview:
    """The figures health is judged by."""
    values = {"now": now, "most": -1 if at_most is None else at_most}
    schedules, enabled = next(iter(connection.execute(SQL.count_schedules, values)))
    active = dict(connection.execute(SQL.count_active, values))
    living = nodes.serving(connection, look)
    served = {handler for handlers in living.values() for handler in handlers}
    pending = list(connection.execute(SQL.pending_by_handler, values))
    unplanned = connection.execute(SQL.oldest_unplanned, values).get
    due = [
        at
        for at in (unplanned, *(first for _, _, *firsts in pending for first in firsts))
        if at is not None and at <= now
    ]
    return Overview(
        schedules=schedules,
        enabled=enabled,
        quarantined=connection.execute(SQL.count_quarantined, values).get,
        pending=active.get("pending", 0),
        waiting=active.get("waiting", 0),
        running=active.get("running", 0),
        oldest_due_at=time_near(min(due, default=None)),
        unserved={handler: number for handler, number, *_ in pending if number and handler not in served},
        nodes=list(living),
        oldest_unplanned_at=time_near(unplanned),
        corrected=clock.last_correction(connection),
    )
