"""A scheduler on virtual time, callbacks that do as they are told, and instances that vanish."""

from __future__ import annotations

import asyncio
import functools
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, ParamSpec
from zoneinfo import ZoneInfo

from duly.declarative import Scheduler
from duly.model.events import CATALOGUE, Event
from duly.testing import VirtualClock
from duly.testing.clock import settle

START = datetime(2026, 6, 1, 10, 0, tzinfo=UTC)
EVERY_MINUTE = "* * * * *"
DELAY = timedelta(minutes=5)
P = ParamSpec("P")


def at(hour: int, minute: int, second: float = 0, *, day: int = 1) -> datetime:
    """A moment of the first days of June 2026, in UTC."""
    return datetime(2026, 6, day, hour, minute, tzinfo=UTC) + timedelta(seconds=second)


class Work:
    """A callback that remembers its calls, takes its time, and fails when told to."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.calls: list[datetime] = []
        self.ended: list[datetime] = []
        self.fails = False
        self.seconds = 0.0
        self.at_once = 0
        self.most_at_once = 0

    async def __call__(self) -> None:
        self.calls.append(self._clock.now())
        fails = self.fails  # as it was told when it began
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self.seconds:
                await self._clock.sleep(self.seconds)
            if fails:
                raise RuntimeError("told to fail")
        finally:
            self.at_once -= 1
            self.ended.append(self._clock.now())

    def clock_faces(self, zone: str) -> list[str]:
        """When it was called, as clocks in a zone showed it."""
        return [call.astimezone(ZoneInfo(zone)).strftime("%d %H:%M%z") for call in self.calls]


class SchedulerHarness:
    """One store, one clock, and the schedulers that come and go."""

    def __init__(self, store: str, start: datetime = START) -> None:
        self.store = store
        self.clock = VirtualClock(start)
        self.events: list[Event] = []
        self.callbacks: dict[str, Work] = {}
        self._schedulers: list[Scheduler] = []

    def work(self, name: str = "a", **told: Any) -> Work:
        """The callback of a task; told something, it does exactly that from its next call on."""
        work = self.callbacks.setdefault(name, Work(self.clock))
        if told:
            work.fails, work.seconds = told.get("fails", False), told.get("seconds", 0.0)
        return work

    def relax(self, name: str = "a") -> None:
        """From its next call on a callback succeeds at once."""
        self.work(name, fails=False)

    def scheduler(self, **options: Any) -> Scheduler:
        options = {"clock": self.clock, "tz": "UTC", "on_event": self.events.append, **options}
        scheduler = Scheduler(self.store, **options)
        self._schedulers.append(scheduler)
        return scheduler

    async def start(self, cron: str = EVERY_MINUTE, delay: timedelta = DELAY, **options: Any) -> Scheduler:
        """A scheduler with one task, `a`, that runs."""
        return await self.start_all(("a", cron, self.work("a"), delay), **options)

    async def start_all(self, *registrations: tuple[Any, ...], **options: Any) -> Scheduler:
        scheduler = self.scheduler(**options)
        await scheduler.initialize(list(registrations))
        await self.quiet()
        return scheduler

    # time

    async def quiet(self) -> None:
        """Until nothing happens any more without time passing; a database that answers over a socket needs a while."""
        await settle()
        calm = 0 if self.store.startswith("postgresql") else 3
        while calm < 3:
            await asyncio.sleep(0.001)
            calm = calm + 1 if all(_is_idle(each) for each in self._schedulers) else 0

    async def travel(self, by: timedelta | None = None, **parts: float) -> None:
        """Let time pass as it would."""
        remaining = (timedelta(**parts) if by is None else by).total_seconds()
        await self.quiet()
        while (wait := self.clock.next_wake_up) is not None and wait <= remaining:
            self.clock.advance(wait)
            remaining -= wait
            await self.quiet()
        self.clock.advance(remaining)
        await self.quiet()

    async def travel_to(self, moment: datetime) -> None:
        await self.travel(moment - self.clock.now())

    # accidents

    async def crash(self, scheduler: Scheduler) -> None:
        """Kill the instance: from here on it tells no event, and only the store survives."""
        scheduler._on_event = None
        store: Any = scheduler._store
        opened = "_file" if hasattr(store, "_file") else "_opened"
        executor = getattr(store, opened)
        setattr(store, opened, None)
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await executor.close()
        with suppress(AttributeError):
            await store._listener.stop()
        self._schedulers.remove(scheduler)

    async def close(self) -> None:
        for work in self.callbacks.values():
            work.seconds = 0.0
        stops = [asyncio.ensure_future(each.stop()) for each in self._schedulers]
        while not all(each.done() for each in stops):
            await self.travel(minutes=10)
        self._schedulers.clear()

    # what happened

    @property
    def told(self) -> list[str]:
        """The names of the events of the specification, in order."""
        return [event.kind.name for event in self.events if event.kind.name[0].isupper()]

    def count(self, name: str) -> int:
        assert name in CATALOGUE, name
        return Counter(self.told)[name]

    def last(self, name: str) -> Event:
        assert name in CATALOGUE, name
        return [event for event in self.events if event.kind.name == name][-1]


def state(scheduler: Scheduler) -> str:
    """Asked anew each time, which a type checker does not expect of a property."""
    return str(scheduler.state)


def polling(scheduler: Scheduler) -> str:
    return str(scheduler.polling)


def _is_idle(scheduler: Scheduler) -> bool:
    engine: Any = scheduler._engine
    if engine is None or not engine.alive or scheduler._stopping is not None or scheduler._initializing is not None:
        return scheduler._initializing is None and (scheduler._stopping is None or bool(engine and len(engine.work)))
    waiting = engine._waker._waiting
    return waiting is not None and not waiting.done() and not engine.work.has_finished


def scheduled(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, Coroutine[Any, Any, None]]:
    """Close the harness of a test after the test."""

    @functools.wraps(test)
    async def called(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            await test(*args, **kwargs)
        finally:
            for given in kwargs.values():
                if isinstance(given, SchedulerHarness):
                    await given.close()

    return called
