"""What stores and engines say to each other about a wall clock that was ahead: the marks by which it is noticed, the
correction under way, and where it places a schedule. Pure. The decisions themselves are in `correction.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from duly.model.run import Status

TOLERANCE = timedelta(seconds=5)
"""The clocks of processes that share a store may differ by so much. A smaller step back needs no correction: a poll
takes as long, and by then the clock shows the old time again."""
AGREES = timedelta(seconds=2)
"""A machine's clock is right if it differs from the database's by no more. Two such clocks are within `TOLERANCE` of
each other, so that no node takes the plans of another node for those of a wrong clock."""
JUMPED = timedelta(seconds=1)
"""If wall time and time since boot have drifted apart by more between two checks, the wall clock was set."""
LEFT_TO_ITS_TIME = "recorded while the clock was ahead: it fires when its time comes"
"""The reason on a record that gave up its fire: the record gets the origin `clock`, and the fire can come again."""
FAR_AHEAD = timedelta(hours=1)
"""After a jump so far forward nothing is pruned until the clock has had time to be corrected."""


class ClockMarks(NamedTuple):
    """The times that a store keeps in order to notice a clock that was ahead."""

    decided_until: datetime | None = None
    """The latest time at which an engine decided anything."""
    correcting: datetime | None = None
    """The value of `decided_until` when the correction under way began; None without a correction."""
    ahead_until: datetime | None = None
    """Up to here there may be runs of fires whose time is still to come."""

    def forbids_planning(self, now: datetime) -> bool:
        """Say whether a correction is under way, or due because an engine decided at a time that is still to come."""
        return self.correcting is not None or is_ahead(self.decided_until, now)


class Correction(NamedTuple):
    """A correction under way."""

    decided_until: datetime
    """The latest time at which an engine decided while its clock was ahead."""
    now: datetime
    """The corrected time."""

    @property
    def ahead_seconds(self) -> float:
        """How far ahead of the right time the decisions were; zero if the clock is that far ahead again."""
        return max(0.0, (self.decided_until - self.now).total_seconds())


@dataclass(frozen=True, slots=True)
class Corrected:
    """The result of a correction."""

    at: datetime
    ahead_seconds: float
    """How far ahead of the right time the decisions were."""
    schedules: int
    """How many schedules fire earlier than the wrong clock had planned."""
    runs: int
    """How many runs are due earlier than the wrong clock had planned."""


def is_ahead(decided_until: datetime | None, now: datetime) -> bool:
    """Say whether an engine decided at a time that is still to come, so that its clock was wrong."""
    return decided_until is not None and decided_until - now > TOLERANCE


def jump_between(earlier: tuple[datetime, float], later: tuple[datetime, float]) -> timedelta:
    """Give how far the wall clock was set between two readings of the wall clock and the time since boot."""
    return later[0] - earlier[0] - timedelta(seconds=later[1] - earlier[1])


def ahead_of(there: datetime, asked: datetime, answered: datetime) -> timedelta:
    """Give how far a clock that read `asked` and `answered` around a question is ahead of the one that said `there`.

    Zero as long as the time that the question took explains the difference.
    """
    return asked - there if asked > there else min(answered - there, timedelta(0))


def correction_for(ahead: timedelta) -> timedelta:
    """Give what to add to a clock that is so far ahead of the database's; zero if the two agree."""
    return timedelta(0) if abs(ahead) <= AGREES else -ahead


class FireAhead(NamedTuple):
    """A fire of a schedule that is on record although its time is still to come."""

    run_id: str
    fire_at: datetime
    status: Status
    fence: int
    """How often an engine claimed the run, or took it back: zero as long as it was never begun."""
    finished_at: datetime | None
    first_skipped_at: datetime | None = None
    """Of a record that stands for several fires: the first of them."""


class Placement(NamedTuple):
    """The corrected state of a schedule."""

    enabled: bool
    disabled_by: str | None
    next_fire_at: datetime | None
    next_run_at: datetime | None
    watermark: datetime | None
    fires: int
    updated_at: datetime
    released: tuple[str, ...]
    """Records of fires that were not carried out: they get the origin `clock`, so that the fires can still come."""
    taken_back: tuple[str, ...]
    """Runs without a first attempt: they become such records, too."""
    moved: bool
    """Whether it fires earlier than the wrong clock had planned."""
