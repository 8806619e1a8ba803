"""A due schedule becomes runs: missed ones, skipped ones, and the one to carry out."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from duly.model.policy import Overlap, Policy
from duly.model.run import Status
from duly.model.trigger import Trigger
from duly.planning.due import Missed, decide
from duly.planning.overlap import Verdict, decide_overlap, places
from duly.recurrence import Once, stagger_offset_seconds

_STATUS = {Verdict.RUN: Status.PENDING, Verdict.WAIT: Status.WAITING, Verdict.SKIP: Status.SKIPPED}


class Situation(NamedTuple):
    """What is known about a schedule when its time has come."""

    next_fire_at: datetime
    next_run_at: datetime
    until_at: datetime | None
    max_runs: int | None
    fires: int
    running: int
    retrying: int
    waiting: int
    taken: frozenset[datetime] = frozenset()
    """Instants to come that have their runs already, because a clock that was ahead made them."""


class FirePlan(NamedTuple):
    """What becomes of it."""

    missed: Missed | None
    fire_at: datetime | None
    due_at: datetime | None
    status: Status
    """Of the run at `fire_at`: pending, waiting or skipped."""
    reason: str | None
    supersede: bool
    come_forward: int
    """How many of those in line take places of runs that are superseded."""
    fires: int
    watermark: datetime | None
    next_fire_at: datetime | None
    next_run_at: datetime | None


def plan_fire(trigger: Trigger, policy: Policy, now: datetime, at: Situation) -> FirePlan:
    """Decide about one schedule: which fire is carried out, and when the next one is dispatched."""
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
    status, reason, supersede, come_forward, fires = Status.PENDING, None, False, 0, at.fires
    if due.fire_at is not None:
        replaces = policy.retry.superseded and at.retrying > 0
        running = at.running - (at.retrying if replaces else 0)
        free = max(0, places(policy) - running) if replaces else 0
        ahead = int(min(at.waiting, at.retrying, free))  # whoever waits goes first
        verdict = decide_overlap(policy, running + ahead, at.waiting - ahead)
        status, reason = _STATUS[verdict.verdict], verdict.reason
        if replaces and verdict.verdict is not Verdict.SKIP:  # what is left out takes nobody's place
            supersede, come_forward = True, ahead
        fires += verdict.verdict is not Verdict.SKIP
    following = due.next_fire_at if at.max_runs is None or fires < at.max_runs else None
    due_at = due.fire_at + stagger if stagger and due.fire_at is not None else due.fire_at
    run_at = dispatch_at(trigger, policy, following)
    decided = status, reason, supersede, come_forward, fires
    return FirePlan(due.missed, due.fire_at, due_at, *decided, due.watermark, following, run_at)


def dispatch_at(trigger: Trigger, policy: Policy, fire_at: datetime | None) -> datetime | None:
    """When a fire is dispatched: its nominal instant, and the stagger of its schedule."""
    if fire_at is None or not policy.stagger_key:
        return fire_at
    following = trigger.get_next_occurrence(fire_at)
    most = policy.max_stagger_seconds
    if following is not None:  # never as late as the fire after it, however unevenly they come
        most = min(most, max(0, int((following - fire_at).total_seconds()) - 1))
    offset = stagger_offset_seconds(policy.stagger_key, Once(fire_at), after=fire_at, max_stagger_seconds=most)
    return fire_at + timedelta(seconds=offset)


def stands_in_line(policy: Policy) -> bool:
    """Whether runs of a schedule wait for each other, so that one ending lets the next come forward."""
    return policy.overlap is Overlap.QUEUE or (policy.overlap is Overlap.PARALLEL and policy.max_parallel is not None)
