"""Runs, apart from the cycle: looking them up, calling them off."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from duly.model.events import Event
from duly.model.run import Run
from duly.ports.records import Claimed, RunFilter, Standing
from duly.stores.postgres.arrays import Texts
from duly.stores.postgres.claiming import find_tokens
from duly.stores.postgres.clock import decided
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import SQL, announce, cancelled, promote, write_events
from duly.stores.postgres.rows import show_run, to_claimed, to_run


async def get(session: Session, run_id: str) -> Run | None:
    """One run."""
    rows = await session.fetch_leniently(SQL.get_run, {"id": run_id})
    return show_run(rows[0]) if rows else None


async def page(session: Session, wanted: RunFilter) -> list[Run]:
    """A page of runs, the newest first."""
    values = {
        "schedule_id": wanted.schedule_id,
        "before": wanted.before,
        "any_status": not wanted.statuses,
        "statuses": Texts(wanted.statuses),
        "limit": wanted.limit,
    }
    return [show_run(row) for row in await session.fetch_leniently(SQL.list_runs, values)]


async def standings(session: Session, namespace: str) -> list[Standing]:
    """How every schedule of a namespace stands."""
    values = {"namespace": namespace}
    found = {row[0]: Standing(*row) for row in await session.fetch(SQL.standings, values)}
    for run in map(to_run, await session.fetch(SQL.unfinished, values)):
        if run.fire.schedule_id in found:  # or it was made since
            found[run.fire.schedule_id].unfinished.append(run)
    return list(found.values())


async def cancel(session: Session, run_id: str, now: datetime, reason: str, events: Sequence[Event]) -> Run | None:
    """Call a run off, or ask it to stop."""
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
    """Runs of a node that somebody asked to stop."""
    return [row[0] for row in await session.fetch(SQL.asked_to_stop, {"node_id": node_id})]


async def note_progress(session: Session, run_id: str, fence: int, data: str) -> bool:
    """Note how far a run has got."""
    return await session.value(SQL.progress, {"id": run_id, "fence": fence, "data": data}) is not None


async def adopt(session: Session, node_id: str, known: Collection[str]) -> list[Claimed]:
    """Runs a node owns without knowing."""
    rows = await session.fetch(SQL.adopt, {"node_id": node_id})
    runs = [to_claimed(row) for row in rows if row[0] not in known]
    await find_tokens(session, runs)
    return runs
