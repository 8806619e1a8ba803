"""Looking after itself: the schema, the figures for health."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from duly import failpoints
from duly.errors import StoreUnavailableError, StoreVersionError
from duly.ports.upkeep import Overview
from duly.stores import queries
from duly.stores.postgres import clock, nodes
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import SQL
from duly.stores.postgres.unreadable import nearest

_MIGRATION = 0x6475_6C79_0000  # "duly", and a number: the advisory lock of whoever changes the schema


async def migrate(session: Session, url: str, *, create: bool = True) -> None:
    """Bring the schema up to date, one step per transaction, one process at a time.

    Without `create` a database that has no schema of ours is left alone.
    """
    steps = queries.migrations("postgres")
    if not create and await _version(session) == 0:
        raise StoreUnavailableError(f"cannot use {url}: there is no store of duly in it; put a copy of it back")
    while (found := await _version(session)) < len(steps):
        await session.transaction(partial(_step, version=found + 1, script=steps[found][1]))
    if found > len(steps):
        raise StoreVersionError(url, found, len(steps))


async def _version(session: Session) -> int:
    if await session.value("SELECT to_regclass('schema_version')") is None:
        return 0
    return int(await session.value("SELECT coalesce(max(version), 0) FROM schema_version"))


async def _step(session: Session, version: int, script: str) -> None:
    await session.run("SET LOCAL statement_timeout = 0")
    await session.fetch("SELECT pg_advisory_xact_lock(%(key)s)", {"key": _MIGRATION})
    await session.run("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
    if await _version(session) < version:  # else somebody else did it while we waited for the lock
        await session.run(script)
        failpoints.hit("migration.step")
        await session.fetch("INSERT INTO schema_version VALUES (%(version)s)", {"version": version})


async def overview(session: Session, now: datetime, at_most: int | None) -> Overview:
    """The figures health is judged by."""
    values = {"now": now, "most": at_most}
    [(schedules, enabled)] = await session.fetch(SQL.count_schedules, values)
    active = dict(await session.fetch(SQL.count_active, values))
    living = await nodes.living(session)
    served = {handler for handlers in living.values() for handler in handlers}
    pending = [
        (handler, number, nearest(first))
        for handler, number, first in await session.fetch_leniently(SQL.pending_by_handler, values)
    ]
    [(oldest,)] = await session.fetch_leniently(SQL.oldest_unplanned, values)
    unplanned = nearest(oldest)
    due = [at for at in (unplanned, *(first for _, _, first in pending)) if at is not None and at <= now]
    return Overview(
        schedules=schedules,
        enabled=enabled,
        quarantined=int(await session.value(SQL.count_quarantined, values)),
        pending=active.get("pending", 0),
        waiting=active.get("waiting", 0),
        running=active.get("running", 0),
        oldest_due_at=min(due, default=None),
        unserved={handler: number for handler, number, _ in pending if number and handler not in served},
        nodes=list(living),
        oldest_unplanned_at=unplanned,
        corrected=await clock.last_correction(session),
    )
