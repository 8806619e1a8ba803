"""What the stores have in common: what a schedule remembers of its last run, claims at birth."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from datetime import datetime

from duly.model.events import CLOCK_CORRECTED, RUN_CANCELLED, RUN_FAILED, Event
from duly.model.run import SUPERSEDED, Status
from duly.planning.correction import Corrected
from duly.ports.records import Claimed, Due, NewRun, Plan, Settlement

NOT_CARRIED_OUT = frozenset({Status.SKIPPED, Status.MISSED})
"""How runs end of which a schedule remembers nothing: the run before them stays its last one."""


def last_result(settlement: Settlement) -> str | None:
    """The result of a run that ended well, an error object for one that did not."""
    return settlement.result if settlement.error is None else error_result(settlement.error)


def error_result(error: str | None) -> str | None:
    """The error object of a run that nobody settled; None when there is nothing to tell."""
    return None if error is None else json.dumps({"error": error})


def lost_with(node_id: str | None) -> str:
    """Why a run is taken back."""
    return "it was under way without an owner" if node_id is None else f"its owner {node_id} fell silent"


def given_up(reason: str, lost: int) -> str:
    """Why a run is dead."""
    return f"{reason}; attempts lost with their process: {lost}"


def called_off(at: datetime, run_id: str, schedule_id: str, name: str, reason: str | None) -> Event:
    """Told of a run that was called off; only the store knows what it had been told as the reason."""
    return Event(RUN_CANCELLED, at, schedule_id, run_id, data={"name": name, "reason": reason})


def superseded(at: datetime, run_id: str, schedule_id: str, name: str, error: str | None, attempt: int) -> Event:
    """Told of a run that waited for another attempt when the next fire took its place: it failed if it had an error."""
    if error is None:
        return called_off(at, run_id, schedule_id, name, SUPERSEDED)
    data = {"name": name, "error": error, "attempt": attempt, "reason": SUPERSEDED}
    return Event(RUN_FAILED, at, schedule_id, run_id, data=data)


def clock_corrected(corrected: Corrected, node_id: str) -> Event:
    """Told of a correction that has ended."""
    data = {"seconds": corrected.ahead_seconds, "schedules": corrected.schedules, "runs": corrected.runs}
    return Event(CLOCK_CORRECTED, corrected.at, node_id=node_id, data=data)


def told_of(plan: Plan, recorded: Container[str]) -> list[Event]:
    """The events of a plan that stand: of a fire that had its run already, the plan's own run is none."""
    return [event for event in plan.events if event.run_id is None or event.run_id in recorded]


def claimed_at_birth(due: Sequence[Due], runs: Iterable[NewRun]) -> list[Claimed]:
    """The runs that were recorded as running: they belong to the node that planned them from the start."""
    schedules = {entry.id: entry for entry in due}
    claimed = []
    for run in runs:
        if run.status is Status.RUNNING:
            of = schedules[run.schedule_id]
            ids = run.id, of.id, of.namespace, of.name, run.origin
            people = of.created_by, of.changed_by
            claimed.append(Claimed(*ids, run.fire_at, run.due_at, run.handler, 1, 1, of.action, of.policy, *people))
    return claimed
