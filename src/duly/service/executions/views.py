"""What workers are answered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveView:
    """Leave to begin."""

    key: str
    """The idempotency key of the run: the same in every attempt."""
    schedule: str
    """The name of the schedule."""
    attempt: int
    lease_seconds: float
    """Without a sign of life for so long, the attempt counts as lost. A third of it is a good interval for beats."""
    run_seconds: float | None = None
    """How long it may take from now on, where there is a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenView:
    """A report that counted."""

    lines: int | None = None
    """How many lines of its output duly has, after a report that brought some or was the last."""
