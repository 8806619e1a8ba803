"""The one transaction: settle, plan, claim. Everything is done in batches; nothing is asked per run."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

import apsw

from duly import failpoints
from duly.model.events import RUN_CANCELLED, Event
from duly.model.run import Status
from duly.ports.records import Claimed, Cycle, CycleResult, Due, Plan, Planner, Settlement
from duly.stores import queries
from duly.stores.outcomes import claimed_at_birth, error_result, last_result
from duly.stores.sqlite.rows import (
    event_values,
    micros,
    new_run_values,
    time_of,
    to_claimed,
    to_due,
    to_micros,
    to_time,
)

SQL = queries.load("sqlite")


def run_cycle(connection: apsw.Connection, turn: Cycle) -> CycleResult:
    """One turn of the engine."""
    now = micros(turn.now)
    handlers = json.dumps(list(turn.handlers))
    result = CycleResult()
    if turn.settlements:
        result.refused = settle(connection, turn.settlements, now)
        failpoints.hit("cycle.settled")
    if turn.planner is not None and turn.plan_limit:
        due = _with_counts(connection, connection.execute(SQL.due, {"now": now, "limit": turn.plan_limit}))
        if due:
            plan, recorded = apply(connection, due, turn.planner, turn.node_id, now)
            failpoints.hit("cycle.planned")
            result.planned, result.recorded = len(plan.advances), len(recorded)
            result.claimed = claimed_at_birth(due, (run for run in plan.runs if run.id in recorded))
    room = turn.claim_limit - len(result.claimed)
    if room > 0 and turn.handlers:
        result.claimed += claim(connection, turn.node_id, now, handlers, room)
        failpoints.hit("cycle.claimed")
    write_events(connection, turn.events)
    result.next_wake = to_time(connection.execute(SQL.next_wake, {"handlers": handlers}).get)
    return result


def settle(connection: apsw.Connection, settlements: Sequence[Settlement], now: int) -> list[str]:
    """End attempts; gives the ids of those that were no longer ours to end."""
    final = [_settlement_values(each) for each in settlements if each.retry_at is None]
    again = [_settlement_values(each) for each in settlements if each.retry_at is not None]
    settled = {row[:2]: row[2:] for row in connection.executemany(SQL.settle_final, final)}
    settled |= {row[:2]: row[2:] for row in connection.executemany(SQL.settle_retry, again)}
    refused, noted, freed, called_off = [], [], [], []
    for each in settlements:
        ended = settled.pop((each.run_id, each.fence), None)  # said twice counts once
        if ended is None:
            if connection.execute(SQL.settled_already, {"id": each.run_id, "fence": each.fence}).get is None:
                refused.append(each.run_id)
            continue
        in_line, status, reason = ended
        if status == Status.PENDING:
            continue
        noted.append(outcome(each.schedule_id, status, micros(each.finished_at), last_result(each)))
        if in_line:
            freed.append(each.schedule_id)
        if each.retry_at is not None:
            called_off.append(cancelled(each.schedule_id, each.run_id, reason, now))
    connection.executemany(SQL.note_outcome, noted)
    promote(connection, freed, now)
    write_events(connection, called_off)
    return refused


def _settlement_values(each: Settlement) -> dict[str, object]:
    return {
        "id": each.run_id,
        "fence": each.fence,
        "status": each.status,
        "finished_at": micros(each.finished_at),
        "result": each.result,
        "error": each.error,
        "reason": each.reason,
        "retry_at": to_micros(each.retry_at),
        "goes_on": int(each.goes_on),
    }


def outcome(schedule_id: str, status: Status, finished_at: int, result: str | None) -> dict[str, object]:
    """The end of a run, as the values of `note_outcome`."""
    return {"schedule_id": schedule_id, "status": status, "finished_at": finished_at, "last_result": result}


def cancelled(schedule_id: str, run_id: str, reason: str | None, now: int) -> Event:
    """Told when the store itself calls a run off."""
    return Event(RUN_CANCELLED, time_of(now), schedule_id, run_id, data={"reason": reason})


def promote(connection: apsw.Connection, schedule_ids: Iterable[str], now: int) -> None:
    """Let one waiting run of each schedule come forward."""
    connection.executemany(SQL.promote, [{"schedule_id": schedule_id, "now": now} for schedule_id in schedule_ids])


def apply(
    connection: apsw.Connection, due: Sequence[Due], planner: Planner, node_id: str, now: int
) -> tuple[Plan, set[str]]:
    """Ask the planner and write down what it decided; gives the ids of runs that are really new."""
    plan = planner(due)
    for advance in plan.advances:
        if advance.supersede:
            superseded = list(connection.execute(SQL.supersede, {"schedule_id": advance.schedule_id, "now": now}))
            ends = [outcome(advance.schedule_id, Status.FAILED, now, error_result(row[0])) for row in superseded]
            connection.executemany(SQL.note_outcome, ends)
    values = [new_run_values(run, node_id, now) for run in plan.runs]
    recorded = {row[0] for row in connection.executemany(SQL.record, values)}
    connection.executemany(
        SQL.advance,
        [
            (
                int(each.enabled),
                to_micros(each.next_fire_at),
                to_micros(each.next_run_at),
                to_micros(each.watermark),
                each.fires,
                each.quarantine,
                each.disabled_by,
                each.schedule_id,
            )
            for each in plan.advances
        ],
    )
    write_events(connection, plan.events)
    return plan, recorded


def plan_given(connection: apsw.Connection, ids: Collection[str], planner: Planner, now: int) -> Plan:
    """Plan given schedules, due or not; gives the plan with only the runs that are really new."""
    due = _with_counts(connection, connection.execute(SQL.by_ids, {"ids": json.dumps(sorted(ids))}))
    plan, recorded = apply(connection, due, planner, "", now)
    plan.runs = [run for run in plan.runs if run.id in recorded]
    return plan


def claim(connection: apsw.Connection, node_id: str, now: int, handlers: str, limit: int) -> list[Claimed]:
    """Take pending runs that this node can serve."""
    rows = list(connection.execute(SQL.claimable, {"handlers": handlers, "now": now, "limit": limit}))
    connection.executemany(SQL.claim, [(node_id, now, row[0]) for row in rows])
    return [to_claimed(row, taken=True) for row in rows]


def write_events(connection: apsw.Connection, events: Sequence[Event]) -> None:
    """Write the durable ones down."""
    durable = [event_values(event) for event in events if event.kind.durable]
    if durable:
        connection.executemany(SQL.event, durable)


def _with_counts(connection: apsw.Connection, rows: Iterable[tuple[object, ...]]) -> list[Due]:
    due = {row[0]: to_due(row) for row in rows}
    if due:
        counts = connection.execute(SQL.active, {"ids": json.dumps(list(due))})
        for schedule_id, status, tried, number in counts:
            entry = due[schedule_id]
            if status == Status.WAITING:
                entry.waiting += number
            else:
                entry.running += number
                if status == Status.PENDING and tried:
                    entry.retrying += number
    return list(due.values())
