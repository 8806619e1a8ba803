"""The time by which the store has decided, and placing schedules again that a clock that was ahead has planned."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import apsw

from duly.model.run import Status
from duly.planning.clock_marks import LEFT_TO_ITS_TIME, ClockMarks, FireAhead, Placement
from duly.ports.upkeep import Ahead
from duly.stores.sqlite.rows import is_time, micros, time_near, time_of, to_micros, to_schedule
from duly.stores.sqlite.transaction import SQL, run_many

if TYPE_CHECKING:
    from duly.ports.records import Due

_STATUSES = frozenset(map(str, Status))


def read(connection: apsw.Connection) -> ClockMarks:
    """Read the times by which the store has decided."""
    return ClockMarks(*map(time_near, next(iter(connection.execute(SQL.clock)), ())))


def decided(connection: apsw.Connection, at: int) -> None:
    """Note that something was decided at a time."""
    connection.execute(SQL.decided, {"at": at})


def note_taken(connection: apsw.Connection, due: Sequence[Due], mark: ClockMarks) -> None:
    """Tell planners which instants have runs already; that happens only after a clock was corrected."""
    until = mark.ahead_until
    if until is None or not (ahead := {each.id: each for each in due if _is_before(each.next_fire_at, until)}):
        return
    wanted = [(each.id, to_micros(each.next_fire_at)) for each in ahead.values()]
    taken: defaultdict[str, set[datetime]] = defaultdict(set)
    for schedule_id, fire_at in connection.execute(SQL.taken, {"due": json.dumps(wanted)}):
        if is_time(fire_at):
            taken[schedule_id].add(time_of(fire_at))
    for schedule_id, instants in taken.items():
        ahead[schedule_id].taken = frozenset(instants)


def _is_before(fire_at: datetime | None, until: datetime) -> bool:
    return fire_at is not None and fire_at <= until


def ahead(connection: apsw.Connection, ids: Collection[str], now: int) -> list[Ahead]:
    """Read those of some schedules that are placed ahead, with the recorded runs of their fires to come."""
    values = {"ids": json.dumps(sorted(ids)), "now": now}
    fires: defaultdict[str, list[FireAhead]] = defaultdict(list)
    for schedule_id, run_id, fire_at, status, fence, *times in connection.execute(SQL.fires_ahead, values):
        if is_time(fire_at) and status in _STATUSES:  # what cannot be read stays as it is
            fire = FireAhead(run_id, time_of(fire_at), Status(status), fence, *map(time_near, times))
            fires[schedule_id].append(fire)
    rows = map(to_schedule, list(connection.execute(SQL.still_ahead, values)))
    return [Ahead(row, fires[row.id]) for row in rows]


def place(connection: apsw.Connection, placements: dict[str, Placement], now: int) -> int:
    """Write where schedules go on from; returns how many fire earlier than before."""
    run_many(connection, SQL.place, [_values(schedule_id, at) for schedule_id, at in placements.items()])
    records = [run_id for at in placements.values() for run_id in (*at.released, *at.taken_back)]
    if records:
        values = {"ids": json.dumps(records), "now": now, "reason": LEFT_TO_ITS_TIME}
        connection.execute(SQL.leave_to_their_time, values)
    moved = sum(at.moved for at in placements.values())
    connection.execute(SQL.count_placed, {"schedules": moved})
    return moved


def _values(schedule_id: str, at: Placement) -> tuple[Any, ...]:
    return (
        schedule_id,
        int(at.enabled),
        at.disabled_by,
        to_micros(at.next_fire_at),
        to_micros(at.next_run_at),
        to_micros(at.watermark),
        at.fires,
        micros(at.updated_at),
    )
