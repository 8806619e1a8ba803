"""The targets of a store, in plain dicts: `duly.ports.targets` for tests of prompts."""

from __future__ import annotations

from datetime import UTC, datetime

from duly.model.sessions import session_key
from duly.planning.budgets import Account, Promise, promise
from duly.ports.targets import Reservation, TargetRun


class MemoryTargets:
    """Implements `duly.ports.targets.Targets`."""

    def __init__(self) -> None:
        self.sessions: dict[tuple[str, str, str], str] = {}
        self.rows: dict[tuple[str, str, str], TargetRun] = {}
        self.written: list[TargetRun] = []
        """Every record that was written, in order."""
        self.schedule_of: dict[str, str] = {}
        """The schedule of each run: a store knows it from its table of runs. Runs not listed belong to every one."""

        self.promises: dict[str, tuple[Reservation, int, float]] = {}
        """By run: what it asked for, its fence, and what it was promised."""
        self.owner_of: dict[str, str] = {}

    async def session(self, schedule_id: str, project_id: str, workspace_id: str) -> str | None:
        return self.sessions.get((schedule_id, project_id, workspace_id))

    async def schedules_of_session(self, session_id: str) -> list[str]:
        key = session_key(session_id)
        used = [row for row in self.rows.values() if row.session_id and session_key(row.session_id) == key]
        used.sort(key=lambda row: row.started_at or datetime.max.replace(tzinfo=UTC))
        pinned = [key_of[0] for key_of, each in self.sessions.items() if session_key(each) == key]
        return list(dict.fromkeys([*(self.schedule_of[row.run_id] for row in used), *pinned]))

    async def pin_session(self, schedule_id: str, project_id: str, workspace_id: str, session_id: str | None) -> None:
        key = (schedule_id, project_id, workspace_id)
        if session_id is None:
            self.sessions.pop(key, None)
        else:
            self.sessions[key] = session_id

    async def target_runs(self, run_id: str) -> list[TargetRun]:
        return [row for row in self.rows.values() if row.run_id == run_id]

    async def begin_target(self, target: TargetRun) -> bool:
        others = [row for row in self.rows.values() if row.run_id != target.run_id and row.status == "running"]
        if target.session_id is not None and target.session_id in {row.session_id for row in others}:
            return False
        await self.record_target(target)
        return True

    async def record_target(self, target: TargetRun) -> None:
        self.rows[target.run_id, target.project_id, target.workspace_id] = target
        self.written.append(target)

    async def spent(self, schedule_id: str, since: datetime) -> float:
        return sum(
            row.cost_usd or 0.0
            for row in self.rows.values()
            if self.schedule_of.get(row.run_id, schedule_id) == schedule_id
            and row.started_at is not None
            and row.started_at >= since
        )

    async def reserve(self, asked: Reservation) -> Promise:
        accounts = []
        others = {run_id: each for run_id, each in self.promises.items() if run_id != asked.run_id}
        if asked.per_day is not None:
            spent = await self.spent(asked.schedule_id, asked.since)
            promised = sum(amount for of, _, amount in others.values() if of.schedule_id == asked.schedule_id)
            accounts.append(Account(owner=None, limit=asked.per_day, spent=spent, promised=promised))
        if asked.owner is not None and asked.owner_per_day is not None:
            mine = {run_id for run_id, owner in self.owner_of.items() if owner == asked.owner}
            spent = sum(row.cost_usd or 0.0 for row in self.rows.values() if row.run_id in mine)
            promised = sum(amount for of, _, amount in others.values() if of.owner == asked.owner)
            accounts.append(Account(owner=asked.owner, limit=asked.owner_per_day, spent=spent, promised=promised))
        made = promise(accounts, asked.wanted)
        if made.amount is not None:
            self.promises[asked.run_id] = (asked, asked.fence, made.amount)
            if asked.owner is not None:
                self.owner_of[asked.run_id] = asked.owner
        return made

    async def release(self, run_id: str, fence: int) -> None:
        if run_id in self.promises and self.promises[run_id][1] <= fence:
            del self.promises[run_id]

    async def unfinished(self) -> list[TargetRun]:
        return [row for row in self.rows.values() if row.status == "running" and row.pid is not None]
