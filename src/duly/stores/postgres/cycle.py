"""The cycle: settle, plan and claim in one transaction. The number of statements does not depend on that of runs.

Locks are taken in one order everywhere: nodes, then schedules by id, then runs, then the journal. A lock outside that
order is taken only if it is free (`SKIP LOCKED`), so two nodes never wait for each other in a circle.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from duly import failpoints
from duly.model.events import Event
from duly.model.run import Status
from duly.planning.clock_marks import ClockMarks, Correction
from duly.ports.records import Advance, Cycle, CycleResult, Due, Plan, Planner
from duly.ports.upkeep import Ahead, Correct
from duly.stores.crud import corrections
from duly.stores.postgres import clock
from duly.stores.postgres.arrays import ArrayColumn, NumberArray, TextArray
from duly.stores.postgres.claiming import claim
from duly.stores.postgres.connection import Session
from duly.stores.postgres.rows import (
    RunOutcome,
    advance_columns,
    new_run_columns,
    outcome_columns,
    settlement_columns,
    success_columns,
    to_due,
    to_schedule,
)
from duly.stores.postgres.transaction import SQL, PostgresTransaction, announce, write_events
from duly.stores.postgres.unreadable import readable
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

_PARTS = 4  # a batch is planned in so many parts,
_SMALL = 50  # unless they would be smaller than this


async def run_cycle(session: Session, turn: Cycle) -> CycleResult:
    """Run one turn of the engine."""
    result = CycleResult()
    events = list(turn.events)
    news = False
    clock_reading = await clock.read(session)
    if turn.settlements:
        news = await settle(session, turn, result, events)
        failpoints.hit("cycle.settled")
    if clock_reading.mark.forbids_planning(turn.wall):
        result.planned_ahead = True
    elif turn.planner is not None and turn.plan_limit:
        news |= await _plan_due(session, turn, turn.planner, result, events, clock_reading.mark)
    await claim(session, turn, result, events)
    if (turn.settlements or result.planned or result.claimed) and not clock_reading.leaves_out(turn.decides_until):
        await clock.decided(session, turn.decides_until)
    await write_events(session, events)
    if news:
        await announce(session)
    return result


async def settle(session: Session, turn: Cycle, result: CycleResult, events: list[Event]) -> bool:
    """End attempts; returns whether other runs may begin because of it, or these on another node."""
    locking = {"ids": TextArray(sorted({each.schedule_id for each in turn.settlements}))}
    async with session.meanwhile(SQL.lock_schedules, locking):
        said = {
            (each.run_id, each.fence): each for each in reversed(turn.settlements)
        }  # a settlement that is sent twice counts once
        settlements = list(reversed(said.values()))
        simple = are_simple(settlements)
        columns = success_columns(settlements) if simple else settlement_columns(settlements)
    if failed := [each for each in settlements if each.status is Status.FAILED]:
        kept = settlement_columns(failed)
        await session.fetch(SQL.note_failed, {name: kept[name] for name in ("ids", "fences", "finished", "errors")})
    settled = await session.fetch(SQL.settle_successes if simple else SQL.settle, columns)
    outcomes: list[RunOutcome] = []
    freed: set[str] = set()
    stopped: list[str] = []
    for number, status, in_line in sorted(settled):
        each = settlements[number - 1]
        events += each.events
        if status == Status.PENDING:
            continue
        if not simple:
            outcomes.append(RunOutcome(each.schedule_id, status, last_result(each), each.finished_at))
        if in_line:
            freed.add(each.schedule_id)
        if status == Status.CANCELLED:
            stopped.append(each.run_id)
    events += await cancelled(session, stopped, turn.now)
    await note_outcomes(session, outcomes)
    if len(settled) < len(settlements):
        values = {"ids": columns["ids"], "fences": columns["fences"]}
        known = {row[0] for row in await session.fetch(SQL.settled_already, values)}
        result.refused = [each.run_id for each in turn.settlements if each.run_id not in known]
    return await promote(session, freed, turn.now) or any(each.is_unbegun for each in settlements)


async def note_outcomes(session: Session, outcomes: Sequence[RunOutcome]) -> None:
    """Let schedules remember how their last runs ended."""
    if carried_out := [each for each in outcomes if each.status not in NOT_CARRIED_OUT]:
        await session.fetch(SQL.note_outcomes, outcome_columns(carried_out))


async def cancelled(session: Session, run_ids: Sequence[str], now: datetime) -> list[Event]:
    """Make the events of runs that were just cancelled."""
    if not run_ids:
        return []
    rows = {row[0]: row for row in await session.fetch(SQL.called_off, {"ids": TextArray(run_ids)})}
    return [called_off(now, *rows[run_id]) for run_id in run_ids]


async def lock_schedules(session: Session, ids: Collection[str]) -> None:
    """Lock schedules against changes, planning and promotion; later statements see what others committed before."""
    if ids:
        await session.fetch(SQL.lock_schedules, {"ids": TextArray(sorted(ids))})


async def promote(session: Session, schedule_ids: Iterable[str], now: datetime) -> bool:
    """Let waiting runs of locked schedules begin, as many as there are free places; returns whether any may."""
    if not (ids := sorted(set(schedule_ids))):
        return False
    lines = await session.fetch(SQL.queue_counts, {"ids": TextArray(ids)})
    return await _come_forward(session, {each: may_come_forward(*line) for each, *line in lines}, now)


async def _come_forward(session: Session, places: Mapping[str, int], now: datetime) -> bool:
    wanted = {schedule_id: number for schedule_id, number in places.items() if number}
    if not wanted:
        return False
    values = {"ids": TextArray(list(wanted)), "places": NumberArray(list(wanted.values())), "now": now}
    return bool(await session.fetch(SQL.come_forward, values))


async def place_again(session: Session, ids: Collection[str], step: Correction, correct: Correct) -> int:
    """Let schedules go on from the corrected time; returns how many fire earlier than before."""
    await lock_schedules(session, ids)
    if await corrections.is_over(PostgresTransaction(session), step):
        return 0
    now = step.now
    there = await clock.still_ahead(session, ids, now)
    fires = await clock.fires_ahead(session, there, now)
    rows = await session.fetch_leniently(SQL.get_schedules, {"ids": TextArray(there)})
    corrected = correct([Ahead(row, fires.get(row.id, [])) for row in map(to_schedule, rows)])
    moved = await clock.place(session, corrected.placements, now)
    await promote(session, [each for each, at in corrected.placements.items() if at.taken_back], now)
    await write_events(session, corrected.events)
    await announce(session)
    return moved


async def _plan_due(
    session: Session, turn: Cycle, planner: Planner, result: CycleResult, events: list[Event], mark: ClockMarks
) -> bool:
    """Plan what is due; returns whether there is something to do for other nodes."""
    rows = await session.fetch_leniently(SQL.due, {"until": turn.due_until, "limit": turn.plan_limit})
    if not rows:
        return False
    due = await _with_counts(session, rows)
    await clock.note_taken(session, due, mark)
    plan, recorded, new_events = await apply(session, due, planner, turn.node_id, turn.now)
    failpoints.hit("cycle.planned")
    events += new_events
    result.planned = len(plan.advances)
    result.recorded = len(recorded)
    result.claimed = claimed_at_birth(due, (run for run in plan.runs if run.id in recorded))
    return any(run.status is Status.PENDING for run in plan.runs) or any(each.supersede for each in plan.advances)


async def apply(
    session: Session, due: Sequence[Due], planner: Planner, node_id: str, now: datetime
) -> tuple[Plan, set[str], list[Event]]:
    """Ask the planner and write its decision; returns the ids of runs that are really new, and the events.

    A large batch is planned in parts: while the server writes one part, the next is planned.
    """
    size = max(_SMALL, -(-len(due) // _PARTS))
    parts = [due[start : start + size] for start in range(size, len(due), size)]
    whole = Plan()
    recorded: set[str] = set()
    events: list[Event] = []
    names = {entry.id: entry.name for entry in due}
    decided = _decide(planner, due[:size], whole)
    for part in parts:
        events += await _supersede(session, decided.superseding, names, now)
        async with session.meanwhile(SQL.write_down, {**decided.columns, "node_id": node_id, "now": now}) as written:
            decided = _decide(planner, part, whole)
        recorded.update(row[0] for row in written.result())
    events += await _supersede(session, decided.superseding, names, now)
    rows = await session.fetch(SQL.write_down, {**decided.columns, "node_id": node_id, "now": now})
    recorded.update(row[0] for row in rows)
    if begun := schedules_with_new_queue({entry.id: entry.policy for entry in due}, whole.runs, recorded):
        await session.fetch(SQL.stand_in_line, {"ids": TextArray(begun)})
    await promote(session, untaken_places(whole.runs, recorded), now)
    return whole, recorded, [*events, *events_to_tell(whole, recorded)]


class _Decided(NamedTuple):
    """A part of a plan on its way to the server."""

    columns: dict[str, ArrayColumn]
    superseding: list[Advance]


def _decide(planner: Planner, due: Sequence[Due], whole: Plan) -> _Decided:
    """Plan a part of a batch, and add it to the whole plan."""
    plan = planner(due)
    whole.advances += plan.advances
    whole.runs += plan.runs
    whole.events += plan.events
    columns = {**new_run_columns(plan.runs, lanes_of(due)), **advance_columns(plan.advances)}
    return _Decided(columns, [each for each in plan.advances if each.supersede])


async def _supersede(session: Session, by: Sequence[Advance], names: Mapping[str, str], now: datetime) -> list[Event]:
    """Close the runs of schedules that wait for a retry, and let waiting runs have their places."""
    if not by:
        return []
    ids = TextArray([each.schedule_id for each in by])
    ends: list[RunOutcome] = []
    events: list[Event] = []
    for run_id, of, status, error, ran_at, attempt in await session.fetch(
        SQL.supersede, {"ids": ids, "now": now}, lenient=True
    ):
        ends.append(RunOutcome(of, status, error_result(error), readable(ran_at)))
        events.append(superseded(now, run_id, of, names[of], error, attempt))
    await note_outcomes(session, ends)
    await _come_forward(session, {each.schedule_id: each.come_forward for each in by}, now)
    return events


async def plan_given(session: Session, ids: Collection[str], planner: Planner, now: datetime) -> Plan:
    """Plan given schedules, due or not; returns the plan with only the runs that are really new."""
    due = await _with_counts(session, await session.fetch_leniently(SQL.by_ids, {"ids": TextArray(sorted(ids))}))
    plan, recorded, events = await apply(session, due, planner, "", now)
    plan.runs = [run for run in plan.runs if run.id in recorded]
    await clock.decided(session, now)
    await write_events(session, events)
    await announce(session)
    return plan


async def _with_counts(session: Session, rows: Sequence[tuple[object, ...]]) -> list[Due]:
    """Make the records for the planner; runs are counted after the schedules were locked, so none is missed."""
    due = {entry.id: entry for entry in map(to_due, rows)}
    if due:
        for schedule_id, running, retrying, waiting in await session.fetch(SQL.active, {"ids": TextArray(list(due))}):
            entry = due[schedule_id]
            entry.running = running
            entry.retrying = retrying
            entry.waiting = waiting
    return list(due.values())
