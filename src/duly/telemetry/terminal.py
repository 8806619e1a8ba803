"""What fires, as lines for the person at the terminal of `duly up`: one line each, and not more than one can read."""

from __future__ import annotations

from collections.abc import Callable

from duly.clock import Clock
from duly.model.events import RUN_STARTED, Event
from duly.zones import Zone

_MOST = 20
_WINDOW = 10.0
"""At most so many lines in so many seconds; the others are counted."""
_LATE = 60.0


class FireLines:
    """Says each run that begins. Runs beyond the rate are only counted: with the first line after them."""

    def __init__(self, say: Callable[[str], None], clock: Clock, zone: str) -> None:
        self._say = say
        self._clock = clock
        self._zone = Zone.of(zone)
        self._window_ends = 0.0
        self._said = 0
        self._left_out = 0

    def __call__(self, event: Event) -> None:
        if event.kind is not RUN_STARTED:
            return
        now = self._clock.monotonic()
        if now >= self._window_ends:
            self._window_ends = now + _WINDOW
            self._said = 0
            if self._left_out:
                self._say(f"         … and {self._left_out} more")
                self._left_out = 0
        if self._said >= _MOST:
            self._left_out += 1
            return
        self._said += 1
        self._say(self._line(event))

    def _line(self, event: Event) -> str:
        at = self._zone.localize(event.at)
        name = "".join(letter if letter.isprintable() else "�" for letter in str(event.data.get("name")))
        notes = []
        if (attempt := int(event.data.get("attempt") or 1)) > 1:
            notes.append(f"attempt {attempt}")
        if (late := float(event.data.get("late_seconds") or 0)) >= _LATE:
            notes.append(f"{int(late // _LATE)} min late")
        return f"{at:%H:%M:%S} ▶ {name}" + (f" ({', '.join(notes)})" if notes else "")
