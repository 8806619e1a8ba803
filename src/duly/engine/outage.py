"""A store that does not answer: since when and why, told once, and how long to wait before it is asked again."""

from __future__ import annotations

from collections.abc import Callable

from duly.clock import Clock
from duly.model.events import STORE_RECOVERED, STORE_UNAVAILABLE
from duly.planning.lease import pause_after


class Outage:
    """Counts the failures in a row; there is no outage while there are none."""

    def __init__(self, clock: Clock, tell: Callable[..., None]) -> None:
        self._clock = clock
        self._tell = tell
        self._since = 0.0
        self.failures = 0
        self.error: str | None = None

    def failed(self, error: Exception) -> float:
        """Note a failure; gives the seconds to wait."""
        if self.failures == 0:
            self._since = self._clock.monotonic()
            self._tell(STORE_UNAVAILABLE, error=f"{type(error).__name__}: {error}")
        self.failures += 1
        self.error = str(error) or type(error).__name__
        return pause_after(self.failures)

    def over(self) -> None:
        """The store has answered."""
        if self.failures:
            self.failures, self.error = 0, None
            self._tell(STORE_RECOVERED, seconds=self._clock.monotonic() - self._since)
