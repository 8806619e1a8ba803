"""The planner handed into the one transaction: due rows in, runs and new states out. Pure but for the ids it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from duly.errors import InvalidInputError
from duly.model.events import RUN_MISSED, RUN_SKIPPED, SCHEDULE_FINISHED, SCHEDULE_QUARANTINED, Event
from duly.model.ids import RUN, RandomBits, make_ids
from duly.model.run import Origin, Status
from duly.planning.fire import FirePlan, Situation, plan_fire
from duly.planning.overlap import stands_in_line
from duly.planning.places import SHARED_LANE, Pool, lane_of
from duly.ports.codec import decode_policy, decode_trigger
from duly.ports.records import Advance, Due, NewRun, Plan


class _Places:
    """The places of a pool that runs may take at birth."""

    def __init__(self, pool: Pool, waiting: Mapping[str, datetime]) -> None:
        self._free = pool.free
        self._waiting_since = min((waiting[each] for each in pool.handlers if each in waiting), default=None)

    def take(self, namespace: str, due_at: datetime) -> bool:
        """Take a place for a run, if there is one that it may have."""
        if self._free <= 0 or lane_of(namespace) != SHARED_LANE:
            return False
        if self._waiting_since is not None and due_at > self._waiting_since:
            return False
        self._free -= 1
        return True


class TickPlanner:
    """Plans a batch of due schedules for a node that serves some handlers and has so many places left.

    A run of the shared lane for which there is a place is begun at once, unless an older one waits for that place;
    `waiting` says since when, by handler. Owners' runs are recorded as pending, and the claim shares out the places.
    """

    def __init__(
        self,
        now: datetime,
        pools: Sequence[Pool],
        random_bits: RandomBits,
        waiting: Mapping[str, datetime] | None = None,
    ) -> None:
        self._now = now
        self._places = {
            handler: places for pool in pools for places in [_Places(pool, waiting or {})] for handler in pool.handlers
        }
        self._run_ids = make_ids(RUN, now, random_bits)
        self._decided: dict[tuple[object, ...], tuple[FirePlan, bool]] = {}

    def __call__(self, due: Sequence[Due]) -> Plan:
        plan = Plan()
        for entry in due:
            try:
                self._plan(entry, plan)
            except Exception as error:  # one row nobody can plan must not stop the others
                self._quarantine(entry, plan, error)
        return plan

    def _plan(self, entry: Due, plan: Plan) -> None:
        if entry.next_fire_at is None or entry.next_run_at is None:
            raise InvalidInputError("its times cannot be read: next_run_at is set without next_fire_at")
        decided, in_line = self._decide(entry, entry.next_fire_at, entry.next_run_at)
        if decided.missed is not None:
            self._record_missed(entry, plan, decided)
        if decided.fire_at is not None and decided.due_at is not None:
            self._record(entry, plan, decided, in_line, decided.fire_at, decided.due_at)
        goes_on = decided.next_fire_at is not None
        if not goes_on:
            plan.events.append(Event(SCHEDULE_FINISHED, self._now, entry.id, data={"name": entry.name}))
        plan.advances.append(
            Advance(
                entry.id,
                goes_on,
                decided.next_fire_at,
                decided.next_run_at,
                decided.watermark,
                entry.fires + decided.fires,
                None,
                decided.supersede,
                decided.come_forward,
            )
        )

    def _decide(self, entry: Due, fire_at: datetime, run_at: datetime) -> tuple[FirePlan, bool]:
        """What falls due together mostly shares its when and its how: then one decision does for all of them.

        The plan counts the fires it adds; with it comes whether the run stands in line.
        """
        left = None if entry.max_runs is None else entry.max_runs - entry.fires
        counts = entry.running, entry.retrying, entry.waiting
        alike = entry.trigger, entry.policy, fire_at, run_at, entry.until_at, left, *counts, entry.taken
        known = self._decided.get(alike)
        if known is None:
            policy = decode_policy(entry.policy)
            situation = Situation(fire_at, run_at, entry.until_at, left, 0, *counts, entry.taken)
            decided = plan_fire(decode_trigger(entry.trigger), policy, self._now, situation)
            known = self._decided[alike] = (decided, stands_in_line(policy))
        return known

    def _record(
        self, entry: Due, plan: Plan, decided: FirePlan, in_line: bool, fire_at: datetime, due_at: datetime
    ) -> None:
        status = decided.status
        places = self._places.get(entry.handler)
        if status is Status.PENDING and places is not None and places.take(entry.namespace, due_at):
            status = Status.RUNNING
        run_id = next(self._run_ids)
        run = NewRun(run_id, entry.id, Origin.SCHEDULE, fire_at, due_at, entry.handler, status, decided.reason)
        run.in_line = in_line
        if status is Status.SKIPPED:
            run.skipped = 1
            data = {"name": entry.name, "reason": decided.reason, "count": 1}
            plan.events.append(Event(RUN_SKIPPED, self._now, entry.id, run_id, data=data))
        plan.runs.append(run)

    def _record_missed(self, entry: Due, plan: Plan, decided: FirePlan) -> None:
        missed = decided.missed
        if missed is None:
            return
        run_id = next(self._run_ids)
        run = NewRun(run_id, entry.id, Origin.SCHEDULE, missed.last_at, missed.last_at, entry.handler, Status.MISSED)
        run.reason, run.skipped, run.first_skipped_at = missed.reason, missed.count, missed.first_at
        plan.runs.append(run)
        data = {"name": entry.name, "reason": missed.reason, "count": missed.count}
        plan.events.append(Event(RUN_MISSED, self._now, entry.id, run_id, data=data))

    def _quarantine(self, entry: Due, plan: Plan, error: Exception) -> None:
        """A row that cannot be read is set aside where people see it, and hurts nobody else."""
        reason = f"{type(error).__name__}: {error}"
        plan.advances.append(Advance(entry.id, False, entry.next_fire_at, None, None, entry.fires, reason))
        data = {"name": entry.name, "reason": reason}
        plan.events.append(Event(SCHEDULE_QUARANTINED, self._now, entry.id, data=data))
