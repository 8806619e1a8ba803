"""The targets of prompts: their sessions, their runs, and the money that runs reserve before they spend it."""

from __future__ import annotations

from datetime import datetime

from duly.errors import NotFoundError
from duly.model.sessions import session_key
from duly.planning.budgets import Account, Promise, promise
from duly.ports.targets import Reservation, TargetRun
from duly.stores.crud.database import Database, Transaction


class StoredTargets:
    """Implements `duly.ports.targets.Targets`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def session(self, schedule_id: str, project_id: str, workspace_id: str) -> str | None:
        key = {"schedule_id": schedule_id, "project_id": project_id, "workspace_id": workspace_id}
        found = await self._database.read(lambda tx: tx.value("target_session", **key))
        return None if found is None else str(found)

    async def schedules_of_session(self, session_id: str) -> list[str]:
        key = session_key(session_id)
        found = await self._database.read(lambda tx: tx.rows("schedules_of_session", session_key=key))
        return [str(schedule_id) for (schedule_id,) in found]

    async def pin_session(self, schedule_id: str, project_id: str, workspace_id: str, session_id: str | None) -> None:
        key = {"schedule_id": schedule_id, "project_id": project_id, "workspace_id": workspace_id}
        await self._database.write(lambda tx: tx.rows("pin_session", **key, session_id=session_id))

    async def target_runs(self, run_id: str) -> list[TargetRun]:
        return await self._database.read(lambda tx: tx.records(TargetRun, "target_runs", run_id=run_id))

    async def begin_target(self, target: TargetRun) -> bool:
        return await self._database.write(lambda tx: _begin(tx, target))

    async def record_target(self, target: TargetRun) -> None:
        await self._database.write(lambda tx: _record(tx, target))

    async def spent(self, schedule_id: str, since: datetime) -> float:
        return float(await self._database.read(lambda tx: tx.value("spent", schedule_id=schedule_id, since=since)))

    async def reserve(self, asked: Reservation) -> Promise:
        return await self._database.write(lambda tx: _reserve(tx, asked))

    async def release(self, run_id: str, fence: int) -> None:
        await self._database.write(lambda tx: tx.rows("release", run_id=run_id, fence=fence))

    async def unfinished(self) -> list[TargetRun]:
        return await self._database.read(lambda tx: tx.records(TargetRun, "unfinished_targets"))


async def _begin(tx: Transaction, target: TargetRun) -> bool:
    if target.session_id is not None:
        await tx.lock("lock_session", session_id=target.session_id)
        if await tx.value("session_taken", run_id=target.run_id, session_id=target.session_id) is not None:
            return False
    await _record(tx, target)
    return True


async def _record(tx: Transaction, target: TargetRun) -> None:
    values = {**tx.values(target), "error": tx.storable(target.error), "sent": tx.storable(target.sent)}
    if await tx.value("record_target", **values) is None:
        raise NotFoundError(f"there is no run {target.run_id!r}")


async def _reserve(tx: Transaction, asked: Reservation) -> Promise:
    values = {
        "run_id": asked.run_id,
        "schedule_id": asked.schedule_id,
        "owner": asked.owner,
        "at": asked.at,
        "since": asked.since,
        "fence": asked.fence,
    }
    # Owner first, then schedule: all nodes lock in this order, so that none waits for another in a circle.
    if asked.owner is not None and asked.owner_per_day is not None:
        await tx.lock("lock_budget", budget=asked.owner)
    await tx.lock("lock_budget", budget=asked.schedule_id)
    await tx.rows("forget_spending", **values)
    accounts = []
    if asked.per_day is not None:
        [(spent, promised)] = await tx.rows("account_of_schedule", **values)
        accounts.append(Account(owner=None, limit=asked.per_day, spent=spent, promised=promised))
    if asked.owner is not None and asked.owner_per_day is not None:
        [(spent, promised)] = await tx.rows("account_of_owner", **values)
        accounts.append(Account(owner=asked.owner, limit=asked.owner_per_day, spent=spent, promised=promised))
    made = promise(accounts, asked.wanted)
    if made.amount is not None:
        await tx.rows("promise", **values, amount=made.amount)
    return made
