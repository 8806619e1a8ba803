"""Records of runs, as both databases see them: results, events, claims at birth, and which waiting runs may begin."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from duly.errors import DecodeError
from duly.model.events import CLOCK_CORRECTED, RUN_CANCELLED, RUN_DEAD, RUN_FAILED, RUN_RESCUED, Event
from duly.model.policy import Policy
from duly.model.run import SUPERSEDED, Status
from duly.planning.overlap import coming_forward, places
from duly.planning.places import lane_of
from duly.ports.codec import decode_policy
from duly.ports.records import Claimed, Due, NewRun, Plan, Rescued, Settlement, StoredSchedule

if TYPE_CHECKING:
    from duly.planning.clock_marks import Corrected

NOT_CARRIED_OUT = frozenset({Status.SKIPPED, Status.MISSED})
"""Statuses that do not change what a schedule remembers: the run before stays its last one."""
_ONE_BY_ONE = Policy()


# results and reasons


def are_simple(settlements: Sequence[Settlement]) -> bool:
    """Tell whether all of them succeeded, with no more to say than a result, and each of another schedule."""
    succeeded = Status.SUCCEEDED
    return len({each.schedule_id for each in settlements}) == len(settlements) and all(
        each.status is succeeded and each.error is None and each.reason is None and each.retry_at is None
        for each in settlements
    )


def last_result(settlement: Settlement) -> str | None:
    """Return the result of a run that succeeded, or an error object for one that did not."""
    return settlement.result if settlement.error is None else error_result(settlement.error)


def error_result(error: str | None) -> str | None:
    """Make the error object that a schedule keeps of a failed run; None without an error."""
    return None if error is None else json.dumps({"error": error})


def lost_with(node_id: str | None) -> str:
    """Say why a run is taken back."""
    return "it was under way without an owner" if node_id is None else f"its owner {node_id} fell silent"


def given_up(reason: str, lost: int) -> str:
    """Say why a run is dead."""
    return f"{reason}; attempts lost with their process: {lost}"


def put_together(parts: Iterable[Rescued]) -> list[Rescued]:
    """Put what several transactions took back from the same owner together."""
    whole: dict[str | None, Rescued] = {}
    for part in parts:
        if part.node_id in whole:
            whole[part.node_id].requeued += part.requeued
            whole[part.node_id].dead += part.dead
        else:
            whole[part.node_id] = part
    return list(whole.values())


# events


def called_off(at: datetime, run_id: str, schedule_id: str, name: str, reason: str | None) -> Event:
    """Make the event of a cancelled run; only the store knows the reason it was given."""
    return Event(RUN_CANCELLED, at, schedule_id, run_id, data={"name": name, "reason": reason})


def superseded(at: datetime, run_id: str, schedule_id: str, name: str, error: str | None, attempt: int) -> Event:
    """Make the event of a run whose place the next fire took while it waited for a retry; with an error it failed."""
    if error is None:
        return called_off(at, run_id, schedule_id, name, SUPERSEDED)
    data = {"name": name, "error": error, "attempt": attempt, "reason": SUPERSEDED}
    return Event(RUN_FAILED, at, schedule_id, run_id, data=data)


def run_dead(
    at: datetime,
    run_id: str,
    schedule_id: str,
    name: str | None,
    reason: str,
    attempt: int,
    node_id: str | None = None,
) -> Event:
    """Make the event of a run that is dead; `attempt` was its last, `node_id` the node it was lost with."""
    data = {"name": name, "reason": reason, "attempt": attempt}
    return Event(kind=RUN_DEAD, at=at, schedule_id=schedule_id, run_id=run_id, node_id=node_id, data=data)


def run_rescued(at: datetime, run_id: str, schedule_id: str, name: str, node_id: str | None) -> Event:
    """Make the event of a run that was taken back from a node, or that had no owner."""
    data = {"name": name, "owner": node_id}
    return Event(kind=RUN_RESCUED, at=at, schedule_id=schedule_id, run_id=run_id, node_id=node_id, data=data)


def clock_corrected(corrected: Corrected, node_id: str) -> Event:
    """Make the event of a correction that has ended."""
    data = {"seconds": corrected.ahead_seconds, "schedules": corrected.schedules, "runs": corrected.runs}
    return Event(CLOCK_CORRECTED, corrected.at, node_id=node_id, data=data)


def lanes_of(schedules: Iterable[Due | StoredSchedule]) -> dict[str, str]:
    """Give the lanes of the runs of schedules, by id; those in the shared lane are left out."""
    return {each.id: lane for each in schedules if (lane := lane_of(each.namespace))}


def events_to_tell(plan: Plan, recorded: Container[str]) -> list[Event]:
    """Select the events of a plan whose runs were recorded: a fire that had its run already gets no second one."""
    return [event for event in plan.events if event.run_id is None or event.run_id in recorded]


# claims at birth


def claimed_at_birth(due: Sequence[Due], runs: Iterable[NewRun]) -> list[Claimed]:
    """Select the runs that were recorded as running: they belong to the node that planned them from the start."""
    schedules = {entry.id: entry for entry in due}
    claimed = []
    running = Status.RUNNING
    for run in runs:
        if run.status is running:
            schedule = schedules[run.schedule_id]
            claimed.append(
                Claimed(
                    run.id,
                    schedule.id,
                    schedule.namespace,
                    schedule.name,
                    run.origin,
                    run.fire_at,
                    run.due_at,
                    run.handler,
                    1,  # attempt
                    1,  # fence
                    schedule.action,
                    schedule.policy,
                    schedule.created_by,
                    schedule.changed_by,
                )
            )
    return claimed


# waiting runs that may begin


def may_come_forward(policy: str, placed: int, in_line: int, waiting: int) -> int:
    """Say how many queued runs of a schedule may begin, under its policy as it is stored now."""
    return coming_forward(_read(policy), placed, in_line, waiting)


def schedules_with_new_queue(
    policies: Mapping[str, str], runs: Iterable[NewRun], recorded: Container[str]
) -> list[str]:
    """Find schedules in which a new run waits for the runs under way: these count as part of the queue from now on.

    Not where any number may run: there the queue is only for fires of the past, which wait for each other alone.
    """
    status = Status.WAITING
    waiting = {run.schedule_id for run in runs if run.status is status and run.id in recorded}
    return sorted(each for each in waiting if places(_read(policies[each])) < float("inf"))


def untaken_places(planned: Iterable[NewRun], recorded: Container[str]) -> list[str]:
    """Find schedules with places meant for fires that were recorded before: queued runs may have those places."""
    known = (run for run in planned if run.id not in recorded)
    return sorted({run.schedule_id for run in known if run.status in (Status.PENDING, Status.RUNNING)})


def _read(policy: str) -> Policy:
    try:
        return decode_policy(policy)
    except DecodeError:  # the queue moves all the same; the engine reports the policy when it carries out the run
        return _ONE_BY_ONE
