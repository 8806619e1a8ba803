"""The checker: the invariants that hold in every record, with every kind of fault.

Reads the scenario and the record of a simulation, never the engine. Each complaint names the run or schedule.
"""

from __future__ import annotations

from tests.sim.check_changes import check_changes
from tests.sim.check_fires import check_fires
from tests.sim.check_handlers import check_handlers
from tests.sim.check_journal import check_journal
from tests.sim.check_runs import check_runs
from tests.sim.check_undisturbed import check_undisturbed
from tests.sim.evidence import Evidence
from tests.sim.scenario import Scenario
from tests.sim.witness import Record


def check(scenario: Scenario, record: Record) -> list[str]:
    """List the violations in the record of a simulation."""
    evidence = Evidence(scenario, record)
    for check_part in (check_fires, check_runs, check_handlers, check_journal, check_changes, check_undisturbed):
        check_part(evidence)
    return [*record.complaints, *evidence.complaints]
