"""How schedules have been doing: the views that a list of schedules shows, apart from those of whole days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMark:
    """A run as a mark on a line."""

    run_id: str
    schedule_id: str
    status: str
    origin: str
    fire_at: datetime
    due_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    skipped: int = 0
    """How many fires a skipped or missed run stands for; `fire_at` is the last of them."""
    first_skipped_at: datetime | None = None
    reminder_status: str | None = None
    """Of the reminder that the run delivers: `awaiting_ack`, `snoozed`, …"""
    attempt: int = 0
    reason: str | None = None

    @property
    def seconds(self) -> float | None:
        """How long it took."""
        if self.started_at is None or self.finished_at is None:
            return None
        return max(0.0, (self.finished_at - self.started_at).total_seconds())


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleFigures:
    """How a schedule has been doing."""

    outcomes: list[RunMark]
    """The last thirty, oldest first."""
    median_seconds: float | None = None
    last_seconds: float | None = None
    spend_7_days: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresView:
    """How schedules have been doing, by id."""

    figures: dict[str, ScheduleFigures]
