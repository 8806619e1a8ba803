"""The figures by which health is judged, and the schedules that may need attention."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from duly.planning.attention import EndedToken
from duly.ports.upkeep import LOOKED_AHEAD, Overview, Troubled
from duly.stores.crud.corrections import last_correction

if TYPE_CHECKING:
    from duly.stores.crud.database import Transaction

_Rows = list[tuple[Any, ...]]

_NO_LIMIT = 2**63 - 1
_SEARCHES = ("failing", "ended_badly", "quarantined", "resting", "unplanned", "coming_unserved")
"""Each finds schedules that need attention, by an index and up to a limit."""


async def overview(
    tx: Transaction, now: datetime, at_most: int | None, serving: Mapping[str, Collection[str]]
) -> Overview:
    """Count what health is judged by; `serving` are the living nodes with their handlers."""
    most = {"most": _NO_LIMIT if at_most is None else at_most}
    found = await tx.together(
        {
            "count_schedules": most,
            "count_quarantined": most,
            "count_active": most,
            "pending_by_handler": {"now": now, **most},
            "oldest_unplanned": {"now": now},
            "last_correction": {},
        }
    )
    [(schedules, enabled)] = found["count_schedules"]
    [(quarantined,)] = found["count_quarantined"]
    active = dict(found["count_active"])
    served = {handler for handlers in serving.values() for handler in handlers}
    pending = found["pending_by_handler"]
    [(oldest,)] = found["oldest_unplanned"]
    unplanned = tx.nearest(oldest)
    first = [unplanned, *(tx.nearest(at) for _, _, *times in pending for at in times)]
    return Overview(
        schedules=schedules,
        enabled=enabled,
        quarantined=int(quarantined),
        pending=active.get("pending", 0),
        waiting=active.get("waiting", 0),
        running=active.get("running", 0),
        oldest_due_at=min((at for at in first if at is not None and at <= now), default=None),
        unserved={handler: number for handler, number, *_ in pending if number and handler not in served},
        nodes=list(serving),
        oldest_unplanned_at=unplanned,
        corrected=last_correction(tx, found["last_correction"]),
    )


async def troubled(
    tx: Transaction, now: datetime, served: Collection[str], ended_after: datetime, limit: int
) -> Troubled:
    """Find the schedules that may need attention, and when the oldest of their pending runs was due."""
    values = {
        "now": now,
        "served": tx.texts(served),
        "ended_after": ended_after,
        "limit": limit,
        "ahead": LOOKED_AHEAD * limit,
    }
    found = await tx.together({**dict.fromkeys(_SEARCHES, values), **_hindrances(now, limit)})
    ids = {row[0] for statement in _SEARCHES for row in found[statement]}
    hindrances = await _hindered(tx, now, limit, found)
    rows = await tx.schedules(sorted(ids | hindrances.held_up.keys() | hindrances.disowned.keys()))
    return replace(hindrances, rows=rows)


async def hindered(tx: Transaction, now: datetime, limit: int) -> Troubled:
    """Find the schedules whose pending runs are overdue, and those whose token has ended; without their rows."""
    return await _hindered(tx, now, limit, await tx.together(_hindrances(now, limit)))


def _hindrances(now: datetime, limit: int) -> dict[str, dict[str, Any]]:
    """Name the statements that `_hindered` reads the answers of."""
    return {"pending_by_handler": {"now": now, "most": 1}, "disowned": {"now": now, "limit": limit}}


async def _hindered(tx: Transaction, now: datetime, limit: int, found: Mapping[str, _Rows]) -> Troubled:
    held_up: dict[str, datetime] = {}
    for handler, number, *_ in found["pending_by_handler"]:
        if number:
            for schedule_id, due_at in await tx.lenient_rows("held_up", now=now, limit=limit, handler=handler):
                if (at := tx.nearest(due_at)) is not None:
                    held_up[schedule_id] = at
    ended = {
        schedule_id: EndedToken.of(token_id, changed, tx.nearest(revoked_at), tx.nearest(expires_at))
        for schedule_id, token_id, changed, revoked_at, expires_at in found["disowned"]
    }
    return Troubled(rows=[], held_up=held_up, disowned=ended)
