"""A due schedule becomes runs: at most one to carry out, and records of fires that were missed or skipped. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from duly.model.policy import Policy
from duly.model.run import Status
from duly.model.trigger import Trigger
from duly.planning.due import Missed, decide
from duly.planning.overlap import decide_overlap, places
from duly.recurrence import Once, stagger_offset_seconds
from duly.recurrence.clockface import later


class Situation(NamedTuple):
    """A schedule whose time has come: its times, its limits and its runs."""

    next_fire_at: datetime
    next_run_at: datetime
    until_at: datetime | None
    max_runs: int | None
    fires: int
    running: int
    retrying: int
    waiting: int
    taken: frozenset[datetime] = frozenset()
    """Instants that have their runs already, because an engine whose clock was ahead planned them."""


class FirePlan(NamedTuple):
    """The decision about a due schedule."""

    missed: Missed | None
    fire_at: datetime | None
    due_at: datetime | None
    status: Status
    """Of the run at `fire_at`: pending, waiting or skipped."""
    reason: str | None
    supersede: bool
    come_forward: int
    """How many queued runs take the places of superseded runs."""
    fires: int
    watermark: datetime | None
    next_fire_at: datetime | None
    next_run_at: datetime | None


def plan_fire(trigger: Trigger, policy: Policy, now: datetime, at: Situation) -> FirePlan:
    """Decide about one schedule: which fire is carried out, and when the next one is dispatched.

    Every nominal instant up to now is accounted for: one becomes a run, the others are recorded as missed. A skipped
    fire does not count against `max_runs`.
    """
    stagger = at.next_run_at - at.next_fire_at
    due = decide(
        trigger,
        policy,
        next_fire_at=at.next_fire_at,
        stagger=stagger,
        now=now,
        until_at=at.until_at,
        taken=at.taken,
    )
    run = _NO_RUN if due.fire_at is None else _decide_run(policy, at)
    fires = at.fires + (due.fire_at is not None and run.status is not Status.SKIPPED)
    following = due.next_fire_at if at.max_runs is None or fires < at.max_runs else None
    return FirePlan(
        missed=due.missed,
        fire_at=due.fire_at,
        due_at=due.fire_at + stagger if stagger and due.fire_at is not None else due.fire_at,
        status=run.status,
        reason=run.reason,
        supersede=run.supersede,
        come_forward=run.come_forward,
        fires=fires,
        watermark=due.watermark,
        next_fire_at=following,
        next_run_at=dispatch_at(trigger, policy, following),
    )


def holds_until(decided: FirePlan, at: Situation, grace: timedelta) -> datetime | None:
    """Give the time before which the same would be decided about a situation, from the time on at which it is due.

    Only where that is certain without asking the trigger, else None: the fire of that time is carried out alone. Then
    the decision holds while it is within its `grace` and the next fire is still to come.
    """
    if decided.missed is not None or decided.fire_at != at.next_fire_at or decided.next_fire_at is None or at.taken:
        return None
    try:
        next_is_due = decided.next_fire_at + (at.next_run_at - at.next_fire_at)
        return min(next_is_due, at.next_run_at + grace + timedelta.resolution)
    except OverflowError:
        return None


class _RunDecision(NamedTuple):
    status: Status = Status.PENDING
    reason: str | None = None
    supersede: bool = False
    come_forward: int = 0


_NO_RUN = _RunDecision()


def _decide_run(policy: Policy, at: Situation) -> _RunDecision:
    """Decide about the run of a fire: by overlap, after it has taken the places of runs that wait for a retry.

    Only a policy whose retries are superseded gives those places away. Queued runs take them before the new one; and a
    fire that is skipped all the same supersedes no run.
    """
    if not (policy.retry.superseded and at.retrying > 0):
        return _RunDecision(*decide_overlap(policy, at.running, at.waiting))
    running = at.running - at.retrying
    free = max(0, places(policy) - running)
    ahead = int(min(at.waiting, at.retrying, free))
    status, reason = decide_overlap(policy, running + ahead, at.waiting - ahead)
    if status is Status.SKIPPED:
        return _RunDecision(status, reason)
    return _RunDecision(status, reason, supersede=True, come_forward=ahead)


def dispatch_at(trigger: Trigger, policy: Policy, fire_at: datetime | None) -> datetime | None:
    """Give the time at which a fire is dispatched: its nominal instant plus the stagger of its schedule.

    A fire so near the end of the calendar that none is left for a stagger is dispatched at its instant.
    """
    if fire_at is None or not policy.stagger_key:
        return fire_at
    following = trigger.get_next_occurrence(fire_at)
    most = policy.max_stagger_seconds
    if following is not None:  # at least a second before the next fire, however close that one is
        most = min(most, max(0, int((following - fire_at).total_seconds()) - 1))
    offset = stagger_offset_seconds(policy.stagger_key, Once(fire_at), after=fire_at, max_stagger_seconds=most)
    return later(fire_at, timedelta(seconds=offset)) or fire_at
