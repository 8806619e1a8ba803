"""How an engine leaves: what still runs is stopped, what has ended is written down, and the store is told.

A store that does not answer is left without a word: others take over when the lease is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress

from duly import failpoints
from duly.clock import Clock
from duly.engine.membership import Farewell, Membership
from duly.engine.settings import EngineSettings
from duly.engine.waker import answered
from duly.engine.work import Work
from duly.errors import StoreError
from duly.model.events import Event
from duly.ports.records import Cycle
from duly.ports.store import Store

Then = Callable[[], Awaitable[None]]
"""What is to be done when all is over."""

LAST_WORDS = 3.0
"""Seconds that a stopping engine gives its store at least, when the grace time is over."""


class Leaving:
    """The end of an engine's work, and of runs that cannot be stopped and outlive it."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        settings: EngineSettings,
        membership: Membership,
        work: Work,
        take_events: Callable[[], list[Event]],
    ) -> None:
        self._store = store
        self._clock = clock
        self._settings = settings
        self._membership = membership
        self._work = work
        self._take_events = take_events
        self._staying: set[asyncio.Task[None]] = set()
        self._farewells: list[Then] = []

    @property
    def staying(self) -> bool:
        """Whether runs that could not be stopped still go on."""
        return bool(self._staying)

    async def loop_ended(self, loop: asyncio.Task[None], patience: float) -> bool:
        """Wait for the last turn of the engine's loop; one that a silent store holds up is given up."""
        try:
            await answered(self._clock, lambda: asyncio.shield(loop), patience)
        except StoreError:
            loop.cancel()
            await asyncio.gather(loop, return_exceptions=True)
            return False
        return True

    async def wind_up(self, then: Then | None = None, patience: float | None = None) -> None:
        """Stop what still runs, write down what has ended, and leave. The store has `patience` to answer each call."""
        if len(self._work):
            await self._work.cancel_all(1.0)
        await self._settle_the_rest(patience)
        failpoints.hit("engine.leaving")
        kept = self._work.known() if len(self._work) else set()
        with suppress(StoreError):
            go = await self._membership.leave(keep=kept, within=patience)
            if kept:
                task = asyncio.get_running_loop().create_task(self._see_off(kept, go))
                self._staying.add(task)
                task.add_done_callback(self._staying.discard)
        await self.at_last(then)

    async def at_last(self, then: Then | None) -> None:
        """Call it now, or when the last of the runs that could not be stopped has ended."""
        if then is not None and self._staying:
            self._farewells.append(then)
        elif then is not None:
            await then()

    async def _see_off(self, kept: Collection[str], go: Farewell) -> None:
        """Runs that could not be stopped have come to their end: write it down, and leave after all."""
        while self._work.goes_on(kept):
            try:
                await self._work.ended(kept)
            except asyncio.CancelledError:
                if not self._settings.threads:
                    raise
                # The program ends; but it waits for its threads, and so do we.
        await self._settle_the_rest(LAST_WORDS)
        with suppress(StoreError):
            await go(LAST_WORDS)
        if len(self._staying) == 1:
            farewells, self._farewells = self._farewells, []
            for then in farewells:
                await then()

    async def _settle_the_rest(self, patience: float | None) -> None:
        settlements, journal = self._work.take_finished(), self._take_events()
        if settlements or journal:
            turn = Cycle(self._membership.node_id, self._clock.now(), settlements, events=journal)
            with suppress(StoreError):  # then they are handed back, and done once more
                await answered(self._clock, lambda: self._store.cycle(turn), patience)
