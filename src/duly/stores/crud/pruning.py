"""Pruning: deleting what is old, a few rows at a time, so that no other transaction waits long.

Runs, schedules and nodes may have to stay although they are old. Of these a batch is a range of an index, and a
statement finds the last row of the range; so a row that stays is looked at once per round, not once per batch.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from duly.model.ids import RUN, make_id
from duly.ports.channels import LATEST_REPETITION
from duly.ports.upkeep import Pruned, PrunePlace
from duly.stores.crud.database import Transaction


class _PrunedTable(NamedTuple):
    """A table and the statement that deletes a batch of its rows."""

    kind: str
    delete: str
    find_last: str | None = None
    """For rows that may have to stay: the statement that finds the last row of the next batch."""
    columns: tuple[str, ...] = ()
    """The columns that order the rows, as the suffixes of the statement's values."""
    longer: timedelta = timedelta(0)
    """How much longer its rows are kept than others."""

    def earlier(self, before: datetime) -> datetime:
        return before - min(self.longer, before - datetime.min.replace(tzinfo=before.tzinfo))


_INBOUND = _PrunedTable("inbound", "prune_inbound", longer=LATEST_REPETITION)
_TABLES = (
    _PrunedTable("runs", "prune_runs", "runs_to_prune", ("",)),
    _PrunedTable("schedules", "prune_schedules", "schedules_to_prune", ("_at", "")),
    _PrunedTable("nodes", "prune_nodes", "nodes_to_prune", ("_at", "")),
    _PrunedTable("events", "prune_events"),
    _INBOUND,
    _PrunedTable("inbox", "prune_inbox"),
    _PrunedTable("codes", "prune_codes"),
    _PrunedTable("undos", "prune_undos"),
    _PrunedTable("seen", "prune_seen"),
    _PrunedTable("answers", "prune_answers"),
)
"""In this order: a schedule can be deleted when its runs are."""

_SLICE = 32  # rows of a statement
_LONGEST_WORK = 0.004  # seconds after which no further slice is begun; writing the pages and the commit come on top


async def prune(
    tx: Transaction, before: datetime, limit: int, place: PrunePlace, elapsed: Callable[[], float]
) -> Pruned:
    """Delete one batch, beginning at `place`: so many rows, or fewer when they take long.

    How long rows take is known afterwards only: on a busy machine, or with pages that have to come from the disk, it
    may be ten times as long as for the rows before. So a batch is deleted in slices, and ends after the slice in which
    its time is over.
    """
    before_id = make_id(RUN, before, lambda _bits: 0)
    deleted = [0] * len(_TABLES)
    index = place.kind
    after = place.after
    left = limit
    while index < len(_TABLES) and left > 0:
        rows = min(_SLICE, left)
        ages = {"before": _TABLES[index].earlier(before), "before_id": before_id}
        values = {**ages, "limit": rows}
        number, after = await _delete(tx, _TABLES[index], values, after)
        deleted[index] += number
        if after or number == rows:  # there may be more in this table
            left -= rows
            if elapsed() >= _LONGEST_WORK:
                break
        else:
            left -= number
            index += 1
    go_on_at = PrunePlace(kind=index, after=after) if index < len(_TABLES) else None
    counted = {table.kind: number for table, number in zip(_TABLES, deleted, strict=True) if number}
    return Pruned(runs=deleted[0], rows=sum(deleted), go_on_at=go_on_at, deleted=counted)


async def prunable(tx: Transaction, before: datetime) -> dict[str, int]:
    """Count what a round of pruning would delete, by kind."""
    before_id = make_id(RUN, before, lambda _bits: 0)
    inbound = _INBOUND.earlier(before)
    [counted] = await tx.rows("count_prunable", before=before, before_id=before_id, before_inbound=inbound)
    return {table.kind: int(number) for table, number in zip(_TABLES, counted, strict=True) if number}


async def _delete(
    tx: Transaction, table: _PrunedTable, values: dict[str, Any], after: tuple[Any, ...]
) -> tuple[int, tuple[Any, ...]]:
    """Delete rows of one table; returns their number, and the last row that was looked at if there may be more."""
    last: tuple[Any, ...] = ()
    if table.find_last is not None:
        timed = len(table.columns) > 1
        values |= _named("after", table, after or ((tx.before_all_times, "") if timed else ("",)))
        last = next(iter(await tx.rows(table.find_last, **values)), ())
        values |= _named("upto", table, last or ((values["before"], "") if timed else (values["before_id"],)))
    return len(await tx.rows(table.delete, **values)), last


def _named(prefix: str, table: _PrunedTable, row: tuple[Any, ...]) -> dict[str, Any]:
    return {f"{prefix}{column}": value for column, value in zip(table.columns, row, strict=True)}
