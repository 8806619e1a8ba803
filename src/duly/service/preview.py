"""What would happen: the next fires of a trigger, before anything is stored."""

from __future__ import annotations

from datetime import datetime

from duly.errors import InvalidInputError
from duly.model.trigger import Trigger
from duly.recurrence import RecurringTask, begun, first_run

MAX_PREVIEW = 1000


def preview(trigger: Trigger, now: datetime, count: int = 5) -> list[datetime]:
    """The next fires in UTC; fewer when the series ends."""
    if not 1 <= count <= MAX_PREVIEW:
        raise InvalidInputError(f"count must lie between 1 and {MAX_PREVIEW}, got {count}")
    trigger = begun(trigger, now)
    fires: list[datetime] = []
    at: datetime | None = first_run(trigger, now)
    while at is not None and len(fires) < count:
        fires.append(at)
        if isinstance(trigger, RecurringTask):
            at = trigger.calculate_next_run(at, len(fires))
        else:
            at = trigger.get_next_occurrence(at)
    return fires
