"""Budgets: what a run may cost, by what its owners and its schedule have left. Pure; the stores add up costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NOTHING = 1e-6
"""A smaller amount of dollars is a rounding error of a sum, not money to spend."""


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
