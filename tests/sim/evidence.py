"""The record of a simulation, sorted for the checks: steps of each run, new runs of each tick, policies in force."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime

from duly.model.policy import Policy
from duly.model.run import Origin, Run
from duly.ports.codec import decode_policy
from tests.sim.scenario import Scenario
from tests.sim.witness import Record, RunStep, ScheduleStep, short


class Evidence:
    """The evidence the checks read, and the complaints they add."""

    def __init__(self, scenario: Scenario, record: Record) -> None:
        self.scenario = scenario
        self.record = record
        self.complaints: list[str] = []
        self.lives: dict[str, list[RunStep]] = defaultdict(list)
        """The steps of each run."""
        self.births: dict[str, list[tuple[int, Run]]] = defaultdict(list)
        """The runs of each schedule as they were recorded, with the number of the transaction."""
        self.schedules: dict[str, list[ScheduleStep]] = defaultdict(list)
        self._by_call: dict[int, list[RunStep]] = defaultdict(list)
        for step in record.run_steps:
            self._by_call[step.number].append(step)
            run = step.after or step.before
            if run is not None:
                self.lives[run.id].append(step)
                if step.before is None:
                    self.births[run.fire.schedule_id].append((step.number, run))
        for changed in record.schedule_steps:
            row = changed.after or changed.before
            if row is not None:
                self.schedules[row.id].append(changed)
        self._policies: dict[str, list[tuple[int, Policy]]] = defaultdict(list)
        for schedule_id, steps in self.schedules.items():
            for each in steps:
                if each.after is not None:
                    self._policies[schedule_id].append((each.number, decode_policy(each.after.policy)))

    def complain(self, what: str) -> None:
        self.complaints.append(what)

    def policy_at(self, schedule_id: str, number: int) -> Policy:
        """The policy in force when a transaction took place."""
        return [policy for since, policy in self._policies[schedule_id] if since <= number][-1]

    def policies_until(self, schedule_id: str, number: int) -> list[Policy]:
        """Every policy that was in force up to then."""
        return [policy for since, policy in self._policies[schedule_id] if since <= number]

    def runs_after(self, schedule_id: str, number: int) -> list[Run]:
        """The runs of a schedule that were there before a transaction, as it left them."""
        found = []
        for born, run in self.births[schedule_id]:
            if born < number:
                then = [step.after for step in self.lives[run.id] if step.number <= number][-1]
                found += [] if then is None else [then]
        return found

    def ends_processes(self, run: Run) -> bool:
        """Whether the handler of a run takes its process down."""
        rows = (step.after for step in self.schedules[run.fire.schedule_id])
        return any(row is not None and '"kills":true' in row.action for row in rows)

    def steps_at(self, number: int) -> list[RunStep]:
        """The changes that one call made to runs."""
        return self._by_call[number]

    def fires_known(self, schedule_id: str, number: int) -> set[datetime]:
        """Nominal instants of a schedule that had runs after a transaction, forgotten ones too.

        The record that a wrong clock left of a fire that was not carried out is none.
        """
        found = set()
        for born, run in self.births[schedule_id]:
            if born <= number:
                step = [each for each in self.lives[run.id] if each.number <= number][-1]
                seen = step.after or step.before or run
                found |= {seen.fire.fire_at} if seen.fire.origin is Origin.SCHEDULE else set()
        return found

    def ahead_until(self, number: int) -> datetime | None:
        """Up to where there may have been runs of fires to come when a transaction took place."""
        return max((step.decided_until for began, step in self.record.corrections if began < number), default=None)

    def last(self, run_id: str) -> Run:
        """A run as it was last seen."""
        step = self.lives[run_id][-1]
        run = step.after or step.before
        if run is None:
            raise LookupError(run_id)
        return run

    def runs(self) -> Iterator[Run]:
        """Every run there ever was, as it was last seen."""
        return (self.last(run_id) for run_id in self.lives)


def name_of(run: Run) -> str:
    """Name a run in a complaint."""
    return f"{run.name} {short(run.id)} ({run.fire.origin.value} {run.fire.fire_at:%d %H:%M:%S})"
