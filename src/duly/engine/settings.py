"""How an engine runs: the few numbers there are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from duly.errors import InvalidInputError
from duly.planning.lease import DEFAULT_LEASE


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """All times in seconds."""

    max_concurrency: int = 500
    """Runs under way at once in this process."""
    batch: int = 1000
    """Schedules planned in one transaction."""
    poll: float = 5.0
    """The longest sleep: wake-ups are hints, this is the promise."""
    lease: float = DEFAULT_LEASE
    """An owner silent for so long has lost its runs."""
    grace: float = 10.0
    """How long a stopping engine waits for its runs before it hands them back."""
    retention: timedelta = timedelta(days=30)
    """Finished runs older than this are forgotten."""
    prune_every: float = 3600.0
    threads: bool = True
    """Beat from a thread of its own. Off on virtual time, where no thread stands still."""

    def __post_init__(self) -> None:
        for name in ("max_concurrency", "batch", "poll", "lease", "prune_every"):
            if getattr(self, name) <= 0:
                raise InvalidInputError(f"{name} must be greater than zero, got {getattr(self, name)}")
        if self.grace < 0:
            raise InvalidInputError(f"grace must not be negative, got {self.grace}")


VIRTUAL = EngineSettings(threads=False, poll=86_400, lease=7 * 86_400, prune_every=86_400)
"""For virtual time: one process, exact wake-ups, and no reason to look around every few virtual seconds."""
