"""Between instants and the face of a wall clock, in whole seconds since 0001-01-01.

Beyond the calendar's end the functions give None, or the nearest value that the calendar has; they never overflow.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from duly.errors import NaiveDatetimeError
from duly.zones import DAY, Segments, Zone, to_seconds, to_utc

BEGINNING = datetime.min.replace(tzinfo=UTC)
END = datetime.max.replace(tzinfo=UTC)
LAST_DAY = END.toordinal()
_LAST_SECOND = to_seconds(END)
_AHEAD = 2  # clocks run up to a day or so ahead of UTC: ask a zone for a little more than the day in question


def in_utc(moment: datetime, name: str = "current") -> datetime:
    """Give a moment in UTC. One whose local time is in the calendar while its UTC time is not becomes the nearest."""
    if moment.tzinfo is UTC:
        return moment
    if moment.utcoffset() is None:
        raise NaiveDatetimeError(name, moment)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return BEGINNING if moment.year == 1 else END


def from_seconds(second: int | None) -> datetime | None:
    """An instant, unless the calendar ends before it."""
    return None if second is None or second > _LAST_SECOND else to_utc(second)


def later(instant: datetime, by: timedelta) -> datetime | None:
    """An instant moved on, unless the calendar ends before it."""
    return instant + by if END - instant >= by else None


def segments_at(zone: Zone, second: int) -> Segments:
    """The zone's segments, complete around an instant."""
    return zone.segments(second // DAY + _AHEAD)


def local_day(zone: Zone, second: int) -> int:
    """The day (an ordinal) that the wall clock shows at an instant, or the nearest that the calendar has."""
    segments = segments_at(zone, second)
    return min(max(1, (second + segments.offsets[segments.at(second)]) // DAY + 1), LAST_DAY)


class ClockMark(NamedTuple):
    """A recurring reading of the wall clock: second 30 of every minute, minute 15 of every hour."""

    period: int
    """Sixty seconds, or an hour."""
    phase: int
    """Seconds into the period."""

    def align(self, zone: Zone, second: int) -> int:
        """Find the mark in the minute or hour of an instant, which may lie before or after the instant.

        If the clock changes between the two, the reading may not exist there; then it is the next mark after.
        """
        segments = segments_at(zone, second)
        local = second + segments.offsets[segments.at(second)]
        begin_of_period = second - local % self.period  # by the wall clock: offsets need not be whole periods
        return self._first(segments, begin_of_period + self.phase)

    def _first(self, segments: Segments, second: int) -> int:
        """Find the first instant, from `second` on, at which the wall clock shows the mark."""
        index = segments.at(second)
        while True:
            begin = max(second, segments.starts[index])
            # The clock shows `begin + offset`; the remainder is how long it takes from there to the mark.
            found = begin + (self.phase - begin - segments.offsets[index]) % self.period
            if found < segments.end(index):
                return found
            index += 1

    def steady_until(self, zone: Zone, second: int, limit: int) -> int:
        """Give the last second, up to `limit`, before the clock changes by anything but whole periods.

        A change by an hour does not move second 30 of every minute, nor minute 15 of every hour.
        """
        segments = segments_at(zone, limit)
        first = segments.at(second)
        last = segments.at(limit)
        offset = segments.offsets[first] % self.period
        for index in range(first + 1, last + 1):
            if segments.offsets[index] % self.period != offset:
                return segments.starts[index] - 1
        return limit


def unchanged_until(zone: Zone, second: int, limit: int) -> int:
    """Give the last second, up to `limit`, before the clock changes; on a day that a change touches, `second`."""
    segments = segments_at(zone, max(second, limit))
    if local_day(zone, second) in segments.unsafe:
        # Slots of this day may lie where they lie on no other day, so its occurrences cannot be shifted.
        return min(limit, second)
    return min(limit, segments.end(segments.at(second)) - 1)
