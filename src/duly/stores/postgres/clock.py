"""The time by which the store has decided, and placing schedules again that a clock that was ahead has planned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from duly.model.run import Status
from duly.planning.clock_marks import LEFT_TO_ITS_TIME, TOLERANCE, ClockMarks, FireAhead, Placement
from duly.ports.records import Due
from duly.stores.postgres.arrays import FlagArray, NumberArray, TextArray, TimeArray
from duly.stores.postgres.connection import Session
from duly.stores.postgres.transaction import SQL
from duly.stores.postgres.unreadable import nearest, readable

_RECENT = timedelta(seconds=0.5)
_STATUSES = frozenset(map(str, Status))


async def server_time(session: Session) -> datetime:
    """Return the time by the clock of the server."""
    there: datetime = await session.value(SQL.server_time)
    return there


class ClockReading(NamedTuple):
    """The times by which things were decided, and the time by the clock of the server, read at one moment."""

    mark: ClockMarks
    server_time: datetime | None

    def leaves_out(self, at: datetime) -> bool:
        """Tell whether a time need not be noted: it is hardly later than the last one, and no wrong clock says so.

        A time ahead of the server's is always noted: a correction may have begun since this reading.
        """
        noted = self.mark.decided_until
        there = self.server_time
        return noted is not None and there is not None and at < there + TOLERANCE and at - noted < _RECENT


async def read(session: Session) -> ClockReading:
    """Begin a turn: read the times by which things were decided, and the server's."""
    rows = await session.fetch_leniently(SQL.begin_turn)
    if not rows:
        return ClockReading(ClockMarks(), None)
    *times, there = map(nearest, rows[0][:-1])
    return ClockReading(ClockMarks(*times), there)


async def decided(session: Session, at: datetime) -> None:
    """Note that something was decided at a time, without waiting for another node that notes one."""
    await session.fetch(SQL.decided, {"at": at})


async def note_taken(session: Session, due: Sequence[Due], mark: ClockMarks) -> None:
    """Tell planners which instants have runs already; that happens only after a clock was corrected."""
    until = mark.ahead_until
    if until is None or not (ahead := {each.id: each for each in due if _is_before(each.next_fire_at, until)}):
        return
    values = {"ids": TextArray(list(ahead)), "fires": TimeArray([each.next_fire_at for each in ahead.values()])}
    taken: defaultdict[str, set[datetime]] = defaultdict(set)
    for schedule_id, fire_at in await session.fetch_leniently(SQL.taken, values):
        if (at := readable(fire_at)) is not None:
            taken[schedule_id].add(at)
    for schedule_id, instants in taken.items():
        ahead[schedule_id].taken = frozenset(instants)


def _is_before(fire_at: datetime | None, until: datetime) -> bool:
    return fire_at is not None and fire_at <= until


async def still_ahead(session: Session, ids: Collection[str], now: datetime) -> list[str]:
    """Find those of some schedules that are still placed ahead; the caller has locked them."""
    return [row[0] for row in await session.fetch(SQL.still_ahead, {"ids": TextArray(sorted(ids)), "now": now})]


async def fires_ahead(session: Session, ids: Collection[str], now: datetime) -> dict[str, list[FireAhead]]:
    """Read the recorded runs of fires to come, by schedule; rows that cannot be read are left out."""
    fires: defaultdict[str, list[FireAhead]] = defaultdict(list)
    rows = await session.fetch_leniently(SQL.fires_ahead, {"ids": TextArray(sorted(ids)), "now": now})
    for schedule_id, run_id, fire_at, status, fence, *times in rows:
        if (at := readable(fire_at)) is not None and status in _STATUSES:
            fires[schedule_id].append(FireAhead(run_id, at, Status(status), fence, *map(nearest, times)))
    return fires


async def place(session: Session, placements: dict[str, Placement], now: datetime) -> int:
    """Write where schedules go on from; returns how many fire earlier than before."""
    at = list(placements.values())
    columns = {
        "ids": TextArray(list(placements)),
        "enabled": FlagArray([each.enabled for each in at]),
        "disabled_by": TextArray([each.disabled_by for each in at]),
        "next_fires": TimeArray([each.next_fire_at for each in at]),
        "next_runs": TimeArray([each.next_run_at for each in at]),
        "watermarks": TimeArray([each.watermark for each in at]),
        "fires": NumberArray([each.fires for each in at]),
        "updated": TimeArray([each.updated_at for each in at]),
    }
    await session.fetch(SQL.place, columns)
    if records := [run_id for each in at for run_id in (*each.released, *each.taken_back)]:
        ids = TextArray(records)
        await session.fetch(SQL.forget_earlier_records, {"ids": ids})
        await session.fetch(SQL.leave_to_their_time, {"ids": ids, "now": now, "reason": LEFT_TO_ITS_TIME})
    moved = sum(each.moved for each in at)
    await session.fetch(SQL.count_placed, {"schedules": moved})
    return moved
