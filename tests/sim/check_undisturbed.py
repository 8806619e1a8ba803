"""Stricter checks of scenarios without faults: each run once and on time, and no engine taken for lost.

Handlers may still fail, and the store may be locked for a while: that makes runs late, but costs no lease.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import groupby
from math import ceil

from duly.model.run import Origin, Status
from duly.planning.places import lane_of
from tests.sim.evidence import Evidence, name_of

_UNCALLED_FOR = ("run.lease_lost", "node.lost", "clock.stepped_back", "clock.corrected")
_UNCALLED_FOR_WITHOUT_LOCKS = ("store.unavailable", "engine.stalled")


def check_undisturbed(evidence: Evidence) -> None:
    """Check a scenario in which only handlers fail and locks delay."""
    if not evidence.scenario.undisturbed:
        return
    uncalled_for = _UNCALLED_FOR + (_UNCALLED_FOR_WITHOUT_LOCKS if evidence.scenario.fault_free else ())
    for process, event in evidence.record.events:
        if event.kind.name in uncalled_for:
            evidence.complain(f"{process} reported {event.kind.name} without a fault")
    for step in evidence.record.run_steps:
        rescued = step.before is not None and step.before.status is Status.RUNNING and step.call == "rescue"
        if rescued and step.after is not None:
            evidence.complain(f"{name_of(step.after)} was rescued without a fault")
    _check_calls(evidence)
    _check_shares(evidence)
    if evidence.scenario.fault_free:
        _check_punctuality(evidence)


def _check_calls(evidence: Evidence) -> None:
    calls = Counter(entry.run_id for entry in evidence.record.entries)
    for run in evidence.runs():
        if calls[run.id] != run.attempt:
            evidence.complain(f"{name_of(run)} was called {calls[run.id]} times in {run.attempt} attempts")


def _check_shares(evidence: Evidence) -> None:
    """Check that no owner ever held more than its share of an engine's places."""
    settings = evidence.scenario.settings
    most = max(1, ceil(settings.owner_share * settings.max_concurrency))
    held: dict[tuple[str | None, str], set[str]] = defaultdict(set)
    for _, steps in groupby(evidence.record.run_steps, key=lambda step: step.number):
        for step in steps:
            for run, change in ((step.before, set.discard), (step.after, set.add)):
                if run is not None and run.status is Status.RUNNING and lane_of(run.namespace):
                    change(held[run.owner, run.namespace], run.id)
        for (owner, lane), runs in held.items():
            if len(runs) > most:
                evidence.complain(f"{lane} held {len(runs)} places of {owner}, where {most} may be")


def _check_punctuality(evidence: Evidence) -> None:
    """Check that each fire was recorded within one poll of its due time."""
    poll = evidence.scenario.settings.poll
    for births in evidence.births.values():
        for number, run in births:
            at = evidence.record.planned_at.get(number)
            late = 0.0 if at is None else (at - run.due_at).total_seconds()
            if run.fire.origin is Origin.SCHEDULE and run.status is not Status.MISSED and late > poll + 1:
                evidence.complain(f"{name_of(run)} was recorded {late:.0f} s after it was due")
