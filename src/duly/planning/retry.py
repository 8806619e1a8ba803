"""When a failed run is tried again, and when that is enough."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from duly.model.policy import Backoff

if TYPE_CHECKING:
    from duly.model.policy import Retry

SHORTEST = timedelta(seconds=1)
"""A delay of zero is legal, but a run that fails at once must not spin."""

MAX_LOST_ATTEMPTS = 3
"""So many attempts lost together with their process make poison of a run that was not given more."""


def next_attempt(retry: Retry, attempt: int, failed_at: datetime, chance: float) -> datetime | None:
    """When to try again after the given attempt (counted from 1); None when it was the last.

    `chance` in [0, 1) spreads the jitter.
    """
    if retry.max_attempts is not None and attempt >= retry.max_attempts:
        return None
    return failed_at + max(wait_before(retry, attempt) * (1 + retry.jitter * chance), SHORTEST)


def wait_before(retry: Retry, attempt: int) -> timedelta:
    """The wait after the given attempt, without jitter."""
    if retry.backoff is Backoff.CONSTANT:
        return retry.delay
    doublings = min(attempt - 1, 60)
    if retry.delay.total_seconds() * (1 << doublings) >= retry.cap.total_seconds():
        return retry.cap
    return retry.delay * (1 << doublings)


def longest_wait(retry: Retry, attempt: int) -> timedelta:
    """The longest wait there can be after the given attempt, jitter included."""
    return max(wait_before(retry, max(1, attempt)) * (1 + retry.jitter), SHORTEST)


def is_poison(retry: Retry, lost: int) -> bool:
    """Whether a run that lost so many attempts with their process has had its chances; failures do not count."""
    return lost >= max(MAX_LOST_ATTEMPTS, retry.max_attempts or 0)
