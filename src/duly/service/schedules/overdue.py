"""Reminders that are overdue: which fire will be delivered once an engine runs, and how many are missed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from duly.model.action import Message
from duly.planning.due import decide
from duly.ports.codec import decode_action, decode_policy, decode_trigger
from duly.ports.people import owner_of

if TYPE_CHECKING:
    from duly.ports.records import StoredSchedule


@dataclass(frozen=True, slots=True, kw_only=True)
class Overdue:
    """A reminder whose time passed while no engine ran."""

    id: str
    user_id: str
    name: str
    due_at: datetime
    late_minutes: int
    delivers: datetime | None
    """The missed fire that is delivered now; None when all of them are too old."""
    missed: int
    """How many other fires passed and are recorded as missed."""


def overdue(row: StoredSchedule, fire_at: datetime, run_at: datetime, now: datetime) -> Overdue:
    """Say which fire of an overdue reminder will be delivered, and how many are missed."""
    due = decide(
        decode_trigger(row.trigger),
        decode_policy(row.policy),
        next_fire_at=fire_at,
        stagger=run_at - fire_at,
        now=now,
        until_at=row.until_at,
    )
    action = decode_action(row.action)
    latest = due.watermark or fire_at
    return Overdue(
        id=row.id,
        user_id=(action.user_id if isinstance(action, Message) else None) or owner_of(row.namespace),
        name=row.name,
        due_at=latest,
        late_minutes=int((now - latest).total_seconds() // 60),
        delivers=due.fire_at,
        missed=due.missed.count if due.missed else 0,
    )
