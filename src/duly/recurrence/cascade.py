"""Several intervals of one task, months to seconds: each moves the occurrence that the one before it gives.

Where the first interval has slots of its own (days, weeks, months, or hours in a window), every one of its slots gives
one occurrence: it is handed to the second interval, which answers with its own next occurrence, and so on. Which slots
there are never depends on where they are moved to, so the first interval keeps its phase. Elapsed time has no slots of
its own; there the whole chain counts from the last occurrence.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from duly.errors import InvalidRecurrenceError
from duly.expansion import step
from duly.recurrence.clockface import BEGINNING
from duly.recurrence.dated import Dated
from duly.recurrence.interval import Interval
from duly.recurrence.occurrences import leap_by_cycle
from duly.recurrence.record import Leap

_NARROW = timedelta(minutes=15)
"""Where the search backwards stops: even the densest interval has few slots in it."""


class Cascade:
    """Two intervals or more, in the order in which they are applied."""

    __slots__ = ("_first", "_others")

    def __init__(self, intervals: tuple[Interval, ...]) -> None:
        self._first, *others = intervals
        self._others = tuple(others)
        for interval in intervals:
            if isinstance(interval, Dated) and not interval.has_phase:
                raise InvalidRecurrenceError(
                    f"{interval.describe()} counts from its own last occurrence, which the other intervals of the task "
                    f"move elsewhere: give it an anchor, or say it all in one interval (on_times, on_days)"
                )

    @property
    def fixed_slots(self) -> bool:
        """Whether the occurrences are the same wherever one begins to ask."""
        return self._first.fixed_slots

    def get_next_occurrence(self, current: datetime) -> datetime | None:
        """The first occurrence strictly after `current`."""
        if isinstance(self._first, Dated):
            return self._next_of_slots(self._first.begun(current), current)
        if self._first.fixed_slots:
            return self._next_of_slots(self._first, current)
        slot = self._first.get_next_occurrence(current)
        return None if slot is None else self._moved(slot)

    def _next_of_slots(self, first: Interval, current: datetime) -> datetime | None:
        # A slot before `current` may be moved to after it: the search begins at the earliest such slot.
        slot = first.get_next_occurrence(self._settled_before(current))
        while slot is not None:
            step()
            occurrence = self._moved(slot)
            if occurrence is None or occurrence > current:
                return occurrence
            slot = first.get_next_occurrence(slot)
        return None

    def _moved(self, slot: datetime) -> datetime | None:
        """Move a slot of the first interval through all the others."""
        instant: datetime | None = slot
        for interval in self._others:
            instant = None if instant is None else interval.get_next_occurrence(instant)
        return instant

    def _settled_before(self, current: datetime) -> datetime:
        """Find an instant, close to the last one, up to which no slot can be moved to after `current`.

        Moving keeps the order: a later slot is never moved to before the place of an earlier one. So "is moved to after
        `current`" is false up to some instant and true from there on, and a binary search finds that instant. It stops
        within `_NARROW`, because a few slots more to walk cost less than further halving.
        """
        high = current
        reach = _NARROW
        while True:  # double the reach until `low` is early enough
            low = current - reach if current - BEGINNING > reach else BEGINNING
            if low == BEGINNING or not self._is_ahead(low, current):
                break
            high = low
            reach *= 2
        while high - low > _NARROW:
            middle = low + (high - low) / 2
            if self._is_ahead(middle, current):
                high = middle
            else:
                low = middle
        return low

    def _is_ahead(self, instant: datetime, current: datetime) -> bool:
        occurrence = self._moved(instant)
        return occurrence is None or occurrence > current

    def leap(self, current: datetime, limit: datetime) -> Leap:
        """From an occurrence, pass over as many occurrences up to `limit` as plain arithmetic can count.

        The chain repeats with the longest of the cycles, because each possible cycle (none, a minute, an hour, a day, a
        week) is a whole multiple of the shorter ones.
        """
        intervals = (self._first, *self._others)
        cycles = [each.cycle for each in intervals if each.cycle is not None]
        if len(cycles) < len(intervals):
            return Leap(0, current)
        # Slots that are still to be moved to after `current` must lie where the clock does not change, too.
        since = self._settled_before(current) if self._first.fixed_slots else current
        steady = min(each.steady_until(since, limit) for each in intervals)
        return leap_by_cycle(self.get_next_occurrence, current, steady, max(cycles))

    def describe(self) -> str:
        """The first interval, and where each of its occurrences is moved."""
        moves = [each.describe_move() for each in self._others]
        if self._first.fixed_slots or isinstance(self._first, Dated):
            return f"{self._first.describe()}, each moved on {', then '.join(moves)}"
        return f"each counted from the last, moved on {', then '.join([self._first.describe_move(), *moves])}"
