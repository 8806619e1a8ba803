"""Runs: how they may change, who may end them, how many at once, in which order, and how often they are tried."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta

from duly.model.policy import Backoff, Overlap, Policy, Retry
from duly.model.run import Origin, Run, Status
from tests.sim import oracle
from tests.sim.evidence import Evidence, name_of
from tests.sim.witness import RunStep, Settled

S = Status
_UNTIL_DEAD = 3
_UNSUSPECTED = 1
_MOST_DEATHS = 40
"""Deaths of a run that kills at once, in a world in which much else goes wrong: seven where nothing else does."""
_SHORTEST_RETRY = timedelta(seconds=1)
_ENDS = (S.SUCCEEDED, S.FAILED, S.CANCELLED)
_LEGAL: dict[str, set[tuple[Status, Status]]] = {
    "cycle": {
        (S.WAITING, S.PENDING),
        (S.WAITING, S.RUNNING),
        (S.PENDING, S.RUNNING),
        (S.PENDING, S.FAILED),  # superseded
        (S.PENDING, S.CANCELLED),  # superseded, and nothing had gone wrong
        (S.RUNNING, S.PENDING),
        (S.RUNNING, S.RUNNING),  # settled for a retry that is due at once, and claimed again
        *((S.RUNNING, end) for end in _ENDS),
    },
    "cancel": {(S.PENDING, S.CANCELLED), (S.WAITING, S.CANCELLED), (S.WAITING, S.PENDING), (S.RUNNING, S.RUNNING)},
    "edit": {(S.PENDING, S.CANCELLED), (S.WAITING, S.CANCELLED), (S.WAITING, S.PENDING), (S.RUNNING, S.RUNNING)},
    "deregister": {(S.RUNNING, S.PENDING), (S.RUNNING, S.CANCELLED), (S.WAITING, S.PENDING)},
    "rescue": {
        (S.RUNNING, S.PENDING),
        (S.RUNNING, S.DEAD),
        (S.RUNNING, S.CANCELLED),
        (S.WAITING, S.PENDING),
        (S.PENDING, S.PENDING),  # cleared, because another was given up
    },
    "progress": {(S.RUNNING, S.RUNNING)},
    "plan": set(),
    "save": {(S.WAITING, S.PENDING)},  # under another policy there is more room
    "place_again": {
        (S.PENDING, S.SKIPPED),  # left to its own time
        (S.WAITING, S.SKIPPED),
        (S.WAITING, S.PENDING),
        (S.MISSED, S.MISSED),
        (S.SKIPPED, S.SKIPPED),
    },
    "hasten": {(S.PENDING, S.PENDING), (S.WAITING, S.WAITING)},
}


def check_runs(evidence: Evidence) -> None:
    """All of it, run by run, and then across the runs of each schedule."""
    settled = {
        (each.number, each.settlement.run_id): each
        for each in sorted(evidence.record.settled, key=lambda each: each.settlement.fence)
    }
    for steps in evidence.lives.values():
        for step in steps:
            if step.before is not None and step.after is not None:
                end = settled.get((step.number, step.after.id))
                _check_change(evidence, step, step.before, step.after, end)
                _check_end(evidence, step, step.before, step.after, end)
            elif step.before is not None and not _may_go(step, step.before):
                evidence.complain(f"{name_of(step.before)} was forgotten by {step.call}")
        _check_stop(evidence, steps)
    for each in evidence.record.settled:
        _check_acceptance(evidence, each)
    _check_places(evidence)
    _check_order(evidence)


def _may_go(step: RunStep, run: Run) -> bool:
    """Whether a row may go: for its age, or because a later record of the same wrong clock's takes its place."""
    replaced = step.call == oracle.PLACED_AGAIN and run.fire.origin is Origin.CLOCK
    return run.status.final and (step.call == "prune" or replaced)


def _is_left_to_its_time(step: RunStep) -> bool:
    """Whether a record of a fire that was not carried out gave up its key, so that the fire can still come."""
    return step.call == oracle.PLACED_AGAIN and step.after is not None and step.after.fire.origin is Origin.CLOCK


