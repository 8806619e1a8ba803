"""Reconciling a namespace with what a definition wants, in one transaction that holds the locks of its schedules."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from duly.errors import StoreUnavailableError
from duly.ports.changes import nothing_beside
from duly.ports.records import StoredSchedule
from duly.ports.store import Decide, Glance, Glimpse
from duly.stores.postgres import nodes, runs, schedules
from duly.stores.postgres.arrays import TextArray, TimeArray
from duly.stores.postgres.clock import decided
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import cancelled
from duly.stores.postgres.executor import TryAgainError
from duly.stores.postgres.transaction import SQL, write_events

_AT_ONCE = 2000  # schedules in one statement: more would not be quicker, and need more memory
_SEEN = len(Glimpse._fields)


async def reconcile(session: Session, namespace: str, decide: Decide) -> None:
    """Bring a namespace in line with what `decide` wants, while no other node can plan its schedules.

    A schedule that another node makes meanwhile is met when it is written; then all is done again.
    """
    await session.fetch(SQL.lock_namespace, {"namespace": namespace})
    standings = await runs.standings(session, namespace)
    wanted = decide(standings, list(await nodes.living(session)))
    known = {each.schedule_id for each in standings}

    def merge(before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule | None:
        if before is not None and before.id not in known:
            raise TryAgainError(StoreUnavailableError(f"others keep changing the schedules of {namespace}"))
        after = wanted.merge(before, row)
        known.update(() if after is None else (after.id,))
        return after

    if wanted.glance is not None:
        await _glance_at_all(session, namespace, wanted.glance, wanted.at)
    values = {"ids": TextArray(list(wanted.call_off)), "now": wanted.at, "reason": wanted.reason}
    stopped = [row[0] for row in await session.fetch(SQL.call_off_unbegun, values)]
    await write_events(session, await cancelled(session, stopped, wanted.at))
    await schedules.save(session, wanted.rows, merge, nothing_beside)
    await write_events(session, wanted.events)


async def _glance_at_all(session: Session, namespace: str, glance: Glance, now: datetime) -> None:
    """Write the new times of schedules for which a glance is enough."""
    values: dict[str, Any] = {"namespace": namespace, "after": "", "limit": _AT_ONCE}
    retimed = False
    while rows := await session.fetch_leniently(SQL.glimpses, values):
        values["after"] = rows[-1][0]
        if times := _glance(rows, glance):
            columns = {"ids": TextArray(list(times)), "at": TimeArray(list(times.values())), "now": now}
            await session.fetch(SQL.retime, columns)
            retimed = True
    if retimed:
        await decided(session, now)


def _glance(rows: Iterable[tuple[Any, ...]], glance: Glance) -> dict[str, datetime]:
    """Give the new time of each schedule that a glance moves, by its id."""
    times: dict[str, datetime] = {}
    for row in rows:
        schedule_id, watermark, next_fire_at, next_run_at, earliest, latest = row[_SEEN:]
        if isinstance(earliest, int) or isinstance(latest, int):
            continue  # one of its times is outside the calendar: `merge` says which
        at = glance(Glimpse._make(row[:_SEEN]), watermark)
        if at is not None and (next_fire_at != at or next_run_at != at):
            times[schedule_id] = at
    return times
