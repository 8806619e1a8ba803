"""A parsed expression, and its arithmetic on one straight line of wall-clock time.

Zones and clock changes are the business of `timeline`. A field is an integer whose bits are its values; `next` and
`prev` find values in tables made from it. They answer most questions of the engine, so they are written for speed: most
of the time goes into making the answer, and joining a date with a time of day, or adding days to a datetime, takes half
as long as making a datetime from its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time
from typing import TYPE_CHECKING

from duly.cron.tables import CLOCK, DAYS, SECONDS, Table, ahead, behind, week_ahead, week_behind
from duly.zones import to_naive

if TYPE_CHECKING:
    from datetime import tzinfo

    from duly.cron.days import Days

_combine = datetime.combine  # makes a plain datetime, also from an instance of a subclass


@dataclass(slots=True)
class _Direction:
    """What `next` needs to know, or `prev`: made when it is first asked."""

    hours: Table
    minutes: Table
    outermost: time
    """The first time of a named day for `next`, the last one for `prev`."""
    week: Table | None
    """The days to the nearest named weekday, if only the weekday decides whether a day is named."""


class Spec:
    """The meaning of an expression. All `Cron`s with the same text share one."""

    __slots__ = ("_ahead", "_behind", "daily", "days", "fixed", "hours", "minutes", "seconds")

    has_seconds = False
    """Five fields: fires on the minute, and a whole minute matches."""

    def __init__(self, seconds: int, minutes: int, hours: int, days: Days, fixed: bool) -> None:
        self.seconds = seconds
        self.minutes = minutes
        self.hours = hours
        self.days = days
        self.daily = days.every
        """Every day is named, so that the calendar does not matter."""
        self.fixed = fixed
        """Neither minute nor hour starts with `*`: a time of day rather than a rhythm (see `DstPolicy.ONCE`)."""
        self._ahead: _Direction | None = None
        self._behind: _Direction | None = None

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

    def next(self, at: datetime, tz: tzinfo | None) -> datetime | None:
        """Give the first time on the clock face after `at`, labelled with `tz`; the zone of `at` does not matter.

        From fine to coarse: a later minute of this hour, a later hour of this day, a later day. Each step that leaves a
        unit takes the first named values of all finer ones.
        """
        tables = self._ahead or self._look_ahead()
        # `named` says whether this day is, and `wait` how many days later the next one is; 0 means to ask the calendar.
        if self.daily:
            named = True
            wait = 1
        elif (week := tables.week) is not None:
            weekday = at.isoweekday()
            named = week[weekday - 1] == 1
            wait = week[weekday]
        else:
            year = at.year
            month = at.month
            day = at.day
            days = self.days.of(year, month).ahead
            named = days[day] == day
            wait = 0
        if named:
            hour = at.hour
            hours = tables.hours
            minutes = tables.minutes
            later = hours[hour]
            if later == hour:
                minute = minutes[at.minute + 1]
                if minute >= 0:
                    return _combine(at, CLOCK[hour][minute], tz)
                later = hours[hour + 1]
            if later >= 0:
                return _combine(at, CLOCK[later][minutes[0]], tz)
        if wait:
            try:
                return _combine(at, tables.outermost, tz) + DAYS[wait]
            except OverflowError:
                return None
        later = days[day + 1]
        if later >= 0:
            return _combine(at, tables.outermost, tz) + DAYS[later - day]
        found = self.days.after(year, month)
        return None if found is None else _combine(found, tables.outermost, tz)

    def prev(self, at: datetime, tz: tzinfo | None) -> datetime | None:
        """Give the last time on the clock face before `at`: the mirror of `next`."""
        tables = self._behind or self._look_behind()
        if self.daily:
            named = True
            back = 1
        elif (week := tables.week) is not None:
            weekday = at.isoweekday()
            named = week[weekday + 1] == 1
            back = week[weekday]
        else:
            year = at.year
            month = at.month
            day = at.day
            days = self.days.of(year, month).behind
            named = days[day + 1] == day
            back = 0
        if named:
            hour = at.hour
            hours = tables.hours
            minutes = tables.minutes
            earlier = hours[hour + 1]
            if earlier == hour:
                # A fraction of a minute means that the minute it belongs to has begun, so it counts as before.
                minute = minutes[at.minute + 1 if at.second or at.microsecond else at.minute]
                if minute >= 0:
                    return _combine(at, CLOCK[hour][minute], tz)
                earlier = hours[hour]
            if earlier >= 0:
                return _combine(at, CLOCK[earlier][minutes[60]], tz)
        if back:
            try:
                return _combine(at, tables.outermost, tz) - DAYS[back]
            except OverflowError:
                return None
        earlier = days[day]
        if earlier >= 0:
            return _combine(at, tables.outermost, tz) - DAYS[day - earlier]
        found = self.days.before(year, month)
        return None if found is None else _combine(found, tables.outermost, tz)

    def _look_ahead(self) -> _Direction:
        hours = ahead(self.hours, 24)
        minutes = ahead(self.minutes, 60)
        week = self.days.week
        self._ahead = _Direction(
            hours=hours,
            minutes=minutes,
            outermost=CLOCK[hours[0]][minutes[0]],
            week=None if week is None else week_ahead(week),
        )
        return self._ahead

    def _look_behind(self) -> _Direction:
        hours = behind(self.hours, 24)
        minutes = behind(self.minutes, 60)
        week = self.days.week
        self._behind = _Direction(
            hours=hours,
            minutes=minutes,
            outermost=CLOCK[hours[24]][minutes[60]],
            week=None if week is None else week_behind(week),
        )
        return self._behind

    def shows(self, at: datetime) -> bool:
        """Say whether the clock face shows a named time: the whole minute for five fields, the second for six."""
        return bool(
            self.minutes >> at.minute & 1
            and self.hours >> at.hour & 1
            and self.days.of(at.year, at.month).bits >> at.day & 1
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
        if not self.days.of(at.year, at.month).bits >> at.day & 1:
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
        total = (self.days.of(last.year, last.month).bits & (1 << last.day) - 1).bit_count()
        total -= (self.days.of(first.year, first.month).bits & (1 << first.day) - 1).bit_count()
        for month in range(first.year * 12 + first.month - 1, last.year * 12 + last.month - 1):
            total += self.days.of(month // 12, month % 12 + 1).bits.bit_count()
        return total


class SpecWithSeconds(Spec):
    """An expression of six fields: each minute that the other five name has the same seconds."""

    __slots__ = ("_first_second", "_last_second")

    has_seconds = True

    def __init__(self, seconds: int, minutes: int, hours: int, days: Days, fixed: bool) -> None:
        super().__init__(seconds, minutes, hours, days, fixed)
        self._first_second = SECONDS[ahead(seconds, 60)[0]]
        self._last_second = SECONDS[behind(seconds, 60)[60]]

    def next(self, at: datetime, tz: tzinfo | None) -> datetime | None:
        """Give the first time after `at`: a later second of this minute, or the first one of the next named minute."""
        if Spec.shows(self, at):
            second = ahead(self.seconds, 60)[at.second + 1]
            if second >= 0:
                return _combine(at, time(at.hour, at.minute, second), tz)
        minute = Spec.next(self, at, tz)
        return None if minute is None else minute + self._first_second

    def prev(self, at: datetime, tz: tzinfo | None) -> datetime | None:
        """Give the last time before `at`: the mirror of `next`."""
        if Spec.shows(self, at):
            # A fraction of a second means that the second it belongs to has begun, so it counts as before.
            second = behind(self.seconds, 60)[at.second + (at.microsecond > 0)]
            if second >= 0:
                return _combine(at, time(at.hour, at.minute, second), tz)
            at = _combine(at, CLOCK[at.hour][at.minute])  # without seconds: now this minute does not count as before
        minute = Spec.prev(self, at, tz)
        return None if minute is None else minute + self._last_second

    def shows(self, at: datetime) -> bool:
        """Say whether the clock face shows a named second."""
        return bool(self.seconds >> at.second & 1) and Spec.shows(self, at)
