"""An eye on the wall clock: has it been set back, and has the clock told of a jump?"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from duly.clock import Cancel, Clock, JumpingClock


class WallWatch:
    """Remembers when the engine last looked at the clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._forget: Cancel = lambda: None
        self.last_look: datetime | None = None

    def look(self) -> timedelta | None:
        """Look at the clock; gives by how much it was set back since the last look, if it was."""
        now, before = self._clock.now(), self.last_look
        self.last_look = now
        return before - now if before is not None and now < before else None

    def listen(self, notice_after: float | None, look: Callable[[], None]) -> None:
        """Have `look` called so long after each jump, if the clock tells of them. None leaves it to the poll."""
        clock = self._clock
        if notice_after is not None and isinstance(clock, JumpingClock):
            self._forget = clock.on_jump(lambda by: self._jumped(by, notice_after, look))

    def stop_listening(self) -> None:
        self._forget()

    def _jumped(self, by: timedelta, notice_after: float, look: Callable[[], None]) -> None:
        """The engine is to look when one that polls often would; that one would also have looked just before."""
        before = self._clock.now() - by
        self.last_look = before if self.last_look is None else max(self.last_look, before)
        self._clock.call_later(notice_after, look)
