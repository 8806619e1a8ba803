"""How an engine runs: the few numbers there are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta

from duly.errors import InvalidInputError
from duly.model.choices import at_least
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
    audit_retention: timedelta = timedelta(days=365)
    """Entries of the audit older than this are forgotten."""
    prune_every: float = 3600.0
    threads: bool = True
    """Beat from a thread of its own. Off on virtual time, where no thread stands still."""
    notice_jump: float | None = None
    """How soon to look after a jump that the clock tells of. None leaves it to the poll, which is soon enough when it
    is short."""

    def __post_init__(self) -> None:
        at_least("max_concurrency", self.max_concurrency, 1)
        at_least("batch", self.batch, 1)
        for name in ("poll", "lease", "prune_every"):
            if not _is_finite(seconds := getattr(self, name)) or seconds <= 0:
                raise InvalidInputError(f"{name} must be a number of seconds greater than zero, got {seconds!r}")
        if not _is_finite(self.grace) or self.grace < 0:
            raise InvalidInputError(f"grace must be a number of seconds and not negative, got {self.grace!r}")
        if self.notice_jump is not None and (not _is_finite(self.notice_jump) or self.notice_jump < 0):
            raise InvalidInputError(
                f"notice_jump must be a number of seconds and not negative, got {self.notice_jump!r}"
            )
        for name in ("retention", "audit_retention"):
            if (kept := getattr(self, name)) <= timedelta(0):
                raise InvalidInputError(f"{name} must be longer than zero, got {kept}")


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


VIRTUAL = EngineSettings(
    threads=False,
    poll=86_400,
    lease=7 * 86_400,
    prune_every=86_400,
    notice_jump=EngineSettings().poll,
)
"""For virtual time: one process, exact wake-ups, and no reason to look around every few virtual seconds, unless the
clock has jumped: then it looks as soon as an engine on a real machine would."""
