"""The settings of an engine: how much it does at once, and its times."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType

from duly.errors import InvalidInputError
from duly.model.checks import at_least
from duly.planning.lease import DEFAULT_LEASE
from duly.planning.places import DEFAULT_JOBS, Pool, PoolKind, pools_of


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """The settings of an engine. All times in seconds unless they are a `timedelta`."""

    max_concurrency: int = DEFAULT_JOBS
    """Jobs under way at once in this process."""
    max_prompts: int = 8
    """Prompts under way at once: each target of one is a process, a request or a thread."""
    max_messages: int = 100
    """Messages to people on their way at once."""
    owner_share: float = 0.5
    """The part of the places not held by others that one person or one project may hold, in each of the three pools."""
    batch: int = 1000
    """Schedules planned in one transaction; twice as many runs may be claimed beyond the places for handlers that end
    at once."""
    poll: float = 5.0
    """The longest sleep. Wake-ups come earlier if they can; this is what the engine guarantees."""
    lease: float = DEFAULT_LEASE
    """After so long without a heartbeat, other engines take over the runs of an engine."""
    grace: float = 10.0
    """How long a stopping engine waits for its runs before it hands them back."""
    retention: timedelta = timedelta(days=30)
    """Finished runs older than this are pruned."""
    audit_retention: timedelta = timedelta(days=365)
    """Entries of the audit older than this are pruned."""
    prune_every: float = 3600.0
    threads: bool = True
    """Whether the heartbeat has its own thread. Not on virtual time, which no thread may wait for."""
    notice_jump: float | None = None
    """How soon to check after a jump that the clock reports. None leaves it to the poll, which is soon enough if it is
    short."""

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

    def pools(
        self,
        handlers: Iterable[str],
        held: Mapping[PoolKind, Mapping[str, int]],
        ahead: Mapping[PoolKind, int] = MappingProxyType({}),
    ) -> list[Pool]:
        """Give the pools of an engine that serves these handlers, has so many runs in each lane, and may claim so many
        beyond its places.
        """
        sizes = {kind: self.places(kind) for kind in PoolKind}
        return pools_of(handlers, sizes, held, self.owner_share, ahead)

    def places(self, kind: PoolKind) -> int:
        """Give how many runs of a pool may be under way at once."""
        match kind:
            case PoolKind.JOBS:
                return self.max_concurrency
            case PoolKind.PROMPTS:
                return self.max_prompts
            case PoolKind.MESSAGES:
                return self.max_messages


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


VIRTUAL = EngineSettings(
    threads=False,
    poll=86_400,
    lease=7 * 86_400,
    prune_every=86_400,
    notice_jump=EngineSettings().poll,
)
"""For virtual time: one process and exact wake-ups, so that no poll is needed every few virtual seconds. After a jump
of the clock the engine checks as soon as one on a real machine would."""
