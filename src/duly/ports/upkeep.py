"""What a store says about itself: the figures of its health, what is in trouble, and what it has forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from duly.planning.attention import EndedToken
from duly.planning.correction import Corrected
from duly.ports.records import StoredSchedule


@dataclass(slots=True, kw_only=True)
class Overview:
    """The figures health is judged by."""

    schedules: int
    enabled: int
    quarantined: int
    pending: int
    waiting: int
    running: int
    oldest_due_at: datetime | None
    """The most overdue schedule or pending run."""
    unserved: dict[str, int]
    """Pending runs by handler that no living node serves."""
    nodes: list[str]
    oldest_unplanned_at: datetime | None = None
    """When the most overdue schedule was due that no engine has planned yet."""
    corrected: Corrected | None = None
    """The last time that the clock turned out to have been ahead."""


LOOKED_AHEAD = 10
"""Of the schedules that come next, so many times the limit are looked at for handlers that are not served."""


@dataclass(slots=True, kw_only=True)
class Troubled:
    """Schedules that may need attention, a bounded number of each kind: `planning.attention` says which do."""

    rows: list[StoredSchedule]
    """Each once, in order of ids."""
    held_up: dict[str, datetime]
    """By schedule: when the oldest of its pending runs was due."""
    disowned: dict[str, EndedToken] = field(default_factory=dict)
    """By schedule: a token that answers for what it runs and does not count any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrunePlace:
    """Where a round of forgetting goes on: with which kind of row, and after which row of that kind."""

    kind: int = 0
    after: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What one batch has forgotten."""

    runs: int
    rows: int
    """Rows of all kinds, without those that went with their run or schedule."""
    seconds: float = field(default=0.0, compare=False)
    """For how long the batch kept others from writing, at most."""
    go_on_at: PrunePlace | None = field(default=None, compare=False)
    """Where the next batch of the same round begins; None when this was the last."""
