"""The interface for targets of prompts: their runs, sessions and budgets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from duly.planning.budgets import Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRun:
    """One run at one target; a run without targets has one whose names are empty."""

    run_id: str
    project_id: str
    workspace_id: str
    status: str
    """`running`, `handed_over` to an executor, `succeeded`, `failed`, or `waiting` for the usage limit of the tool."""
    session_id: str | None = None
    result: str | None = None
    """JSON."""
    error: str | None = None
    cost_usd: float | None = None
    pid: int | None = None
    pid_started: str | None = None
    boot_id: str | None = None
    """Where the pid is valid: a machine since its last boot, and the container on it."""
    started_at: datetime | None = None
    finished_at: datetime | None = None
    sent: str | None = None
    """What was sent to the agent, as JSON: `prompt`, `gate`, `spawner`, `program`, `model` and `folder`; of a prompt
    that was handed over `executor` and `max_cost` instead of the last three, until the worker names the `model`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """A run that is about to spend money, and the budgets per day that hold for it."""

    run_id: str
    fence: int
    schedule_id: str
    at: datetime
    since: datetime
    """Money spent before this time does not count."""
    per_day: float | None = None
    """The daily budget of its schedule, in US dollars."""
    owner: str | None = None
    """The owner whose quota applies, such as `user:ana`."""
    owner_per_day: float | None = None
    """The daily budget of all runs of that owner."""
    wanted: float | None = None
    """The most it asks for; None asks for all that is left."""


class Targets(Protocol):
    """The targets of a store's schedules and runs."""

    async def session(self, schedule_id: str, project_id: str, workspace_id: str) -> str | None:
        """Return the session that the next run at the target continues."""
        ...

    async def schedules_of_session(self, session_id: str) -> list[str]:
        """Return the schedules whose runs have used a session, or whose next run continues it, the first to use it
        first; at most 1000. The session may be written in any way: see `duly.model.sessions.session_key`."""
        ...

    async def pin_session(
        self, schedule_id: str, project_id: str, workspace_id: str, session_id: str | None
    ) -> None: ...

    async def target_runs(self, run_id: str) -> list[TargetRun]: ...

    async def begin_target(self, target: TargetRun) -> bool:
        """Record that a run begins at a target. Returns False, and writes nothing, while another run of its schedule is
        under way with the same session, in any process."""
        ...

    async def record_target(self, target: TargetRun) -> None:
        """Record the state of a run at a target, in place of the earlier record."""
        ...

    async def spent(self, schedule_id: str, since: datetime) -> float:
        """Return the cost of the schedule's runs at all targets since a time, in US dollars."""
        ...

    async def reserve(self, asked: Reservation) -> Promise:
        """Promise a run an amount of money in one transaction, so that two runs never spend the same money.

        A promise holds while the run is running with this fence, on any node, or has a handover without an outcome: it
        ends when the run ends, and when the run is rescued from a node whose lease expired. A second call makes a
        new promise.
        """
        ...

    async def release(self, run_id: str, fence: int) -> None:
        """End the promise of this claim or of an earlier one; the money that was spent is recorded with the targets."""
        ...

    async def unfinished(self) -> list[TargetRun]:
        """Return the records with status `running` and a process: after a crash these processes are looked for."""
        ...
