"""The base of all intervals: a length, the wall clock they look at, and a window they may be confined to."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from duly.errors import InvalidRecurrenceError
from duly.recurrence.clockface import in_utc, unchanged_until
from duly.recurrence.fields import LONGEST, Count, DstChoice, TimeZone
from duly.recurrence.record import TriggerRecord
from duly.recurrence.window import Window
from duly.zones import DstPolicy, Zone, to_seconds, to_utc

WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Interval(TriggerRecord):
    """Every so many units of time, on the clocks of `tz`."""

    UNIT: ClassVar[str]
    LISTS: ClassVar[tuple[str, ...]] = ()
    """The fields that list when. Where one of them is set the interval may be 0: every listed time, none counted."""

    interval: Count = 1
    _: KW_ONLY
    tz: TimeZone = "UTC"
    dst: DstChoice = DstPolicy.ONCE
    window: Window | None = None

    @property
    def zone(self) -> Zone:
        return Zone.of(self.tz)

    def _check_zero(self) -> None:
        """Refuse an interval of 0 where no list says when."""
        if self.interval == 0 and not any(getattr(self, name) for name in self.LISTS):
            raise InvalidRecurrenceError(
                f"interval must be a whole number from 1 to {LONGEST}, got 0; 0 needs {' or '.join(self.LISTS)}"
            )

    @property
    @abstractmethod
    def cycle(self) -> timedelta | None:
        """The shift in time under which the occurrences stay the same, as long as the clock does not change.

        `next(t + cycle) == next(t) + cycle`. None where there is no such shift: months differ in length.
        """

    def steady_until(self, instant: datetime, limit: datetime) -> datetime:
        """The last instant, up to `limit`, until which `cycle` holds."""
        return to_utc(unchanged_until(self.zone, to_seconds(instant), to_seconds(limit)))

    def get_next_occurrence(self, current: datetime) -> datetime | None:
        """The first occurrence strictly after `current`, in UTC; None at the end of the calendar."""
        return self._next(in_utc(current))

    @abstractmethod
    def _next(self, current: datetime) -> datetime | None: ...

    def describe(self) -> str:
        """The interval in words a person would use."""
        return self._words() + ("" if self.tz == "UTC" else f" ({self.tz})")

    def describe_move(self) -> str:
        """Where the interval moves an occurrence of another one, in a task of several."""
        return f"to the next of: {self.describe()}"

    @abstractmethod
    def _words(self) -> str: ...
