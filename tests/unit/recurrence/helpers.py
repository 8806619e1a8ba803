"""Short ways to say when."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from duly.model.calendar import Weekday
from duly.model.trigger import Trigger

WORKING_DAYS = tuple(Weekday)[:5]
WEEKEND = tuple(Weekday)[5:]


def utc(text: str) -> datetime:
    """An instant: `utc("2026-11-15 10:00")`."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def local(text: str, zone: str, fold: int = 0) -> datetime:
    """An instant by its wall clock."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC)


def following(trigger: Trigger, current: datetime, count: int, zone: str = "UTC") -> list[str]:
    """The next occurrences as a wall clock of `zone` shows them."""
    found = []
    for _ in range(count):
        upcoming = trigger.get_next_occurrence(current)
        assert upcoming is not None
        shown = upcoming.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        found.append(shown.isoformat(" ", "seconds" if shown.second else "minutes"))
        current = upcoming
    return found
