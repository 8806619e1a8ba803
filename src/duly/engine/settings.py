"""How an engine runs: the few numbers there are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from duly.errors import InvalidInputError
from duly.model.choices import at_least
from duly.planning.lease import DEFAULT_LEASE
from duly.planning.places import Kind, Pool, pools_of


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """All times in seconds."""

    max_concurrency: int = 500
    """Runs under way at once in this process, without those of prompts and messages."""
    max_prompts: int = 8
    """Prompts under way at once: each target of one is a process, a request or a thread."""
    max_messages: int = 100
    """Messages to people on their way at once."""
    owner_share: float = 0.5
    """The part of the places not held by others that one person or one project may hold, of each of these three."""
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
        for name in ("max_concurrency", "max_prompts", "max_messages"):
            at_least(name, getattr(self, name), 1)
        if not _is_finite(self.owner_share) or not 0 < self.owner_share <= 1:
            raise InvalidInputError(
                f"owner_share must be more than 0 and at most 1 (1 lets one owner have all), got {self.owner_share!r}"
            )
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

    def pools(self, handlers: Iterable[str], held: Mapping[Kind, Mapping[str, int]]) -> list[Pool]:
        """The places of an engine that serves some handlers, and has so many runs under way in each lane."""
        sizes = {
            Kind.JOBS: self.max_concurrency,
            Kind.PROMPTS: self.max_prompts,
            Kind.MESSAGES: self.max_messages,
        }
        return pools_of(handlers, sizes, held, self.owner_share)


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
