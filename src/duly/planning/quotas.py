"""How much the tokens of a person or a project may have carried out. Limits only: who counts what is elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from duly.model.trigger import Trigger

FIRES_LOOKED_AT = 50
"""So many coming fires of a new schedule are looked at for the smallest interval between two of them."""


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
    cost_per_day: float | None = 50.0
    """US dollars that agents may spend in 24 hours, where their spawner tells what a run costs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """What holds for all owners, and what for some by name, such as `user:ana`."""

    everybody: Quota = field(default_factory=Quota)
    owners: Mapping[str, Quota] = field(default_factory=dict)

    def of(self, *names: str) -> Quota:
        """The quota of an owner that has these names; the first name that has a quota of its own counts."""
        return next((self.owners[name] for name in names if name in self.owners), self.everybody)


def smallest_interval(trigger: Trigger, after: datetime) -> timedelta | None:
    """The smallest interval between two of the next fires; None when there is but one."""
    smallest, before = None, trigger.get_next_occurrence(after)
    for _ in range(FIRES_LOOKED_AT):
        at = None if before is None else trigger.get_next_occurrence(before)
        if before is None or at is None:
            break
        smallest = at - before if smallest is None else min(smallest, at - before)
        before = at
    return smallest
