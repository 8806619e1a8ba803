"""How: what happens when runs overlap, were missed, or fail. Values only; the decisions are in `planning`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from duly.errors import InvalidInputError
from duly.model.choices import at_least, choice, yes_or_no

LONGEST = timedelta(days=36_525)
"""A hundred years: no wait, window or timeout is meant to be longer."""


class Overlap(StrEnum):
    """A fire is due while an earlier run of the schedule is not finished."""

    SKIP = "skip"
    """Record the fire as skipped."""
    QUEUE = "queue"
    """Let it wait for its turn, in order, up to `queue_limit`."""
    PARALLEL = "parallel"
    """Run both, up to `max_parallel` at once."""


class CatchUp(StrEnum):
    """Fires were missed because nothing was running."""

    SKIP = "skip"
    """Record them as missed and wait for the next."""
    ONCE = "once"
    """Run the latest of them, once, unless it is older than `catch_up_window`; record the others as missed."""


class Backoff(StrEnum):
    """How the wait grows from one attempt to the next."""

    CONSTANT = "constant"
    EXPONENTIAL = "exponential"


OverlapName = Literal["skip", "queue", "parallel"]
CatchUpName = Literal["skip", "once"]
BackoffName = Literal["constant", "exponential"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """What happens after a failed attempt."""

    max_attempts: int | None = 1
    """All attempts together, the first included; None never gives up."""
    delay: timedelta = timedelta(seconds=10)
    backoff: Backoff = Backoff.EXPONENTIAL
    cap: timedelta = timedelta(hours=1)
    jitter: float = 0.1
    """Up to this share of the wait is added, so that what failed together does not return together."""
    superseded: bool = False
    """The next fire of the schedule replaces a run that is still waiting for its retry."""

    if TYPE_CHECKING:
        # What the generated constructor takes: the name of an option is as good as the option, and becomes it.
        def __init__(
            self,
            *,
            max_attempts: int | None = ...,
            delay: timedelta = ...,
            backoff: Backoff | BackoffName = ...,
            cap: timedelta = ...,
            jitter: float = ...,
            superseded: bool = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "backoff", choice(Backoff, self.backoff, "retry.backoff"))
        if self.max_attempts is not None:
            at_least("retry.max_attempts", self.max_attempts, 1)
        _not_negative("retry.delay", self.delay)
        _not_negative("retry.cap", self.cap)
        _is_share("retry.jitter", self.jitter)
        yes_or_no("retry.superseded", self.superseded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a schedule is carried out."""

    overlap: Overlap = Overlap.SKIP
    queue_limit: int = 10
    max_parallel: int | None = None
    catch_up: CatchUp = CatchUp.ONCE
    catch_up_window: timedelta | None = None
    """Older fires than this are not made up; None sets no limit."""
    misfire_grace: timedelta = timedelta(seconds=60)
    """A fire this late is still on time; beyond it `catch_up` decides."""
    retry: Retry = field(default_factory=Retry)
    timeout: timedelta | None = None
    stagger_key: str | None = None
    max_stagger_seconds: int = 900

    if TYPE_CHECKING:
        # What the generated constructor takes: the name of an option is as good as the option, and becomes it.
        def __init__(
            self,
            *,
            overlap: Overlap | OverlapName = ...,
            queue_limit: int = ...,
            max_parallel: int | None = ...,
            catch_up: CatchUp | CatchUpName = ...,
            catch_up_window: timedelta | None = ...,
            misfire_grace: timedelta = ...,
            retry: Retry = ...,
            timeout: timedelta | None = ...,
            stagger_key: str | None = ...,
            max_stagger_seconds: int = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "overlap", choice(Overlap, self.overlap, "overlap"))
        object.__setattr__(self, "catch_up", choice(CatchUp, self.catch_up, "catch_up"))
        at_least("queue_limit", self.queue_limit, 0)
        at_least("max_stagger_seconds", self.max_stagger_seconds, 0)
        if self.max_parallel is not None:
            at_least("max_parallel", self.max_parallel, 1)
        _not_negative("misfire_grace", self.misfire_grace)
        for name, value in (("catch_up_window", self.catch_up_window), ("timeout", self.timeout)):
            if value is not None:
                _is_length(name, value)
                if value <= timedelta(0):
                    raise InvalidInputError(f"{name} must be longer than zero, got {value}")
        if not isinstance(self.stagger_key, str | None):
            raise InvalidInputError(f"stagger_key must be text or None, got {self.stagger_key!r}")
        if self.stagger_key == "":
            raise InvalidInputError(f"stagger_key must not be empty, got {self.stagger_key!r}: None spreads nothing")
        if not isinstance(self.retry, Retry):
            raise InvalidInputError(f"retry must be a Retry, got {self.retry!r}")


def _is_share(name: str, value: object) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise InvalidInputError(f"{name} must lie between 0 and 1, got {value}")


def _is_length(name: str, value: object) -> None:
    if not isinstance(value, timedelta):
        raise InvalidInputError(f"{name} must be a timedelta, got {value!r}")
    if value > LONGEST:
        raise InvalidInputError(f"{name} must not be longer than a hundred years, got {value}")


def _not_negative(name: str, value: timedelta) -> None:
    _is_length(name, value)
    if value < timedelta(0):
        raise InvalidInputError(f"{name} must not be negative, got {value}")
