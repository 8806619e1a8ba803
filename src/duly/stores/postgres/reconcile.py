"""Reconciling a namespace with what a definition wants, in one transaction that holds the locks of its schedules."""

from __future__ import annotations

from duly.errors import StoreUnavailableError
from duly.ports.records import StoredSchedule
from duly.ports.store import Decide
from duly.stores.postgres import nodes, runs, schedules
from duly.stores.postgres.arrays import TextArray
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import cancelled
from duly.stores.postgres.executor import TryAgainError
from duly.stores.postgres.transaction import SQL, write_events


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

    values = {"ids": TextArray(list(wanted.call_off)), "now": wanted.at, "reason": wanted.reason}
    stopped = [row[0] for row in await session.fetch(SQL.call_off_unbegun, values)]
    await write_events(session, await cancelled(session, stopped, wanted.at))
    await schedules.save(session, wanted.rows, merge, wanted.events)
