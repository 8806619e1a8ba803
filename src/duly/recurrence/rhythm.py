"""Elapsed time aligned to the wall clock: so many seconds on, then to the mark, inside a window or not."""

from __future__ import annotations

from typing import NamedTuple

from duly.recurrence.clockface import ClockMark, segments_at
from duly.recurrence.slots import Daily, ListedTimes, Shape, next_slot
from duly.recurrence.window import Window
from duly.zones import DAY, Segments, Zone

_HOUR = 3600
_FLAT = Zone.of("UTC")


class Rhythm(NamedTuple):
    """A step, and the reading of the clock to which its end is moved."""

    zone: Zone
    step: int
    """In seconds; 0 takes every one of the `hours`."""
    mark: ClockMark | None = None
    """The second or minute to which the end of a step is moved."""
    hours: ListedTimes | None = None
    """The only times of day at which a step may end."""

    @property
    def is_bare(self) -> bool:
        """Whether the end of a step is not moved at all."""
        return self.mark is None and self.hours is None

    def settle(self, second: int) -> int | None:
        """Move the end of a step: to the next of the listed times, to the mark, or not at all."""
        if self.hours is not None:
            segments = segments_at(self.zone, second)
            local = second + segments.offsets[segments.at(second)]
            # From the beginning of the hour on, so that a step that ends at 9:40 still finds the listed 9:15.
            before = second - local % _HOUR - 1
            return next_slot(self.hours, self.hours.days_from(before), before)
        return second if self.mark is None else self.mark.align(self.zone, second)

    def after(self, second: int) -> int | None:
        """Give the end of the step from an instant; without a step, the next of the listed times."""
        if self.step == 0 and self.hours is not None:
            return next_slot(self.hours, self.hours.days_from(second), second)
        return self.settle(second + self.step)

    def between(self, opening: int, closing: int) -> Shape:
        """Give the slots of a grid that starts when a window opens, both ends included.

        As a `range` where the steps are even: where no listed hours and no clock change move a slot aside. The mark of
        the opening minute or hour may lie before the opening; then the grid starts a step later.
        """
        first = self.settle(opening)
        if first is None or self.hours is not None or not self._even(min(first, opening), closing):
            return self._walk(first, opening, closing)
        return range(first if first >= opening else first + self.step, closing + 1, self.step)

    def _even(self, first: int, last: int) -> bool:
        return self.mark is None or self.mark.steady_until(self.zone, first, last) == last

    def _walk(self, slot: int | None, opening: int, closing: int) -> Shape:
        slots = []
        while slot is not None and slot <= closing:
            if slot >= opening:
                slots.append(slot)
            slot = self.after(slot)
        return slots

    def flat(self) -> Rhythm:
        """The same on a clock that never changes."""
        hours = self.hours and ListedTimes(_FLAT, self.hours.dst, self.hours.shapes)
        return self._replace(zone=_FLAT, hours=hours)


class WindowGrid(Daily):
    """A rhythm that starts anew whenever its window opens.

    On the day of a clock change the window lasts from the first moment the clock reaches its start until the first
    moment it passes its end; in between, time is elapsed time.
    """

    __slots__ = ("rhythm", "window")

    def __init__(self, rhythm: Rhythm, window: Window) -> None:
        self.rhythm = rhythm
        self.window = window
        # On a clock that never changes all days are alike, so one day gives the shape of all. It must not be the first
        # of the calendar: a mark may lie before the opening.
        flat = rhythm.flat().between(DAY + window.opens, DAY + window.closes)
        shape = range(flat.start - DAY, flat.stop - DAY, flat.step) if isinstance(flat, range) else _earlier(flat)
        shapes = tuple(shape if weekday in window.days else () for weekday in range(7))
        super().__init__(rhythm.zone, shapes, reach=int(window.crosses_midnight))

    def _unfold(self, midnight: int, _shape: Shape, segments: Segments) -> Shape:
        opening = segments.first_instant(midnight + self.window.opens)
        closing = segments.first_instant(midnight + self.window.closes + 1) - 1
        return self.rhythm.between(opening, closing)


def _earlier(slots: Shape) -> Shape:
    return tuple(slot - DAY for slot in slots)
