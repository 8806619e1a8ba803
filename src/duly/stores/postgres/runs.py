"""Runs, apart from the cycle: reading and cancelling them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from duly.model.events import Event
from duly.model.run import Run
from duly.ports.records import Claimed, RunFilter, Standing
from duly.stores.postgres.arrays import TextArray
from duly.stores.postgres.claiming import find_tokens
from duly.stores.postgres.clock import decided
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import cancelled, promote
from duly.stores.postgres.rows import show_run, to_claimed, to_run
from duly.stores.postgres.transaction import BEHIND_EVERY_TEXT, SQL, announce, write_events


async def get(session: Session, run_id: str) -> Run | None:
    """Read one run."""
    rows = await session.fetch_leniently(SQL.get_run, {"id": run_id})
    return show_run(rows[0]) if rows else None


async def page(session: Session, wanted: RunFilter) -> list[Run]:
    """Read a page of runs, newest first."""
    if wanted.ids is not None:
        found = await session.fetch_leniently(SQL.runs_by_id, {"ids": TextArray(wanted.ids)})
        return [show_run(row) for row in found]
    values = {
        "before": BEHIND_EVERY_TEXT if wanted.before is None else wanted.before,
        "any_status": not wanted.statuses,
        "statuses": TextArray(wanted.statuses),
        "limit": wanted.limit,
    }
    if wanted.schedule_id is None:
        found = await session.fetch_leniently(SQL.list_runs, values)
    else:
        of_one = {**values, "schedule_id": wanted.schedule_id}
        found = await session.fetch_leniently(SQL.list_runs_of_schedule, of_one)
    return [show_run(row) for row in found]


async def standings(session: Session, namespace: str) -> list[Standing]:
    """Read how every schedule of a namespace stands."""
    values = {"namespace": namespace}
    found = {row[0]: Standing(*row) for row in await session.fetch(SQL.standings, values)}
    for run in map(to_run, await session.fetch(SQL.unfinished, values)):
        if run.fire.schedule_id in found:  # or it was made since
            standing = found[run.fire.schedule_id]
            standing.unfinished = [*standing.unfinished, run]
    return list(found.values())


async def cancel(session: Session, run_id: str, now: datetime, reason: str, events: Sequence[Event]) -> Run | None:
    """Cancel a run that has not started, or ask one under way to stop."""
    values = {"id": run_id, "now": now, "reason": reason}
    schedule_id = await session.value(SQL.lock_schedule_of_run, values)
    if schedule_id is None:
        return None
    frees_a_place = await session.value(SQL.lock_unstarted, values)
    if frees_a_place is None:
        if await session.fetch(SQL.ask_run_to_stop, values):
            await write_events(session, events)
    else:
        await session.fetch(SQL.cancel_run, values)
        await promote(session, [schedule_id] if frees_a_place else [], now)
        await decided(session, now)
        await write_events(session, [*events, *await cancelled(session, [run_id], now)])
    await announce(session)
    return await get(session, run_id)


async def asked_to_stop(session: Session, node_id: str) -> list[str]:
    """Find the runs of a node that were asked to stop."""
    return [row[0] for row in await session.fetch(SQL.asked_to_stop, {"node_id": node_id})]


async def note_progress(session: Session, run_id: str, fence: int, data: str) -> bool:
    """Record the progress of a run."""
    return await session.value(SQL.progress, {"id": run_id, "fence": fence, "data": data}) is not None


async def adopt(session: Session, node_id: str, known: Collection[str]) -> list[Claimed]:
    """Read the runs that a node owns and does not know of."""
    rows = await session.fetch(SQL.adopt, {"node_id": node_id})
    runs = [to_claimed(row) for row in rows if row[0] not in known]
    await find_tokens(session, runs)
    return runs
