"""Runs as callers see them: their times, their outcome, and the outcome at every target."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from duly.model.run import Run, Status, trigger_source
from duly.service.executors.views import HandoverView
from duly.service.schedules.finding import owned
from duly.service.schedules.views import zone_of
from duly.zones import Zone, local_iso

HANDED_OVER = ("executor:", "prompt:")
"""How the handlers of runs begin that may have been handed over."""
_ENDED = ("succeeded", "failed")

if TYPE_CHECKING:
    from duly.model.handover import Handover
    from duly.ports.records import StoredSchedule
    from duly.ports.store import FullStore
    from duly.ports.targets import TargetRun
    from duly.service.access.scopes import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRunView:
    """The outcome of a run at one target."""

    project_id: str | None = None
    workspace_id: str | None = None
    status: str
    session_id: str | None = None
    error: str | None = None
    cost_usd: float | None = None
    text: str | None = None
    """The answer of the agent, where the result of the run is missing or hidden from the caller."""
    fallback: str | None = None
    """Why a new session was begun although there was one to continue; given where `text` is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run and its outcome."""

    id: str
    schedule_id: str
    name: str
    status: str
    trigger_source: str
    origin: str
    fire_at: datetime
    fire_at_local: str | None = None
    zone: str = "UTC"
    """The zone of the local time."""
    due_at: datetime
    attempt: int = 0
    started_at: datetime | None = None
    """When its latest attempt began; of a run that an executor carries out, when its worker did."""
    finished_at: datetime | None = None
    result: Any = None
    error: str | None = None
    reason: str | None = None
    skipped: int = 0
    first_skipped_at: datetime | None = None
    progress: Any = None
    handover: HandoverView | None = None
    """Of a run that an executor carries out: how far that has got."""
    targets: list[TargetRunView] = field(default_factory=list)
    warning: str | None = None
    """Why it would not be carried out at present."""
    truncated: dict[str, int] | None = None
    """In a list: which fields are cut, and how many characters each has in full."""


def run_view(
    run: Run,
    targets: Sequence[TargetRun],
    scope: Scope,
    zone: Zone,
    *,
    hide_output: bool,
    handover: Handover | None = None,
) -> RunView:
    """Show a run to a caller with this scope, with its nominal time also in the zone."""
    return RunView(
        id=run.id,
        schedule_id=run.fire.schedule_id,
        name=run.name,
        status=str(run.status),
        trigger_source=trigger_source(run.name),
        origin=str(run.fire.origin),
        fire_at=run.fire.fire_at,
        fire_at_local=local_iso(run.fire.fire_at, zone),
        zone=zone.name,
        due_at=run.due_at,
        attempt=run.attempt,
        started_at=(handover and handover.begun_at) or run.started_at,
        finished_at=run.finished_at,
        result=None if hide_output else run.result,
        error=None if hide_output else run.error,
        reason=None if hide_output and run.attempt else run.reason,  # the reason of an attempt may quote its output
        skipped=run.skipped,
        first_skipped_at=run.first_skipped_at,
        progress=None if hide_output else run.progress,
        handover=None if handover is None else HandoverView.of(handover, hide_output=hide_output),
        targets=[
            _target_run(each, run, has_result=run.result is not None and not hide_output)
            for each in targets
            if not each.project_id or scope.reaches(each.project_id)
        ],
    )


def started(run: RunView, more: str = "") -> str:
    """Say in a sentence that a run was made now, or why it is over already."""
    if Status(run.status).final:
        return f"{run.name} {run.status}: {run.reason}" if run.reason else f"{run.name} {run.status}"
    return f"{run.name} runs {more}".rstrip()


async def shown_run(store: FullStore, run: Run, row: StoredSchedule, scope: Scope, person_zone: str) -> RunView:
    """Read what belongs to a run, and show it to a caller with this scope."""
    targets = await store.targets.target_runs(run.id) if run.handler.startswith("prompt:") else []
    return run_view(
        run,
        targets,
        scope,
        zone_of(row, person_zone),
        hide_output=hides_output(row, scope),
        handover=await latest_handover(store, run),
    )


async def latest_handover(store: FullStore, run: Run) -> Handover | None:
    """Read how far a run has got that an executor carries out; None for others."""
    return await store.handovers.latest(run.id) if run.handler.startswith(HANDED_OVER) else None


def hides_output(row: StoredSchedule, scope: Scope) -> bool:
    """Tell whether the output of a schedule's runs is hidden: the caller may not see all of its targets."""
    return not all(scope.reaches(target.project_id) for target in owned(row).targets)


def target_status(each: TargetRun, run: Run) -> str:
    """Say how a target is. One that had not ended when its run was cancelled was cancelled, too."""
    if run.status.final and each.status not in _ENDED:
        return "cancelled"
    return "running" if each.status == "handed_over" else each.status


def _target_run(each: TargetRun, run: Run, *, has_result: bool) -> TargetRunView:
    more = {} if has_result or each.result is None else json.loads(each.result)
    return TargetRunView(
        project_id=each.project_id or None,
        workspace_id=each.workspace_id or None,
        status=target_status(each, run),
        session_id=each.session_id,
        error=each.error,
        cost_usd=each.cost_usd,
        text=more.get("text"),
        fallback=more.get("fallback"),
    )
