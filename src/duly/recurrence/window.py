"""A stretch of the day, on some days of the week, to which an interval is confined."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time

from duly.errors import InvalidRecurrenceError
from duly.model.calendar import Weekday
from duly.recurrence.record import CheckedRecord
from duly.recurrence.words import clock, days_of_week
from duly.zones import DAY

EVERY_DAY = frozenset(Weekday)
_MIDNIGHT = time(0)
_LAST_SECOND = time(23, 59, 59)


@dataclass(frozen=True, slots=True)
class Window(CheckedRecord):
    """From `start` to `end`, both included, on `days`. One that ends before it starts crosses midnight.

    The time after midnight belongs to the day on which the window opened.
    """

    start: time = _MIDNIGHT
    end: time = _LAST_SECOND
    days: frozenset[Weekday] = EVERY_DAY

    def _settle(self) -> None:
        if not self.days:
            raise InvalidRecurrenceError("days of a window must name at least one weekday, got none")

    @property
    def opens(self) -> int:
        """Seconds from midnight of its day to its start."""
        return seconds_of_day(self.start)

    @property
    def closes(self) -> int:
        """Seconds from midnight of its day to its end: more than a day when it crosses midnight."""
        return seconds_of_day(self.end) + (DAY if self.crosses_midnight else 0)

    @property
    def crosses_midnight(self) -> bool:
        return self.end < self.start

    def admits(self, weekday: int, second: int) -> bool:
        """Whether a time of day, on a weekday, lies inside a window that opened on that day or on the day before."""
        return any(
            (weekday - shift) % 7 in self.days and self.opens <= second + shift * DAY <= self.closes for shift in (0, 1)
        )

    def describe(self) -> str:
        """As the end of a sentence: " from 09:00 to 17:00, Monday to Friday"."""
        whole_day = (self.start, self.end) == (_MIDNIGHT, _LAST_SECOND)
        hours = "" if whole_day else f" from {clock(self.start)} to {clock(self.end)}"
        return hours + ("" if self.days == EVERY_DAY else f", {days_of_week(self.days)}")


def seconds_of_day(moment: time) -> int:
    """Seconds from midnight to a time of day."""
    return moment.hour * 3600 + moment.minute * 60 + moment.second
