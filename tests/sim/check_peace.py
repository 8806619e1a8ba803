"""Where nothing went wrong but handlers: exactly once, on time, and nobody was ever taken for dead.

A store that is locked for a while makes everything late, but it is no reason to take anybody for dead either.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import groupby
from math import ceil

from duly.model.run import Origin, Status
from duly.planning.places import lane_of
from tests.sim.case import Case, name_of

_UNCALLED_FOR = ("run.lease_lost", "node.lost", "clock.stepped_back", "clock.corrected")
_UNCALLED_FOR_IN_PEACE = ("store.unavailable", "engine.stalled")


def check_peace(case: Case) -> None:
    """Judge the peaceful scenarios more strictly."""
    if not case.scenario.undisturbed:
        return
    uncalled_for = _UNCALLED_FOR + (_UNCALLED_FOR_IN_PEACE if case.scenario.peaceful else ())
    for process, event in case.record.events:
        if event.kind.name in uncalled_for:
            case.complain(f"{process} told of {event.kind.name}, and nothing was wrong")
    for step in case.record.run_steps:
        rescued = step.before is not None and step.before.status is Status.RUNNING and step.call == "rescue"
        if rescued and step.after is not None:
            case.complain(f"{name_of(step.after)} was rescued, and nothing was wrong")
    _check_calls(case)
    _check_shares(case)
    if case.scenario.peaceful:
        _check_punctuality(case)


def _check_calls(case: Case) -> None:
    calls = Counter(entry.run_id for entry in case.record.entries)
    for run in case.runs():
        if calls[run.id] != run.attempt:
            case.complain(f"{name_of(run)} was called {calls[run.id]} times in {run.attempt} attempts")


def _check_shares(case: Case) -> None:
    """No owner holds more of the places of an engine than it may, whatever waits."""
    settings = case.scenario.settings
    most = max(1, ceil(settings.owner_share * settings.max_concurrency))
    held: dict[tuple[str | None, str], set[str]] = defaultdict(set)
    for _, steps in groupby(case.record.run_steps, key=lambda step: step.number):
        for step in steps:
            for run, change in ((step.before, set.discard), (step.after, set.add)):
                if run is not None and run.status is Status.RUNNING and lane_of(run.namespace):
                    change(held[run.owner, run.namespace], run.id)
        for (owner, lane), runs in held.items():
            if len(runs) > most:
                case.complain(f"{lane} held {len(runs)} places of {owner}, where {most} may be")


def _check_punctuality(case: Case) -> None:
    """Fires of schedules are recorded when they are due, or at the latest when the next poll comes round."""
    poll = case.scenario.settings.poll
    for births in case.births.values():
        for number, run in births:
            at = case.record.planned_at.get(number)
            late = 0.0 if at is None else (at - run.due_at).total_seconds()
            if run.fire.origin is Origin.SCHEDULE and run.status is not Status.MISSED and late > poll + 1:
                case.complain(f"{name_of(run)} was recorded {late:.0f} s after it was due")
