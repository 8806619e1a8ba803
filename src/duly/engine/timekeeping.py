"""The watch on the wall clock: an engine compares it with the time since boot and with the database's clock.

Wall time decides what is due, and it is the clock that people and programs set. Leases go by the time since boot.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from duly.clock import Cancel, Clock, CorrectableClock, JumpingClock
from duly.engine.correction import Corrector
from duly.model.events import CLOCK_DISAGREES, CLOCK_STEPPED_BACK, Event, EventKind
from duly.planning.clock_marks import FAR_AHEAD, JUMPED, ahead_of, correction_for, jump_between
from duly.ports.store import Store

_COMPARE_EVERY = 60.0  # seconds
_NONE = timedelta(0)


class Timekeeper:
    """Checks the wall clock of an engine before each turn, and undoes what a wrong clock has decided."""

    def __init__(self, store: Store, clock: Clock, emit: Callable[[Event], None], node_id: Callable[[], str]) -> None:
        self._store = store
        self._clock = clock
        self._emit = emit
        self._node_id = node_id
        self._corrector = Corrector(store)
        self._stop_listening: Cancel = lambda: None
        self._seen: tuple[datetime, float] | None = None
        """Wall time and time since boot at the last check."""
        self._compared_at: float | None = None
        self.last_check: datetime | None = None
        """The wall time at the last check, or just before the last jump that the clock reported."""

    @property
    def off_by(self) -> timedelta:
        """How far the clock of the machine is ahead of the database's, which the engine goes by if they disagree."""
        return -self._clock.correction if isinstance(self._clock, CorrectableClock) else _NONE

    async def check(self) -> datetime:
        """Notice that the clock was set before the engine plans by it; gives the wall time to plan by."""
        if isinstance(self._clock, CorrectableClock) and self._must_compare():
            await self._compare(self._clock)
        now = self._clock.now()
        if self.last_check is not None and now < self.last_check:
            self._tell(CLOCK_STEPPED_BACK, seconds=(self.last_check - now).total_seconds())
        self.last_check = now
        self._seen = (now, self._clock.boottime())
        return now

    async def correct(self, now: datetime) -> None:
        """Undo what a clock that was ahead has decided; if that is much, a part of it."""
        asked = self._clock.now()
        await self._corrector.go_on(now, self._node_id(), lambda: self._clock.now() < asked)

    def listen(self, notice_after: float | None, look: Callable[[], None]) -> None:
        """Call `look` so many seconds after each jump that the clock reports. None leaves it to the poll."""
        clock = self._clock
        if notice_after is not None and isinstance(clock, JumpingClock):
            self._stop_listening = clock.on_jump(lambda by: self._jumped(by, notice_after, look))

    def stop_listening(self) -> None:
        self._stop_listening()

    def _jumped(self, by: timedelta, notice_after: float, look: Callable[[], None]) -> None:
        """Act as an engine that polls often would: it checked just before the jump, and checks soon after."""
        before = self._clock.now() - by
        self.last_check = before if self.last_check is None else max(self.last_check, before)
        self._clock.call_later(notice_after, look)

    def _must_compare(self) -> bool:
        at = self._clock.boottime()
        if self._seen is None or self._compared_at is None or at - self._compared_at >= _COMPARE_EVERY:
            return True
        return abs(jump_between(self._seen, (self._clock.now(), at))) > JUMPED

    async def _compare(self, clock: CorrectableClock) -> None:
        """Ask a database that has its own clock for the time, and go by it if the machine's clock disagrees."""
        asked = self._clock.now()
        there = await self._store.server_time()
        answered = self._clock.now()
        self._compared_at = self._clock.boottime()
        if there is None:
            return
        before = clock.correction
        correction = correction_for(ahead_of(there, asked, answered) - before)
        changed = (correction == _NONE) != (before == _NONE) or abs(correction - before) > JUMPED
        if changed:  # else the machine's clock is as right, or as wrong, as it was
            clock.put_right(correction)
            self.last_check = None  # it was read from a clock that is not used any more
            self._tell(CLOCK_DISAGREES, seconds=-correction.total_seconds())

    def _tell(self, kind: EventKind, **data: object) -> None:
        self._emit(Event(kind, self._clock.now(), node_id=self._node_id(), data=dict(data)))


class PruningGuard:
    """Stops pruning after the clock was set far ahead: everything in the store would look old."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen = self._look()

    def is_believable(self) -> bool:
        """Say whether the clock was not set far ahead since the last call."""
        before = self._seen
        self._seen = self._look()
        return jump_between(before, self._seen) < FAR_AHEAD

    def _look(self) -> tuple[datetime, float]:
        return self._clock.now(), self._clock.boottime()
