"""The one transaction: settle, plan, claim. The number of statements does not depend on the number of runs.

Locks are taken in one order everywhere: nodes, then schedules by id, then runs, then the journal. What is not taken in
that order is taken only if nobody has it (`SKIP LOCKED`), so two nodes never wait for each other in a circle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from duly import failpoints
from duly.model.events import RUN_CANCELLED, Event
from duly.model.run import Status
from duly.ports.records import Claimed, Cycle, CycleResult, Due, NewRun, Plan, Planner, Settlement
from duly.stores import queries
from duly.stores.postgres.arrays import Numbers, Texts
from duly.stores.postgres.connection import Session
from duly.stores.postgres.rows import (
    advance_columns,
    event_columns,
    new_run_columns,
    settlement_columns,
    to_claimed,
)

SQL = queries.load("postgres")

_JOURNAL = 0x6475_6C79_0001  # "duly", and a number: the advisory lock of the journal's writers
_REACH = 4  # so many times more runs are looked at than claimed, for the others are looking, too


async def run_cycle(session: Session, turn: Cycle) -> CycleResult:
    """One turn of the engine."""
    result = CycleResult()
    events = list(turn.events)
    news = False
    if turn.settlements:
        news = await _settle(session, turn, result, events)
        failpoints.hit("cycle.settled")
    if turn.planner is not None and turn.plan_limit:
        news |= await _plan_due(session, turn, turn.planner, result, events)
    room = turn.claim_limit - len(result.claimed)
    if room > 0 and turn.handlers:
        result.claimed += await claim(session, turn, room)
        failpoints.hit("cycle.claimed")
    result.next_wake = await session.value(SQL.next_wake, {"handlers": Texts(turn.handlers)})
    await write_events(session, events)
    if news:
        await announce(session)
    return result


async def _settle(session: Session, turn: Cycle, result: CycleResult, events: list[Event]) -> bool:
    """End attempts; tells whether others came forward for it."""
    result.refused, freed, told = await settle(session, turn.settlements, turn.now)
    events += told
    return await promote(session, freed, turn.now)


async def settle(
    session: Session, settlements: Sequence[Settlement], now: datetime
) -> tuple[list[str], Counter[str], list[Event]]:
    """End attempts; gives the runs that were no longer ours to end, the places that became free, and what to tell."""
    await lock_schedules(session, {each.schedule_id for each in settlements})
    columns = settlement_columns(settlements)
    rows = await session.fetch(SQL.settle, columns)
    freed, events = Counter[str](), []
    for run_id, schedule_id, is_freed, called_off, reason in rows:
        if is_freed:
            freed[schedule_id] += 1
        if called_off:
            events.append(Event(RUN_CANCELLED, now, schedule_id, run_id, data={"reason": reason}))
    if len(rows) == len(settlements):
        return [], freed, events
    settled = {row[0] for row in await session.fetch(SQL.settled_already, columns)}
    return [each.run_id for each in settlements if each.run_id not in settled], freed, events


async def lock_schedules(session: Session, ids: Collection[str]) -> None:
    """Keep others from changing, planning or promoting schedules. What they did before is seen by later statements."""
    if ids:
        await session.fetch(SQL.lock_schedules, {"ids": Texts(sorted(ids))})


async def promote(session: Session, freed: Mapping[str, int], now: datetime) -> bool:
    """Let waiting runs of locked schedules come forward, one for each free place; tells whether there were any."""
    if not freed:
        return False
    values = {"ids": Texts(list(freed)), "places": Numbers(list(freed.values())), "now": now}
    return bool(await session.fetch(SQL.promote, values))


async def _plan_due(session: Session, turn: Cycle, planner: Planner, result: CycleResult, events: list[Event]) -> bool:
    """Plan what is due; tells whether there is something to do for others."""
    rows = await session.fetch(SQL.due, {"now": turn.now, "limit": turn.plan_limit})
    if not rows:
        return False
    due = await _with_counts(session, rows)
    plan, recorded = await apply(session, due, planner, turn.node_id, turn.now)
    failpoints.hit("cycle.planned")
    events += plan.events
    result.planned, result.recorded = len(plan.advances), len(recorded)
    result.claimed = _claimed_at_birth(due, (run for run in plan.runs if run.id in recorded))
    return any(run.status is Status.PENDING for run in plan.runs)


async def apply(
    session: Session, due: Sequence[Due], planner: Planner, node_id: str, now: datetime
) -> tuple[Plan, set[str]]:
    """Ask the planner and write down what it decided, but for the events; gives the ids of runs that are really new."""
    plan = planner(due)
    if superseded := [each.schedule_id for each in plan.advances if each.supersede]:
        await session.fetch(SQL.supersede, {"ids": Texts(superseded), "now": now})
    recorded: set[str] = set()
    if plan.runs:
        rows = await session.fetch(SQL.record, {**new_run_columns(plan.runs), "node_id": node_id, "now": now})
        recorded = {row[0] for row in rows}
    if plan.advances:
        await session.fetch(SQL.advance, advance_columns(plan.advances))
    return plan, recorded


async def plan_given(session: Session, ids: Collection[str], planner: Planner, now: datetime) -> Plan:
    """Plan given schedules, due or not; gives the plan with only the runs that are really new."""
    due = await _with_counts(session, await session.fetch(SQL.by_ids, {"ids": Texts(sorted(ids))}))
    plan, recorded = await apply(session, due, planner, "", now)
    plan.runs = [run for run in plan.runs if run.id in recorded]
    await write_events(session, plan.events)
    await announce(session)
    return plan


async def claim(session: Session, turn: Cycle, limit: int) -> list[Claimed]:
    """Take pending runs that this node can serve."""
    values = {
        "node_id": turn.node_id,
        "now": turn.now,
        "handlers": Texts(turn.handlers),
        "limit": limit,
        "window": _REACH * limit,
    }
    return [to_claimed(row) for row in await session.fetch(SQL.claim, values)]


async def write_events(session: Session, events: Iterable[Event]) -> None:
    """Write the durable ones down; the last thing a transaction does, for others wait meanwhile."""
    durable = [event for event in events if event.kind.durable]
    if durable:
        await session.fetch(SQL.lock_journal, {"key": _JOURNAL})
        await session.fetch(SQL.events, event_columns(durable))


async def announce(session: Session) -> None:
    """Wake the others once this is committed."""
    await session.fetch(SQL.announce)


async def _with_counts(session: Session, rows: Sequence[tuple[object, ...]]) -> list[Due]:
    """What planners see. Counted after the schedules were locked, so that what was committed before is counted in."""
    due = {entry.id: entry for entry in (Due(*row) for row in rows)}  # type: ignore[arg-type]  # in that order
    if due:
        for schedule_id, running, retrying, waiting in await session.fetch(SQL.active, {"ids": Texts(list(due))}):
            entry = due[schedule_id]
            entry.running, entry.retrying, entry.waiting = running, retrying, waiting
    return list(due.values())


def _claimed_at_birth(due: Sequence[Due], runs: Iterable[NewRun]) -> list[Claimed]:
    schedules = {entry.id: entry for entry in due}
    claimed = []
    for run in runs:
        if run.status is Status.RUNNING:
            of = schedules[run.schedule_id]
            ids = run.id, of.id, of.namespace, of.name, run.origin
            claimed.append(Claimed(*ids, run.fire_at, run.due_at, run.handler, 1, 1, of.action, of.policy))
    return claimed
