"""By which time things were decided, and putting right what a clock that was ahead has decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from duly.model.run import Status
from duly.planning.correction import (
    LEFT_TO_ITS_TIME,
    TOLERANCE,
    Corrected,
    Correction,
    FireAhead,
    Mark,
    Placement,
    is_ahead,
)
from duly.ports.corrections import DueAgain
from duly.ports.records import Due
from duly.stores import queries
from duly.stores.postgres.arrays import Flags, Numbers, Texts, Times
from duly.stores.postgres.connection import Session
from duly.stores.postgres.unreadable import nearest, readable

SQL = queries.load("postgres")
AT_ONCE = 500
_RECENT = timedelta(seconds=0.5)
_STATUSES = frozenset(map(str, Status))


async def server_time(session: Session) -> datetime:
    """The time by the clock of the server."""
    there: datetime = await session.value(SQL.server_time)
    return there


class Look(NamedTuple):
    """A look at the times by which things were decided, and at the clock of the server."""

    mark: Mark
    server_time: datetime | None

    def leaves_out(self, at: datetime) -> bool:
        """Whether a time need not be noted: it is hardly later than what was, and no wrong clock says so.

        A time ahead of the server's is always noted: a correction may have begun since this look.
        """
        noted, there = self.mark.decided_until, self.server_time
        return noted is not None and there is not None and at < there + TOLERANCE and at - noted < _RECENT


async def look(session: Session) -> Look:
    """The times by which things were decided, and the server's."""
    rows = await session.fetch_leniently(SQL.clock)
    if not rows:
        return Look(Mark(), None)
    *times, there = map(nearest, rows[0])
    return Look(Mark(*times), there)


async def read(session: Session) -> Mark:
    """The times by which things were decided."""
    return (await look(session)).mark


async def is_over(session: Session, step: Correction) -> bool:
    """Whether another process has ended a correction."""
    return (await read(session)).correcting != step.decided_until


async def begin_correction(session: Session, now: datetime) -> Correction | None:
    """Begin a correction, or join the one under way."""
    await session.fetch(SQL.lock_clock)
    mark = await read(session)
    if mark.correcting is None and is_ahead(mark.decided_until, now):
        await session.fetch(SQL.begin_correction, {"now": now})
        mark = await read(session)
    return None if mark.correcting is None else Correction(mark.correcting, now)


async def decided(session: Session, at: datetime) -> None:
    """Note that something was decided at a time; without waiting for a node that is just noting another."""
    await session.fetch(SQL.decided, {"at": at})


async def note_taken(session: Session, due: Sequence[Due], mark: Mark) -> None:
    """Tell planners which instants have their runs already; there are such only after a clock was set right."""
    until = mark.ahead_until
    if until is None or not (ahead := {each.id: each for each in due if _is_before(each.next_fire_at, until)}):
        return
    values = {"ids": Texts(list(ahead)), "fires": Times([each.next_fire_at for each in ahead.values()])}
    taken: defaultdict[str, set[datetime]] = defaultdict(set)
    for schedule_id, fire_at in await session.fetch_leniently(SQL.taken, values):
        if (at := readable(fire_at)) is not None:
            taken[schedule_id].add(at)
    for schedule_id, instants in taken.items():
        ahead[schedule_id].taken = frozenset(instants)


def _is_before(fire_at: datetime | None, until: datetime) -> bool:
    return fire_at is not None and fire_at <= until


async def placed_ahead(session: Session, now: datetime, after: str, limit: int) -> list[str]:
    """Schedules that were planned or changed at a time that is still to come."""
    return [row[0] for row in await session.fetch(SQL.placed_ahead, {"now": now, "after": after, "limit": limit})]


async def still_ahead(session: Session, ids: Collection[str], now: datetime) -> list[str]:
    """Those of some schedules that are still placed ahead; the caller has locked them."""
    return [row[0] for row in await session.fetch(SQL.still_ahead, {"ids": Texts(sorted(ids)), "now": now})]


