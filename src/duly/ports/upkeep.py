"""Records for the maintenance of a store: health, schedules in trouble, pruning, and correcting a wrong clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duly.model.events import Event
    from duly.planning.attention import EndedToken
    from duly.planning.clock_marks import Corrected, FireAhead, Placement
    from duly.ports.records import StoredSchedule


@dataclass(slots=True, kw_only=True)
class Overview:
    """The figures that health is judged by."""

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
"""How many times the limit of schedules that come next are searched for handlers that are not served."""


@dataclass(slots=True, kw_only=True)
class Troubled:
    """Schedules that may need attention, a bounded number of each kind: `planning.attention` says which do."""

    rows: list[StoredSchedule]
    """Each once, in order of ids."""
    held_up: dict[str, datetime]
    """By schedule: when the oldest of its pending runs was due."""
    disowned: dict[str, EndedToken] = field(default_factory=dict)
    """By schedule: the token that created or last changed it, if that was revoked or has expired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrunePlace:
    """Where a round of pruning goes on: in which table, and after which of its rows."""

    kind: int = 0
    after: tuple[Any, ...] = ()


FIRST_PLACE = PrunePlace()
"""Where a round of pruning begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """The result of pruning one batch."""

    runs: int
    rows: int
    """Deleted rows of all tables, without those that were deleted together with their run or schedule."""
    seconds: float = field(default=0.0, compare=False)
    """The longest time for which the batch kept other transactions from writing."""
    deleted: Mapping[str, int] = field(default_factory=dict, compare=False)
    """The deleted rows by kind, as `prunable` counts them."""
    go_on_at: PrunePlace | None = field(default=None, compare=False)
    """Where the next batch of the same round begins; None when this was the last."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """A schedule that was planned or changed by a clock that was ahead."""

    schedule: StoredSchedule
    fires: list[FireAhead]
    """The recorded runs of fires whose time is still to come."""


@dataclass(slots=True)
class Corrections:
    """The decision about such schedules; a schedule without a placement stays as it is."""

    placements: dict[str, Placement] = field(default_factory=dict)
    """By the id of the schedule."""
    events: list[Event] = field(default_factory=list)


Correct = Callable[[Sequence[Ahead]], Corrections]
"""Called inside the transaction that holds the schedules; must be pure and quick."""

DueAgain = Callable[[datetime, str, int, bool], datetime]
"""Returns when a run is due by the right clock, given when it is due now, the policy of its schedule, its attempts and
whether the last one failed."""
