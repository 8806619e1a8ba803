"""Counts for quotas in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from duly.ports.quotas import Admission, Usage
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import SQL
from duly.stores.postgres.gate import Gate


class PostgresQuotas:
    """See `duly.ports.quotas.QuotaCounts` for what each call promises."""

    def __init__(self, door: Callable[[], Gate]) -> None:
        self._door = door

    async def scope_of(self, schedule_id: str) -> str | None:
        values = {"schedule_id": schedule_id}
        found = await self._door().read(lambda session: session.value(SQL.scope_of_schedule, values))
        return None if found is None else str(found)

    async def admit(self, run: Admission) -> int | None:
        return await self._door().write(lambda session: _admit(session, run))

    async def usage(self, owner: str, since: datetime) -> Usage:
        return await self._door().read(lambda session: _usage(session, owner, since))

    async def owners(self, after: str | None, limit: int) -> list[str]:
        values = {"after": after, "limit": limit}
        return [row[0] for row in await self._door().read(lambda session: session.fetch(SQL.owners, values))]


async def _admit(session: Session, run: Admission) -> int | None:
    values = {
        "run_id": run.run_id,
        "schedule_id": run.schedule_id,
        "owner": run.owner,
        "at": run.at,
        "since": run.since,
        "fence": run.fence,
        "amount": 0.0,
    }
    await session.fetch(SQL.lock_budget, {"budget": run.owner})
    if await session.value(SQL.is_admitted, values) is not None:
        return None
    await session.fetch(SQL.forget_spending, values)
    count = int(await session.value(SQL.runs_of_owner, values))
    if count >= run.at_most:
        return count
    await session.fetch(SQL.promise, values)
    return None


async def _usage(session: Session, owner: str, since: datetime) -> Usage:
    values = {"owner": owner, "since": since, "run_id": ""}
    ((spent, promised),) = await session.fetch(SQL.account_of_owner, values)
    return Usage(
        owner=owner,
        schedules=int(await session.value(SQL.schedules_of_namespace, values)),
        runs=int(await session.value(SQL.runs_of_owner, values)),
        spent=spent,
        promised=promised,
    )