def _check_change(evidence: Evidence, step: RunStep, before: Run, after: Run, settled: Settled | None) -> None:
    change = (before.status, after.status)
    if change not in _LEGAL.get(step.call, set()):
        evidence.complain(f"{name_of(after)}: {step.call} turned {before.status} into {after.status}")
    if (before.key != after.key and not _is_left_to_its_time(step)) or before.handler != after.handler:
        evidence.complain(f"{name_of(after)} changed its identity")
    if _is_left_to_its_time(step) and (before.fence > 0 or before.fire.origin is not Origin.SCHEDULE):
        evidence.complain(f"{name_of(after)} was carried out, and is to be again")
    if after.fence < before.fence:
        evidence.complain(f"{name_of(after)}: the fence fell from {before.fence} to {after.fence}")
    if after.owner != before.owner and after.owner is not None and after.fence == before.fence:
        evidence.complain(f"{name_of(after)} changed hands without a new fence")
    unbegun = settled is not None and settled.settlement.is_unbegun
    if unbegun and after.due_at > before.due_at:  # earlier if the clock was set back: it was due by the clock before
        evidence.complain(f"{name_of(after)} was handed back unbegun, and is due later")
    if after.attempt < before.attempt and step.call != "deregister" and not unbegun:
        evidence.complain(f"{name_of(after)}: an attempt was forgotten by {step.call}")
    if (after.status is S.RUNNING) != (after.owner is not None):
        evidence.complain(f"{name_of(after)} is {after.status} and owned by {after.owner}")


def _check_end(evidence: Evidence, step: RunStep, before: Run, after: Run, settled: Settled | None) -> None:
    """Only the owner with the highest fence ends an attempt."""
    policy = evidence.policy_at(after.fire.schedule_id, step.number)
    if step.call == "rescue" and before.status is S.RUNNING:
        _check_rescue(evidence, step.number, before, after, policy)
    ended = step.call == "cycle" and before.status is S.RUNNING
    if not ended:
        return
    if settled is None or settled.refused or settled.settlement.fence != before.fence:
        fence = None if settled is None else settled.settlement.fence
        evidence.complain(f"{name_of(after)}: fence {before.fence} was ended by a settlement of fence {fence}")
        return
    unchanged = len(evidence.policies_until(after.fire.schedule_id, step.number)) == 1 or (
        {each.retry for each in evidence.policies_until(after.fire.schedule_id, step.number)} == {policy.retry}
    )
    if unchanged and not before.cancel_requested:
        _check_retry(evidence, before, after, policy.retry, settled)


def _check_acceptance(evidence: Evidence, settled: Settled) -> None:
    """What is accepted carries the highest fence there is."""
    end = settled.settlement
    earlier = [step.after for step in evidence.lives[end.run_id] if step.number < settled.number and step.after]
    fence = earlier[-1].fence if earlier else 0
    if not settled.refused and fence != end.fence:
        evidence.complain(
            f"{name_of(evidence.last(end.run_id))} has fence {fence}, and an end of fence {end.fence} was accepted"
        )


def _check_rescue(evidence: Evidence, number: int, before: Run, after: Run, policy: Policy) -> None:
    """Check that only runs that end their processes are dead, and those soon; and that suspects begin apart."""
    deaths, together = before.lost + 1, _died_together(evidence, number, before)
    limit = max(_UNTIL_DEAD, policy.retry.max_attempts or 0)
    if after.status is S.DEAD and not evidence.ends_processes(after):
        evidence.complain(f"{name_of(after)} was given up, and never ended a process")
    if after.status is S.DEAD and deaths < limit:
        evidence.complain(f"{name_of(after)} was given up after {deaths} deaths, and may have {limit}")
    if after.status is not S.DEAD and deaths >= max(limit, _MOST_DEATHS) and evidence.ends_processes(after):
        evidence.complain(f"{name_of(after)} has been in {deaths} deaths that it may have caused, and goes on")
    if before.cancel_requested and after.status not in (S.CANCELLED, S.DEAD):
        evidence.complain(f"{name_of(after)} was asked to stop, and became {after.status}")
    found = any(step.after is not None and step.after.status is S.DEAD for step in evidence.steps_at(number))
    if after.lost != deaths and not (found and after.status is S.PENDING and after.lost == 0):
        evidence.complain(f"{name_of(after)} lost {deaths} attempts, and {after.lost} are on record")
    at_once = [step.after for step in together if step.after and step.after.due_at == after.due_at]
    if not found and deaths > _UNSUSPECTED and after.status is S.PENDING and at_once:
        evidence.complain(
            f"{name_of(after)} died with {name_of(at_once[0])} {deaths} times, and is begun again with it"
        )
    if after.fence <= before.fence:
        evidence.complain(f"{name_of(after)} was rescued, and its old owner not fenced off")


def _died_together(evidence: Evidence, number: int, run: Run) -> list[RunStep]:
    """What became of the other runs that its owner had under way when it died."""
    steps = [step for step in evidence.steps_at(number) if step.before and step.before.status is S.RUNNING]
    return [step for step in steps if step.before and step.before.owner == run.owner and step.before.id != run.id]


