"""The cycle: settle, plan and claim in one transaction. Statements work on batches; none is run per run."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from duly import failpoints
from duly.model.run import Origin, Status
from duly.ports.records import Advance, Cycle, CycleResult, Due, NewRun, Plan, Planner, Settlement
from duly.stores.crud import corrections
from duly.stores.run_records import (
    NOT_CARRIED_OUT,
    are_simple,
    called_off,
    claimed_at_birth,
    error_result,
    events_to_tell,
    lanes_of,
    last_result,
    may_come_forward,
    schedules_with_new_queue,
    superseded,
    untaken_places,
)
from duly.stores.sqlite import clock
from duly.stores.sqlite.claiming import claim, find_tokens
from duly.stores.sqlite.rows import (
    advance_values,
    begun_run_values,
    due_in_one,
    is_time,
    micros,
    new_run_values,
    time_of,
    to_due,
    to_micros,
    usual_advance_values,
)
from duly.stores.sqlite.transaction import SQL, SqliteTransaction, finish, run_flat, run_many, update_flat, write_events

if TYPE_CHECKING:
    from duly.model.events import Event
    from duly.planning.clock_marks import Correction
    from duly.ports.upkeep import Correct

# A member of an enumeration takes longer to look up than all else that is done with it here.
_SCHEDULE = Origin.SCHEDULE
_RUNNING = Status.RUNNING
_FAILED = Status.FAILED
_CANCELLED = Status.CANCELLED


def run_cycle(connection: apsw.Connection, turn: Cycle) -> CycleResult:
    """Run one turn of the engine."""
    now = micros(turn.now)
    result = CycleResult()
    mark = clock.read(connection)
    if turn.settlements:
        result.refused = settle(connection, turn.settlements, now)
        failpoints.hit("cycle.settled")
    if mark.forbids_planning(turn.wall):
        result.planned_ahead = True
    elif turn.planner is not None and turn.plan_limit:
        found = connection.execute(SQL.due, {"until": micros(turn.due_until), "limit": turn.plan_limit})
        due = _with_counts(connection, due_in_one(*next(found)))
        if due:
            clock.note_taken(connection, due, mark)
            plan, recorded = apply(connection, due, turn.planner, turn.node_id, now)
            failpoints.hit("cycle.planned")
            result.planned = len(plan.advances)
            result.recorded = len(recorded)
            is_all = len(recorded) == len(plan.runs)
            new = plan.runs if is_all else [run for run in plan.runs if run.id in recorded]
            result.claimed = claimed_at_birth(due, new)
    taken = claim(connection, turn, result.claimed)
    result.claimed += taken.runs
    result.next_wake = taken.next_wake
    result.waiting = taken.waiting
    find_tokens(connection, result.claimed)
    write_events(connection, [*taken.events, *turn.events])
    if turn.settlements or result.planned or result.claimed:
        clock.decided(connection, micros(turn.decides_until))
    return result


def place_again(connection: apsw.Connection, ids: Collection[str], step: Correction, correct: Correct) -> int:
    """Let schedules go on from the corrected time; returns how many fire earlier than before."""
    if finish(corrections.is_over(SqliteTransaction(connection), step)):
        return 0
    now = micros(step.now)
    corrected = correct(clock.ahead(connection, ids, now))
    moved = clock.place(connection, corrected.placements, now)
    promote(connection, [each for each, at in corrected.placements.items() if at.taken_back], now)
    write_events(connection, corrected.events)
    return moved


def settle(connection: apsw.Connection, settlements: Sequence[Settlement], now: int) -> list[str]:
    """End attempts; returns the ids of runs whose settlement is refused because another node owns them."""
    ours = _once(settlements)
    gone: set[tuple[str, int]] = set()
    in_line: set[str] = set()
    values = [value for each in ours for value in (each.run_id, each.fence)]
    for queued, foreign in run_flat(connection, SQL.unusual, values):
        in_line.update(json.loads(queued))
        gone.update((run_id, fence) for run_id, fence in json.loads(foreign))
    lost = {
        each for each in gone if connection.execute(SQL.settled_already, {"id": each[0], "fence": each[1]}).get is None
    }
    if gone:
        ours = [each for each in ours if (each.run_id, each.fence) not in gone]
    promote(connection, _end(connection, ours, in_line, now), now)
    return [each.run_id for each in settlements if (each.run_id, each.fence) in lost] if lost else []


def _once(settlements: Sequence[Settlement]) -> Sequence[Settlement]:
    """Leave out settlements that were sent before."""
    if len({each.run_id for each in settlements}) == len(settlements):
        return settlements
    first: dict[tuple[str, int], Settlement] = {}
    for each in settlements:
        first.setdefault((each.run_id, each.fence), each)
    return list(first.values())


def _end(connection: apsw.Connection, ours: Sequence[Settlement], in_line: Collection[str], now: int) -> list[str]:
    """Write settlements into their runs and schedules; returns the schedules of ended runs that stood in line."""
    if are_simple(ours):
        return _succeed(connection, ours, in_line)
    outcomes: list[Any] = []
    final: list[Any] = []
    events: list[Event] = []
    stopped: list[str] = []
    queues: list[str] = []
    if failed := [(each.run_id, micros(each.finished_at), each.error) for each in ours if each.status is _FAILED]:
        run_many(connection, SQL.note_failed, failed)
    for each in ours:
        status = each.status
        finished_at = micros(each.finished_at)
        if each.events:
            events += each.events
        if each.retry_at is None:
            final += (each.run_id, status, finished_at, each.result, each.error, each.reason)
        else:
            status = Status(connection.execute(SQL.settle_retry, _retry_values(each)).get)
            if status is Status.PENDING:
                continue
        if status not in NOT_CARRIED_OUT:
            outcomes += (each.schedule_id, status, finished_at, last_result(each))
        if status is _CANCELLED:
            stopped.append(each.run_id)
        if each.run_id in in_line:
            queues.append(each.schedule_id)
    run_flat(connection, SQL.settle_final, final)
    write_events(connection, [*events, *cancelled(connection, stopped, now)])
    update_flat(connection, SQL.note_outcome, outcomes)
    return queues


def _succeed(connection: apsw.Connection, ours: Sequence[Settlement], in_line: Collection[str]) -> list[str]:
    """Do the same for simple settlements: statements with fewer values take more rows at once."""
    ended: list[Any] = []
    noted: list[Any] = []
    events: list[Event] = []
    for each in ours:
        finished_at = micros(each.finished_at)
        ended += (each.run_id, finished_at, each.result)
        noted += (each.schedule_id, finished_at, each.result)
        if each.events:
            events += each.events
    run_flat(connection, SQL.settle_successes, ended)
    write_events(connection, events)
    run_flat(connection, SQL.note_successes, noted)
    return [each.schedule_id for each in ours if each.run_id in in_line] if in_line else []


def _retry_values(each: Settlement) -> dict[str, object]:
    return {
        "id": each.run_id,
        "finished_at": micros(each.finished_at),
        "error": each.error,
        "reason": each.reason,
        "retry_at": to_micros(each.retry_at),
        "goes_on": each.goes_on + each.same_attempt,
        "unbegun": int(each.is_unbegun),
    }


def outcome(schedule_id: str, status: Status, ran_at: int | None, result: str | None) -> tuple[object, ...]:
    """Make the values of `note_outcome`; a time that cannot be read is left out."""
    return schedule_id, status, ran_at if is_time(ran_at) else None, result


def cancelled(connection: apsw.Connection, run_ids: Sequence[str], now: int) -> list[Event]:
    """Make the events of runs that were just cancelled."""
    if not run_ids:
        return []
    rows = {row[0]: row for row in connection.execute(SQL.called_off, {"ids": json.dumps(run_ids)})}
    return [called_off(time_of(now), *rows[run_id]) for run_id in run_ids]


def promote(connection: apsw.Connection, schedule_ids: Iterable[str], now: int) -> None:
    """Let waiting runs of schedules begin, as many as there are free places."""
    if ids := sorted(set(schedule_ids)):
        for schedule_id, *line in list(connection.execute(SQL.queue_counts, {"ids": json.dumps(ids)})):
            _come_forward(connection, schedule_id, may_come_forward(*line), now)


def _come_forward(connection: apsw.Connection, schedule_id: str, places: int, now: int) -> None:
    if places:
        connection.execute(SQL.come_forward, {"schedule_id": schedule_id, "places": places, "now": now})


def apply(
    connection: apsw.Connection, due: Sequence[Due], planner: Planner, node_id: str, now: int
) -> tuple[Plan, set[str]]:
    """Ask the planner and write its decision; returns the ids of runs that are really new."""
    plan = planner(due)
    if superseding := [each for each in plan.advances if each.supersede]:
        names = {entry.id: entry.name for entry in due}
        for each in superseding:
            _supersede(connection, each, names[each.schedule_id], now)
    recorded = record(connection, plan.runs, lanes_of(due), node_id, now)
    if begun := schedules_with_new_queue({entry.id: entry.policy for entry in due}, plan.runs, recorded):
        connection.execute(SQL.stand_in_line, {"ids": json.dumps(begun)})
    if len(recorded) < len(plan.runs):
        promote(connection, untaken_places(plan.runs, recorded), now)
    if all(each.enabled and each.quarantine is None for each in plan.advances):
        update_flat(connection, SQL.advance_usual, usual_advance_values(plan.advances))
    else:
        update_flat(connection, SQL.advance, advance_values(plan.advances))
    write_events(connection, events_to_tell(plan, recorded))
    return plan, recorded


def _supersede(connection: apsw.Connection, by: Advance, name: str, now: int) -> None:
    """Close the runs of a schedule that wait for a retry, and let waiting runs have their places."""
    events = []
    for run_id, status, error, ran_at, attempt in list(
        connection.execute(SQL.supersede, {"schedule_id": by.schedule_id, "now": now})
    ):
        connection.execute(SQL.note_outcome, outcome(by.schedule_id, status, ran_at, error_result(error)))
        events.append(superseded(time_of(now), run_id, by.schedule_id, name, error, attempt))
    _come_forward(connection, by.schedule_id, by.come_forward, now)
    write_events(connection, events)


def record(
    connection: apsw.Connection, runs: Sequence[NewRun], lanes: Mapping[str, str], node_id: str, now: int
) -> set[str]:
    """Record runs, one for each fire; returns the ids of those that are new."""
    ids = {run.id for run in runs}
    before = connection.total_changes()
    if not lanes and all(run.status is _RUNNING and run.origin is _SCHEDULE and run.reason is None for run in runs):
        run_flat(connection, SQL.record_begun, begun_run_values(runs), node_id, now)
    else:
        run_flat(connection, SQL.record, new_run_values(runs, lanes, node_id, now))
    if connection.total_changes() - before == len(ids):
        return ids
    return {found for (found,) in connection.execute(SQL.recorded, {"ids": json.dumps(list(ids))})}


def plan_given(connection: apsw.Connection, ids: Collection[str], planner: Planner, now: int) -> Plan:
    """Plan given schedules, due or not; returns the plan with only the runs that are really new."""
    rows = connection.execute(SQL.by_ids, {"ids": json.dumps(sorted(ids))})
    due = _with_counts(connection, [to_due(row[:-3], *row[-3:]) for row in rows])
    plan, recorded = apply(connection, due, planner, "", now)
    plan.runs = [run for run in plan.runs if run.id in recorded]
    clock.decided(connection, now)
    return plan


def _with_counts(connection: apsw.Connection, due: list[Due]) -> list[Due]:
    if due:
        by_id = {entry.id: entry for entry in due}
        counts = connection.execute(SQL.active, {"ids": json.dumps(list(by_id))})
        for schedule_id, status, number, retrying in counts:
            entry = by_id[schedule_id]
            if status == Status.WAITING:
                entry.waiting += number
            else:
                entry.running += number
                if retrying:
                    entry.retrying += number
    return due
