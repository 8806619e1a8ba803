"""A handover: one attempt of a run that an executor carries out, such as a Celery worker."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple


class HandoverState(StrEnum):
    """How far a handover has got."""

    INTENDED = "intended"
    """Written down before anything was sent: whether the executor has it is not known yet."""
    HANDED_OVER = "handed_over"
    """The executor has it, and no worker has begun it."""
    BEGUN = "begun"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    LOST = "lost"
    """Its worker gave no sign of life for a lease."""
    EXPIRED = "expired"
    """No worker began it in time: the fire is missed."""
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        return self not in _OPEN

    @property
    def begins_still(self) -> bool:
        """Whether a worker may still begin it."""
        return self in (HandoverState.INTENDED, HandoverState.HANDED_OVER)


_OPEN = frozenset({HandoverState.INTENDED, HandoverState.HANDED_OVER, HandoverState.BEGUN})


class HandoverKey(NamedTuple):
    """Names one handover: the run, and its number within the run, which is the fence of its results."""

    run_id: str
    number: int

    def __str__(self) -> str:
        return f"{self.run_id}.{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """The durable record of one attempt elsewhere. It says itself how long it may take, for any node to decide."""

    run_id: str
    number: int
    schedule_id: str
    executor: str
    task: str
    """What the executor is asked to do: the name of a Celery task, or of a service's job."""
    queue: str | None = None
    state: HandoverState = HandoverState.INTENDED
    token_hash: str
    """SHA-256 of the token in the message that was sent last: its bearer may report about this handover."""
    reports: bool = True
    """Whether the worker asks for leave and reports; otherwise duly learns from the executor what it knows."""
    lease_seconds: float
    """Without a sign of life for so long, a handover that has begun is lost."""
    run_seconds: float | None = None
    """The timeout of the run, from its beginning at the worker."""
    intended_at: datetime
    sent_at: datetime | None = None
    """When it was sent last."""
    sent: int = 0
    """How often it was sent: again after a crash between sending and noting it, or after the queue was lost."""
    begin_by: datetime | None = None
    """A fire that has not begun by then is missed."""
    tell_at: datetime | None = None
    """When people hear that it has not begun; None once they heard it."""
    begun_at: datetime | None = None
    heard_at: datetime | None = None
    """The last sign of life of its worker."""
    ended_at: datetime | None = None
    ended_fence: int | None = None
    """The fence of the run when it ended: an attempt that failed with it, or a higher one, has taken its outcome."""
    worker: str | None = None
    start: str | None = None
    """Which start of the message has leave: a worker that asks twice names the same one."""
    cancel_asked: bool = False
    result: str | None = None
    """JSON."""
    error: str | None = None

    @property
    def key(self) -> HandoverKey:
        return HandoverKey(self.run_id, self.number)

    @property
    def lease(self) -> timedelta:
        return timedelta(seconds=self.lease_seconds)
