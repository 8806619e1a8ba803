"""Nodes: who is there, who fell silent, and what becomes of their runs. The server's clock decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from duly.model.events import NODE_LOST, NODE_STARTED, NODE_STOPPED, RUN_CANCELLED, RUN_DEAD, RUN_RESCUED, Event
from duly.ports.records import NodeRecord, Rescued
from duly.stores.postgres.arrays import Texts
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import SQL, announce, lock_schedules, promote, write_events

_LOST = "its owner {} fell silent"
_STOPPED = "handed back by a node that stopped"


class _Owned(NamedTuple):
    """A run under way, as `owned` gives it."""

    run_id: str
    owner: str
    schedule_id: str
    attempt: int
    in_line: bool
    cancel_requested: bool
    reason: str | None
    policy: str


async def register(session: Session, node: NodeRecord) -> None:
    """A node joins, or tells anew what it serves."""
    values = {
        "id": node.id,
        "host": node.host,
        "pid": node.pid,
        "pid_started": node.pid_started,
        "boot_id": node.boot_id,
        "lease_seconds": node.lease_seconds,
        "handlers": Texts(node.handlers),
        "started_at": node.started_at,
    }
    await session.fetch(SQL.register, values)
    await write_events(session, [Event(NODE_STARTED, node.started_at, node_id=node.id, data={"pid": node.pid})])


async def deregister(session: Session, node_id: str, now: datetime, keep: Collection[str]) -> None:
    """A node leaves in good order and hands back what it could not finish, except what it cannot stop."""
    await session.fetch(SQL.lock_node, {"id": node_id})
    left = [run for run in await _lock_owned(session, [node_id]) if run.run_id not in keep]
    events = await _hand_back(session, left, [_STOPPED] * len(left), now, refund=1)
    if not keep and await session.value(SQL.bury, {"id": node_id}) is not None:
        events.append(Event(NODE_STOPPED, now, node_id=node_id))
    await write_events(session, events)
    await announce(session)


async def living(session: Session) -> dict[str, list[str]]:
    """Nodes that are alive, with what they serve."""
    return dict(await session.fetch(SQL.living))


async def needs_rescue(session: Session) -> bool:
    """Whether there is anything for `rescue` to do."""
    return bool(await session.value(SQL.needs_rescue))


async def rescue(session: Session, now: datetime, is_poison: Callable[[str, int], bool]) -> list[Rescued]:
    """Take back the runs of every node that is gone, and put lines in motion that have come to a stop."""
    silent = sorted(row[0] for row in await session.fetch(SQL.bury_silent))
    orphaned = [row[0] for row in await session.fetch(SQL.orphans)]
    gone = list(dict.fromkeys([*silent, *orphaned]))
    halted = [row[0] for row in await session.fetch(SQL.stranded)]
    left = await _lock_owned(session, gone, halted)
    rescued, events = {each: Rescued(each) for each in gone}, []
    poisonous = [run for run in left if is_poison(run.policy, run.attempt)]
    dead = {run.run_id for run in poisonous}
    others = [run for run in left if run.run_id not in dead]
    events += await _give_up(session, poisonous, now)
    events += await _hand_back(session, others, [_LOST.format(run.owner) for run in others], now, refund=0)
    for run in poisonous:
        rescued[run.owner].dead.append(run.run_id)
    for run in others:
        if not run.cancel_requested:
            rescued[run.owner].requeued.append(run.run_id)
            events.append(Event(RUN_RESCUED, now, run.schedule_id, run.run_id, run.owner, {"owner": run.owner}))
    owners = Counter(run.owner for run in left)
    known = [each for each in gone if each in silent or owners[each]]
    events += [Event(NODE_LOST, now, node_id=each, data={"runs": owners[each]}) for each in known]
    await promote(session, dict.fromkeys([row[0] for row in await session.fetch(SQL.stranded)], 1), now)
    await write_events(session, events)
    await announce(session)
    return [rescued[each] for each in known]


async def _lock_owned(session: Session, owners: Collection[str], halted: Collection[str] = ()) -> list[_Owned]:
    """What nodes have under way, with its schedules locked first, as everybody does."""
    of_owners = await session.fetch(SQL.schedules_of_owners, {"owners": Texts(list(owners))})
    await lock_schedules(session, {*halted, *(row[0] for row in of_owners)})
    return [_Owned(*row) for row in await session.fetch(SQL.owned, {"owners": Texts(list(owners))})]


async def _hand_back(
    session: Session, runs: Sequence[_Owned], reasons: Sequence[str], now: datetime, refund: int
) -> list[Event]:
    """Make runs ready again; those that were asked to stop have stopped now, and make room."""
    if not runs:
        return []
    ids = Texts([run.run_id for run in runs])
    await session.fetch(SQL.hand_back, {"ids": ids, "reasons": Texts(reasons), "now": now, "refund": refund})
    stopped = [run for run in runs if run.cancel_requested]
    await promote(session, Counter(run.schedule_id for run in stopped if run.in_line), now)
    return [Event(RUN_CANCELLED, now, run.schedule_id, run.run_id, data={"reason": run.reason}) for run in stopped]


async def _give_up(session: Session, runs: Sequence[_Owned], now: datetime) -> list[Event]:
    """Close runs that have taken too many processes down with them."""
    if not runs:
        return []
    told = [_LOST.format(run.owner) for run in runs]
    reasons = Texts([f"{reason}, after {run.attempt} attempts" for run, reason in zip(runs, told, strict=True)])
    await session.fetch(SQL.give_up, {"ids": Texts([run.run_id for run in runs]), "reasons": reasons, "now": now})
    await promote(session, Counter(run.schedule_id for run in runs if run.in_line), now)
    return [
        Event(RUN_DEAD, now, run.schedule_id, run.run_id, run.owner, {"reason": reason, "attempt": run.attempt})
        for run, reason in zip(runs, told, strict=True)
    ]
