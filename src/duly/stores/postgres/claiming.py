"""Which pending runs a node takes: few statements, each of which looks at no more runs than it may take."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from duly import failpoints
from duly.errors import DecodeError
from duly.model.events import Event
from duly.planning.places import Pool, Ready, full_lanes, lane_of, share_out
from duly.ports.records import Claimed, Cycle, CycleResult, wanted_tokens
from duly.stores import queries
from duly.stores.damage import run_set_aside
from duly.stores.postgres.arrays import Texts
from duly.stores.postgres.connection import Session
from duly.stores.postgres.rows import storable, to_claimed
from duly.stores.postgres.tokens import get_tokens
from duly.stores.postgres.unreadable import nearest
from duly.stores.waiting import REACH, Look, after_births, is_full

SQL = queries.load("postgres")


async def claim(session: Session, turn: Cycle, result: CycleResult, events: list[Event]) -> None:
    """Take pending runs that this node can serve, as far as its pools have places beside the runs just born."""
    pools = after_births(turn.places, result.claimed)
    look, look_again, contended = await _look(session, turn), False, False
    for index, pool in enumerate(pools):
        shared, owners = look.shared(pool, turn.now), look.owners(pool, turn.now)
        if not pool.free or not (shared or owners):
            continue
        if owners:
            chosen = await _choose(session, pool, shared, owners, turn.now)
            rows = await _take_chosen(session, turn, chosen)
            contended |= len(rows) < len(chosen)
        else:
            rows = await _take_shared(session, turn, shared, pool.free)
        taken = await _readable(session, rows, turn.now, events)
        result.claimed += taken
        pools[index] = pool.with_held([lane_of(run.namespace) for run in taken])
        look_again |= not is_full(pools[index], turn)
    if any(pool.size for pool in pools):
        failpoints.hit("cycle.claimed")
    if look_again:
        look = await _look(session, turn)
    # What another node was just taking may come back: then there are places, and nothing would tell of it.
    result.next_wake = turn.now if contended else look.next_wake(pool for pool in pools if is_full(pool, turn))
    result.waiting = look.waiting(turn.now)
    await find_tokens(session, result.claimed)


async def _look(session: Session, turn: Cycle) -> Look:
    rows = await session.fetch_leniently(SQL.waiting, {"handlers": Texts(turn.handlers), "now": turn.now})
    return Look.of((handler, *map(nearest, times)) for handler, *times in rows)


async def _choose(
    session: Session, pool: Pool, shared: Sequence[str], owners: Sequence[str], now: datetime
) -> list[str]:
    """The runs that get the free places of a pool in which owners' runs are due."""
    values = {"shared": Texts(shared), "owners": Texts(owners), "now": now, "limit": pool.free}
    ready = [Ready(*row) for row in await session.fetch(SQL.ready, {**values, "window": REACH * pool.free})]
    in_shared_lane = [each for each in ready if not each.lane]
    if len(ready) - len(in_shared_lane) == REACH * pool.free:  # some lanes may have no run among them
        of_lanes = {"owners": values["owners"], "full": Texts(full_lanes(pool)), "now": now, "limit": pool.free}
        ready = in_shared_lane + [Ready(*row) for row in await session.fetch(SQL.ready_by_lane, of_lanes)]
    return share_out(pool, ready)


async def _take_chosen(session: Session, turn: Cycle, chosen: Sequence[str]) -> list[tuple[Any, ...]]:
    if not chosen:
        return []
    values = {"ids": Texts(chosen), "node_id": turn.node_id, "now": turn.now}
    return await session.fetch(SQL.claim_chosen, values, lenient=True)


async def _take_shared(session: Session, turn: Cycle, handlers: Sequence[str], limit: int) -> list[tuple[Any, ...]]:
    values = {"node_id": turn.node_id, "now": turn.now, "handlers": Texts(handlers)}
    return await session.fetch(SQL.claim, {**values, "limit": limit, "window": REACH * limit}, lenient=True)


async def _readable(
    session: Session, rows: Sequence[tuple[Any, ...]], now: datetime, events: list[Event]
) -> list[Claimed]:
    """The runs in rows that were claimed; those that cannot be read are over."""
    claimed, unreadable = [], {}
    for row in rows:
        try:
            claimed.append(to_claimed(row))
        except DecodeError as error:  # or it would stand in the way of all others for ever
            unreadable[row[0]] = str(error)
            events.append(run_set_aside(row[0], row[1], row[3], row[8] - 1, error, now))
    if unreadable:
        told = {"ids": Texts(list(unreadable)), "reasons": Texts([storable(why) for why in unreadable.values()])}
        await session.fetch(SQL.set_runs_aside, {**told, "now": now})
    return claimed


async def find_tokens(session: Session, runs: Sequence[Claimed]) -> None:
    """Give runs the tokens whose rights count for them, with one statement where there is one to find."""
    if wanted := wanted_tokens(runs):
        tokens = await get_tokens(session, wanted)
        for run in runs:
            run.give(tokens)
