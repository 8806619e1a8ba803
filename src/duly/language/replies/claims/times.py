"""When a deed may have been done that a claim speaks of: since its reminder fired, or shortly before."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

_MOST_AHEAD = timedelta(hours=12)
"""So long before its reminder a deed may have been done, at most."""
_A_DAY = timedelta(days=1)
_CLOCKS_DIFFER = timedelta(minutes=5)


class ClaimTime(NamedTuple):
    """When the reminder came and the reply was given, both on the person's clocks."""

    fired: datetime | None = None
    now: datetime | None = None
    every: timedelta | None = None
    """How long after the reminder before it this one came."""

    @property
    def longest(self) -> timedelta:
        """So long ago it may not be any more."""
        ahead = _MOST_AHEAD if self.every is None else min(_MOST_AHEAD, self.every / 2)
        if self.fired is None or self.now is None:
            return ahead
        return max(self.now - self.fired, timedelta()) + ahead

    def fits_length(self, minutes: float) -> bool:
        """Tell whether it may have been done so many minutes ago."""
        ago = timedelta(minutes=minutes)
        return ago < self.longest and ago < _A_DAY

    def fits_clock(self, hour: int, minute: int) -> bool:
        """Tell whether it may have been done at a time of day."""
        if self.now is None:
            return True
        at = self.now.replace(hour=hour, minute=minute, second=0, microsecond=0)
        if at > self.now + _CLOCKS_DIFFER:
            at -= _A_DAY
        return self.now - at < self.longest

    def fits_part(self, first: int) -> bool:
        """Tell whether it may have been done at any time of a part of the day, which begins with an hour."""
        if self.now is None:
            return True
        midnight = self.now.replace(hour=0, minute=0, second=0, microsecond=0)
        begins = midnight + timedelta(hours=first)
        if begins > self.now:
            begins -= _A_DAY
        return self.now - begins < self.longest
