"""By which time things were decided, and putting right what a clock that was ahead has decided."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import apsw

from duly.model.run import Status
from duly.planning.correction import LEFT_TO_ITS_TIME, Corrected, Correction, FireAhead, Mark, Placement, is_ahead
from duly.ports.corrections import Ahead, DueAgain
from duly.ports.records import Due
from duly.stores import queries
from duly.stores.sqlite.batches import run_many
from duly.stores.sqlite.rows import is_time, micros, time_near, time_of, to_micros, to_schedule

SQL = queries.load("sqlite")
AT_ONCE = 500
_STATUSES = frozenset(map(str, Status))


def read(connection: apsw.Connection) -> Mark:
    """The times by which things were decided."""
    return Mark(*map(time_near, next(iter(connection.execute(SQL.clock)), ())))


def is_over(connection: apsw.Connection, step: Correction) -> bool:
    """Whether another process has ended a correction."""
    return read(connection).correcting != step.decided_until


def begin_correction(connection: apsw.Connection, now: datetime) -> Correction | None:
    """Begin a correction, or join the one under way."""
    mark = read(connection)
    if mark.correcting is None and is_ahead(mark.decided_until, now):
        connection.execute(SQL.begin_correction, {"now": micros(now)})
        mark = read(connection)
    return None if mark.correcting is None else Correction(mark.correcting, now)


def decided(connection: apsw.Connection, at: int) -> None:
    """Note that something was decided at a time."""
    connection.execute(SQL.decided, {"at": at})


def note_taken(connection: apsw.Connection, due: Sequence[Due], mark: Mark) -> None:
    """Tell planners which instants have their runs already; there are such only after a clock was set right."""
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


def placed_ahead(connection: apsw.Connection, now: int, after: str, limit: int) -> list[str]:
    """Schedules that were planned or changed at a time that is still to come."""
    found = connection.execute(SQL.placed_ahead, {"now": now, "after": after, "limit": limit})
    return [schedule_id for (schedule_id,) in found]


def ahead(connection: apsw.Connection, ids: Collection[str], now: int) -> list[Ahead]:
    """Those of some schedules that are placed ahead, with what is on record of their fires to come."""
    values = {"ids": json.dumps(sorted(ids)), "now": now}
    fires: defaultdict[str, list[FireAhead]] = defaultdict(list)
    for schedule_id, run_id, fire_at, status, fence, *times in connection.execute(SQL.fires_ahead, values):
        if is_time(fire_at) and status in _STATUSES:  # what cannot be read stays as it is
            fire = FireAhead(run_id, time_of(fire_at), Status(status), fence, *map(time_near, times))
            fires[schedule_id].append(fire)
    rows = map(to_schedule, list(connection.execute(SQL.still_ahead, values)))
    return [Ahead(row, fires[row.id]) for row in rows]


def place(connection: apsw.Connection, placements: dict[str, Placement], now: int) -> int:
    """Write down where schedules go on from; gives how many fire earlier than they stood."""
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


def waiting_ahead(connection: apsw.Connection, now: int, after: str) -> list[tuple[Any, ...]]:
    """Runs that wait for a time to come."""
    return list(connection.execute(SQL.waiting_ahead, {"now": now, "after": after, "limit": AT_ONCE}))


def hasten(
    connection: apsw.Connection, waiting: Sequence[tuple[Any, ...]], step: Correction, due_again: DueAgain
) -> int:
    """Have runs due earlier where `due_again` says so; gives how many are."""
    if is_over(connection, step):
        return 0
    hastened = []
    for run_id, due_at, policy, attempt, failed in waiting:
        due = micros(due_again(time_near(due_at) or time_of(0), policy, attempt, bool(failed)))
        if due < due_at:
            hastened.append((run_id, due))
    number = len(run_many(connection, SQL.due_again, hastened))
    connection.execute(SQL.count_hastened, {"runs": number})
    return number


def reminders_ahead(connection: apsw.Connection, now: int, after: str) -> list[str]:
    """Reminders that were written down at a time that is still to come."""
    values = {"now": now, "after": after, "limit": AT_ONCE}
    return [run_id for (run_id,) in connection.execute(SQL.reminders_ahead, values)]


def remind_again(connection: apsw.Connection, ids: Sequence[str], step: Correction) -> int:
    """What was written down at a time to come counts as written down now; gives how many reminders that was."""
    if is_over(connection, step):
        return 0
    values = {"ids": json.dumps(list(ids)), "now": micros(step.now)}
    connection.execute(SQL.reminders_again, values)
    connection.execute(SQL.attempts_again, values)
    return len(ids)


def end_correction(connection: apsw.Connection, step: Correction) -> Corrected | None:
    """Note that all is right again."""
    values = {
        "decided_until": micros(step.decided_until),
        "now": micros(step.now),
        "ahead_seconds": step.ahead_seconds,
    }
    found = next(iter(connection.execute(SQL.end_correction, values)), None)
    return None if found is None else Corrected(step.now, step.ahead_seconds, *found)


def last_correction(connection: apsw.Connection) -> Corrected | None:
    """The last time that a clock turned out to have been ahead."""
    found = next(iter(connection.execute(SQL.last_correction)), None)
    return None if found is None else Corrected(time_of(found[0]), *found[1:])