async def fires_ahead(session: Session, ids: Collection[str], now: datetime) -> dict[str, list[FireAhead]]:
    """What is on record of fires to come, by schedule; what cannot be read stays as it is."""
    fires: defaultdict[str, list[FireAhead]] = defaultdict(list)
    rows = await session.fetch_leniently(SQL.fires_ahead, {"ids": Texts(sorted(ids)), "now": now})
    for schedule_id, run_id, fire_at, status, fence, *times in rows:
        if (at := readable(fire_at)) is not None and status in _STATUSES:
            fires[schedule_id].append(FireAhead(run_id, at, Status(status), fence, *map(nearest, times)))
    return fires


async def place(session: Session, placements: dict[str, Placement], now: datetime) -> int:
    """Write down where schedules go on from; gives how many fire earlier than they stood."""
    at = list(placements.values())
    columns = {
        "ids": Texts(list(placements)),
        "enabled": Flags([each.enabled for each in at]),
        "disabled_by": Texts([each.disabled_by for each in at]),
        "next_fires": Times([each.next_fire_at for each in at]),
        "next_runs": Times([each.next_run_at for each in at]),
        "watermarks": Times([each.watermark for each in at]),
        "fires": Numbers([each.fires for each in at]),
        "updated": Times([each.updated_at for each in at]),
    }
    await session.fetch(SQL.place, columns)
    if records := [run_id for each in at for run_id in (*each.released, *each.taken_back)]:
        ids = Texts(records)
        await session.fetch(SQL.forget_earlier_records, {"ids": ids})
        await session.fetch(SQL.leave_to_their_time, {"ids": ids, "now": now, "reason": LEFT_TO_ITS_TIME})
    moved = sum(each.moved for each in at)
    await session.fetch(SQL.count_placed, {"schedules": moved})
    return moved


async def waiting_ahead(session: Session, now: datetime, after: str) -> list[tuple[Any, ...]]:
    """Runs that wait for a time to come."""
    return await session.fetch_leniently(SQL.waiting_ahead, {"now": now, "after": after, "limit": AT_ONCE})


async def hasten(session: Session, waiting: Sequence[tuple[Any, ...]], step: Correction, due_again: DueAgain) -> int:
    """Have runs due earlier where `due_again` says so; gives how many are."""
    if await is_over(session, step):
        return 0
    hastened = {}
    for run_id, waits_until, policy, attempt, failed in waiting:
        if (due_at := nearest(waits_until)) is not None:
            due = due_again(due_at, policy, attempt, failed)
            if due < due_at:
                hastened[run_id] = due
    values = {"ids": Texts(list(hastened)), "dues": Times(list(hastened.values()))}
    number = len(await session.fetch(SQL.due_again, values))
    await session.fetch(SQL.count_hastened, {"runs": number})
    return number


async def reminders_ahead(session: Session, now: datetime, after: str) -> list[str]:
    """Reminders that were written down at a time that is still to come."""
    rows = await session.fetch(SQL.reminders_ahead, {"now": now, "after": after, "limit": AT_ONCE})
    return [row[0] for row in rows]


async def remind_again(session: Session, ids: Sequence[str], step: Correction) -> int:
    """What was written down at a time to come counts as written down now; gives how many reminders that was."""
    if await is_over(session, step):
        return 0
    values = {"ids": Texts(ids), "now": step.now}
    await session.fetch(SQL.reminders_again, values)
    await session.fetch(SQL.attempts_again, values)
    return len(ids)


async def end_correction(session: Session, step: Correction) -> Corrected | None:
    """Note that all is right again."""
    values = {"decided_until": step.decided_until, "now": step.now, "ahead_seconds": step.ahead_seconds}
    rows = await session.fetch(SQL.end_correction, values)
    return Corrected(step.now, step.ahead_seconds, *rows[0]) if rows else None


async def last_correction(session: Session) -> Corrected | None:
    """The last time that a clock turned out to have been ahead."""
    rows = await session.fetch(SQL.last_correction)
    return Corrected(*rows[0]) if rows else None
