"""A fire and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Literal


class Status(StrEnum):
    """Where a run stands."""

    WAITING = "waiting"
    """Behind another run of its schedule."""
    PENDING = "pending"
    """Ready to be claimed at its due time."""
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    """Its last attempt raised."""
    SKIPPED = "skipped"
    """A policy decided against it."""
    MISSED = "missed"
    """Its time passed while nothing was running."""
    CANCELLED = "cancelled"
    DEAD = "dead"
    """It took its process down too often, or cannot be read."""

    @property
    def final(self) -> bool:
        return self not in ACTIVE


StatusName = Literal["waiting", "pending", "running", "succeeded", "failed", "skipped", "missed", "cancelled", "dead"]
Statuses = tuple[Status | StatusName, ...]
ACTIVE = frozenset({Status.WAITING, Status.PENDING, Status.RUNNING})
SUPERSEDED = "superseded by the next fire"
"""The reason of a run that waited for another attempt when the next fire took its place."""


class Origin(StrEnum):
    """Why a fire exists; part of its identity."""

    SCHEDULE = "schedule"
    MANUAL = "manual"
    BACKFILL = "backfill"
    CLOCK = "clock"
    """The record that a wrong clock left of a fire that was not carried out; the fire itself comes at its time."""


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
    """The durable record of one fire being carried out, or of the decision not to."""

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
    """How many of its attempts ended together with their process, since another run was found to be the cause."""
    fence: int = 0
    owner: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    result: Any = None
    error: str | None = None
    reason: str | None = None
    """Why it was skipped, missed, cancelled, or is being retried."""
    skipped: int = 0
    """How many fires a skipped or missed record stands for; `fire.fire_at` is the last of them."""
    first_skipped_at: datetime | None = None
    progress: Any = None
    cancel_requested: bool = False

    @property
    def key(self) -> str:
        return self.fire.key

    @property
    def fire_at(self) -> datetime:
        """The nominal time it was fired for; of a skipped or missed record the last of its fires."""
        return self.fire.fire_at


def trigger_source(name: str) -> str:
    """What sets off the runs of the schedule of this name, as jobs, agents and the history are told it."""
    return f"schedule:{name}"
