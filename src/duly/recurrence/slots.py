"""The slots of a day, and how to walk and to count them.

Every interval that looks at the wall clock comes down to days (ordinals) and, on each, a sorted sequence of seconds.
On a regular day that sequence is the same for all days of its weekday, so it is kept once and only shifted; the few
days on which the clock changes are unfolded one by one.
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

_REACH = 2  # days: further than this no change has ever moved a clock


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
    """What happens on a day, seen through one zone."""

    __slots__ = ("reach", "shapes", "zone")

    def __init__(self, zone: Zone, shapes: tuple[Shape, ...], reach: int = 0) -> None:
        self.zone = zone
        self.shapes = shapes
        """For each weekday, what its regular days look like."""
        self.reach = reach
        """1 when the slots of a day go on after midnight, else 0."""

    @property
    def in_order(self) -> bool:
        """Whether even where a clock change repeats an hour no slot of a day comes after one of the next day."""
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
        """The first day that can have slots after an instant."""
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
            return sorted({segments.first_instant(midnight + second) for second in shape})
        low, high = segments.at(midnight - _REACH * DAY), segments.at(midnight + _REACH * DAY)
        return sorted(
            midnight + second - segments.offsets[index]
            for second in shape
            for index in range(max(low, 0), high + 1)
            if segments.at(midnight + second - segments.offsets[index]) == index
        )


def next_slot(daily: Daily, days: Iterable[int], second: int) -> int | None:
    """The first slot after an instant, on days that come in order."""
    best: int | None = None
    found = 0
    for day in days:
        if best is not None and day > found + 1:
            break
        slots = daily.on(day)
        slot = slots.after(second)
        if slot is None:
            continue
        if best is None and slots.regular:
            return slot
        # A repeated hour around midnight mixes the slots of two days: look one day further.
        best, found = (slot, day) if best is None else (min(best, slot), found)
    return best


def tally(daily: Daily, days: Iterable[int], second: int, limit: int, *, cross: bool = True) -> tuple[int, int]:
    """How many slots lie in (second, limit], and the last of them.

    Stops before days on which only a walk gets it right: those of a clock change if they mix, or if not to `cross`.
    """
    first, last = daily.day(second), daily.day(limit)
    lengths = [len(shape) for shape in daily.shapes]
    unsafe = daily.zone.segments(last + _REACH).unsafe
    cross = cross and daily.in_order
    count, final = 0, 0
    for day in days:
        if day > last + 1:
            break
        odd = day in unsafe or (daily.reach and day + 1 in unsafe)
        if odd and not cross:
            break
        if not odd and first < day < last - 1:
            passed = lengths[(day - 1) % 7]
        else:
            slots = daily.on(day)
            passed = slots.number(second, limit)
            second = max(second, slots.until(limit) or 0)  # a gap can press slots of two days into one
        if passed:
            count, final = count + passed, day
    return count, max(second, (daily.on(final).until(limit) or 0) if final else 0)
