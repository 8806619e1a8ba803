"""Handlers: what the witness saw must agree with what the store says, and no two may act for one claim."""

from __future__ import annotations

import itertools
from collections import defaultdict

from duly.model.run import Status
from tests.sim import oracle
from tests.sim.evidence import Evidence, name_of
from tests.sim.witness import Entry


def check_handlers(evidence: Evidence) -> None:
    """All of it."""
    by_run: dict[str, list[Entry]] = defaultdict(list)
    for entry in evidence.record.entries:
        by_run[entry.run_id].append(entry)
    for run_id, entries in by_run.items():
        _check_entries(evidence, run_id, entries)
    _check_outcomes(evidence, by_run)
    _check_overlap(evidence)


def _check_entries(evidence: Evidence, run_id: str, entries: list[Entry]) -> None:
    if run_id not in evidence.lives:
        evidence.complain(f"a handler was called for {run_id}, which was never recorded")
        return
    run = evidence.last(run_id)
    for entry in entries:
        if entry.key != run.key:
            evidence.complain(f"{name_of(run)} was called under the key {entry.key}")
    fences = [entry.fence for entry in entries]
    if len(fences) != len(set(fences)):
        evidence.complain(f"{name_of(run)} was called twice for one claim: fences {fences}")
    lost = [step.at for step in evidence.lives[run_id] if step.call in ("rescue", "deregister")]
    for first, second in itertools.pairwise(entries):
        still_there = first.left is None or first.left > second.entered
        if still_there and not any(first.entered <= at <= second.entered for at in lost):
            evidence.complain(f"{name_of(run)}: attempt {second.attempt} began while {first.attempt} was still acting")


def _check_outcomes(evidence: Evidence, by_run: dict[str, list[Entry]]) -> None:
    """A success is something a handler did, under the fence that was accepted, before it was recorded."""
    wanted = {Status.SUCCEEDED: ("returned",), Status.FAILED: ("raised", "cancelled", "returned")}
    for each in evidence.record.settled:
        end = each.settlement
        if end.is_unbegun and any(entry.fence == end.fence for entry in by_run[end.run_id]):
            evidence.complain(f"{name_of(evidence.last(end.run_id))} was handed back as unbegun, and its handler ran")
        if each.refused or end.status not in wanted or end.run_id not in evidence.lives:
            continue
        entries = [entry for entry in by_run[end.run_id] if entry.fence == end.fence]
        if not any(entry.how in wanted[end.status] and entry.left is not None for entry in entries):
            seen = ", ".join(f"{entry.attempt}: {entry.how}" for entry in by_run[end.run_id]) or "nothing"
            evidence.complain(
                f"{name_of(evidence.last(end.run_id))} {end.status} at fence {end.fence}; the witness saw {seen}"
            )
    for run in evidence.runs():
        if run.status is Status.SUCCEEDED and not any(entry.how == "returned" for entry in by_run[run.id]):
            evidence.complain(f"{name_of(run)} succeeded, and no handler ever returned")


def _check_overlap(evidence: Evidence) -> None:
    """Executions whose end was accepted never overlap more than the schedule allows."""
    accepted = {(each.settlement.run_id, each.settlement.fence) for each in evidence.record.settled if not each.refused}
    by_schedule: dict[str, list[Entry]] = defaultdict(list)
    for entry in evidence.record.entries:
        if (entry.run_id, entry.fence) in accepted and entry.run_id in evidence.lives:
            by_schedule[evidence.last(entry.run_id).fire.schedule_id].append(entry)
    for schedule_id, entries in by_schedule.items():
        most = max(oracle.places(policy) for policy in evidence.policies_until(schedule_id, 2**63))
        for entry in entries:
            at = entry.entered
            acting = [each for each in entries if each.entered <= at and (each.left is None or each.left > at)]
            if len(acting) > most:
                names = ", ".join(name_of(evidence.last(each.run_id)) for each in acting)
                evidence.complain(f"accepted at once, where {most} may be: {names}")
