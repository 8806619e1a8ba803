"""The planner that an engine hands to the store: due schedules in, runs and new states out, inside the transaction.

Pure but for the ids that it makes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from duly.errors import InvalidInputError
from duly.model.events import RUN_MISSED, RUN_SKIPPED, SCHEDULE_FINISHED, SCHEDULE_QUARANTINED, Event
from duly.model.ids import RUN, RandomBits, make_ids
from duly.model.run import Origin, Status
from duly.planning.due import Missed
from duly.planning.fire import FirePlan, Situation, holds_until, plan_fire
from duly.planning.overlap import stands_in_line
from duly.planning.places import SHARED_LANE, Pool, lane_of
from duly.ports.codec import decode_policy, decode_trigger
from duly.ports.records import Advance, Due, NewRun, Plan

# A member of an enumeration takes longer to look up than all else that is done with it here.
_SCHEDULE = Origin.SCHEDULE
_PENDING = Status.PENDING
_RUNNING = Status.RUNNING
_SKIPPED = Status.SKIPPED


class Decided(NamedTuple):
    """A decision about schedules that are alike."""

    plan: FirePlan
    in_line: bool
    """Whether the run stands in line."""
    until: datetime | None
    """The time before which it holds for the turns that follow; None if that cannot be said."""


Alike = tuple[object, ...]
"""What schedules have in common about which the same is decided: trigger, policy and situation."""


class _Places:
    """The places of a pool that planned runs may take at once, without a claim."""

    def __init__(self, pool: Pool, waiting: Mapping[str, datetime]) -> None:
        self._free = pool.free_or_ahead
        self._waiting_since = min((waiting[each] for each in pool.handlers if each in waiting), default=None)

    def has_room(self, namespace: str, due_at: datetime) -> bool:
        """Say whether there is a place for a run of the shared lane that no older run waits for."""
        if self._free <= 0 or lane_of(namespace) != SHARED_LANE:
            return False
        return self._waiting_since is None or due_at <= self._waiting_since

    def take(self) -> None:
        """Take a place for a run."""
        self._free -= 1


class TickPlanner:
    """Plans a batch of due schedules for a node with these pools.

    A run of the shared lane begins at once if there is a place for it and no older run waits for that place; `waiting`
    says since when runs wait, by handler. Runs of owners are recorded as pending, and the claim shares out the places.
    A schedule that is not due yet is planned only if its run can begin at its time without a claim.
    """

    def __init__(
        self,
        now: datetime,
        pools: Sequence[Pool],
        random_bits: RandomBits,
        waiting: Mapping[str, datetime] | None = None,
        before: Mapping[Alike, Decided] | None = None,
    ) -> None:
        """`before` has the decisions of the turn before: where schedules are alike, many of them still hold."""
        self._now = now
        self._before = before or {}
        self._places = {
            handler: places for pool in pools for places in [_Places(pool, waiting or {})] for handler in pool.handlers
        }
        self._run_ids = make_ids(RUN, now, random_bits)
        self.decided: dict[Alike, Decided] = {}
        """The decisions about schedules, once for all that are alike."""

    def __call__(self, due: Sequence[Due]) -> Plan:
        plan = Plan()
        for entry in due:
            try:
                self._plan(entry, plan)
            except Exception as error:  # one schedule that cannot be planned must not stop the others
                self._quarantine(entry, plan, error)
        return plan

    def _plan(self, entry: Due, plan: Plan) -> None:
        if entry.next_fire_at is None or entry.next_run_at is None:
            raise InvalidInputError("its times cannot be read: next_run_at is set without next_fire_at")
        early = entry.next_run_at > self._now
        if early and (entry.running or entry.waiting or entry.taken):
            return  # what it depends on may change until then
        decided, in_line, _ = self._decide(entry, entry.next_fire_at, entry.next_run_at)
        if early and not self._begins_at_its_time(entry, decided):
            return
        if decided.missed is not None:
            self._record_missed(entry, plan, decided.missed)
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
                None,  # not quarantined
                decided.supersede,
                decided.come_forward,
            )
        )

    def _begins_at_its_time(self, entry: Due, decided: FirePlan) -> bool:
        """Say whether a fire that is not due yet surely becomes a run of this node, so that it can be recorded now."""
        if decided.due_at is None or decided.due_at != entry.next_run_at:
            return False
        if decided.missed is not None or decided.status is not _PENDING:
            return False
        places = self._places.get(entry.handler)
        return places is not None and places.has_room(entry.namespace, decided.due_at)

    def _decide(self, entry: Due, fire_at: datetime, run_at: datetime) -> Decided:
        """Decide about a schedule, once for all schedules in the same situation with the same trigger and policy.

        `fires` of the plan is the number to add, so that it fits schedules that have fired differently often.
        """
        left = None if entry.max_runs is None else entry.max_runs - entry.fires
        alike = (
            entry.trigger,
            entry.policy,
            fire_at,
            run_at,
            entry.until_at,
            left,
            entry.running,
            entry.retrying,
            entry.waiting,
            entry.taken,
        )
        known = self.decided.get(alike)
        if known is None:
            known = self._before.get(alike)
            if known is None or known.until is None or known.until <= self._now:
                situation = Situation(
                    next_fire_at=fire_at,
                    next_run_at=run_at,
                    until_at=entry.until_at,
                    max_runs=left,
                    fires=0,
                    running=entry.running,
                    retrying=entry.retrying,
                    waiting=entry.waiting,
                    taken=entry.taken,
                )
                known = self._decide_about(entry, situation)
            self.decided[alike] = known
        return known

    def _decide_about(self, entry: Due, situation: Situation) -> Decided:
        policy = decode_policy(entry.policy)
        now = max(self._now, situation.next_run_at)
        plan = plan_fire(decode_trigger(entry.trigger), policy, now, situation)
        until = holds_until(plan, situation, policy.misfire_grace)
        return Decided(plan=plan, in_line=stands_in_line(policy), until=until)

    def _record(
        self, entry: Due, plan: Plan, decided: FirePlan, in_line: bool, fire_at: datetime, due_at: datetime
    ) -> None:
        status = decided.status
        if status is _PENDING:
            places = self._places.get(entry.handler)
            if places is not None and places.has_room(entry.namespace, due_at):
                places.take()
                status = _RUNNING
        # By position, here and in the advance: names take longer than all else that a fire costs in this module.
        run = NewRun(next(self._run_ids), entry.id, _SCHEDULE, fire_at, due_at, entry.handler, status, decided.reason)
        run.in_line = in_line
        plan.runs.append(run)
        if status is _SKIPPED:
            run.skipped = 1
            data = {"name": entry.name, "reason": decided.reason, "count": 1}
            plan.events.append(Event(RUN_SKIPPED, self._now, entry.id, run.id, data=data))

    def _record_missed(self, entry: Due, plan: Plan, missed: Missed) -> None:
        """Record all missed fires as one run, under the time of the last of them."""
        run = NewRun(
            id=next(self._run_ids),
            schedule_id=entry.id,
            origin=_SCHEDULE,
            fire_at=missed.last_at,
            due_at=missed.last_at,
            handler=entry.handler,
            status=Status.MISSED,
            reason=missed.reason,
            skipped=missed.count,
            first_skipped_at=missed.first_at,
        )
        plan.runs.append(run)
        data = {"name": entry.name, "reason": missed.reason, "count": missed.count}
        plan.events.append(Event(RUN_MISSED, self._now, entry.id, run.id, data=data))

    def _quarantine(self, entry: Due, plan: Plan, error: Exception) -> None:
        """Quarantine a schedule that cannot be planned: people see it, and it stops no other schedule."""
        reason = f"{type(error).__name__}: {error}"
        plan.advances.append(
            Advance(
                schedule_id=entry.id,
                enabled=False,
                next_fire_at=entry.next_fire_at,
                next_run_at=None,
                watermark=None,
                fires=entry.fires,
                quarantine=reason,
            )
        )
        data = {"name": entry.name, "reason": reason}
        plan.events.append(Event(SCHEDULE_QUARANTINED, self._now, entry.id, data=data))
