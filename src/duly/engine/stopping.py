"""How an engine starts, stops and ticks by hand: one of these at a time, and a stop that loses no outcome.

A stopping engine cancels what still runs, records what has ended and deregisters its node. A store that does not answer
is left as it is: other engines take over when the lease has expired.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager, suppress

from duly import failpoints
from duly.clock import Clock
from duly.engine.membership import Deregister, Membership
from duly.engine.settings import EngineSettings
from duly.engine.waker import answered
from duly.engine.work import Work
from duly.errors import DulyError, StoreError
from duly.model.events import Event
from duly.ports.records import Cycle
from duly.ports.store import Store

Then = Callable[[], Awaitable[None]]
"""Called when the engine has stopped."""

MIN_PATIENCE = 3.0
"""Seconds that a stopping engine gives its store at least, when the grace time is over."""
START = "a start"
STOP = "a stop"
TICK = "a tick"


class Activity:
    """A start, a stop or a tick by hand: only one at a time, since each changes the node of the engine."""

    def __init__(self) -> None:
        self.what: str | None = None
        self._over: asyncio.Future[None] | None = None

    @property
    def precedes_stop(self) -> bool:
        """Whether it has to end before the engine can be stopped."""
        return self.what in (START, TICK)

    @contextmanager
    def alone(self, what: str) -> Iterator[None]:
        """Do one of them; `DulyError` while another is under way."""
        if self.what is not None:
            raise DulyError(f"the engine is busy with {self.what}: wait for its end before {what}")
        self.what = what
        over = self._over = asyncio.get_running_loop().create_future()
        try:
            yield
        finally:
            self.what = None
            with suppress(RuntimeError):  # the event loop was closed, and with it every task that waited
                over.set_result(None)

    async def ended(self, is_asked_from_within: Callable[[], bool]) -> None:
        """Wait for the end of a start or a tick. A caller who is cancelled does not disturb it."""
        while self.precedes_stop and self._over is not None:
            if is_asked_from_within():
                raise DulyError(
                    "a handler cannot wait for the tick that carries it out: close after tick() has returned"
                )
            await asyncio.wait({self._over})


class Shutdown:
    """Ends the work of an engine. Runs in threads that cannot be stopped outlive it, and are recorded when they end."""

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
        self._outliving: set[asyncio.Task[None]] = set()
        self._then: list[Then] = []

    @property
    def waits_for_runs(self) -> bool:
        """Whether runs that could not be stopped still go on."""
        return bool(self._outliving)

    async def loop_ended(self, loop: asyncio.Task[None], patience: float) -> bool:
        """Wait for the last turn of the engine's loop; cancel it if the store does not answer in time."""
        try:
            await answered(self._clock, lambda: asyncio.shield(loop), patience)
        except StoreError:
            loop.cancel()
            await asyncio.gather(loop, return_exceptions=True)
            return False
        return True

    async def finish(self, then: Then | None = None, patience: float | None = None) -> None:
        """Cancel what still runs, record what has ended, deregister. The store has `patience` to answer each call."""
        if len(self._work):
            await self._work.cancel_all(1.0)
        await self._settle_rest(patience)
        failpoints.hit("engine.leaving")
        kept = self._work.known() if len(self._work) else set()
        with suppress(StoreError):
            deregister = await self._membership.leave(keep=kept, within=patience)
            if kept:
                task = asyncio.get_running_loop().create_task(self._outlive(kept, deregister))
                self._outliving.add(task)
                task.add_done_callback(self._outliving.discard)
        await self.afterwards(then)

    async def afterwards(self, then: Then | None) -> None:
        """Call it now, or when the last of the runs that could not be stopped has ended."""
        if then is not None and self._outliving:
            self._then.append(then)
        elif then is not None:
            await then()

    async def _outlive(self, kept: Collection[str], deregister: Deregister) -> None:
        """Wait until runs that could not be stopped end, record their outcomes, and deregister the node they kept."""
        while self._work.goes_on(kept):
            try:
                await self._work.ended(kept)
            except asyncio.CancelledError:
                if not self._settings.threads:
                    raise
                # The program ends; but it waits for its threads, and so do we.
        await self._settle_rest(MIN_PATIENCE)
        with suppress(StoreError):
            await deregister(MIN_PATIENCE)
        if len(self._outliving) == 1:  # this task is the last
            while self._then:
                await self._then.pop(0)()

    async def _settle_rest(self, patience: float | None) -> None:
        settlements = self._work.take_finished()
        journal = self._take_events()
        if settlements or journal:
            turn = Cycle(self._membership.node_id, self._clock.now(), settlements, events=journal)
            with suppress(StoreError):  # then another engine gets these runs, and carries them out again
                await answered(self._clock, lambda: self._store.cycle(turn), patience)
