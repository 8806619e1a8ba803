"""The counts that quotas are judged by."""

from __future__ import annotations

from datetime import datetime

from duly.ports.quotas import Admission, Usage
from duly.stores.crud.database import Database, Transaction


class StoredQuotas:
    """Implements `duly.ports.quotas.QuotaCounts`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def admit(self, run: Admission) -> int | None:
        return await self._database.write(lambda tx: _admit(tx, run))

    async def usage(self, owner: str, since: datetime) -> Usage:
        return await self._database.read(lambda tx: _usage(tx, owner, since))

    async def owners(self, after: str | None, limit: int) -> list[str]:
        rows = await self._database.read(lambda tx: tx.rows("owners", after=after, limit=limit))
        return [row[0] for row in rows]


async def _admit(tx: Transaction, run: Admission) -> int | None:
    values = {
        "run_id": run.run_id,
        "schedule_id": run.schedule_id,
        "owner": run.owner,
        "at": run.at,
        "since": run.since,
        "fence": run.fence,
    }
    await tx.lock("lock_budget", budget=run.owner)
    if await tx.value("is_admitted", **values) is not None:
        return None
    await tx.rows("forget_spending", **values)
    count = int(await tx.value("runs_of_owner", **values))
    if count >= run.at_most:
        return count
    await tx.rows("promise", **values, amount=0.0)
    return None


async def _usage(tx: Transaction, owner: str, since: datetime) -> Usage:
    values = {"owner": owner, "since": since}
    [(spent, promised)] = await tx.rows("account_of_owner", **values, run_id="")
    return Usage(
        owner=owner,
        schedules=int(await tx.value("schedules_of_namespace", **values)),
        runs=int(await tx.value("runs_of_owner", **values)),
        spent=spent,
        promised=promised,
    )
