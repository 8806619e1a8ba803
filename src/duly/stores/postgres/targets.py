"""Targets of prompts in PostgreSQL, and what became of their runs there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from duly.errors import NotFoundError
from duly.planning.budgets import Account, Promise, promise
from duly.ports.records import StoredSchedule
from duly.ports.targets import Reservation, TargetRun
from duly.stores.postgres.arrays import Texts
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import SQL
from duly.stores.postgres.gate import Gate
from duly.stores.postgres.rows import storable
from duly.stores.prompts import targets_of


class PostgresTargets:
    """See `duly.ports.targets.Targets` for what each call promises."""

    def __init__(self, door: Callable[[], Gate]) -> None:
        self._door = door

    async def session(self, schedule_id: str, project_id: str, workspace_id: str) -> str | None:
        values = _key(schedule_id, project_id, workspace_id)
        found = await self._door().read(lambda session: session.value(SQL.target_session, values))
        return None if found is None else str(found)

    async def pin_session(self, schedule_id: str, project_id: str, workspace_id: str, session_id: str | None) -> None:
        values = {**_key(schedule_id, project_id, workspace_id), "session_id": session_id}
        await self._door().write(lambda session: session.fetch(SQL.pin_session, values))

    async def target_runs(self, run_id: str) -> list[TargetRun]:
        rows = await self._door().read(lambda session: session.fetch(SQL.target_runs, {"run_id": run_id}))
        return [_to_target(row) for row in rows]

    async def begin_target(self, target: TargetRun) -> bool:
        return await self._door().write(lambda session: _begin(session, target))

    async def record_target(self, target: TargetRun) -> None:
        await self._door().write(lambda session: _record(session, target))

    async def spent(self, schedule_id: str, since: datetime) -> float:
        values = {"schedule_id": schedule_id, "since": since}
        return float(await self._door().read(lambda session: session.value(SQL.spent, values)))

    async def reserve(self, asked: Reservation) -> Promise:
        return await self._door().write(lambda session: _reserve(session, asked))

    async def release(self, run_id: str, fence: int) -> None:
        values = {"run_id": run_id, "fence": fence}
        await self._door().write(lambda session: session.fetch(SQL.release, values))

    async def unfinished(self) -> list[TargetRun]:
        rows = await self._door().read(lambda session: session.fetch(SQL.unfinished_targets))
        return [_to_target(row) for row in rows]


async def keep_in_step(session: Session, rows: Sequence[StoredSchedule]) -> None:
    """Make the targets of schedules those of their definitions; one that stays keeps its session."""
    targets = [(row.id, *names) for row in rows for names in targets_of(row)]
    values = {
        "ids": Texts([row.id for row in rows]),
        "schedule_ids": Texts([schedule_id for schedule_id, _, _ in targets]),
        "project_ids": Texts([project_id for _, project_id, _ in targets]),
        "workspace_ids": Texts([workspace_id for _, _, workspace_id in targets]),
    }
    await session.fetch(SQL.drop_targets, values)
    await session.fetch(SQL.add_targets, values)


def _key(schedule_id: str, project_id: str, workspace_id: str) -> dict[str, Any]:
    return {"schedule_id": schedule_id, "project_id": project_id, "workspace_id": workspace_id}


async def _begin(session: Session, target: TargetRun) -> bool:
    if target.session_id is not None:
        values = {"run_id": target.run_id, "session_id": target.session_id}
        await session.fetch(SQL.lock_session, values)
        if await session.value(SQL.session_taken, values) is not None:
            return False
    await _record(session, target)
    return True


async def _record(session: Session, target: TargetRun) -> None:
    values = {
        "run_id": target.run_id,
        "project_id": target.project_id,
        "workspace_id": target.workspace_id,
        "status": target.status,
        "session_id": target.session_id,
        "result": target.result,
        "error": storable(target.error),
        "cost_usd": target.cost_usd,
        "pid": target.pid,
        "pid_started": target.pid_started,
        "boot_id": target.boot_id,
        "started_at": target.started_at,
        "finished_at": target.finished_at,
    }
    if await session.value(SQL.record_target, values) is None:
        raise NotFoundError(f"there is no run {target.run_id!r}")


async def _reserve(session: Session, asked: Reservation) -> Promise:
    values = {
        "run_id": asked.run_id,
        "schedule_id": asked.schedule_id,
        "owner": asked.owner,
        "at": asked.at,
        "since": asked.since,
        "fence": asked.fence,
    }
    accounts = []
    owner_counts = asked.owner is not None and asked.owner_per_day is not None
    for budget in (*([asked.owner] if owner_counts else []), asked.schedule_id):  # all nodes in this order
        await session.fetch(SQL.lock_budget, {"budget": budget})
    await session.fetch(SQL.forget_spending, values)
    if asked.per_day is not None:
        ((spent, promised),) = await session.fetch(SQL.account_of_schedule, values)
        accounts.append(Account(owner=None, limit=asked.per_day, spent=spent, promised=promised))
    if asked.owner is not None and asked.owner_per_day is not None:
        ((spent, promised),) = await session.fetch(SQL.account_of_owner, values)
        accounts.append(Account(owner=asked.owner, limit=asked.owner_per_day, spent=spent, promised=promised))
    made = promise(accounts, asked.wanted)
    if made.amount is not None:
        await session.fetch(SQL.promise, {**values, "amount": made.amount})
    return made


def _to_target(row: tuple[Any, ...]) -> TargetRun:
    run_id, project_id, workspace_id, status, session_id, result, error, cost_usd, *rest = row
    pid, pid_started, boot_id, started_at, finished_at = rest
    return TargetRun(
        run_id=run_id,
        project_id=project_id,
        workspace_id=workspace_id,
        status=status,
        session_id=session_id,
        result=result,
        error=error,
        cost_usd=cost_usd,
        pid=pid,
        pid_started=pid_started,
        boot_id=boot_id,
        started_at=started_at,
        finished_at=finished_at,
    )
