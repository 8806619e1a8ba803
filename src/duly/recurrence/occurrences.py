"""Arithmetic over the occurrences of any trigger: pass over missed ones, and stagger triggers that share a cadence.

Passing over gives the same answer as walking occurrence by occurrence. It walks only across the places where clocks
change; between them each trigger counts by arithmetic how many it passes (`leap`).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from duly.cron import Cron
from duly.expansion import step
from duly.model.trigger import Trigger
from duly.recurrence.clockface import BEGINNING, END, in_utc
from duly.recurrence.fields import Whole
from duly.recurrence.record import Leap, TriggerRecord

_LAST_SAFE = END - timedelta(days=2)  # after it, local time may lie beyond the calendar: better to walk
_HASHED_BYTES = 8
_LONGEST_STAGGER = Whole(0, 1_000_000_000)


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
    current = in_utc(scheduled, "scheduled")
    limit = in_utc(now, "now")
    skipped = 0
    last: datetime | None = None
    # Each turn walks one occurrence and then leaps as far as the trigger can count; a leap of nothing is a plain walk.
    while (upcoming := trigger.get_next_occurrence(current)) is not None and upcoming <= limit:
        step()
        stride = leap(trigger, upcoming, limit)
        skipped += 1 + stride.passed
        current = last = stride.last
    return SkipForward(next_run=upcoming, skipped=skipped, last_missed=last)


def leap(trigger: Trigger, current: datetime, limit: datetime) -> Leap:
    """From an occurrence, pass over as many of those up to `limit` as can be counted without visiting them."""
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

    `limit` must not lie beyond the point up to which a shift by `cycle` changes nothing. From equal positions the walk
    goes on equally, so the occurrences and the time between two visits of one position are those of every further
    round. The start itself is not a position: it may be the end of a gap, on which a slot came down that lies
    elsewhere on other days.
    """
    count = 0
    seen: dict[timedelta, tuple[int, datetime]] = {}
    while (upcoming := following(current)) is not None and upcoming <= limit:
        step()
        count += 1
        current = upcoming
        place = (current - BEGINNING) % cycle
        if place in seen:
            count_before, since = seen[place]
            rounds = (limit - current) // (current - since)
            return Leap(count + rounds * (count - count_before), current + rounds * (current - since))
        seen[place] = (count, current)
    return Leap(count, current)


def stagger_offset_seconds(
    stagger_key: str | None, trigger: Trigger, *, after: datetime, max_stagger_seconds: int = 900
) -> int:
    """Seconds to add to the trigger's occurrences: below its cadence, at most `max_stagger_seconds`.

    The cadence is the time between its next two occurrences after `after`; one that occurs only once has none. The
    offset is made from a hash of the key, so it is the same in every process and after every restart.
    """
    cap = _LONGEST_STAGGER.check("max_stagger_seconds", max_stagger_seconds)
    if not stagger_key:
        return 0
    from hashlib import sha256  # late: few schedules are staggered

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
