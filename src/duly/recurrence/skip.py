"""Over what was missed: from an occurrence long ago to the first one that is still to come.

The answer is what walking occurrence by occurrence would give. The walk only ever crosses the places where clocks
change; between them each trigger says by arithmetic how many it passes (`leap`).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from duly.cron import Cron
from duly.model.trigger import Trigger
from duly.recurrence.clockface import BEGINNING, END, in_utc
from duly.recurrence.record import Leap, TriggerRecord

_LAST_SAFE = END - timedelta(days=2)  # after it, local time may lie beyond the calendar: better to walk


class SkipForward(NamedTuple):
    """What lies between a scheduled time and now."""

    next_run: datetime | None
    """The first occurrence after now, None when there is none."""
    skipped: int
    """How many occurrences after the scheduled one have passed."""
    last_missed: datetime | None
    """The latest of those."""


def skip_forward(trigger: Trigger, scheduled: datetime, now: datetime) -> SkipForward:
    """Pass over the occurrences in (scheduled, now]. Nothing is passed when now is not after scheduled."""
    current, limit = in_utc(scheduled, "scheduled"), in_utc(now, "now")
    skipped, last = 0, None
    while (upcoming := trigger.get_next_occurrence(current)) is not None and upcoming <= limit:
        stride = leap(trigger, upcoming, limit)
        skipped += 1 + stride.passed
        current = last = stride.last
    return SkipForward(upcoming, skipped, last)


def leap(trigger: Trigger, current: datetime, limit: datetime) -> Leap:
    """From an occurrence, over as many of those up to `limit` as can be counted without visiting them."""
    if isinstance(trigger, TriggerRecord):
        return trigger.leap(current, limit)
    return _leap_cron(trigger, current, min(limit, _LAST_SAFE)) if isinstance(trigger, Cron) else Leap(0, current)


def _leap_cron(cron: Cron, current: datetime, limit: datetime) -> Leap:
    count = cron.count(current, limit) if current < limit else 0
    # `prev` is strict, and the limit itself counts.
    return Leap(count, cron.prev(limit + timedelta.resolution).astimezone(UTC) if count else current)


def leap_by_cycle(
    following: Callable[[datetime], datetime | None], current: datetime, limit: datetime, cycle: timedelta
) -> Leap:
    """Walk until the position within the cycle comes round again, then take all the rounds that fit at once.

    `limit` must not lie beyond the point up to which a shift by `cycle` changes nothing. Where one starts does not
    count as a position: it may be the end of a gap, on which a slot came down that is elsewhere otherwise.
    """
    count, seen = 0, dict[timedelta, tuple[int, datetime]]()
    while (upcoming := following(current)) is not None and upcoming <= limit:
        count, current = count + 1, upcoming
        place = (current - BEGINNING) % cycle
        if place in seen:
            before, since = seen[place]
            rounds = (limit - current) // (current - since)
            return Leap(count + rounds * (count - before), current + rounds * (current - since))
        seen[place] = (count, current)
    return Leap(count, current)
