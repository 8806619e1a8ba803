"""A fire, and the run that records it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Literal


class Status(StrEnum):
    """The status of a run."""

    WAITING = "waiting"
    """Queued behind another run of its schedule."""
    PENDING = "pending"
    """Ready to be claimed at its due time."""
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    """Its last attempt failed."""
    SKIPPED = "skipped"
    """A policy decided against it."""
    MISSED = "missed"
    """Its time passed while no engine ran."""
    CANCELLED = "cancelled"
    DEAD = "dead"
    """It took its process down too often, or cannot be decoded."""

    @property
    def final(self) -> bool:
        return self not in ACTIVE


StatusName = Literal["waiting", "pending", "running", "succeeded", "failed", "skipped", "missed", "cancelled", "dead"]
Statuses = tuple[Status | StatusName, ...]
ACTIVE = frozenset({Status.WAITING, Status.PENDING, Status.RUNNING})
SUPERSEDED = "superseded by the next fire"
"""The reason of a run that waited for its retry when the next fire replaced it."""


class Origin(StrEnum):
    """Why a fire exists; part of its key."""

    SCHEDULE = "schedule"
    MANUAL = "manual"
    BACKFILL = "backfill"
    CLOCK = "clock"
    """Made while the wall clock was ahead, for a fire that was not carried out; the fire itself is still to come."""


@dataclass(frozen=True, slots=True)
class Fire:
    """One nominal instant of a schedule."""

    schedule_id: str
    origin: Origin
    fire_at: datetime

    @property
    def key(self) -> str:
        """The idempotency key: the same over every attempt, edit and restart."""
        return f"{self.schedule_id}/{self.origin}/{self.fire_at.astimezone(UTC).isoformat()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The durable record of one fire: carried out, or decided against."""

    id: str
    fire: Fire
    namespace: str
    name: str
    """Namespace and name of the schedule."""
    handler: str
    status: Status
    due_at: datetime
    attempt: int = 0
    lost: int = 0
    """How many of its attempts ended with the process; counted anew once another run was found to be the cause."""
    fence: int = 0
    owner: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    result: Any = None
    error: str | None = None
    reason: str | None = None
    """Why it was skipped, missed, cancelled, or is being retried."""
    skipped: int = 0
    """How many fires a skipped or missed run stands for; `fire.fire_at` is the last of them."""
    first_skipped_at: datetime | None = None
    progress: Any = None
    cancel_requested: bool = False

    @property
    def key(self) -> str:
        return self.fire.key

    @property
    def fire_at(self) -> datetime:
        """The nominal time of the fire; of a skipped or missed run the last of its fires."""
        return self.fire.fire_at


def trigger_source(name: str) -> str:
    """Name the schedule as the source of a run, for jobs, agents and the history."""
    return f"schedule:{name}"
