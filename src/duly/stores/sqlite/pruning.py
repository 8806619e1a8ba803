"""Forgetting what is old: a few rows at a time, found by index, so that the write lock of the file is soon free."""

from __future__ import annotations

from typing import Any, NamedTuple

import apsw

from duly.model.ids import RUN, make_id
from duly.ports.upkeep import Pruned, PrunePlace
from duly.stores.sqlite.cycle import SQL
from duly.stores.sqlite.rows import time_of

_BEFORE_ALL_TIMES = -(2**63)


class _Kind(NamedTuple):
    """A kind of row and the statement that forgets a batch of it."""

    forget: str
    look: str | None = None
    """For rows that may have to stay: the statement that finds the last row of the next batch."""
    columns: tuple[str, ...] = ()
    """What the rows are ordered by, as the statements name it."""


_KINDS = (
    _Kind(SQL.prune_runs, SQL.runs_to_prune, ("",)),
    _Kind(SQL.prune_schedules, SQL.schedules_to_prune, ("_at", "")),
    _Kind(SQL.prune_nodes, SQL.nodes_to_prune, ("_at", "")),
    _Kind(SQL.prune_events),
    _Kind(SQL.prune_inbound),
    _Kind(SQL.prune_inbox),
    _Kind(SQL.prune_codes),
)
"""In this order: a schedule can be forgotten when its runs are."""


def prune(connection: apsw.Connection, before: int, limit: int, place: PrunePlace) -> Pruned:
    """Forget one batch from `place` on."""
    before_id = make_id(RUN, time_of(before), lambda _bits: 0)
    values = {"before": before, "before_id": before_id}
    forgotten = [0] * len(_KINDS)
    kind, after = place.kind, place.after
    while kind < len(_KINDS) and (left := limit - sum(forgotten)) > 0:
        forgotten[kind], after = _forget(connection, _KINDS[kind], {**values, "limit": left}, after)
        if after or forgotten[kind] == left:
            break  # there may be more of this kind
        kind += 1
    go_on_at = PrunePlace(kind=kind, after=after) if kind < len(_KINDS) else None
    return Pruned(runs=forgotten[0], rows=sum(forgotten), go_on_at=go_on_at)


def _forget(
    connection: apsw.Connection, kind: _Kind, values: dict[str, Any], after: tuple[Any, ...]
) -> tuple[int, tuple[Any, ...]]:
    """Forget rows of one kind; gives their number, and the last row that was looked at, if there may be more."""
    last: tuple[Any, ...] = ()
    if kind.look is not None:
        timed = len(kind.columns) > 1
        values |= _named("after", kind, after or ((_BEFORE_ALL_TIMES, "") if timed else ("",)))
        last = next(iter(connection.execute(kind.look, values)), ())
        values |= _named("upto", kind, last or ((values["before"], "") if timed else (values["before_id"],)))
    connection.execute(kind.forget, values)
    return connection.changes(), last


def _named(prefix: str, kind: _Kind, row: tuple[Any, ...]) -> dict[str, Any]:
    return {f"{prefix}{column}": value for column, value in zip(kind.columns, row, strict=True)}
