"""Which pending runs a node takes: few statements, each of which looks at no more runs than it may take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import apsw

from duly import failpoints
from duly.errors import DecodeError
from duly.model.events import RUN_DEAD, Event
from duly.planning.places import Pool, Ready, full_lanes, lane_of, share_out
from duly.ports.records import Claimed, Cycle, wanted_tokens
from duly.stores import queries
from duly.stores.damage import run_set_aside
from duly.stores.sqlite.batches import run_many
from duly.stores.sqlite.rows import micros, time_near, time_of, to_claimed
from duly.stores.sqlite.tokens import get_tokens
from duly.stores.waiting import REACH, Look, after_births, is_full

SQL = queries.load("sqlite")


class Claim(NamedTuple):
    """What a node has taken, and what waits after that."""

    runs: list[Claimed]
    events: list[Event]
    next_wake: datetime | None
    waiting: dict[str, datetime]


def claim(connection: apsw.Connection, turn: Cycle, born: Sequence[Claimed]) -> Claim:
    """Take pending runs that this node can serve, as far as its pools have places beside the runs just born."""
    now = micros(turn.now)
    pools = after_births(turn.places, born)
    look, look_again = _look(connection, turn, now), False
    claimed, events = list[Claimed](), list[Event]()
    for index, pool in enumerate(pools):
        if (rows := _chosen(connection, look, pool, now)) is not None:
            taken, told = _take(connection, rows, turn)
            claimed += taken
            events += told
            pools[index] = pool.with_held([lane_of(run.namespace) for run in taken])
            look_again |= not is_full(pools[index], turn)
    if any(pool.size for pool in pools):
        failpoints.hit("cycle.claimed")
    if look_again:
        look = _look(connection, turn, now)
    full = [pool for pool in pools if is_full(pool, turn)]
    waiting = {handler: time for handler, at in look.waiting(now).items() if (time := time_near(at)) is not None}
    return Claim(claimed, events, time_near(look.next_wake(full)), waiting)


def _look(connection: apsw.Connection, turn: Cycle, now: int) -> Look:
    return Look.of(connection.execute(SQL.waiting, {"handlers": json.dumps(list(turn.handlers)), "now": now}))


def _chosen(connection: apsw.Connection, look: Look, pool: Pool, now: int) -> list[tuple[Any, ...]] | None:
    """Rows of the runs that get the free places of a pool; None when there is no place, or nothing is due."""
    shared, owners = look.shared(pool, now), look.owners(pool, now)
    if not (free := pool.free) or not (shared or owners):
        return None
    of_shared = {"handlers": json.dumps(shared), "now": now, "limit": free}
    if not owners:
        return list(connection.execute(SQL.claimable, of_shared))
    ready = [Ready(*row) for row in connection.execute(SQL.ready_shared, of_shared)] if shared else []
    of_owners: dict[str, Any] = {"handlers": json.dumps(owners), "now": now, "limit": REACH * free}
    first = [Ready(*row) for row in connection.execute(SQL.ready_owners, of_owners)]
    if len(first) == REACH * free:  # some lanes may have no run among them
        of_owners |= {"limit": free, "full": json.dumps(full_lanes(pool))}
        first = [Ready(*row) for row in connection.execute(SQL.ready_by_lane, of_owners)]
    chosen = share_out(pool, ready + first)
    return list(connection.execute(SQL.chosen, {"ids": json.dumps(chosen)})) if chosen else None


def _take(
    connection: apsw.Connection, rows: Sequence[tuple[Any, ...]], turn: Cycle
) -> tuple[list[Claimed], list[Event]]:
    if not rows:
        return [], give_up_without_schedule(connection, turn.now)
    claimed, events, now = list[Claimed](), list[Event](), micros(turn.now)
    for row in rows:
        try:
            claimed.append(to_claimed(row, taken=True))
        except DecodeError as error:  # or it would stand in the way of all others for ever
            connection.execute(SQL.set_run_aside, {"id": row[0], "now": now, "reason": str(error)})
            events.append(run_set_aside(row[0], row[1], row[3], row[8], error, time_of(now)))
    run_many(connection, SQL.claim, [(each.run_id, turn.node_id, now) for each in claimed])
    return claimed, events


def find_tokens(connection: apsw.Connection, runs: Sequence[Claimed]) -> None:
    """Give runs the tokens whose rights count for them, with one statement where there is one to find."""
    if wanted := wanted_tokens(runs):
        tokens = get_tokens(connection, wanted)
        for run in runs:
            run.give(tokens)


def give_up_without_schedule(connection: apsw.Connection, now: datetime) -> list[Event]:
    """Close runs that name a schedule which is not there: they would be due for ever, and no node could claim them."""
    reason = "its schedule cannot be found"
    rows = list(connection.execute(SQL.give_up_without_schedule, {"now": micros(now), "reason": reason}))
    return [
        Event(RUN_DEAD, now, schedule_id, run_id, data={"name": None, "reason": reason, "attempt": attempt})
        for run_id, schedule_id, attempt in rows
    ]