def _check_retry(evidence: Evidence, before: Run, after: Run, retry: Retry, settled: Settled) -> None:
    """A failed attempt is followed by another exactly when the policy says so, after the wait it says."""
    end = settled.settlement
    more = retry.max_attempts is None or before.attempt < retry.max_attempts
    if end.status is S.FAILED and (end.retry_at is not None) != more:
        evidence.complain(f"{name_of(after)}: attempt {before.attempt} failed, and a retry was {end.retry_at}")
    if end.retry_at is None or end.is_unbegun:
        return
    wait = retry.delay
    if retry.backoff is Backoff.EXPONENTIAL:
        for _ in range(before.attempt - 1):
            wait = min(2 * wait, retry.cap)
        wait = min(wait, retry.cap)
    shortest, longest = max(wait, _SHORTEST_RETRY), max(wait * (1 + retry.jitter), _SHORTEST_RETRY)
    slack = timedelta(microseconds=2)
    if not shortest - slack <= end.retry_at - end.finished_at <= longest + slack:
        evidence.complain(f"{name_of(after)}: waits {end.retry_at - end.finished_at}, expected {shortest} to {longest}")


def _check_stop(evidence: Evidence, steps: list[RunStep]) -> None:
    """Asked to stop, a run is not tried again; over, it stays over; attempts are bounded."""
    asked = over = False
    deaths = 0
    for step in steps:
        run = step.after
        if run is None:
            continue
        if over and not _is_left_to_its_time(step):
            evidence.complain(f"{name_of(run)} was over and changed again: {step.call}, {run.status}")
        claimed = step.before is not None and run.attempt > step.before.attempt
        if asked and claimed:
            evidence.complain(f"{name_of(run)} was asked to stop and tried again")
        asked, over = run.cancel_requested, run.status.final
        deaths += step.call == "rescue" and step.before is not None and step.before.status is S.RUNNING
        limits = [policy.retry.max_attempts for policy in evidence.policies_until(run.fire.schedule_id, step.number)]
        most = max(float("inf") if limit is None else limit + deaths for limit in limits)
        if run.attempt > most:
            evidence.complain(f"{name_of(run)} is tried for the {run.attempt}. time, allowed are {most}")
    last = steps[-1].after
    if last is not None and not last.status.final:
        evidence.complain(f"{name_of(last)} never came to an end: it is {last.status}")


def _check_places(evidence: Evidence) -> None:
    """After every transaction, no schedule has more under way than it may, and none lets a place stand empty."""
    standing: dict[str, dict[str, Status]] = defaultdict(dict)
    placed: dict[str, set[str]] = defaultdict(set)
    steps = evidence.record.run_steps
    touched: set[str] = set()
    for index, step in enumerate(steps):
        run = step.after or step.before
        if run is not None:
            runs = standing[run.fire.schedule_id]
            runs.pop(run.id, None)
            if step.after is not None and not run.status.final:
                runs[run.id] = run.status
            touched.add(run.fire.schedule_id)
        if index + 1 == len(steps) or steps[index + 1].number != step.number:
            for schedule_id in touched:
                policy = evidence.policy_at(schedule_id, step.number)
                placed[schedule_id] = _check_line(evidence, standing[schedule_id], policy, placed[schedule_id])
            touched.clear()


def _check_line(evidence: Evidence, runs: Mapping[str, Status], policy: Policy, before: set[str]) -> set[str]:
    """Check the queue by the policy in force: while too many run since before it, no run joins. Returns those that run.

    Where any number may run only backfills wait, one for another.
    """
    waiting = sorted(run_id for run_id, status in runs.items() if status is S.WAITING)
    most, placed = oracle.places(policy), set(runs.keys() - waiting)
    if len(placed) > most and placed - before:
        together = ", ".join(name_of(evidence.last(each)) for each in sorted(placed))
        evidence.complain(f"at once, where {most} may be: {together}")
    if waiting and len(placed) < most < float("inf"):
        evidence.complain(
            f"{name_of(evidence.last(waiting[0]))} waits although {len(placed)} of {most} places are taken"
        )
    return placed


def _check_order(evidence: Evidence) -> None:
    """Runs that stand in line are claimed in the order of their fires."""
    for schedule_id, births in evidence.births.items():
        policies = evidence.policies_until(schedule_id, 2**63)
        if any(policy.overlap is not Overlap.QUEUE for policy in policies):
            continue
        latest: tuple[int, Run] | None = None
        for _, run in births:
            claims = [step.number for step in evidence.lives[run.id] if step.after and step.after.attempt > 0]
            if run.fire.origin is not Origin.SCHEDULE or not claims:
                continue
            if latest is not None and claims[0] < latest[0] and run.fire.fire_at > latest[1].fire.fire_at:
                evidence.complain(f"{name_of(run)} was claimed before {name_of(latest[1])}, which stood before it")
            latest = (claims[0], run)
