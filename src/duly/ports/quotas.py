"""What a store counts for the quotas of persons and projects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How many schedules a namespace may have. A store looks at it in the transaction that adds one."""

    namespace: str
    at_most: int
    since: datetime
    """Schedules that came to their end before this time do not count."""
    refuse: Callable[[int], Exception]
    """The error for a namespace that has so many already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """A run that counts for the quota of its owner."""

    run_id: str
    fence: int
    schedule_id: str
    owner: str
    at: datetime
    since: datetime
    """Runs before that do not count any more."""
    at_most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What an owner uses."""

    owner: str
    schedules: int
    runs: int
    """Carried out since a time."""
    spent: float
    """What they have cost, in US dollars."""
    promised: float
    """What those under way may still cost."""


class QuotaCounts(Protocol):
    """The counts of a store. Each call is one transaction and safe to repeat."""

    async def scope_of(self, schedule_id: str) -> str | None:
        """The scope of the token that made a schedule; None for one that no token made."""
        ...

    async def admit(self, run: Admission) -> int | None:
        """Count a run; None when it is counted now or was before.

        The number of runs that count already when there is no room for another: then nothing is written.
        """
        ...

    async def usage(self, owner: str, since: datetime) -> Usage: ...

    async def owners(self, after: str | None, limit: int) -> list[str]:
        """Namespaces of persons and projects that have schedules, in order, from the first one after a name on."""
        ...
