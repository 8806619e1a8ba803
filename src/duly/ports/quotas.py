"""The counts that a store keeps for the quotas of persons and projects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How many schedules a namespace may have. A store checks it in the transaction that adds one."""

    namespace: str
    at_most: int
    since: datetime
    """Schedules that came to their end before this time do not count."""
    refuse: Callable[[int], Exception]
    """Makes the error for a namespace that has so many schedules already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """A run that counts for the quota of its owner."""

    run_id: str
    fence: int
    schedule_id: str
    owner: str
    at: datetime
    since: datetime
    """Runs before this time do not count."""
    at_most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How much of a quota an owner uses."""

    owner: str
    schedules: int
    runs: int
    """Carried out since a time."""
    spent: float
    """The cost of these runs, in US dollars."""
    promised: float
    """What runs under way may still cost, in US dollars."""


class QuotaCounts(Protocol):
    """The counts of a store. Each call is one transaction and safe to repeat."""

    async def admit(self, run: Admission) -> int | None:
        """Count a run; returns None when it is counted now or was before.

        When the quota is used up, nothing is written, and the number of runs that count already is returned.
        """
        ...

    async def usage(self, owner: str, since: datetime) -> Usage: ...

    async def owners(self, after: str | None, limit: int) -> list[str]:
        """Return namespaces of persons and projects that have schedules, in order, beginning after a name."""
        ...
