"""The offline judge: what must hold in every record, whatever went wrong on the way.

Reads the scenario and the record of a simulation, never the engine. Each complaint names the run or schedule.
"""

from __future__ import annotations

from tests.sim.case import Case
from tests.sim.check_fires import check_fires
from tests.sim.check_handlers import check_handlers
from tests.sim.check_journal import check_journal
from tests.sim.check_peace import check_peace
from tests.sim.check_runs import check_runs
from tests.sim.scenario import Scenario
from tests.sim.witness import Record


def check(scenario: Scenario, record: Record) -> list[str]:
    """Everything that is wrong; an empty list is what one hopes for."""
    case = Case(scenario, record)
    for judge in (check_fires, check_runs, check_handlers, check_journal, check_peace):
        judge(case)
    return [*record.complaints, *case.complaints]
