"""Quotas and budgets: how many schedules, runs and dollars an owner may use, and what a run may cost. Pure.

Limits and decisions only: `service.access.quotas` counts runs, and the stores add up costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from duly.model.trigger import Trigger

FIRES_LOOKED_AT = 50
"""The number of coming fires of a new schedule among which the smallest interval is searched."""
DAY = timedelta(hours=24)
NOTHING = 1e-6
"""A smaller amount of dollars is a rounding error of a sum, not money to spend."""


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


@dataclass(frozen=True, slots=True)
class OwnerBudget:
    """The most that all runs of a person or a project may cost within a day, in US dollars."""

    owner: str
    per_day: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A budget per day, with what is spent and what is promised of it."""

    owner: str | None
    """A person or a project, such as `user:ana`; None for the budget of a schedule."""
    limit: float
    spent: float
    """Dollars spent in the last 24 hours."""
    promised: float
    """Dollars that other runs, which are under way, may still spend."""

    @property
    def is_used_up(self) -> bool:
        return self.limit - self.spent < NOTHING

    @property
    def left(self) -> float:
        return self.limit - self.spent - self.promised


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """The most that a run may cost. Without an amount it has to wait for other runs, or a budget is used up."""

    amount: float | None = None
    used_up: Account | None = None
    """The budget that is used up."""


def promise(accounts: Sequence[Account], wanted: float | None) -> Promise:
    """Promise a run the amount that it wants, or all there is with None: never more than each budget has left."""
    for account in accounts:
        if account.is_used_up:
            return Promise(used_up=account)
    left = min(account.left for account in accounts)
    if left < NOTHING:
        return Promise()
    return Promise(amount=left if wanted is None else min(left, wanted))
