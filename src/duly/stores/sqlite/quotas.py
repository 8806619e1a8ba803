"""Counts for quotas in SQLite."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import apsw

from duly.ports.quotas import Admission, Usage
from duly.stores.sqlite.connection import Gate
from duly.stores.sqlite.cycle import SQL
from duly.stores.sqlite.rows import micros


class SqliteQuotas:
    """See `duly.ports.quotas.QuotaCounts` for what each call promises."""

    def __init__(self, door: Callable[[], Gate]) -> None:
        self._door = door

    async def scope_of(self, schedule_id: str) -> str | None:
        values = {"schedule_id": schedule_id}
        found = await self._door().read(lambda connection: connection.execute(SQL.scope_of_schedule, values).get)
        return None if found is None else str(found)

    async def admit(self, run: Admission) -> int | None:
        return await self._door().write(lambda connection: _admit(connection, run))

    async def usage(self, owner: str, since: datetime) -> Usage:
        return await self._door().read(lambda connection: _usage(connection, owner, micros(since)))

    async def owners(self, after: str | None, limit: int) -> list[str]:
        values = {"after": after, "limit": limit}
        return await self._door().read(lambda connection: [row[0] for row in connection.execute(SQL.owners, values)])


def _admit(connection: apsw.Connection, run: Admission) -> int | None:
    values = {
        "run_id": run.run_id,
        "schedule_id": run.schedule_id,
        "owner": run.owner,
        "at": micros(run.at),
        "since": micros(run.since),
        "fence": run.fence,
        "amount": 0.0,
    }
    if connection.execute(SQL.is_admitted, values).get is not None:
        return None
    connection.execute(SQL.forget_spending, values)
    count = int(connection.execute(SQL.runs_of_owner, values).get)
    if count >= run.at_most:
        return count
    connection.execute(SQL.promise, values)
    return None


def _usage(connection: apsw.Connection, owner: str, since: int) -> Usage:
    values = {"owner": owner, "since": since, "run_id": ""}
    spent, promised = next(iter(connection.execute(SQL.account_of_owner, values)))
    return Usage(
        owner=owner,
        schedules=int(connection.execute(SQL.schedules_of_namespace, values).get),
        runs=int(connection.execute(SQL.runs_of_owner, values).get),
        spent=spent,
        promised=promised,
    )
