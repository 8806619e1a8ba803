"""Claiming: a node takes pending runs, in few statements, each of which reads no more runs than it may take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from duly import failpoints
from duly.errors import DecodeError
from duly.model.events import Event
from duly.planning.places import Pool, Ready, full_lanes, lane_of, share_out
from duly.ports.records import Claimed, Cycle, CycleResult, wanted_tokens
from duly.ports.tokens import TokenRecord
from duly.stores.postgres.arrays import NumberArray, TextArray, TimeArray
from duly.stores.postgres.connection import Session
from duly.stores.postgres.rows import storable, to_claimed
from duly.stores.postgres.transaction import SQL, PostgresTransaction
from duly.stores.postgres.unreadable import nearest
from duly.stores.quarantine import EARLIEST
from duly.stores.run_records import run_dead
from duly.stores.upcoming import REACH, Upcoming, after_births, is_full, room

_BEFORE_ALL_TIMES = -(2**63)  # -infinity, as PostgreSQL keeps it


async def claim(session: Session, turn: Cycle, result: CycleResult, events: list[Event]) -> None:
    """Take pending runs that this node can serve, as far as its pools have places beside the runs just born."""
    pools = after_births(turn.places, result.claimed)
    upcoming = await _upcoming(session, turn)
    look_again = False
    contended = False
    for index, pool in enumerate(pools):
        shared = upcoming.shared(pool, turn.now)
        owners = upcoming.owners(pool, turn.now)
        free = room(pool, owners)
        if not free or not (shared or owners):
            continue
        if owners:
            chosen = await _choose(session, pool, shared, owners, turn.now)
            rows = await _take_chosen(session, turn, chosen)
            contended |= len(rows) < len(chosen)
        else:
            rows = await _take_shared(session, turn, {each: upcoming.runs[each].shared_at for each in shared}, free)
        taken = await _readable(session, rows, turn.now, events)
        result.claimed += taken
        pools[index] = pool.with_held([lane_of(run.namespace) for run in taken])
        look_again |= not is_full(pools[index], turn, owners)
    if any(pool.size for pool in pools):
        failpoints.hit("cycle.claimed")
    if look_again:
        upcoming = await _upcoming(session, turn)
    # A run that another node was just taking may become pending again; no event would wake this node for it.
    full = [pool for pool in pools if is_full(pool, turn, upcoming.owners(pool, turn.now))]
    result.next_wake = turn.now if contended else upcoming.next_wake(full)
    result.waiting = upcoming.waiting(turn.now)
    await find_tokens(session, result.claimed)


async def _upcoming(session: Session, turn: Cycle) -> Upcoming:
    rows = await session.fetch_leniently(SQL.waiting, {"handlers": TextArray(turn.handlers), "now": turn.now})
    return Upcoming.of((handler, *map(nearest, times)) for handler, *times in rows)


async def _choose(
    session: Session, pool: Pool, shared: Sequence[str], owners: Sequence[str], now: datetime
) -> list[str]:
    """Choose the runs that get the free places of a pool in which runs of owners are due."""
    values = {"shared": TextArray(shared), "owners": TextArray(owners), "now": now, "limit": pool.free}
    ready = [Ready(*row) for row in await session.fetch(SQL.ready, {**values, "window": REACH * pool.free})]
    in_shared_lane = [each for each in ready if not each.lane]
    if len(ready) - len(in_shared_lane) == REACH * pool.free:  # some lanes may have no run among them
        of_lanes = {"owners": values["owners"], "full": TextArray(full_lanes(pool)), "now": now, "limit": pool.free}
        ready = in_shared_lane + [Ready(*row) for row in await session.fetch(SQL.ready_by_lane, of_lanes)]
    return share_out(pool, ready)


async def _take_chosen(session: Session, turn: Cycle, chosen: Sequence[str]) -> list[tuple[Any, ...]]:
    if not chosen:
        return []
    values = {"ids": TextArray(chosen), "node_id": turn.node_id, "now": turn.now}
    return await session.fetch(SQL.claim_chosen, values, lenient=True)


async def _take_shared(
    session: Session, turn: Cycle, first: Mapping[str, datetime], limit: int
) -> list[tuple[Any, ...]]:
    """Take runs of the shared lane; `first` says by handler when its first run is due."""
    since = TimeArray([_BEFORE_ALL_TIMES if at == EARLIEST else at for at in first.values()])
    numbers = dict.fromkeys(first, limit)
    if len(first) > 1:
        asked = {"handlers": TextArray(list(first)), "since": since, "now": turn.now, "limit": limit}
        numbers = {**dict.fromkeys(first, 0), **dict(await session.fetch(SQL.oldest, asked))}
    values = {
        "handlers": TextArray(list(numbers)),
        "numbers": NumberArray(list(numbers.values())),
        "since": since,
        "node_id": turn.node_id,
        "now": turn.now,
    }
    return await session.fetch(SQL.claim, values, lenient=True)


async def _readable(
    session: Session, rows: Sequence[tuple[Any, ...]], now: datetime, events: list[Event]
) -> list[Claimed]:
    """Read the runs that were claimed, and quarantine those that cannot be decoded."""
    claimed: list[Claimed] = []
    unreadable: dict[str, str] = {}
    for row in rows:
        try:
            claimed.append(to_claimed(row))
        except DecodeError as error:  # left pending, it would be claimed and refused with every turn
            unreadable[row[0]] = str(error)
            events.append(run_dead(now, row[0], row[1], row[3], str(error), row[8] - 1))
    if unreadable:
        values = {
            "ids": TextArray(list(unreadable)),
            "reasons": TextArray([storable(why) for why in unreadable.values()]),
        }
        await session.fetch(SQL.quarantine_runs, {**values, "now": now})
    return claimed


async def find_tokens(session: Session, runs: Sequence[Claimed]) -> None:
    """Give runs the tokens whose rights count for them, in one statement; a token that cannot be read counts as none.

    A time beyond the calendar is read as the nearest one within it.
    """
    if not (wanted := wanted_tokens(runs)):
        return
    columns = PostgresTransaction(session).columns(TokenRecord)
    tokens = {}
    for row in await session.fetch(SQL.get_tokens, {"ids": TextArray(wanted)}, lenient=True):
        with suppress(ValueError, TypeError):
            tokens[row[0]] = columns.record(nearest(value) if isinstance(value, int) else value for value in row)
    for run in runs:
        run.give(tokens)
