"""The targets of a store, in plain dicts: `duly.ports.targets` said in Python, for tests of prompts."""

from __future__ import annotations

from datetime import datetime

from duly.ports.targets import TargetRun


class MemoryTargets:
    """See `duly.ports.targets.Targets` for what each call promises."""

    def __init__(self) -> None:
        self.sessions: dict[tuple[str, str, str], str] = {}
        self.rows: dict[tuple[str, str, str], TargetRun] = {}
        self.written: list[TargetRun] = []
        """Everything that was ever written down, in order."""
        self.schedule_of: dict[str, str] = {}
        """The schedule of each run: a store knows it from its table of runs. Runs not listed belong to every one."""

    async def session(self, schedule_id: str, project_id: str, workspace_id: str) -> str | None:
        return self.sessions.get((schedule_id, project_id, workspace_id))

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

    async def unfinished(self) -> list[TargetRun]:
        return [row for row in self.rows.values() if row.status == "running" and row.pid is not None]
