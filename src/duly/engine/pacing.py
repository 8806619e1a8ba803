"""The pace of an engine: how far ahead a turn plans, and how long the engine sleeps after it.

A turn comes a moment before a fire is due, so that the run is on disk when its time comes and begins on time. It also
plans the fires that follow shortly after, and writes the outcomes of runs that have ended since the last turn: fires
that follow each other closely share a transaction, and none of them waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from duly.clock import Clock
from duly.engine.ahead import HOLD
from duly.engine.settings import EngineSettings
from duly.engine.work import Work
from duly.ports.records import CycleResult

LEAD = 0.02
"""Seconds before a fire at which a turn comes for it: longer than a transaction usually takes."""
REACH = timedelta(seconds=0.06)
"""For how long a turn plans ahead."""
_SHORT_PAUSE = 0.05


class Pace:
    """Decides when the next turn of an engine comes."""

    def __init__(
        self,
        clock: Clock,
        work: Work,
        settings: Callable[[], EngineSettings],
        is_held_up: Callable[[], bool],
    ) -> None:
        """`is_held_up` says whether runs that are due must wait for an event that wakes the engine."""
        self._clock = clock
        self._work = work
        self._settings = settings
        self._is_held_up = is_held_up
        self._planned_until: datetime | None = None

    def plan_until(self, now: datetime) -> datetime:
        """Begin a turn; gives the time until which it plans."""
        self._planned_until = now + REACH
        return self._planned_until

    def pause(self, result: CycleResult, checked_at: datetime | None) -> float:
        """Give the seconds to sleep: until a turn for the next schedule or run, and never longer than a poll.

        Runs that were claimed ahead are looked after before they have waited too long. `checked_at` is the wall time
        at the beginning of the turn.
        """
        pause = self._after(result, checked_at)
        return min(pause, HOLD) if self._work.ahead.lacks_places else pause

    def _after(self, result: CycleResult, checked_at: datetime | None) -> float:
        settings = self._settings()
        if result.planned >= settings.batch:
            return 0.0
        if result.next_wake is None:
            return 0.0 if self._work.has_finished else settings.poll
        wait = (result.next_wake - self._clock.now()).total_seconds()
        if wait > 0:
            until_turn = self._until_turn(result.next_wake, wait)
            if self._work.has_finished:  # settle what has ended together with what is due next
                return until_turn if until_turn <= self._work.patience else 0.0
            return min(until_turn, settings.poll)
        if self._work.has_finished:
            return 0.0
        if checked_at is not None and result.next_wake > checked_at:
            return 0.0  # it fell due during the turn
        if self._is_held_up():
            return settings.poll
        return 0.0 if result.planned or result.claimed else _SHORT_PAUSE

    def _until_turn(self, next_wake: datetime, wait: float) -> float:
        if self._planned_until is not None and next_wake <= self._planned_until:
            return wait  # the turn left it to its time
        return max(0.0, wait - LEAD)
