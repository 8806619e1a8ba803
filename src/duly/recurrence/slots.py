"""The slots of a day, and how to walk and to count them.

Every interval that looks at the wall clock is a series of days (ordinals) and, on each, a sorted sequence of seconds.
On a regular day that sequence is the same for all days of its weekday, so it is kept once and only shifted; the few
days on which the clock changes are computed one by one (`_unfold`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from duly.recurrence.clockface import LAST_DAY, local_day
from duly.zones import DAY, DstPolicy, Segments, Zone

Shape = Sequence[int]
"""Seconds from midnight, in order: a tuple, or a `range` where there are many."""

_REACH = 2  # days: no change has ever moved a clock further than this


class Slots(NamedTuple):
    """The instants of one day: `base` plus each offset."""

    base: int
    offsets: Shape
    regular: bool = True
    """False on a day that a clock change touches."""

    def after(self, second: int) -> int | None:
        """The first slot after an instant."""
        index = bisect_right(self.offsets, second - self.base)
        return self.base + self.offsets[index] if index < len(self.offsets) else None

    def until(self, second: int) -> int | None:
        """The last slot up to an instant."""
        index = bisect_right(self.offsets, second - self.base)
        return self.base + self.offsets[index - 1] if index else None

    def number(self, after: int, until: int) -> int:
        """How many slots lie in (after, until]."""
        return bisect_right(self.offsets, until - self.base) - bisect_right(self.offsets, after - self.base)


_NO_SLOTS = Slots(0, ())


class Daily(ABC):
    """The slots of every day, on the clocks of one zone."""

    __slots__ = ("reach", "shapes", "zone")

    def __init__(self, zone: Zone, shapes: tuple[Shape, ...], reach: int = 0) -> None:
        self.zone = zone
        self.shapes = shapes
        """The slots of a regular day, by weekday."""
        self.reach = reach
        """1 when the slots of a day go on after midnight, else 0."""

    @property
    def in_order(self) -> bool:
        """Whether no slot of a day comes after one of the next day, even where a clock change repeats an hour."""
        return True

    def on(self, day: int) -> Slots:
        """The slots of a day."""
        shape = self.shapes[(day - 1) % 7]
        if not shape:
            return _NO_SLOTS
        midnight = (day - 1) * DAY
        segments = self.zone.segments(day + _REACH)
        if self._changes(day, segments):
            return Slots(0, self._unfold(midnight, shape, segments), regular=False)
        return Slots(segments.first_instant(midnight), shape)

    def changes(self, day: int) -> bool:
        """Whether a clock change touches a day."""
        return self._changes(day, self.zone.segments(day + _REACH))

    def _changes(self, day: int, segments: Segments) -> bool:
        return day in segments.unsafe or bool(self.reach and day + 1 in segments.unsafe)

    @abstractmethod
    def _unfold(self, midnight: int, shape: Shape, segments: Segments) -> Shape:
        """The instants of a day on which the clock changes, in order."""

    def day(self, second: int) -> int:
        """The day on the wall clock at an instant."""
        return local_day(self.zone, second)

    def first_day(self, second: int) -> int:
        """Give the first day that can have slots after an instant.

        The day before counts where its slots may lie after midnight: with `reach`, and around a clock change.
        """
        day = self.day(second)
        return max(1, day - 1 if self.reach or self.changes(day) else day)

    def days_from(self, second: int) -> range:
        """Every day that can have slots after an instant."""
        return range(self.first_day(second), LAST_DAY + 1)


class ListedTimes(Daily):
    """Named times of day, under a DST policy."""

    __slots__ = ("dst",)

    def __init__(self, zone: Zone, dst: DstPolicy, shapes: tuple[Shape, ...]) -> None:
        super().__init__(zone, shapes)
        self.dst = dst

    @property
    def in_order(self) -> bool:
        return self.dst is DstPolicy.ONCE

    def _unfold(self, midnight: int, shape: Shape, segments: Segments) -> Shape:
        if self.dst is DstPolicy.ONCE:
            # A set: all times that a gap swallows come to the instant of its end.
            return sorted({segments.first_instant(midnight + second) for second in shape})
        # Each segment near the day shows a time at `local - offset`, if that instant lies within the segment: in a gap
        # none does, in a repeated hour two do.
        low = segments.at(midnight - _REACH * DAY)
        high = segments.at(midnight + _REACH * DAY)
        return sorted(
            midnight + second - segments.offsets[index]
            for second in shape
            for index in range(max(low, 0), high + 1)
            if segments.at(midnight + second - segments.offsets[index]) == index
        )


def next_slot(daily: Daily, days: Iterable[int], second: int) -> int | None:
    """Find the first slot after an instant, on days that come in order.

    The first slot found is the answer, except on a day that a clock change touches: a repeated hour around midnight
    mixes the slots of two days, so the next day is looked at, too.
    """
    best: int | None = None
    day_of_best = 0
    for day in days:
        if best is not None and day > day_of_best + 1:
            break
        slots = daily.on(day)
        slot = slots.after(second)
        if slot is None:
            continue
        if best is None:
            if slots.regular:
                return slot
            best = slot
            day_of_best = day
        else:
            best = min(best, slot)
    return best


def tally(daily: Daily, days: Iterable[int], second: int, limit: int, *, cross: bool = True) -> tuple[int, int]:
    """Count the slots in (second, limit], and give the last of them.

    The count stops before days on which only a walk is right: days of a clock change whose slots mix with those of the
    next day, and all days of a clock change unless they may be crossed.
    """
    first = daily.day(second)
    last = daily.day(limit)
    lengths = [len(shape) for shape in daily.shapes]
    unsafe = daily.zone.segments(last + _REACH).unsafe
    cross = cross and daily.in_order
    count = 0
    last_day_with_slots = 0
    for day in days:
        if day > last + 1:
            break
        touched = day in unsafe or (daily.reach and day + 1 in unsafe)
        if touched and not cross:
            break
        # Between both ends a regular day has all its slots within the range: its length is enough. `last - 1` is left
        # out because slots of a day may go on after midnight.
        if not touched and first < day < last - 1:
            passed = lengths[(day - 1) % 7]
        else:
            slots = daily.on(day)
            passed = slots.number(second, limit)
            second = max(second, slots.until(limit) or 0)  # a gap can press slots of two days into one: count it once
        if passed:
            count += passed
            last_day_with_slots = day
    final = daily.on(last_day_with_slots).until(limit) if last_day_with_slots else None
    return count, max(second, final or 0)
