"""Schedules that share a cadence, spread over it: each key has its own place, always the same."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from duly.model.trigger import Trigger
from duly.recurrence.fields import Whole

_HASHED_BYTES = 8
_CAP = Whole(0, 1_000_000_000)


def stagger_offset_seconds(
    stagger_key: str | None, trigger: Trigger, *, after: datetime, max_stagger_seconds: int = 900
) -> int:
    """Seconds to add to the trigger's occurrences: below its cadence, at most `max_stagger_seconds`.

    The cadence is the time between its next two occurrences after `after`; one that occurs only once has none.
    """
    cap = _CAP.check("max_stagger_seconds", max_stagger_seconds)
    if not stagger_key:
        return 0
    cadence = _cadence(trigger, after)
    if cadence is not None:
        cap = max(0, min(cap, cadence - 1))
    return int.from_bytes(sha256(stagger_key.encode()).digest()[:_HASHED_BYTES], "big") % (cap + 1)


def _cadence(trigger: Trigger, after: datetime) -> int | None:
    first = trigger.get_next_occurrence(after)
    second = None if first is None else trigger.get_next_occurrence(first)
    if first is None or second is None:
        return None
    return int((second - first).total_seconds())
