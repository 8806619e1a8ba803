"""How the dict-backed store undoes what a wall clock that was ahead has decided."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from duly.model.run import Origin, Run, Status
from duly.planning.correction import LEFT_TO_ITS_TIME, Corrected, Correction, FireAhead, Mark, Placement, is_ahead
from duly.ports.corrections import Ahead, Correct, DueAgain
from duly.ports.records import StoredSchedule
from duly.stores.run_records import clock_corrected
from tests.memory_store.rows import ClockRow
from tests.memory_store.tables import Tables


def begin(tables: Tables, now: datetime) -> Correction | None:
    """Begin a correction, or join the one under way."""
    mark = tables.clock.mark
    if mark.correcting is None and mark.decided_until is not None and is_ahead(mark.decided_until, now):
        ahead_until = mark.decided_until if mark.ahead_until is None else max(mark.decided_until, mark.ahead_until)
        mark = Mark(decided_until=now, correcting=mark.decided_until, ahead_until=ahead_until)
        tables.clock = replace(tables.clock, mark=mark)
    return None if mark.correcting is None else Correction(mark.correcting, now)


def placed_ahead(row: StoredSchedule, now: datetime) -> bool:
    """Whether a schedule was planned or changed at a time that is still to come."""
    return row.updated_at > now or (row.watermark is not None and row.watermark > now)


class Correcting:
    """Changes tables while a correction is under way."""

    def __init__(self, tables: Tables, step: Correction) -> None:
        self._tables = tables
        self._step = step

    @property
    def is_over(self) -> bool:
        """Whether another process has ended the correction."""
        return self._tables.clock.mark.correcting != self._step.decided_until

    def place_again(self, ids: Collection[str], correct: Correct) -> int:
        """Let schedules go on from the corrected time; gives how many fire earlier than they stood."""
        tables, now = self._tables, self._step.now
        if self.is_over:
            return 0
        there = [tables.schedules[each] for each in sorted(ids) if each in tables.schedules]
        decided = correct([self._ahead(row) for row in there if placed_ahead(row, now)])
        for schedule_id, placement in decided.placements.items():
            self._place(schedule_id, placement)
        moved = sum(each.moved for each in decided.placements.values())
        tables.clock = replace(tables.clock, schedules=tables.clock.schedules + moved)
        tables.write_events(*decided.events)
        return moved

    def hasten(self, due_again: DueAgain) -> int:
        """Let runs that wait for a time to come wait only as long as `due_again` says."""
        tables = self._tables
        if self.is_over:
            return 0
        hastened = 0
        for run in list(tables.runs.values()):
            if run.status not in (Status.PENDING, Status.WAITING) or run.due_at <= self._step.now:
                continue
            policy = tables.schedules[run.fire.schedule_id].policy
            due_at = due_again(run.due_at, policy, run.attempt, run.error is not None)
            if due_at < run.due_at:
                tables.runs[run.id] = replace(run, due_at=due_at)
                hastened += 1
        tables.clock = replace(tables.clock, runs=tables.clock.runs + hastened)
        return hastened

    def end(self, node_id: str) -> Corrected | None:
        """Let planning go on."""
        known = self._tables.clock
        if self.is_over:
            return None
        corrected = Corrected(self._step.now, self._step.ahead_seconds, known.schedules, known.runs)
        self._tables.clock = ClockRow(mark=known.mark._replace(correcting=None), corrected=corrected)
        self._tables.write_events(clock_corrected(corrected, node_id))
        return corrected

    def _ahead(self, schedule: StoredSchedule) -> Ahead:
        found = [
            FireAhead(run.id, run.fire.fire_at, run.status, run.fence, run.finished_at, run.first_skipped_at)
            for run in self._tables.runs_of(schedule.id)
            if run.fire.origin is Origin.SCHEDULE and run.fire.fire_at > self._step.now
        ]
        return Ahead(replace(schedule), sorted(found, key=lambda each: each.fire_at))

    def _place(self, schedule_id: str, at: Placement) -> None:
        tables = self._tables
        tables.schedules[schedule_id] = replace(
            tables.schedules[schedule_id],
            enabled=at.enabled,
            disabled_by=at.disabled_by,
            next_fire_at=at.next_fire_at,
            next_run_at=at.next_run_at,
            watermark=at.watermark,
            fires=at.fires,
            updated_at=at.updated_at,
        )
        for run_id in (*at.released, *at.taken_back):
            self._leave_to_its_time(tables.runs[run_id])
        if at.taken_back:
            tables.promote(schedule_id, self._step.now)

    def _leave_to_its_time(self, run: Run) -> None:
        """Give up the key of a fire that was not carried out; of two records of the same fire the later one stays."""
        tables, record = self._tables, replace(run.fire, origin=Origin.CLOCK)
        for other in [each.id for each in tables.runs_of(run.fire.schedule_id) if each.fire == record]:
            del tables.runs[other]
        reason = LEFT_TO_ITS_TIME if run.reason is None else f"{run.reason}; {LEFT_TO_ITS_TIME}"
        if not run.status.final:
            run = replace(run, status=Status.SKIPPED, finished_at=self._step.now, skipped=1)
        tables.runs[run.id] = replace(run, fire=record, reason=reason)
