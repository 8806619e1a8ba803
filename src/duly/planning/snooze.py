"""How long a person may put a reminder off."""

from __future__ import annotations

from datetime import datetime, timedelta

from duly.errors import InvalidInputError, NaiveDatetimeError
from duly.model.choices import at_least
from duly.zones import iso

DEFAULT_SNOOZE = 10
"""Minutes, when nobody says how long."""
MAX_MINUTES = 1440
MAX_AHEAD = timedelta(days=7)


def snooze_until(now: datetime, minutes: int | None = None, until: datetime | None = None) -> datetime:
    """When a snoozed reminder comes back: after some minutes, at a moment, or after ten minutes."""
    if minutes is not None and until is not None:
        raise InvalidInputError("say minutes or until, not both")
    if until is not None:
        if until.utcoffset() is None:
            raise NaiveDatetimeError("until", until)
        if not now < until <= now + MAX_AHEAD:
            raise InvalidInputError(
                f"until must lie ahead and within {MAX_AHEAD.days} days, got {iso(until)} when it is {iso(now)}"
            )
        return until
    wanted = DEFAULT_SNOOZE if minutes is None else minutes
    at_least("minutes", wanted, 1)
    if wanted > MAX_MINUTES:
        raise InvalidInputError(f"minutes must not exceed {MAX_MINUTES} (a day), got {wanted}: say until instead")
    return now + timedelta(minutes=wanted)
