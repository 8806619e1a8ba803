"""What a store hands over and takes back when it undoes the decisions of a wall clock that was ahead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from duly.model.events import Event
from duly.planning.correction import FireAhead, Placement
from duly.ports.records import StoredSchedule


@dataclass(frozen=True, slots=True)
class Ahead:
    """A schedule that was planned or changed by a clock that was ahead."""

    schedule: StoredSchedule
    fires: list[FireAhead]
    """The runs on record of fires whose time is still to come."""


@dataclass(slots=True)
class Corrections:
    """What becomes of such schedules; a schedule without a placement stays as it is."""

    placements: dict[str, Placement] = field(default_factory=dict)
    """By the id of the schedule."""
    events: list[Event] = field(default_factory=list)


Correct = Callable[[Sequence[Ahead]], Corrections]
"""Called inside the transaction that holds the schedules; must be pure and quick."""

DueAgain = Callable[[datetime, str, int, bool], datetime]
"""Told when a run is due, the policy of its schedule, its attempts and whether the last one failed: when it is now."""
