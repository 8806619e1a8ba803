"""The error for a schedule or reminder that is not there: it says which name near the wanted one the caller may mean.

Only names that the caller may see are suggested, and only some rows are read, however many there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from duly.errors import NotFoundError
from duly.model.checks import suggestion
from duly.ports.records import ScheduleFilter, StoredSchedule

if TYPE_CHECKING:
    from duly.ports.store import Store

_READ = 200
"""Rows of a page; names are looked for on two pages: the first one, and the one where the wanted name would be."""
_SURE = 2
"""Letters at the beginning of a name that are probably typed right."""


async def not_found(
    store: Store,
    wanted: str,
    namespace: str | None,
    sees: Callable[[StoredSchedule], bool] = lambda _row: True,
    *,
    noun: str = "schedule",
    that: str = "",
) -> NotFoundError:
    """Make the error. Without a namespace all are searched; `that` says more about what was looked for."""
    first = await store.schedules(ScheduleFilter(namespace=namespace, limit=_READ))
    beside: list[StoredSchedule] = []
    if len(first) == _READ and namespace is not None:
        after = (namespace, wanted[:_SURE])
        there = ScheduleFilter(namespace=namespace, after=after, limit=_READ)
        beside = await store.schedules(there)
    near = suggestion(wanted, dict.fromkeys(row.name for row in (*first, *beside) if sees(row)))
    return NotFoundError(f"there is no {noun} {wanted!r}{that}{near and f': {near}'}")
