"""A change, its entry in the journal and its way back are one: of every change all three are there, or none."""

from __future__ import annotations

import json
from collections import Counter

from duly.planning.undoing import step_between
from tests.sim.check_journal import FOR_EVER
from tests.sim.evidence import Evidence
from tests.sim.operators import CHANGES, CLIENT


def check_changes(evidence: Evidence) -> None:
    """Each change of a schedule against the entries and the steps about it, and the other way round."""
    if evidence.scenario.settings.retention < FOR_EVER:
        return  # entries and steps may have been forgotten
    told = Counter(event.schedule_id for event in evidence.record.journal if event.kind.name in CHANGES)
    kept: Counter[str] = Counter()
    for data in evidence.record.steps:
        kept.update(each["step"]["schedule_id"] for each in json.loads(data)["schedules"])
    for schedule_id, steps in evidence.schedules.items():
        changes = [step for step in steps if step.process == CLIENT and step.after is not None]
        wanted = 0
        for step in changes:
            before, after = step.before, step.after
            if before is None or (after is not None and step_between(before, after) is not None):
                wanted += 1
        name = next((step.after.name for step in changes if step.after is not None), schedule_id)
        if told[schedule_id] < wanted:
            evidence.complain(f"{name} was changed {wanted} times, and the journal tells of {told[schedule_id]}")
        if kept[schedule_id] != wanted:
            evidence.complain(f"{name} was changed {wanted} times, and {kept[schedule_id]} can be taken back")
