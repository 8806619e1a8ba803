"""What became of a prompt at each of its targets, and the sessions they go on with."""

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
    """`running`, `succeeded` or `failed`."""
    session_id: str | None = None
    result: str | None = None
    """JSON."""
    error: str | None = None
    cost_usd: float | None = None
    pid: int | None = None
    pid_started: str | None = None
    boot_id: str | None = None
    """Where the pid means something: a machine since its last boot, and the container on it."""
    started_at: datetime | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """A run that is about to spend money, and the budgets per day that hold for it."""

    run_id: str
    fence: int
    schedule_id: str
    at: datetime
    since: datetime
    """What was spent before does not count any more."""
    per_day: float | None = None
    """What its schedule may cost, in US dollars."""
    owner: str | None = None
    """Whose quota holds for it, such as `user:ana`."""
    owner_per_day: float | None = None
    """What all runs of that owner may cost together."""
    wanted: float | None = None
    """How much it wants at most; None wants all that is left."""


class Targets(Protocol):
    """The targets of a store's schedules and runs."""

    async def session(self, schedule_id: str, project_id: str, workspace_id: str) -> str | None:
        """The session the target goes on with."""
        ...

    async def pin_session(
        self, schedule_id: str, project_id: str, workspace_id: str, session_id: str | None
    ) -> None: ...

    async def target_runs(self, run_id: str) -> list[TargetRun]: ...

    async def begin_target(self, target: TargetRun) -> bool:
        """Write down that a run begins at a target. False, and nothing is written, while another run of its schedule is
        under way with the same session, in whatever process."""
        ...

    async def record_target(self, target: TargetRun) -> None:
        """Write down how it stands, in place of what was known."""
        ...

    async def spent(self, schedule_id: str, since: datetime) -> float:
        """What its runs have cost at all targets since then, in US dollars."""
        ...

    async def reserve(self, asked: Reservation) -> Promise:
        """Promise a run what it may cost, in one transaction: what one run was promised no other run gets.

        A promise holds while the run is under way with this fence, on whatever node: it ends when the run ends, and
        when others take the run back from a node that fell silent. Asked again, the run gets a new promise.
        """
        ...

    async def release(self, run_id: str, fence: int) -> None:
        """Give back what was promised; what was spent is on record with the targets."""
        ...

    async def unfinished(self) -> list[TargetRun]:
        """Those said to be running, with a process: to be looked for after a crash."""
        ...
