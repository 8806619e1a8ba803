"""What the journal must say: of every run that ended badly or was left out exactly once, and of no other."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta

from duly.model.run import Run, Status
from tests.sim.evidence import Evidence, name_of
from tests.sim.witness import short

_ENDS = {
    "run.failed": Status.FAILED,
    "run.dead": Status.DEAD,
    "run.skipped": Status.SKIPPED,
    "run.missed": Status.MISSED,
    "run.cancelled": Status.CANCELLED,
}
FOR_EVER = timedelta(days=365)


def check_journal(evidence: Evidence) -> None:
    """Each entry about the end of a run against the end it had, and the other way round."""
    told: dict[str, list[str]] = defaultdict(list)
    for event in evidence.record.journal:
        if event.kind.name in _ENDS and event.run_id is not None:
            told[event.run_id].append(event.kind.name)
    for run_id, names in told.items():
        if run_id not in evidence.lives:
            evidence.complain(f"the journal tells {names} of {short(run_id)}, which was never recorded")
            continue
        run = evidence.last(run_id)
        if len(names) > 1:
            evidence.complain(f"{name_of(run)}: the journal tells its end more than once, as {', '.join(names)}")
        if wrong := [name for name in names if _ENDS[name] is not run.status]:
            evidence.complain(f"{name_of(run)} is {run.status}, and the journal says {', '.join(wrong)}")
    if evidence.scenario.settings.retention >= FOR_EVER:  # or it may have been forgotten
        for run in evidence.runs():
            if run.id not in told and _must_be_told(run):
                evidence.complain(f"{name_of(run)} is {run.status}, and the journal does not say so")


def _must_be_told(run: Run) -> bool:
    return run.status.final and run.status is not Status.SUCCEEDED
