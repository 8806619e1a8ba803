"""A parsed expression, and its arithmetic on one straight line of wall-clock time.

Zones and clock changes are the business of `timeline`. A field is an integer whose bits are its values. The next value
after `v` is the lowest bit of `rest = bits >> v + 1`: `rest & -rest` keeps only that bit, and its `bit_length()` is the
distance from `v`. The last value before `v` is the highest bit of `bits & (1 << v) - 1`, whose number is
`bit_length() - 1`. `next` and `prev` are written out for the sake of speed: they answer most questions of the engine.
"""

from __future__ import annotations

from datetime import datetime, time
from typing import TYPE_CHECKING

from duly.zones import to_naive

if TYPE_CHECKING:
    from datetime import tzinfo

    from duly.cron.days import Days


class Spec:
    """The meaning of an expression. All `Cron`s with the same text share one."""

    __slots__ = ("daily", "days", "first", "fixed", "has_seconds", "hours", "last", "minutes", "seconds")

    def __init__(self, seconds: int, minutes: int, hours: int, days: Days, has_seconds: bool, fixed: bool) -> None:
        self.seconds = seconds
        self.minutes = minutes
        self.hours = hours
        self.days = days
        self.daily = days.every
        """Every day is named: the days of a month matter only where the next time lies on another day."""
        self.has_seconds = has_seconds
        """False for five fields: fires on the minute, and a whole minute matches."""
        self.fixed = fixed
        """Neither minute nor hour starts with `*`: a time of day rather than a rhythm (see `DstPolicy.ONCE`)."""
        self.first = (_lowest(hours), _lowest(minutes), _lowest(seconds))
        """The first time of a named day: hour, minute, second."""
        last = (hours.bit_length() - 1, minutes.bit_length() - 1, seconds.bit_length() - 1)
        self.last = self.first if last == self.first else last

    @property
    def meaning(self) -> tuple[object, ...]:
        """Give the value that two of these share when they fire at the same times for the same reasons."""
        return (self.seconds, self.minutes, self.hours, self.days.meaning, self.has_seconds, self.fixed)

    def times_of_day(self, at_most: int) -> tuple[time, ...] | None:
        """List the times of a named day; None when there are more than `at_most`."""
        number = self.hours.bit_count() * self.minutes.bit_count() * self.seconds.bit_count()
        if number > at_most:
            return None
        hours = [hour for hour in range(24) if self.hours >> hour & 1]
        minutes = [minute for minute in range(60) if self.minutes >> minute & 1]
        seconds = [second for second in range(60) if self.seconds >> second & 1]
        return tuple(time(hour, minute, second) for hour in hours for minute in minutes for second in seconds)

    def next(self, at: datetime, tz: tzinfo | None) -> datetime | None:  # noqa: C901  written out for speed
        """Give the first time on the clock face after `at`, labelled with `tz`; the zone of `at` does not matter.

        From fine to coarse: a later second of this minute, a later minute of this hour, a later hour of this day, a
        later day. Each step that leaves a unit takes the first named values of all finer ones.
        """
        year = at.year
        month = at.month
        day = at.day
        hour = at.hour
        if self.daily:
            days = -1
        else:
            seen, days = self.days.latest
            if seen != year * 12 + month:
                days = self.days.of(year, month)
        if days >> day & 1:
            if self.hours >> hour & 1:
                minute = at.minute
                if self.has_seconds and self.minutes >> minute & 1:
                    rest = self.seconds >> at.second + 1
                    if rest:
                        second = at.second + (rest & -rest).bit_length()
                        return datetime(year, month, day, hour, minute, second, 0, tz)
                rest = self.minutes >> minute + 1
                if rest:
                    minute += (rest & -rest).bit_length()
                    return datetime(year, month, day, hour, minute, self.first[2], 0, tz)
            rest = self.hours >> hour + 1
            if rest:
                _, minute, second = self.first
                return datetime(year, month, day, hour + (rest & -rest).bit_length(), minute, second, 0, tz)
        if days < 0:
            if day < 28:
                hour, minute, second = self.first
                return datetime(year, month, day + 1, hour, minute, second, 0, tz)
            seen, days = self.days.latest
            if seen != year * 12 + month:
                days = self.days.of(year, month)
        rest = days >> day + 1
        if rest:
            day += (rest & -rest).bit_length()
        else:
            found = self.days.after(year, month)
            if found is None:
                return None
            year, month, days = found
            day = (days & -days).bit_length() - 1
        hour, minute, second = self.first
        return datetime(year, month, day, hour, minute, second, 0, tz)

    def prev(self, at: datetime, tz: tzinfo | None) -> datetime | None:  # noqa: C901  written out for speed
        """Give the last time on the clock face before `at`: the mirror of `next`."""
        year = at.year
        month = at.month
        day = at.day
        hour = at.hour
        if self.daily:
            days = -1
        else:
            seen, days = self.days.latest
            if seen != year * 12 + month:
                days = self.days.of(year, month)
        if days >> day & 1:
            if self.hours >> hour & 1:
                minute = at.minute
                if (at.second or at.microsecond) and self.minutes >> minute & 1:
                    # A fraction of a second means that the second it belongs to has begun, so it counts as before.
                    rest = self.seconds & (1 << at.second + (at.microsecond > 0)) - 1
                    if rest:
                        return datetime(year, month, day, hour, minute, rest.bit_length() - 1, 0, tz)
                rest = self.minutes & (1 << minute) - 1
                if rest:
                    return datetime(year, month, day, hour, rest.bit_length() - 1, self.last[2], 0, tz)
            rest = self.hours & (1 << hour) - 1
            if rest:
                _, minute, second = self.last
                return datetime(year, month, day, rest.bit_length() - 1, minute, second, 0, tz)
        rest = days & (1 << day) - 2  # no day 0
        if not rest:
            found = self.days.before(year, month)
            if found is None:
                return None
            year, month, rest = found
        hour, minute, second = self.last
        return datetime(year, month, rest.bit_length() - 1, hour, minute, second, 0, tz)

    def shows(self, at: datetime) -> bool:
        """Say whether the clock face shows a named time: the whole minute for five fields, the second for six."""
        return bool(
            self.days.of(at.year, at.month) >> at.day & 1
            and self.hours >> at.hour & 1
            and self.minutes >> at.minute & 1
            and (not self.has_seconds or self.seconds >> at.second & 1)
        )

    def count(self, after: int, until: int) -> int:
        """Count the named times on the clock face in (after, until], in seconds since 0001-01-01.

        All times of the named days from the first day on, without the last day; then the times of the last day that
        have come by its end are added, and those of the first day that had come by its beginning are taken away.
        """
        if until <= after:
            return 0
        first = to_naive(after)
        last = to_naive(until)
        per_day = self.hours.bit_count() * self.minutes.bit_count() * self.seconds.bit_count()
        return per_day * self._days_before(first, last) + self._by(last) - self._by(first)

    def _by(self, at: datetime) -> int:
        """Count the times of the day up to and including a time of day; 0 on a day that is not named."""
        if not self.days.of(at.year, at.month) >> at.day & 1:
            return 0
        seconds = self.seconds.bit_count()
        minutes = self.minutes.bit_count()
        total = (self.hours & (1 << at.hour) - 1).bit_count() * minutes * seconds
        if self.hours >> at.hour & 1:
            total += (self.minutes & (1 << at.minute) - 1).bit_count() * seconds
            if self.minutes >> at.minute & 1:
                total += (self.seconds & (2 << at.second) - 1).bit_count()  # 2 <<: the second itself counts
        return total

    def _days_before(self, first: datetime, last: datetime) -> int:
        """Count the named days in [first, last).

        The days before the last one in its month, without those before the first one in its month, and with all days of
        the months from the first up to the last.
        """
        total = (self.days.of(last.year, last.month) & (1 << last.day) - 1).bit_count()
        total -= (self.days.of(first.year, first.month) & (1 << first.day) - 1).bit_count()
        for month in range(first.year * 12 + first.month - 1, last.year * 12 + last.month - 1):
            total += self.days.of(month // 12, month % 12 + 1).bit_count()
        return total


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
