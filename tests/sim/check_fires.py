"""Fires: every nominal instant is accounted for exactly once, and each decision is the one its policy asks for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from datetime import datetime, timedelta
from itertools import islice

from duly.engine.pacing import REACH
from duly.model.run import Origin, Run, Status
from duly.ports.codec import decode_trigger
from duly.ports.records import StoredSchedule
from tests.sim import oracle
from tests.sim.evidence import Evidence, name_of
from tests.sim.operators import CLIENT
from tests.sim.oracle import Stretch
from tests.sim.witness import ScheduleStep

_NOT_CARRIED_OUT = (Status.SKIPPED, Status.MISSED)


def check_fires(evidence: Evidence) -> None:
    """All of it, schedule by schedule."""
    _check_keys(evidence)
    for schedule_id, steps in evidence.schedules.items():
        known: list[Stretch] = []
        for stretch in oracle.stretches(steps, CLIENT):
            known.append(stretch)
            _check_stretch(evidence, schedule_id, stretch)
        _check_births_lie_in_stretches(evidence, schedule_id, known)
        for step in steps:
            if step.call == "cycle":
                _check_turn(evidence, step)
        _check_by_hand(evidence, schedule_id)


def _check_keys(evidence: Evidence) -> None:
    there: dict[str, str] = {}
    for step in sorted(evidence.record.run_steps, key=lambda step: (step.number, step.after is not None)):
        if step.before is not None and (step.after is None or step.after.key != step.before.key):
            there.pop(step.before.key, None)  # first: in the same transaction another run may get the key
        if step.after is not None and there.setdefault(step.after.key, step.after.id) != step.after.id:
            evidence.complain(f"two runs have the key {step.after.key}")


# coverage


def _check_stretch(evidence: Evidence, schedule_id: str, stretch: Stretch) -> None:
    row, name = stretch.row, stretch.row.name
    born = [
        run
        for number, run in evidence.births[schedule_id]
        if stretch.begins < number <= stretch.ends and run.fire.origin is Origin.SCHEDULE
    ]
    earlier = evidence.fires_known(schedule_id, stretch.begins)
    expected = stretch.occurrences(max((run.fire.fire_at for run in born), default=None))
    times = islice(oracle.walk(stretch.trigger, stretch.first, row.until_at), len(expected) + 1)
    if stretch.stands_at is not None and stretch.stands_at not in times:
        evidence.complain(f"{name} stands at {stretch.stands_at}, which is none of its times")
    first = _first(evidence, stretch)
    if first != stretch.first:
        evidence.complain(f"{name} starts at {stretch.first} when it is {row.updated_at}, expected {first}")
    covered = _covered(evidence, name, expected, born, earlier)
    for at in expected:
        if covered[at] == 0 and at not in earlier:
            evidence.complain(f"{name}: the fire of {at} is lost")
        elif covered[at] > 1:
            evidence.complain(f"{name}: the fire of {at} is accounted for {covered[at]} times")


def _first(evidence: Evidence, stretch: Stretch) -> datetime | None:
    row, before = stretch.row, stretch.before
    if not stretch.placed or before is None:
        return oracle.first_fire(row, before)
    now = evidence.record.placed_at[stretch.begins]
    changed = [
        step.after for step in evidence.record.run_steps if step.number == stretch.begins and step.after is not None
    ]
    records = [run for run in changed if run.fire.schedule_id == row.id and run.fire.origin is Origin.CLOCK]
    undone = min((run.first_skipped_at or run.fire.fire_at for run in records), default=None)
    known = evidence.fires_known(row.id, stretch.begins)
    return oracle.first_after_correction(row, before, now, known, undone)


def _covered(
    evidence: Evidence, name: str, expected: list[datetime], born: list[Run], earlier: set[datetime]
) -> dict[datetime, int]:
    covered: dict[datetime, int] = defaultdict(int)
    times = set(expected)
    for run in born:
        first, last = run.first_skipped_at or run.fire.fire_at, run.fire.fire_at
        if first not in times or last not in times:
            evidence.complain(f"{name_of(run)} is outside the expected fires of {name}")
            continue
        between = expected[bisect_left(expected, first) : bisect_right(expected, last)]
        spanned = [at for at in between if at not in earlier or at == last]
        for at in spanned:
            covered[at] += 1
        if run.status in _NOT_CARRIED_OUT and (run.skipped != len(spanned) or not run.reason):
            evidence.complain(f"{name_of(run)} stands for {run.skipped} fires ({run.reason}), expected {len(spanned)}")
    return covered


def _check_births_lie_in_stretches(evidence: Evidence, schedule_id: str, known: list[Stretch]) -> None:
    for number, run in evidence.births[schedule_id]:
        inside = any(stretch.begins < number <= stretch.ends for stretch in known)
        if run.fire.origin is Origin.SCHEDULE and not inside:
            evidence.complain(f"{name_of(run)} was recorded while its schedule did not fire")


# decisions of a turn


def _check_turn(evidence: Evidence, step: ScheduleStep) -> None:
    before, after, now = step.before, step.after, evidence.record.planned_at[step.number]
    if before is None or after is None:
        evidence.complain(f"a turn made or forgot {before or after}")
        return
    if before.next_run_at is not None and now < before.next_run_at <= now + REACH:
        now = before.next_run_at  # planned a moment ahead, as if its time had come
    born = [run for number, run in evidence.births[before.id] if number == step.number]
    carried_out = [run for run in born if run.status is not Status.MISSED]
    missed = [run for run in born if run.status is Status.MISSED]
    taken = evidence.fires_known(before.id, step.number - 1)
    ahead_until, first = evidence.ahead_until(step.number), before.next_fire_at
    is_ahead = ahead_until is not None and first is not None and first <= ahead_until
    expected = oracle.expect(before, now, taken if is_ahead else ())
    fresh = expected.fire_at is not None and expected.fire_at not in taken
    if [run.fire.fire_at for run in carried_out] != ([expected.fire_at] if fresh else []):
        told = ", ".join(map(name_of, carried_out)) or "nothing"
        evidence.complain(f"{before.name} at {now}: {told} was recorded, expected the fire of {expected.fire_at}")
    ends = [(run.first_skipped_at, run.fire.fire_at) for run in missed]
    missing = expected.missed and expected.missed[-1] not in taken
    if ends != ([(expected.missed[0], expected.missed[-1])] if missing else []):
        evidence.complain(
            f"{before.name} at {now}: missed {ends}, expected {expected.missed[:1]} to {expected.missed[-1:]}"
        )
    _check_advance(evidence, before, after, expected, carried_out, step)
    for run in carried_out:
        _check_birth(evidence, run, step.number, now)


def _check_advance(
    evidence: Evidence,
    before: StoredSchedule,
    after: StoredSchedule,
    expected: oracle.Expected,
    carried_out: list[Run],
    step: ScheduleStep,
) -> None:
    name, fires = before.name, after.fires - before.fires
    if carried_out and fires != (carried_out[0].status is not Status.SKIPPED):
        evidence.complain(f"{name} counted {fires} fires for a run that is {carried_out[0].status}")
    following = expected.next_fire_at
    if before.max_runs is not None and after.fires >= before.max_runs:
        following = None
    if after.next_fire_at != following:
        evidence.complain(f"{name} fires next at {after.next_fire_at}, expected {following}")
    if after.next_run_at is not None and before.next_run_at is not None:
        if after.next_run_at <= before.next_run_at:
            evidence.complain(f"{name}: next_run_at went from {before.next_run_at} to {after.next_run_at}")
        if after.next_fire_at is not None and after.next_run_at != oracle.dispatched_at(after, after.next_fire_at):
            evidence.complain(f"{name}: {after.next_run_at} is not {after.next_fire_at} and its stagger")
    if (after.next_run_at is None) == after.enabled:
        evidence.complain(f"{name} is {'enabled' if after.enabled else 'disabled'} and runs at {after.next_run_at}")
    slack = max(abs(spec.skew) for spec in evidence.scenario.engines) + timedelta(microseconds=1) + REACH
    if before.next_run_at is not None and before.next_run_at > evidence.record.planned_at[step.number] + slack:
        evidence.complain(
            f"{name} was planned at {evidence.record.planned_at[step.number]}, before {before.next_run_at}"
        )


def _check_birth(evidence: Evidence, run: Run, number: int, now: datetime) -> None:
    """A fire runs, waits or is skipped as its overlap policy says, given what else was unfinished."""
    policy = evidence.policy_at(run.fire.schedule_id, number)
    others = [each for each in evidence.runs_after(run.fire.schedule_id, number) if each.id != run.id]
    expected = oracle.born_as(policy, others)
    status = Status.PENDING if run.status is Status.RUNNING else run.status
    if status is not expected:
        evidence.complain(f"{name_of(run)} became {run.status} at {now}, expected {expected}")


# fires by hand


def _check_by_hand(evidence: Evidence, schedule_id: str) -> None:
    """What people asked for: backfills at times of the trigger, one at a time; triggers as overlap allows."""
    rows = evidence.schedules[schedule_id]
    for number, run in evidence.births[schedule_id]:
        row = [step.after for step in rows if step.number <= number][-1]
        if run.fire.origin is Origin.MANUAL:
            _check_birth(evidence, run, number, run.due_at)
        elif run.fire.origin is Origin.BACKFILL and row is not None:
            just_before = run.fire.fire_at - timedelta(microseconds=1)
            if decode_trigger(row.trigger).get_next_occurrence(just_before) != run.fire.fire_at and not _counts(row):
                evidence.complain(f"{name_of(run)} is none of its schedule's times")


def _counts(row: StoredSchedule) -> bool:
    """Whether the times of a trigger depend on where one starts to count."""
    return '"cron"' not in row.trigger
