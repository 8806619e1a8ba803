"""Claiming: a node takes pending runs, in few statements, each of which reads no more runs than it may take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from duly import failpoints
from duly.errors import DecodeError
from duly.planning.places import Pool, Ready, full_lanes, lane_of, share_out
from duly.ports.records import Claimed, Cycle, wanted_tokens
from duly.ports.tokens import TokenRecord
from duly.stores.run_records import run_dead
from duly.stores.sqlite.rows import micros, time_near, time_of, to_claimed
from duly.stores.sqlite.transaction import SQL, SqliteTransaction, run_many
from duly.stores.upcoming import REACH, Upcoming, after_births, is_full, room

if TYPE_CHECKING:
    from duly.model.events import Event


class Claim(NamedTuple):
    """The runs that a node has taken, and what waits after that."""

    runs: list[Claimed]
    events: list[Event]
    next_wake: datetime | None
    waiting: dict[str, datetime]


def claim(connection: apsw.Connection, turn: Cycle, born: Sequence[Claimed]) -> Claim:
    """Take pending runs that this node can serve, as far as its pools have places beside the runs just born."""
    now = micros(turn.now)
    pools = after_births(turn.places, born)
    upcoming = _upcoming(connection, turn, now)
    look_again = False
    claimed: list[Claimed] = []
    events: list[Event] = []
    for index, pool in enumerate(pools):
        if (rows := _chosen(connection, upcoming, pool, now)) is not None:
            taken, new_events = _take(connection, rows, turn)
            claimed += taken
            events += new_events
            pools[index] = pool.with_held([lane_of(run.namespace) for run in taken])
            look_again |= not is_full(pools[index], turn, upcoming.owners(pool, now))
    if any(pool.size for pool in pools):
        failpoints.hit("cycle.claimed")
    if look_again:
        upcoming = _upcoming(connection, turn, now)
    full = [pool for pool in pools if is_full(pool, turn, upcoming.owners(pool, now))]
    waiting = {handler: time for handler, at in upcoming.waiting(now).items() if (time := time_near(at)) is not None}
    return Claim(runs=claimed, events=events, next_wake=time_near(upcoming.next_wake(full)), waiting=waiting)


def _upcoming(connection: apsw.Connection, turn: Cycle, now: int) -> Upcoming:
    return Upcoming.of(connection.execute(SQL.waiting, {"handlers": json.dumps(list(turn.handlers)), "now": now}))


def _chosen(connection: apsw.Connection, upcoming: Upcoming, pool: Pool, now: int) -> list[tuple[Any, ...]] | None:
    """Read the runs that get the free places of a pool; None when there is no place, or no run is due."""
    shared = upcoming.shared(pool, now)
    owners = upcoming.owners(pool, now)
    if not (free := room(pool, owners)) or not (shared or owners):
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
    now = micros(turn.now)
    claimed: list[Claimed] = []
    events: list[Event] = []
    for row in rows:
        try:
            claimed.append(to_claimed(row, taken=True))
        except DecodeError as error:  # left pending, it would be claimed and refused with every turn
            connection.execute(SQL.quarantine_run, {"id": row[0], "now": now, "reason": str(error)})
            events.append(run_dead(time_of(now), row[0], row[1], row[3], str(error), row[8]))
    run_many(connection, SQL.claim, [(each.run_id, turn.node_id, now) for each in claimed])
    return claimed, events


def find_tokens(connection: apsw.Connection, runs: Sequence[Claimed]) -> None:
    """Give runs the tokens whose rights count for them; a token that cannot be read counts as none."""
    if not (wanted := wanted_tokens(runs)):
        return
    columns = SqliteTransaction(connection).columns(TokenRecord)
    tokens = {}
    for row in connection.execute(SQL.get_tokens, {"ids": json.dumps(wanted)}):
        with suppress(OverflowError, ValueError, TypeError):
            tokens[row[0]] = columns.record(row)
    for run in runs:
        run.give(tokens)


def give_up_without_schedule(connection: apsw.Connection, now: datetime) -> list[Event]:
    """Close pending runs whose schedule does not exist: they would stay due, and no node could claim them."""
    reason = "its schedule cannot be found"
    rows = list(connection.execute(SQL.give_up_without_schedule, {"now": micros(now), "reason": reason}))
    return [run_dead(now, run_id, schedule_id, None, reason, attempt) for run_id, schedule_id, attempt in rows]
