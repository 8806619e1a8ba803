"""Targets of prompts in SQLite, and what became of their runs there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

import apsw

from duly.errors import NotFoundError
from duly.planning.budgets import Account, Promise, promise
from duly.ports.records import StoredSchedule
from duly.ports.targets import Reservation, TargetRun
from duly.stores.prompts import targets_of
from duly.stores.sqlite.connection import Gate
from duly.stores.sqlite.cycle import SQL
from duly.stores.sqlite.rows import micros, to_micros, to_time


class SqliteTargets:
    """See `duly.ports.targets.Targets` for what each call promises."""

    def __init__(self, door: Callable[[], Gate]) -> None:
        self._door = door

    async def session(self, schedule_id: str, project_id: str, workspace_id: str) -> str | None:
        values = _key(schedule_id, project_id, workspace_id)
        found = await self._door().read(lambda connection: connection.execute(SQL.target_session, values).get)
        return None if found is None else str(found)

    async def pin_session(self, schedule_id: str, project_id: str, workspace_id: str, session_id: str | None) -> None:
        values = {**_key(schedule_id, project_id, workspace_id), "session_id": session_id}
        await self._door().write(lambda connection: connection.execute(SQL.pin_session, values).get)

    async def target_runs(self, run_id: str) -> list[TargetRun]:
        return await self._door().read(lambda connection: _select(connection, SQL.target_runs, {"run_id": run_id}))

    async def begin_target(self, target: TargetRun) -> bool:
        return await self._door().write(lambda connection: _begin(connection, target))

    async def record_target(self, target: TargetRun) -> None:
        await self._door().write(lambda connection: _record(connection, target))

    async def spent(self, schedule_id: str, since: datetime) -> float:
        values = {"schedule_id": schedule_id, "since": micros(since)}
        return float(await self._door().read(lambda connection: connection.execute(SQL.spent, values).get))

    async def reserve(self, asked: Reservation) -> Promise:
        return await self._door().write(lambda connection: _reserve(connection, asked))

    async def release(self, run_id: str, fence: int) -> None:
        values = {"run_id": run_id, "fence": fence}
        await self._door().write(lambda connection: connection.execute(SQL.release, values).get)

    async def unfinished(self) -> list[TargetRun]:
        return await self._door().read(lambda connection: _select(connection, SQL.unfinished_targets, {}))


def keep_in_step(connection: apsw.Connection, rows: Iterable[StoredSchedule]) -> None:
    """Make the targets of schedules those of their definitions; one that stays keeps its session."""
    wanted = {row.id: targets_of(row) for row in rows}
    if not wanted:
        return
    targets = [(schedule_id, *names) for schedule_id, named in wanted.items() for names in named]
    values = {"ids": json.dumps(list(wanted)), "targets": json.dumps(targets)}
    connection.execute(SQL.drop_targets, values)
    connection.execute(SQL.add_targets, values)


def _key(schedule_id: str, project_id: str, workspace_id: str) -> dict[str, Any]:
    return {"schedule_id": schedule_id, "project_id": project_id, "workspace_id": workspace_id}


def _begin(connection: apsw.Connection, target: TargetRun) -> bool:
    values = {"run_id": target.run_id, "session_id": target.session_id}
    if connection.execute(SQL.session_taken, values).get is not None:
        return False
    _record(connection, target)
    return True


def _record(connection: apsw.Connection, target: TargetRun) -> None:
    values = {
        "run_id": target.run_id,
        "project_id": target.project_id,
        "workspace_id": target.workspace_id,
        "status": target.status,
        "session_id": target.session_id,
        "result": target.result,
        "error": _storable(target.error),
        "cost_usd": target.cost_usd,
        "pid": target.pid,
        "pid_started": target.pid_started,
        "boot_id": target.boot_id,
        "started_at": to_micros(target.started_at),
        "finished_at": to_micros(target.finished_at),
    }
    if connection.execute(SQL.record_target, values).get is None:
        raise NotFoundError(f"there is no run {target.run_id!r}")


def _reserve(connection: apsw.Connection, asked: Reservation) -> Promise:
    values = {
        "run_id": asked.run_id,
        "schedule_id": asked.schedule_id,
        "owner": asked.owner,
        "at": micros(asked.at),
        "since": micros(asked.since),
        "fence": asked.fence,
    }
    connection.execute(SQL.forget_spending, values)
    accounts = []
    if asked.per_day is not None:
        spent, promised = next(iter(connection.execute(SQL.account_of_schedule, values)))
        accounts.append(Account(owner=None, limit=asked.per_day, spent=spent, promised=promised))
    if asked.owner is not None and asked.owner_per_day is not None:
        spent, promised = next(iter(connection.execute(SQL.account_of_owner, values)))
        accounts.append(Account(owner=asked.owner, limit=asked.owner_per_day, spent=spent, promised=promised))
    made = promise(accounts, asked.wanted)
    if made.amount is not None:
        connection.execute(SQL.promise, {**values, "amount": made.amount})
    return made


def _storable(text: str | None) -> str | None:
    """What a target said when it failed, whatever it said: an outcome must not get lost over a character."""
    return None if text is None else text.encode(errors="backslashreplace").decode()


def _select(connection: apsw.Connection, statement: str, values: dict[str, Any]) -> list[TargetRun]:
    return [_to_target(row) for row in connection.execute(statement, values)]


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
        started_at=to_time(started_at),
        finished_at=to_time(finished_at),
    )
