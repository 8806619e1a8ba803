"""The policy of a schedule: what happens when runs overlap, are missed, or fail. `planning` decides by these values."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from duly.errors import InvalidInputError
from duly.model.checks import at_least, choice, length, share, text_or_none, yes_or_no
from duly.model.notice import NotifyRule


class Overlap(StrEnum):
    """What happens to a fire that is due while an earlier run of the schedule has not ended."""

    SKIP = "skip"
    """Record the fire as skipped."""
    QUEUE = "queue"
    """Let the run wait for its turn, in order; at most `queue_limit` runs wait."""
    PARALLEL = "parallel"
    """Run both; at most `max_parallel` runs at once."""


class CatchUp(StrEnum):
    """What happens to fires that passed while no engine ran."""

    SKIP = "skip"
    """Record them as missed and wait for the next fire."""
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
    """Whether and when a failed run is tried again."""

    max_attempts: int | None = 1
    """How many attempts a run has, including the first; None sets no limit."""
    delay: timedelta = timedelta(seconds=10)
    backoff: Backoff = Backoff.EXPONENTIAL
    cap: timedelta = timedelta(hours=1)
    jitter: float = 0.1
    """Up to this share of the wait is added at random, so that runs that failed together are not retried together."""
    superseded: bool = False
    """Whether the next fire of the schedule replaces a run that waits for its retry."""

    if TYPE_CHECKING:
        # The generated constructor also takes the name of an option; `__post_init__` turns it into the option.
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
        length("retry.delay", self.delay, zero=True)
        length("retry.cap", self.cap, zero=True)
        share("retry.jitter", self.jitter)
        yes_or_no("retry.superseded", self.superseded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a schedule is carried out."""

    overlap: Overlap = Overlap.SKIP
    queue_limit: int = 10
    max_parallel: int | None = None
    catch_up: CatchUp = CatchUp.ONCE
    catch_up_window: timedelta | None = None
    """Fires older than this are not made up; None sets no limit."""
    misfire_grace: timedelta = timedelta(seconds=60)
    """A fire this late is still on time; beyond it `catch_up` decides."""
    retry: Retry = field(default_factory=Retry)
    timeout: timedelta | None = None
    stagger_key: str | None = None
    max_stagger_seconds: int = 900
    notify: tuple[NotifyRule, ...] = ()
    """Who gets notices of how its runs end; without rules the owner gets those of failures and recoveries."""
    quiet_word: str | None = None
    """An answer of only these words is not sent; None means the configured ones."""

    if TYPE_CHECKING:
        # The generated constructor also takes the name of an option; `__post_init__` turns it into the option.
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
            notify: tuple[NotifyRule, ...] = ...,
            quiet_word: str | None = ...,
        ) -> None: ...

    @property
    def is_staggered(self) -> bool:
        """Whether its starts are spread."""
        return self.stagger_key is not None

    def __post_init__(self) -> None:
        object.__setattr__(self, "overlap", choice(Overlap, self.overlap, "overlap"))
        object.__setattr__(self, "catch_up", choice(CatchUp, self.catch_up, "catch_up"))
        at_least("queue_limit", self.queue_limit, 0)
        at_least("max_stagger_seconds", self.max_stagger_seconds, 0)
        if self.max_parallel is not None:
            at_least("max_parallel", self.max_parallel, 1)
        length("misfire_grace", self.misfire_grace, zero=True)
        for name in ("catch_up_window", "timeout"):
            if getattr(self, name) is not None:
                length(name, getattr(self, name), zero=False)
        if not isinstance(self.stagger_key, str | None):
            raise InvalidInputError(f"stagger_key must be text or None, got {self.stagger_key!r}")
        object.__setattr__(self, "stagger_key", self.stagger_key or None)  # an empty key is none
        object.__setattr__(self, "quiet_word", text_or_none("quiet_word", self.quiet_word))
        object.__setattr__(self, "notify", tuple(self.notify))  # equal rules must be equal values, listed or not
        for rule in self.notify:
            if not isinstance(rule, NotifyRule):
                raise InvalidInputError(f"notify must be NotifyRule values, got {rule!r}")
        if not isinstance(self.retry, Retry):
            raise InvalidInputError(f"retry must be a Retry, got {self.retry!r}")

    @property
    def tells_answers(self) -> bool:
        """Whether some recipient gets a notice of a run that succeeds."""
        return any(each.on.tells_answers for each in self.notify)
