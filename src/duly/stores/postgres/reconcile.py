"""A namespace brought in line with what is wanted, decided while nobody else can plan its schedules."""

from __future__ import annotations

from duly.errors import StoreUnavailableError
from duly.ports.records import StoredSchedule
from duly.ports.store import Decide, Reconciliation
from duly.stores.postgres import nodes, runs, schedules
from duly.stores.postgres.arrays import Texts
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import SQL, cancelled, write_events
from duly.stores.postgres.gate import TryAgainError


async def reconcile(session: Session, namespace: str, decide: Decide) -> None:
    """Lock, look, decide, write. What others make meanwhile is met when it is written, and all is done again."""
    await session.fetch(SQL.lock_namespace, {"namespace": namespace})
    standings = await runs.standings(session, namespace)
    decided = decide(standings, list(await nodes.living(session)))
    known = {each.schedule_id for each in standings}

    def merge(before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule | None:
        if before is not None and before.id not in known:
            raise TryAgainError(StoreUnavailableError(f"others keep changing the schedules of {namespace}"))
        after = decided.merge(before, row)
        known.update(() if after is None else (after.id,))
        return after

    await _call_off(session, decided)
    await schedules.save(session, decided.rows, merge, decided.events)


async def _call_off(session: Session, decided: Reconciliation) -> None:
    values = {"ids": Texts(list(decided.call_off)), "now": decided.at, "reason": decided.reason}
    called_off = [row[0] for row in await session.fetch(SQL.call_off_unbegun, values)]
    await write_events(session, await cancelled(session, called_off, decided.at))
