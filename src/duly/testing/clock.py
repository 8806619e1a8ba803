"""A clock that stands still until a test moves it.

Wall time, monotonic time and boot time move together, except where a test asks for the accidents of real clocks: a wall
clock that is set forward or back, a machine that sleeps.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

from duly.clock import Cancel
from duly.errors import NaiveDatetimeError

_DEFAULT_START = datetime(2026, 1, 1, tzinfo=UTC)
_HAIR = 1e-7
"""Seconds by which sums of steps may miss each other: a sleeper that is so near to its time has reached it."""


class VirtualClock:
    """A `Clock` whose time passes only through `advance`, `travel` and `run_until`.

    >>> clock = VirtualClock(datetime(2026, 1, 1, tzinfo=UTC))
    >>> clock.advance(timedelta(hours=2))
    >>> clock.now().isoformat()
    '2026-01-01T02:00:00+00:00'
    """

    def __init__(self, start: datetime = _DEFAULT_START) -> None:
        self._wall = _aware(start)
        self._monotonic = 0.0
        self._boottime = 0.0
        self._carried = 0.0
        """Seconds below a microsecond that the wall clock lacks: without them, tiny steps would leave it behind."""
        self._order = count()
        self._alarms: list[tuple[float, int, _Alarm]] = []
        self._on_jump: list[Callable[[timedelta], None]] = []

    def now(self) -> datetime:
        return self._wall

    def monotonic(self) -> float:
        return self._monotonic

    def boottime(self) -> float:
        return self._boottime

    async def sleep(self, seconds: float) -> None:
        """Wait until the test has moved the clock that far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def wake() -> None:
            if not waiter.done():
                waiter.set_result(None)

        cancel = self.call_later(seconds, wake)
        try:
            await waiter
        finally:
            cancel()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Cancel:
        """Call a function once the test has moved the clock that far."""
        alarm = _Alarm(callback)
        heapq.heappush(self._alarms, (self._monotonic + max(0.0, seconds), next(self._order), alarm))
        return alarm.cancel

    @property
    def next_wake_up(self) -> float | None:
        """Seconds until the earliest `sleep` or `call_later` is due; None without one."""
        while self._alarms and self._alarms[0][2].callback is None:
            heapq.heappop(self._alarms)
        return max(0.0, self._alarms[0][0] - self._monotonic) if self._alarms else None

    def advance(self, by: timedelta | float) -> None:
        """Move all three clocks forward in one step; sleepers that are due wake up afterwards."""
        seconds = by.total_seconds() if isinstance(by, timedelta) else float(by)
        if seconds < 0:
            raise ValueError(f"time passes forwards, got {by}; to set the wall clock back use step()")
        self._carried += seconds
        passed = timedelta(seconds=self._carried)
        self._carried -= passed.total_seconds()
        self._wall += passed
        self._monotonic += seconds
        self._boottime += seconds
        self._wake()

    async def travel(self, by: timedelta | None = None, **parts: float) -> None:
        """Move the clocks forward, and stop at every sleeper on the way until it has done its work.

        `await clock.travel(days=31)` takes the parts of a `timedelta`.
        """
        remaining = (timedelta(**parts) if by is None else by).total_seconds()
        if remaining < 0:
            raise ValueError(f"time passes forwards, got {by or parts}; to set the wall clock back use step()")
        await settle()
        while (wait := self.next_wake_up) is not None and wait <= remaining:
            self.advance(wait)
            remaining -= wait
            await settle()
        self.advance(remaining)
        await settle()

    async def travel_to(self, moment: datetime) -> None:
        """`travel` until the wall clock shows a moment."""
        await self.travel(_aware(moment) - self._wall)

    def step(self, by: timedelta) -> None:
        """Set the wall clock forward or back, as NTP or a person does: no time passes, and no sleeper wakes.

        An engine notices with its next poll, as on a real machine: `travel` a few seconds to see it.
        """
        self._wall += by
        self._report_jump(by)

    def suspend(self, asleep: timedelta) -> None:
        """Let the machine sleep: wall and boot time move on, monotonic time and sleepers do not.

        An engine notices with its next poll after waking up, as on a real machine: `travel` a few seconds to see it.
        """
        self._wall += asleep
        self._boottime += asleep.total_seconds()
        self._report_jump(asleep)

    def on_jump(self, callback: Callable[[timedelta], None]) -> Cancel:
        """Call a function at every `step` and `suspend`: an engine on virtual time polls too seldom to notice them."""
        self._on_jump.append(callback)

        def cancel() -> None:
            if callback in self._on_jump:
                self._on_jump.remove(callback)

        return cancel

    def _report_jump(self, by: timedelta) -> None:
        for callback in tuple(self._on_jump):
            callback(by)

    def _wake(self) -> None:
        while self._alarms and self._alarms[0][0] <= self._monotonic + _HAIR:
            _, _, alarm = heapq.heappop(self._alarms)
            alarm.ring()


class _Alarm:
    """A callback that can be cancelled."""

    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback: Callable[[], object] | None = callback

    def cancel(self) -> None:
        self.callback = None

    def ring(self) -> None:
        if (callback := self.callback) is not None:
            self.callback = None
            callback()


async def settle(turns: int = 25) -> None:
    """Let tasks run for some turns of the event loop, without time passing."""
    for _ in range(turns):
        await asyncio.sleep(0)


def _aware(moment: datetime) -> datetime:
    if moment.utcoffset() is None:
        raise NaiveDatetimeError("start", moment)
    return moment.astimezone(UTC)
