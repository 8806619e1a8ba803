"""How many requests a token may send: a bucket for each that refills steadily, and the headers that tell the client."""

from __future__ import annotations

import math
from dataclasses import dataclass

from duly.clock import Clock

_WINDOW = 60.0
_MOST_BUCKETS = 10_000


@dataclass(slots=True)
class _Bucket:
    """What is left for one token, and when that was counted."""

    left: float
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """Whether a request may pass, and what its token has left."""

    allowed: bool
    limit: int
    remaining: int
    reset: int
    """Seconds until all of the limit is there again."""
    retry_after: int
    """Seconds after which the next request may pass."""

    @property
    def refusal(self) -> str:
        """Say why a request does not pass."""
        return f"this token has sent {self.limit} requests in a minute, try again in {self.retry_after} s"

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the answer."""
        always = {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }
        return always if self.allowed else {**always, "Retry-After": str(self.retry_after)}


class RateLimits:
    """Counts the requests of each token. Unused requests add up to those of one minute."""

    def __init__(self, clock: Clock, per_minute: int) -> None:
        self._clock = clock
        self._limit = per_minute
        self._rate = per_minute / _WINDOW
        self._buckets: dict[str, _Bucket] = {}

    def take(self, token: str) -> Allowance:
        """Count a request of a token."""
        now = self._clock.monotonic()
        bucket = self._buckets.get(token)
        if bucket is None:
            self._forget_full(now)
            bucket = self._buckets[token] = _Bucket(self._limit, now)
        bucket.left = self._left(bucket, now)
        bucket.at = now
        allowed = bucket.left >= 1
        if allowed:
            bucket.left -= 1
        return Allowance(
            allowed=allowed,
            limit=self._limit,
            remaining=int(bucket.left),
            reset=math.ceil((self._limit - bucket.left) / self._rate),
            retry_after=max(1, math.ceil((1 - bucket.left) / self._rate)),
        )

    def _left(self, bucket: _Bucket, now: float) -> float:
        return min(float(self._limit), bucket.left + (now - bucket.at) * self._rate)

    def _forget_full(self, now: float) -> None:
        """Keep the number of buckets bounded: a full one says no more than none."""
        if len(self._buckets) < _MOST_BUCKETS:
            return
        self._buckets = {
            token: bucket for token, bucket in self._buckets.items() if self._left(bucket, now) < self._limit
        }
