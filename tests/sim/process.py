"""A simulated process: its engine sees time and the store through it, so that it can be frozen or crashed.

A process that crashed runs no clean-up: its sleepers never wake and its calls never return. One that is frozen goes on
later as if nothing had happened, which is what a stopped or overloaded machine does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random

from duly.clock import Cancel
from duly.errors import StoreUnavailableError
from duly.testing.clock import VirtualClock


class Process:
    """Alive, frozen or gone."""

    def __init__(
        self, name: str, world: VirtualClock, skew: timedelta = timedelta(0), chance: Random | None = None
    ) -> None:
        self.name = name
        self._chance = chance
        self.clock = ProcessClock(self, world, skew)
        self.gone = False
        self.frozen = False
        self.forgotten = False
        """The simulation no longer waits for it: calls that still wait in it may end."""
        self.on_crash: list[Callable[[], None]] = []
        self._postponed: list[_Call] = []
        self._waiting: list[asyncio.Future[None]] = []

    def crash(self) -> None:
        """End the process without any clean-up."""
        if not self.gone:
            self.gone = True
            for tell in self.on_crash:
                tell()

    def freeze(self) -> None:
        self.frozen = True

    def thaw(self) -> None:
        """Go on: alarms that were due meanwhile ring now, in a random order."""
        self.frozen = False
        postponed, self._postponed = self._postponed, []
        if self._chance is not None:
            self._chance.shuffle(postponed)
        for call in postponed:
            self.deliver(call)
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if not each.done():
                each.set_result(None)

    async def gate(self) -> None:
        """Pass at once when alive, after the thaw when frozen, and never when gone."""
        while self.frozen or self.gone:
            if self.forgotten:
                raise StoreUnavailableError(f"{self.name} is gone, and the simulation over")
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter

    def deliver(self, call: _Call) -> None:
        """Ring an alarm, or keep it while the process is frozen or gone."""
        if self.frozen or self.gone:
            self._postponed.append(call)  # kept: Python would collect an unreferenced task, and warn
        else:
            call.ring()


class ProcessClock:
    """The clock of one process: its wall clock may be off by a little, its alarms ring only while it is alive."""

    def __init__(self, process: Process, world: VirtualClock, skew: timedelta) -> None:
        self._process = process
        self._world = world
        self._skew = skew

    def now(self) -> datetime:
        return self._world.now() + self._skew

    def monotonic(self) -> float:
        return self._world.monotonic()

    def boottime(self) -> float:
        return self._world.boottime()

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        cancel = self.call_later(seconds, lambda: None if waiter.done() else waiter.set_result(None))
        try:
            await waiter
        finally:
            cancel()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Cancel:
        call = _Call(callback)
        cancel = self._world.call_later(seconds, lambda: self._process.deliver(call))

        def call_off() -> None:
            call.callback = None
            cancel()

        return call_off


class _Call:
    """A callback that may be called off, also while it is postponed."""

    __slots__ = ("callback",)

    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback: Callable[[], object] | None = callback

    def ring(self) -> None:
        callback, self.callback = self.callback, None
        if callback is not None:
            callback()
