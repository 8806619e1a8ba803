"""What would happen: the next fires of a trigger, before anything is stored."""

from __future__ import annotations

from datetime import datetime

from duly.errors import InvalidInputError, InvalidRecurrenceError
from duly.model.trigger import Trigger
from duly.recurrence import Once, RecurringTask, begun, first_run
from duly.zones import iso

MAX_PREVIEW = 1000


def first_fire(trigger: Trigger, now: datetime) -> datetime:
    """When a trigger that starts now fires first; the refusal of a moment that has passed names it."""
    try:
        return first_run(trigger, now)
    except InvalidRecurrenceError as error:
        if isinstance(trigger, Once) and trigger.at <= now:
            raise has_passed(trigger.at, now) from error
        raise


def has_passed(moment: datetime, now: datetime) -> InvalidRecurrenceError:
    """The refusal of something that should have run once, and whose time is over."""
    return InvalidRecurrenceError(
        f"Invalid scheduler recurring expression: {iso(moment)} has passed, it is {iso(now)}: name a time ahead"
    )


def preview(trigger: Trigger, now: datetime, count: int = 5) -> list[datetime]:
    """The next fires in UTC; fewer when the series ends."""
    if not 1 <= count <= MAX_PREVIEW:
        raise InvalidInputError(f"count must lie between 1 and {MAX_PREVIEW}, got {count}")
    trigger = begun(trigger, now)
    fires: list[datetime] = []
    at: datetime | None = first_fire(trigger, now)
    while at is not None and len(fires) < count:
        fires.append(at)
        if isinstance(trigger, RecurringTask):
            at = trigger.calculate_next_run(at, len(fires))
        else:
            at = trigger.get_next_occurrence(at)
    return fires
