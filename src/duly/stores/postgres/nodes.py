"""Nodes: registering them, finding those whose lease has expired by the server's clock, and rescuing their runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from duly import failpoints
from duly.model.events import NODE_LOST, NODE_STARTED, NODE_STOPPED, Event
from duly.model.run import Status
from duly.planning.poison import Fate, IsPoison, UnderWay
from duly.ports.records import NodeRecord, Rescued
from duly.stores.postgres import clock
from duly.stores.postgres.arrays import NumberArray, TextArray, TimeArray
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import lock_schedules, note_outcomes, promote
from duly.stores.postgres.rows import RunOutcome
from duly.stores.postgres.suspects import clear, judged
from duly.stores.postgres.transaction import SQL, announce, write_events
from duly.stores.postgres.unreadable import readable
from duly.stores.run_records import called_off, error_result, given_up, lost_with, run_dead, run_rescued

_STOPPED = "handed back by a node that stopped"
AT_ONCE = 1000
"""Runs taken back in one transaction."""
_AT_ONCE = 5_000  # rows per statement, so that none runs into its time limit


class _Owned(NamedTuple):
    """A running run, as `owned` returns it."""

    run_id: str
    owner: str | None
    schedule_id: str
    name: str
    attempt: int
    lost: int
    in_line: bool
    cancel_requested: bool
    reason: str | None
    started_at: datetime | int | None
    policy: str


class _Back(NamedTuple):
    """A run to be made pending again, and why."""

    run: _Owned
    reason: str
    fate: Fate


async def register(session: Session, node: NodeRecord, now: datetime) -> None:
    """Register a node, or update the handlers it serves."""
    values = {
        "id": node.id,
        "host": node.host,
        "pid": node.pid,
        "pid_started": node.pid_started,
        "boot_id": node.boot_id,
        "lease_seconds": node.lease_seconds,
        "handlers": TextArray(node.handlers),
        "started_at": node.started_at,
        "seen_at": now,
        "version": node.version,
    }
    if await session.value(SQL.register, values) is None:
        await session.fetch(SQL.serve, {"id": node.id, "handlers": values["handlers"], "seen_at": now})
    else:
        await write_events(session, [Event(NODE_STARTED, node.started_at, node_id=node.id, data={"pid": node.pid})])


async def deregister(session: Session, node_id: str, now: datetime, keep: Collection[str]) -> None:
    """Remove a node that stops in good order; its runs become pending again, except those in `keep`."""
    await session.fetch(SQL.lock_node, {"id": node_id})
    left = [run for run in await _lock_owned(session, [node_id]) if run.run_id not in keep]
    back = [_Back(run, _STOPPED, Fate(dead=False, lost=run.lost)) for run in left]
    await _hand_back(session, back, now, refund=1)
    await promote(session, _queued_schedules([run for run in left if run.cancel_requested]), now)
    events = [_called_off(run, now) for run in left if run.cancel_requested]
    if not keep and await session.value(SQL.bury, {"id": node_id, "seen_at": now}) is not None:
        events.append(Event(NODE_STOPPED, now, node_id=node_id))
    await clock.decided(session, now)
    await write_events(session, events)
    await announce(session)


async def living(session: Session) -> dict[str, list[str]]:
    """Return the living nodes, with the handlers they serve."""
    return dict(await session.fetch(SQL.living))


async def serving(session: Session) -> dict[str, frozenset[str]]:
    """Return the handlers of each living node."""
    return {node_id: frozenset(handlers) for node_id, handlers in (await living(session)).items()}


async def needs_rescue(session: Session) -> bool:
    """Tell whether `rescue` has anything to do."""
    return bool(await session.value(SQL.needs_rescue))


class TakenBack(NamedTuple):
    """What one transaction of a rescue did."""

    rescued: list[Rescued]
    numbers: dict[str | None, int]
    """How many runs it took back from each owner."""
    more: bool
    """Whether there are more runs to take back, in another transaction."""


async def rescue(session: Session, now: datetime, is_poison: IsPoison, before: Mapping[str | None, int]) -> TakenBack:
    """Take back some of the runs that no living node owns, and promote waiting runs that were left behind.

    `before` says how many of each owner's runs this rescue has taken back already.
    """
    silent = sorted(row[0] for row in await session.fetch(SQL.bury_silent))
    failpoints.hit("rescue.buried")
    owners = list(dict.fromkeys([*silent, *(row[0] for row in await session.fetch(SQL.orphans))]))
    gone = [*owners, None]
    halted = [row[0] for row in await session.fetch(SQL.stranded)]
    unowned = [row[0] for row in await session.fetch(SQL.schedules_of_unowned, {"limit": AT_ONCE})]
    left = await _lock_owned(session, owners, [*halted, *unowned], AT_ONCE)
    if unowned:
        rows = await session.fetch_leniently(SQL.unowned, {"locked": TextArray(unowned), "limit": AT_ONCE})
        left += [_Owned(*row) for row in rows]
    left.sort(key=lambda run: (gone.index(run.owner), run.run_id))
    await _note_lost(session, left, now)
    under_way = [UnderWay(run_id=run.run_id, policy=run.policy, lost=run.lost) for run in left]
    decided = dict(zip((run.run_id for run in left), await judged(session, under_way, is_poison), strict=True))
    dead = [run for run in left if decided[run.run_id].dead]
    lost = {run.run_id for run in dead}
    others = [run for run in left if run.run_id not in lost]
    await _give_up(session, dead, now)
    await _hand_back(session, [_Back(run, lost_with(run.owner), decided[run.run_id]) for run in others], now, refund=0)
    failpoints.hit("rescue.requeued")
    await promote(session, _queued_schedules([*dead, *(run for run in others if run.cancel_requested)]), now)
    locked = {*halted, *(run.schedule_id for run in left)}
    await promote(session, [row[0] for row in await session.fetch(SQL.stranded) if row[0] in locked], now)
    unfinished = (
        {row[0] for row in await session.fetch(SQL.owns_more, {"owners": TextArray(owners)})} if left else set()
    )
    numbers = Counter(run.owner for run in left)
    rescued, events = _report(gone, silent, left, lost, now, unfinished, before)
    await clock.decided(session, now)
    await write_events(session, events)
    await announce(session)
    if dead:
        await clear(session, now)  # last: this takes locks out of the usual order
    return TakenBack(rescued, dict(numbers), more=bool(unfinished))


def _report(
    gone: Sequence[str | None],
    silent: Collection[str],
    left: Sequence[_Owned],
    dead: Collection[str],
    now: datetime,
    unfinished: Collection[str | None],
    before: Mapping[str | None, int],
) -> tuple[list[Rescued], list[Event]]:
    """Make the result and the events, node by node."""
    rescued: list[Rescued] = []
    events: list[Event] = []
    of_owner: dict[str | None, list[_Owned]] = defaultdict(list)
    for run in left:
        of_owner[run.owner].append(run)
    for node_id in gone:
        one = Rescued(node_id)
        runs = of_owner[node_id]
        if not runs and node_id not in silent:
            continue  # another node has rescued them
        for run in runs:
            if run.run_id in dead:
                one.dead.append(run.run_id)
                reason = lost_with(node_id)
                events.append(run_dead(now, run.run_id, run.schedule_id, run.name, reason, run.attempt, node_id))
            elif run.cancel_requested:
                events.append(_called_off(run, now))
            else:
                one.requeued.append(run.run_id)
                events.append(run_rescued(now, run.run_id, run.schedule_id, run.name, node_id))
        rescued.append(one)
        if node_id is not None and node_id not in unfinished:
            number = before.get(node_id, 0) + len(runs)
            events.append(Event(NODE_LOST, now, node_id=node_id, data={"runs": number}))
    return rescued, events


def _called_off(run: _Owned, now: datetime) -> Event:
    return called_off(now, run.run_id, run.schedule_id, run.name, run.reason)


def _queued_schedules(runs: Sequence[_Owned]) -> list[str]:
    """Return the schedules in which these runs held a place that queued runs wait for."""
    return [run.schedule_id for run in runs if run.in_line]


async def _lock_owned(
    session: Session, owners: Collection[str], halted: Collection[str] = (), at_most: int | None = None
) -> list[_Owned]:
    """Read runs that nodes own, after locking their schedules: schedules come before runs in the lock order."""
    values = {"owners": TextArray(list(owners)), "limit": at_most}
    of_owners = [row[0] for row in await session.fetch(SQL.schedules_of_owners, values)]
    await lock_schedules(session, {*halted, *of_owners})
    locked = {"locked": TextArray(of_owners)}
    return [_Owned(*row) for row in await session.fetch_leniently(SQL.owned, {**values, **locked})]


async def _hand_back(session: Session, back: Sequence[_Back], now: datetime, refund: int) -> None:
    """Make runs pending again; those that were asked to stop are cancelled."""
    if back:
        values = {
            "ids": TextArray([each.run.run_id for each in back]),
            "reasons": TextArray([each.reason for each in back]),
            "lost": NumberArray([each.fate.lost for each in back]),
            "due": TimeArray([now + each.fate.wait for each in back]),
        }
        await session.fetch(SQL.hand_back, {**values, "now": now, "refund": refund})


async def _note_lost(session: Session, runs: Sequence[_Owned], now: datetime) -> None:
    """Keep attempts that were lost with their process."""
    if runs:
        reasons = TextArray([lost_with(run.owner) for run in runs])
        await session.fetch(
            SQL.note_lost, {"ids": TextArray([run.run_id for run in runs]), "reasons": reasons, "now": now}
        )


async def _give_up(session: Session, runs: Sequence[_Owned], now: datetime) -> None:
    """Mark runs as dead that have ended too many processes."""
    if runs:
        reasons = TextArray([given_up(lost_with(run.owner), run.lost + 1) for run in runs])
        await session.fetch(
            SQL.give_up, {"ids": TextArray([run.run_id for run in runs]), "reasons": reasons, "now": now}
        )
        await note_outcomes(session, [_death(run) for run in runs])


def _death(run: _Owned) -> RunOutcome:
    reason = error_result(lost_with(run.owner))
    return RunOutcome(run.schedule_id, Status.DEAD, reason, readable(run.started_at))


async def rest(session: Session, handler: str) -> None:
    """Stop planning the schedules of a handler, unless a living node serves it.

    The schedules are locked before the nodes are read: a node registers before it saves its schedules, so it is either
    seen here or saves them after this transaction.
    """
    awake = [row[0] for row in await session.fetch(SQL.lock_awake, {"handler": handler})]
    if not any(handler in handlers for handlers in (await living(session)).values()):
        for start in range(0, len(awake), _AT_ONCE):
            await session.fetch(SQL.rest, {"ids": TextArray(awake[start : start + _AT_ONCE])})
