"""The engine: one loop that settles, plans and claims in one transaction per turn, and carries out what it claimed.

Any number of engines may share a store. None leads; the store's transactions keep them apart.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import suppress
from datetime import datetime

from duly import failpoints
from duly.clock import Clock
from duly.engine.health import POLLS_UNTIL_RED, Health, Pulsebeat, examine
from duly.engine.leaving import LAST_WORDS, Leaving, Then
from duly.engine.membership import Membership
from duly.engine.occupation import START, STOP, TICK, Occupation
from duly.engine.outage import Outage
from duly.engine.rounds import Rounds
from duly.engine.serial import SerialTick, succeeded
from duly.engine.settings import EngineSettings
from duly.engine.tick import TickPlanner
from duly.engine.timekeeping import Timekeeper
from duly.engine.waker import Waker
from duly.engine.work import SOON, Work
from duly.entropy import random_bits
from duly.errors import DulyError, StoreError, StoreVersionError
from duly.model.events import (
    ENGINE_RESUMED,
    ENGINE_STALLED,
    RUN_LEASE_LOST,
    STORE_REPLACED,
    Event,
    EventKind,
)
from duly.model.ids import RandomBits
from duly.ports.dispatch import Dispatcher
from duly.ports.observers import EventListener, TickSpan, no_span, tell
from duly.ports.records import Cycle, CycleResult, Settlement
from duly.ports.store import Store

_SHORT_PAUSE = 0.05


class Engine:
    """Start is awaited, stop is idempotent and complete on return."""

    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        clock: Clock,
        settings: EngineSettings | None = None,
        *,
        sinks: Iterable[EventListener] = (),
        wants: Callable[[EventKind], bool] = lambda _kind: True,
        random_bits: RandomBits = random_bits,
        chance: Callable[[], float] = random.random,
        tick_span: TickSpan = no_span,
    ) -> None:
        self.settings = settings or EngineSettings()
        self._store = store
        self._dispatcher = dispatcher
        self._clock = clock
        self._sinks = list(sinks)
        self._random_bits = random_bits
        self._tick_span = tick_span
        self._waker = Waker(clock)
        self.work = Work(dispatcher, clock, self.emit, wants, self._waker, chance, self._may_begin)
        self._membership = Membership(store, clock, self.settings, random_bits, self._dropped, self._watch)
        self._time = Timekeeper(store, clock, self.emit, lambda: self.node_id)
        self._rounds = Rounds(store, dispatcher, clock, lambda: self.settings, self._membership, self.work, self._waker)
        self._journal: list[Event] = []
        self._leaving = Leaving(store, clock, self.settings, self._membership, self.work, self._take_events)
        self._main: asyncio.Task[None] | None = None
        self._draining = False
        self._occupation = Occupation()
        self._stopping: asyncio.Task[None] | None = None
        self._stalled = False
        self._waiting: Mapping[str, datetime] = {}
        self._outage = Outage(clock, self._tell)
        self._last_turn = clock.monotonic()
        store.on_replaced(self._store_was_replaced)

    @property
    def running(self) -> bool:
        return self._main is not None

    @property
    def alive(self) -> bool:
        """Whether its loop turns: an event loop that is closed under it ends it without a word."""
        return self._main is not None and not (self._main.done() or self._main.get_loop().is_closed())

    @property
    def node_id(self) -> str:
        """Who we are to others, fresh with every start; empty while we are nobody."""
        return self._membership.node_id

    async def start(self, prepare: Callable[[], Awaitable[None]] | None = None) -> None:
        """Join, take back what dead owners left behind, and begin.

        `prepare` is awaited in between: others know of us already, and nothing has begun.
        """
        if self._main is not None:
            raise DulyError("the engine is running already")
        with self._occupation.alone(START):
            self._draining = False
            self._last_turn = self._clock.monotonic()
            await self._membership.join(self._dispatcher.serves())
            try:
                failpoints.hit("engine.joined")
                if prepare is not None:
                    await prepare()
                await self._rounds.rescue()
            except BaseException:
                with suppress(StoreError):
                    await self._membership.leave(within=LAST_WORDS)  # or a node that does nothing would go on beating
                raise
            self._store.on_change(self._rounds.hint)
            self._time.listen(self.settings.notice_jump, self._look_after_a_jump)
            self._main = asyncio.get_running_loop().create_task(self._run(), name="duly-engine")
            self._rounds.start()

    @property
    def busy(self) -> bool:
        """Whether it is starting, stopping or ticking by hand just now."""
        return self._occupation.what is not None

    @property
    def uses_store(self) -> bool:
        """Whether it needs the store open just now: it runs, starts or ticks by hand."""
        return self.running or self._occupation.comes_to_its_end

    @property
    def staying(self) -> bool:
        """Whether it was stopped, and still waits for runs that cannot be."""
        return self._leaving.staying

    async def stop(self, grace: float | None = None, then: Then | None = None) -> None:
        """Finish what is under way within the grace time, hand back the rest, and leave.

        A store that does not answer is waited for until the grace time is over, and for three seconds at least; then
        others take over when the lease is over. A tick by hand, or a start, that is under way comes to its end first.
        `then` is called when all is over: for runs that cannot be stopped that is later than this returns. Whoever
        asks twice waits for the same end, and a caller who is cancelled meanwhile does not leave it half done.
        """
        await self._occupation.ended(lambda: self.work.is_here)
        if self._main is not None and self._stopping is None:
            main, seconds = self._main, self.settings.grace if grace is None else grace
            self._stopping = asyncio.get_running_loop().create_task(self._stop(main, seconds, then), name="duly-stop")
            await asyncio.shield(self._stopping)
            return
        if self._stopping is not None:
            await asyncio.shield(self._stopping)
        await self._leaving.at_last(then)

    async def _stop(self, main: asyncio.Task[None], grace: float, then: Then | None) -> None:
        try:
            with self._occupation.alone(STOP):
                self._draining = True
                self._waker.wake()
                over_at = self._clock.monotonic() + grace
                await self.work.wait(grace)
                self._time.stop_listening()
                await self._rounds.stop()
                self._main = None  # the loop ends after its turn, the last settlements written and nothing new begun
                self._waker.wake()
                patience = max(LAST_WORDS, over_at - self._clock.monotonic())
                answers = await self._leaving.loop_ended(main, patience)
                await self._leaving.wind_up(then, patience if answers else 0.0)
        finally:
            self._stopping = None

    async def tick(self, now: datetime | None = None) -> int:
        """Carry out what is due by hand, one after the other; gives the number that succeeded."""
        if self._main is not None:
            raise DulyError("the engine is running and ticks by itself")
        with self._occupation.alone(TICK):
            now = await self._time.look() if now is None else now
            books = self._take_events, self._put_back, self._leaving.wind_up
            parts = self._store, self._dispatcher, self._clock, self._membership, self.work, self._random_bits
            return await SerialTick(*parts, *books, self._time.put_right).run(now, self._tick_span)

    def _take_events(self) -> list[Event]:
        journal, self._journal = self._journal, []
        return journal

    def _put_back(self, settlements: Collection[Settlement], journal: list[Event]) -> None:
        """What could not be written is written with the next turn."""
        self.work.put_back(settlements)
        self._journal = journal + self._journal

    def wake(self) -> None:
        """Something changed: look at once."""
        self._waker.wake()

    def look_around(self) -> None:
        """Somebody may want a run stopped: look at once."""
        self._rounds.hint()

    def serves_more(self) -> None:
        """What this process serves has changed."""
        self._membership.stale = True
        self._waker.wake()

    def emit(self, event: Event) -> None:
        """Tell the sinks of what nobody keeps; a durable event is written with the next turn, and the store tells it.

        Whoever wants to hear both subscribes to the store, too: `store.on_event`.
        """
        if event.kind.durable:
            self._journal.append(event)
        else:
            tell(self._sinks, [event])

    async def health(self) -> Health:
        """Is everything all right?"""
        return await examine(self._store, self.pulsebeat, self._clock.now(), self.settings.poll)

    @property
    def pulsebeat(self) -> Pulsebeat:
        """What this engine knows about itself."""
        return Pulsebeat(
            since_turn=self._clock.monotonic() - self._last_turn if self.running else 0.0,
            store_error=self._outage.error,
            in_flight=len(self.work),
            stuck=len(self.work.unstoppable()),
            leased=not self.running or self.busy or self._membership.is_leased,
            clock_off=self._time.off_by.total_seconds(),
        )

    # the loop

    async def _run(self) -> None:
        while self._main is not None or self.work.has_finished:
            try:
                pause = await self._turn()
                self._outage.over()
            except Exception as error:  # the loop outlives every fault and says what it is
                if self._main is None and self._outage.failures >= 2:
                    return  # stopping, and the store is gone: whoever rescues us will do the rest
                pause = self._failed(error)
            if self._main is not None or self.work.has_finished:  # else that was the last turn
                await self._waker.sleep(pause)

    async def _turn(self) -> float:
        await self._time.look()
        while self._membership.stale:
            await self._membership.renew(self._dispatcher.serves())
        result = await self._cycle()
        self._last_turn = self._clock.monotonic()
        if result.planned_ahead and not self._draining:
            await self._time.put_right(self._clock.now())
            self._last_turn = self._clock.monotonic()
            return 0.0  # nothing was planned in this turn
        if self._rounds.due:
            await self._rounds.look(adopt=not self._draining)
        return self._pause(result)

    async def _cycle(self) -> CycleResult:
        """One transaction, and only then anything happens in the world."""
        now, node_id, asked_at = self._clock.now(), self._membership.node_id, self._clock.boottime()
        idle = self._draining or not self._membership.may_act_as(node_id, asked_at)  # then what we claim is not ours
        served = sorted(set(self._dispatcher.serves()))
        pools = [] if idle else self.settings.pools(served, self.work.held)
        planner = TickPlanner(now, pools, self._random_bits, self._waiting)
        settlements, journal = self.work.take_finished(), self._take_events()
        turn = Cycle(
            node_id,
            now,
            settlements,
            planner=None if self._draining else planner,
            plan_limit=self.settings.batch,
            handlers=served,
            pools=pools,
            events=journal,
        )
        try:
            with self._tick_span() as tell:
                result = await self._store.cycle(turn)
                tell(tasks_due=result.planned, tasks_run=succeeded(settlements, result))
            if result.claimed:
                failpoints.hit("engine.claimed")
        except BaseException:
            self._put_back(settlements, journal)
            self._rounds.doubt()  # it may have been committed: then we own runs that we know nothing of
            raise
        for run_id in result.refused:
            self._tell(RUN_LEASE_LOST, run_id=run_id)
        if not self._membership.may_act_as(node_id, asked_at):
            self._rounds.doubt()  # the answer is so old that others may have what we were given
        elif not self._draining:  # or it goes back when we leave
            self.work.start(result.claimed)
        self._waiting = result.waiting
        return result

    def _may_begin(self) -> bool:
        """Asked when a handler is about to be called: what was claimed in time may have waited too long since.

        A loop that stood still goes on with the runs it was about to begin, before it hears that the lease is lost.
        """
        if self._membership.is_leased:
            return True
        self._rounds.doubt()  # if it turns out that it is still ours, it is taken up again
        return False

    def _pause(self, result: CycleResult) -> float:
        """How long to sleep: until the next instant that matters, and never longer than a poll."""
        if result.planned >= self.settings.batch:
            return 0.0
        if result.next_wake is None:
            return 0.0 if self.work.has_finished else self.settings.poll
        wait = (result.next_wake - self._clock.now()).total_seconds()
        if self.work.has_finished:
            return wait if 0 < wait <= SOON else 0.0  # what ended is settled together with what is due next
        if wait > 0:
            return min(wait, self.settings.poll)
        if self._time.last_look is not None and result.next_wake > self._time.last_look:
            return 0.0  # it fell due during the turn
        if self._draining or self._rounds.in_doubt:
            return self.settings.poll  # a run that ends wakes us, or a heartbeat
        return 0.0 if result.planned or result.claimed else _SHORT_PAUSE

    def _look_after_a_jump(self) -> None:
        if self._main is not None:
            self._membership.beat_now()  # first: a lease may have run out meanwhile, and nobody else may have noticed
            self._rounds.rescue_now()
            self._waker.wake()

    # faults

    def _failed(self, error: Exception) -> float:
        if isinstance(error, StoreVersionError):  # it could not record what it does, so it must not go on doing it
            self._membership.lose("must not touch a store that a newer duly has taken over")
        return self._outage.failed(error)

    def _store_was_replaced(self, why: str) -> None:
        """Another store is where ours was: what we claimed in ours is not ours there, and we are nobody in it."""
        if self.uses_store:
            self._tell(STORE_REPLACED, error=why)
            self._membership.lose("lost the store that it had joined")
            self._waker.wake()

    def _dropped(self, why: str) -> None:
        """Our lease is gone: nothing that is under way may be recorded any more."""
        for run_id in sorted(self.work.known()):
            self._tell(RUN_LEASE_LOST, run_id=run_id, reason=why)
        self.work.abandon()
        self._waker.wake()

    def _watch(self) -> None:
        """Called with every heartbeat: a loop that stands still cannot say so itself, and doubts end with a beat."""
        if self._rounds.in_doubt:
            self._waker.wake_from_thread()
        if self._main is None:
            return
        silent = self._clock.monotonic() - self._last_turn
        stalled = silent > POLLS_UNTIL_RED * self.settings.poll
        if stalled != self._stalled:
            self._stalled = stalled
            self._tell(ENGINE_STALLED if stalled else ENGINE_RESUMED, seconds=silent)

    def _tell(self, kind: EventKind, *, run_id: str | None = None, **data: object) -> None:
        self.emit(Event(kind, self._clock.now(), run_id=run_id, node_id=self._membership.node_id, data=dict(data)))
