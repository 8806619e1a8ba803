"""Quotas: how many schedules and runs an owner may use, and how many dollars in a day. Pure.

Limits only: `service.access.quotas` counts runs, and `budgets.py` decides what a run may cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from duly.model.trigger import Trigger

FIRES_LOOKED_AT = 50
"""The number of coming fires of a new schedule among which the smallest interval is searched."""
DAY = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """The limits of one owner; None is no limit."""

    schedules: int | None = 500
    """Schedules and reminders at a time."""
    min_interval: timedelta | None = timedelta(minutes=1)
    """Between two fires of a schedule, at least."""
    size: int | None = 64 * 1024
    """Bytes that the texts of a schedule have together."""
    runs_per_day: int | None = 5000
    """Runs carried out in 24 hours."""
    wakes_per_day: int | None = 100
    """Wake-ups that agents may ask for in 24 hours; it holds for admins, too."""
    cost_per_day: float | None = 50.0
    """US dollars that agents may spend in 24 hours, where their spawner tells what a run costs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """The quota of all owners, and quotas of some by name, such as `user:ana`."""

    everybody: Quota = field(default_factory=Quota)
    owners: Mapping[str, Quota] = field(default_factory=dict)

    def of(self, *names: str) -> Quota:
        """Give the quota of an owner with these names: the first quota under one of them, else the common one."""
        return next((self.owners[name] for name in names if name in self.owners), self.everybody)


def smallest_interval(trigger: Trigger, after: datetime) -> timedelta | None:
    """Give the smallest interval between two of the next fires; None when there is only one."""
    smallest = None
    before = trigger.get_next_occurrence(after)
    for _ in range(FIRES_LOOKED_AT):
        at = None if before is None else trigger.get_next_occurrence(before)
        if before is None or at is None:
            break
        smallest = at - before if smallest is None else min(smallest, at - before)
        before = at
    return smallest
