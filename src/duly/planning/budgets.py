"""What a run may cost, given what was spent and what is promised to other runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

DAY = timedelta(hours=24)
NOTHING = 1e-6
"""Less than this many dollars is what adding up left over, not money to spend."""


@dataclass(frozen=True, slots=True)
class OwnerBudget:
    """What all runs of a person or a project may cost within a day, in US dollars."""

    owner: str
    per_day: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A budget per day, and what has become of it."""

    owner: str | None
    """Whose: a person's or a project's, such as `user:ana`; None for the budget of a schedule."""
    limit: float
    spent: float
    """In the last 24 hours."""
    promised: float
    """To other runs that are under way."""

    @property
    def is_used_up(self) -> bool:
        return self.limit - self.spent < NOTHING

    @property
    def left(self) -> float:
        return self.limit - self.spent - self.promised


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What a run may cost. Without an amount it has to wait for what others leave over, or there is nothing left."""

    amount: float | None = None
    used_up: Account | None = None
    """The budget of which nothing is left."""


def promise(accounts: Sequence[Account], wanted: float | None) -> Promise:
    """What a run is promised that wants so much, or all there is: never more than every budget has left."""
    for account in accounts:
        if account.is_used_up:
            return Promise(used_up=account)
    left = min(account.left for account in accounts)
    if left < NOTHING:
        return Promise()
    return Promise(amount=left if wanted is None else min(left, wanted))
