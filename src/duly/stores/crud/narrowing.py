"""Which statement reads a page of schedules by name: some filters have an index that finds what they leave.

Where a filter leaves few schedules, these are found and put in order; without that, a page would pass over all others
on its way from one to the next. Where it leaves many, a page does just that, and does not go far.
"""

from __future__ import annotations

from typing import Any

from duly.ports.records import ScheduleFilter
from duly.stores.crud.database import Transaction

_FEW = 2000  # so many are put in order, rather than looked for among all others


def beginning(handlers: tuple[str, ...]) -> dict[str, str | None]:
    """Give the patterns of handlers that begin in one of at most two ways; none fits all."""
    first, second = (*(f"{each}%" for each in handlers), None, None)[:2]
    return {"handlers": first, "more_handlers": second}


async def page_query(tx: Transaction, wanted: ScheduleFilter) -> tuple[str, dict[str, Any]]:
    """Give the name of the statement that reads a page, and the values that only this one has."""
    if wanted.deleted:
        return "list_deleted_schedules", {}
    switched_off = ScheduleFilter(enabled=False, namespace=wanted.namespace, after=wanted.after, limit=wanted.limit)
    if wanted == switched_off:
        return "list_switched_off_schedules", {}
    if wanted.resting:
        return "list_resting_schedules", {}
    if wanted.text is None:  # a search reads what is stored
        for statement, values in _narrowing(wanted).items():
            if (ids := await _few(tx, statement, values)) is not None:
                return "list_few_schedules", {"ids": tx.texts(sorted(ids))}
    return "list_schedules", {}


async def _few(tx: Transaction, statement: str, values: dict[str, Any]) -> set[str] | None:
    """Find the schedules that a filter leaves; None if they are many."""
    # Most schedules are switched on: to count them is quicker than to read the ids of too many.
    if statement == "ids_of_switched_on" and await tx.value("count_switched_on", most=_FEW + 1) > _FEW:
        return None
    rows = await tx.rows(statement, most=_FEW + 1, **values)
    return {row[0] for row in rows} if len(rows) <= _FEW else None


def _narrowing(wanted: ScheduleFilter) -> dict[str, dict[str, Any]]:
    """Give the statements that find what the filters leave, the one that leaves least first."""
    statements: dict[str, dict[str, Any]] = {}
    if wanted.quarantined:
        statements["ids_of_unreadable"] = {}
    if wanted.token is not None:
        statements["ids_of_token"] = {"token": wanted.token}
    if wanted.project is not None:
        statements["ids_of_project"] = {"project": wanted.project}
    if wanted.enabled is not None:
        statements["ids_of_switched_on" if wanted.enabled else "ids_of_switched_off"] = {}
    return statements
