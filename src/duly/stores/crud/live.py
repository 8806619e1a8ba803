"""The states of runs, for listeners."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from duly.ports.live import RunState
from duly.stores.crud.database import Database, Transaction

_LONGEST_PROGRESS = 500


class StoredLiveRuns:
    """Implements `duly.ports.live.LiveRuns`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def unfinished(self, limit: int) -> list[RunState]:
        return await self._read("states_unfinished", limit=limit)

    async def under_way(self, limit: int) -> list[RunState]:
        return await self._read("states_under_way", limit=limit)

    async def by_id(self, ids: Collection[str]) -> list[RunState]:
        if not ids:
            return []
        return await self._database.read(lambda tx: _states(tx, "states_by_id", ids=tx.texts(ids)))

    async def latest(self, after: str, limit: int) -> list[RunState]:
        return await self._read("states_latest", after=after, limit=limit)

    async def _read(self, statement: str, **values: Any) -> list[RunState]:
        return await self._database.read(lambda tx: _states(tx, statement, **values))


async def _states(tx: Transaction, statement: str, **values: Any) -> list[RunState]:
    rows = await tx.rows(statement, longest=_LONGEST_PROGRESS, **values)
    return [_state(*row) for row in rows]


def _state(
    run_id: str,
    schedule_id: str,
    status: str,
    attempt: int,
    fence: int,
    progress: str | None,
    user_id: str | None,
    reminder: str | None,
    version: int | None,
    printed: int | None,
) -> RunState:
    return RunState(
        id=run_id,
        schedule_id=schedule_id,
        status=status,
        attempt=attempt,
        fence=fence,
        progress=progress,
        user_id=user_id,
        reminder=reminder,
        reminder_version=version or 0,
        printed=int(printed or 0),
    )
