"""From wall-clock time to instants on days when a zone's offset changes.

`Cron` answers ordinary days by itself. All arithmetic here is on whole seconds since 0001-01-01, of an instant (UTC) or
of the face of a wall clock (local); `local = instant + offset`. A zone is a row of segments with one offset each
(`zones.Segments`): `starts[i]` is the instant at which segment `i` begins, `floors[i]` the furthest reading of the wall
clock before that, plus one. So a gap lies between `floors[i]` and `starts[i] + offsets[i]`, and readings below
`floors[i]` in segment `i` are repetitions.

There are two policies, and for each `prev` is the exact mirror of `next`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duly.zones import DAY, to_naive, to_seconds

if TYPE_CHECKING:
    from datetime import datetime

    from duly.cron.spec import Spec
    from duly.zones import Segments, Zone


def next_once(spec: Spec, zone: Zone, after: datetime) -> int | None:
    """Find the first instant after `after` (UTC), where each named time counts once.

    The furthest reading of the wall clock so far never goes back, so named times become instants in order: a repeated
    time was reached before, and a skipped one is passed at the end of the gap, where `first_instant` puts it.
    """
    instant = to_seconds(after)
    segments = zone.segments(after.toordinal() + 1)
    index = segments.at(instant)
    local = _next(spec, _reached(segments, index, instant))
    if local is None:
        return None
    return zone.segments(_day(local) + 1).first_instant(local)


def prev_once(spec: Spec, zone: Zone, before: datetime) -> int | None:
    """Find the last instant before `before` (UTC): the mirror of `next_once`."""
    instant = to_seconds(before) + (before.microsecond > 0)  # the second that has begun counts as before
    segments = zone.segments(before.toordinal() + 2)
    index = segments.at(instant)
    # Named times below `bound` were reached before the instant. At the very start of a segment those of the gap were
    # not: they come out at that start, which is not before itself.
    bound = segments.floors[index]
    if instant > segments.starts[index]:
        bound = max(bound, instant + segments.offsets[index])
    local = _prev(spec, bound)
    return None if local is None else segments.first_instant(local)


def next_wallclock(spec: Spec, zone: Zone, after: datetime) -> int | None:
    """Find the first instant after `after` (UTC) at which the wall clock shows a named time."""
    instant = to_seconds(after)
    segments = zone.segments(after.toordinal() + 1)
    index = segments.at(instant)
    local = _next(spec, instant + segments.offsets[index])
    while local is not None:
        segments = zone.segments(_day(local) + 1)
        if local < segments.end(index) + segments.offsets[index]:
            return local - segments.offsets[index]
        # The clock changes before it shows that time: look again from what it shows after the change.
        index += 1
        local = _next(spec, segments.starts[index] + segments.offsets[index] - 1)
    return None


def prev_wallclock(spec: Spec, zone: Zone, before: datetime) -> int | None:
    """Find the last instant before `before` (UTC): the mirror of `next_wallclock`."""
    instant = to_seconds(before) + (before.microsecond > 0)
    segments = zone.segments(before.toordinal() + 2)
    index = segments.at(instant - 1)
    local = _prev(spec, instant + segments.offsets[index])
    while local is not None:
        if local >= segments.starts[index] + segments.offsets[index]:
            return local - segments.offsets[index]
        index -= 1
        local = _prev(spec, segments.starts[index + 1] + segments.offsets[index])
    return None


def fires_in(spec: Spec, zone: Zone, instant: int, *, once: bool) -> bool:
    """Say whether a fire lies in the minute (with six fields, in the second) that the wall clock shows at an instant.

    The minute begins at the segment's start if the clock changed within it.
    """
    segments = zone.segments(instant // DAY + 2)
    index = segments.at(instant)
    into = 0 if spec.has_seconds else (instant + segments.offsets[index]) % 60
    begun = max(instant - into, segments.starts[index])
    return count(spec, zone, begun - 1, instant, once=once) > 0


def count(spec: Spec, zone: Zone, low: int, high: int, *, once: bool) -> int:
    """Count the fires in (low, high], two instants.

    Under `wallclock`, segment by segment: the named times that the clock shows in each. Under `once`, the named times
    between the furthest readings at both ends, where a gap lets all the times it swallows fire as one, at its end.
    """
    segments = zone.segments(high // DAY + 2)
    first = segments.at(low)
    last = segments.at(high)
    if not once:
        return sum(
            spec.count(
                max(low, segments.starts[index] - 1) + segments.offsets[index],
                min(high, segments.end(index) - 1) + segments.offsets[index],
            )
            for index in range(first, last + 1)
        )
    named = spec.count(_reached(segments, first, low), _reached(segments, last, high))
    for index in range(first + 1, last + 1):
        # In the gap before a segment and at its end, one of the named times fires; where there is no gap, none is lost.
        named -= max(0, spec.count(segments.floors[index] - 1, segments.starts[index] + segments.offsets[index]) - 1)
    return named


def _reached(segments: Segments, index: int, instant: int) -> int:
    """Give the furthest reading of the wall clock up to an instant of a segment."""
    return max(instant + segments.offsets[index], segments.floors[index] - 1)


def _next(spec: Spec, local: int) -> int | None:
    found = spec.next(to_naive(local), None)
    return None if found is None else to_seconds(found)


def _prev(spec: Spec, local: int) -> int | None:
    found = spec.prev(to_naive(local), None)
    return None if found is None else to_seconds(found)


def _day(local: int) -> int:
    return to_naive(local).toordinal()
