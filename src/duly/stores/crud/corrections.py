"""Correcting what a wall clock that was ahead has decided: the steps that both databases share."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from duly.planning.clock_marks import ClockMarks, Corrected, Correction, is_ahead
from duly.stores.run_records import clock_corrected

if TYPE_CHECKING:
    from duly.ports.upkeep import DueAgain
    from duly.stores.crud.database import Database, Transaction

Row = TypeVar("Row")
_PAGE = 500
_LONGEST_DAY = timedelta(hours=26)


async def begin_correction(tx: Transaction, now: datetime) -> Correction | None:
    """Begin a correction, or join the one under way; None when no decision lies ahead."""
    await tx.lock("lock_clock")
    mark = await _mark(tx)
    if mark.correcting is None and is_ahead(mark.decided_until, now):
        await tx.rows("begin_correction", now=now)
        mark = await _mark(tx)
    return None if mark.correcting is None else Correction(mark.correcting, now)


async def is_over(tx: Transaction, step: Correction) -> bool:
    """Tell whether another process has ended a correction."""
    return (await _mark(tx)).correcting != step.decided_until


async def _mark(tx: Transaction) -> ClockMarks:
    rows = await tx.lenient_rows("clock")
    return ClockMarks(*(tx.nearest(at) for row in rows for at in row[:3]))


async def placed_ahead(tx: Transaction, now: datetime, after: str, limit: int) -> list[str]:
    """Find schedules that were planned or changed at a time that is still to come."""
    return [row[0] for row in await tx.rows("placed_ahead", now=now, after=after, limit=limit)]


async def hasten(database: Database, step: Correction, due_again: DueAgain) -> int:
    """Make everything that waits for a wrong time wait for the right one; returns how many runs are due earlier.

    In pages, each in a transaction of its own, so that no transaction grows with the store.
    """
    await _page_by_page(
        lambda after: database.read(lambda tx: _reminders_ahead(tx, step.now, after)),
        lambda ids: database.write(lambda tx: _correct_reminders(tx, ids, step)),
        key=str,
    )
    await database.write(lambda tx: _correct_notices(tx, step))
    await _page_by_page(
        lambda after: database.read(lambda tx: _handovers_ahead(tx, step.now, after)),
        lambda ids: database.write(lambda tx: _correct_handovers(tx, ids, step)),
        key=str,
    )
    return await _page_by_page(
        lambda after: database.read(lambda tx: _runs_ahead(tx, step.now, after)),
        lambda runs: database.write(lambda tx: _hasten_runs(tx, runs, step, due_again)),
        key=lambda run: str(run[0]),
    )


async def _page_by_page(
    read: Callable[[str], Coroutine[Any, Any, Sequence[Row]]],
    use: Callable[[Sequence[Row]], Coroutine[Any, Any, int]],
    key: Callable[[Row], str],
) -> int:
    """Read the rows after a key and use them, until there are none; returns the sum of what `use` returns.

    The next page begins after the last row of the one before, so a row that `use` leaves as it was is not read twice.
    """
    after = ""
    total = 0
    while page := await read(after):
        total += await use(page)
        after = key(page[-1])
    return total


async def _reminders_ahead(tx: Transaction, now: datetime, after: str) -> list[str]:
    """Find reminders that were written at a time that is still to come."""
    return [row[0] for row in await tx.rows("reminders_ahead", now=now, after=after, limit=_PAGE)]


async def _correct_reminders(tx: Transaction, ids: Sequence[str], step: Correction) -> int:
    """Treat reminders that were written at a time to come as written now; returns their number."""
    if await is_over(tx, step):
        return 0
    values = {"ids": tx.texts(ids), "now": step.now}
    await tx.rows("reminders_again", **values)
    await tx.rows("attempts_again", **values)
    return len(ids)


async def _correct_notices(tx: Transaction, step: Correction) -> None:
    """Make notices due that wait for a time to come: before one is sent, its wait is decided anew."""
    if not await is_over(tx, step):
        await tx.rows("notices_again", now=step.now, in_a_day=step.now + _LONGEST_DAY)
        await tx.rows("notices_told_again", now=step.now)


async def _handovers_ahead(tx: Transaction, now: datetime, after: str) -> list[str]:
    """Find runs with open handovers that were written at a time that is still to come."""
    return [row[0] for row in await tx.rows("handovers_ahead", now=now, after=after, limit=_PAGE)]


async def _correct_handovers(tx: Transaction, run_ids: Sequence[str], step: Correction) -> int:
    """Treat handovers that were written at a time to come as written now; returns the number of their runs."""
    if await is_over(tx, step):
        return 0
    await tx.lock("lock_schedules_of_runs", ids=tx.texts(run_ids))
    await tx.lock("lock_runs", ids=tx.texts(run_ids))
    await tx.rows("handovers_again", ids=tx.texts(run_ids), now=step.now)
    return len(run_ids)


async def _runs_ahead(tx: Transaction, now: datetime, after: str) -> list[tuple[Any, ...]]:
    """Find runs that wait for a time to come."""
    return await tx.lenient_rows("waiting_ahead", now=now, after=after, limit=_PAGE)


async def _hasten_runs(tx: Transaction, runs: Sequence[tuple[Any, ...]], step: Correction, due_again: DueAgain) -> int:
    """Make runs due earlier where `due_again` says so; returns how many are."""
    if await is_over(tx, step):
        return 0
    hastened: dict[str, datetime] = {}
    for run_id, waits_until, policy, attempt, failed in runs:
        if (due_at := tx.nearest(waits_until)) is not None:
            due = due_again(due_at, policy, attempt, bool(failed))
            if due < due_at:
                hastened[run_id] = due
    changed = await tx.rows("due_again", ids=tx.texts(list(hastened)), dues=tx.times(list(hastened.values())))
    await tx.rows("count_hastened", runs=len(changed))
    return len(changed)


async def end_correction(tx: Transaction, step: Correction, node_id: str) -> Corrected | None:
    """Let planning go on, and write the event; None when another process has ended the correction."""
    found = await tx.rows(
        "end_correction", decided_until=step.decided_until, now=step.now, ahead_seconds=step.ahead_seconds
    )
    if not found:
        return None
    [(schedules, runs)] = found
    corrected = Corrected(at=step.now, ahead_seconds=step.ahead_seconds, schedules=schedules, runs=runs)
    await tx.write_events([clock_corrected(corrected, node_id)])
    await tx.announce()
    return corrected


def last_correction(tx: Transaction, rows: Iterable[tuple[Any, ...]]) -> Corrected | None:
    """Read the last time that a clock turned out to have been ahead, out of the rows of the statement of that name."""
    for moment, ahead_seconds, schedules, runs in rows:
        if (at := tx.nearest(moment)) is not None:
            return Corrected(at=at, ahead_seconds=ahead_seconds, schedules=schedules, runs=runs)
    return None
