"""Retry: when a failed run is tried again. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from duly.model.policy import Backoff

if TYPE_CHECKING:
    from duly.model.policy import Retry

SHORTEST = timedelta(seconds=1)
"""The least delay: zero is legal, but a run that fails at once must not keep the engine busy."""


def next_attempt(retry: Retry, attempt: int, failed_at: datetime, chance: float) -> datetime | None:
    """Give the time of the next attempt after this one (counted from 1); None when it was the last.

    `chance`, from 0 to less than 1, spreads the jitter.
    """
    if retry.max_attempts is not None and attempt >= retry.max_attempts:
        return None
    return failed_at + max(wait_before(retry, attempt) * (1 + retry.jitter * chance), SHORTEST)


def wait_before(retry: Retry, attempt: int) -> timedelta:
    """Give the wait after this attempt, without jitter."""
    if retry.backoff is Backoff.CONSTANT:
        return retry.delay
    doublings = min(attempt - 1, 60)  # far beyond every cap, and small enough to shift by
    if retry.delay.total_seconds() * (1 << doublings) >= retry.cap.total_seconds():
        return retry.cap
    return retry.delay * (1 << doublings)


def longest_wait(retry: Retry, attempt: int) -> timedelta:
    """Give the longest possible wait after this attempt, jitter included."""
    return max(wait_before(retry, max(1, attempt)) * (1 + retry.jitter), SHORTEST)
