"""The engine: one loop that settles, plans and claims in one transaction per turn, and carries out what it claimed.

Any number of engines may share a store. None of them leads: the store's transactions keep them apart.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import suppress
from datetime import datetime

from duly import failpoints
from duly.clock import Clock
from duly.engine.health import POLLS_UNTIL_RED, EngineStatus, Health, examine
from duly.engine.maintenance import Maintenance
from duly.engine.manual_tick import ManualTick, succeeded
from duly.engine.membership import Membership
from duly.engine.pacing import Pace
from duly.engine.planner import Alike, Decided, TickPlanner
from duly.engine.settings import EngineSettings
from duly.engine.stopping import MIN_PATIENCE, START, STOP, TICK, Activity, Shutdown, Then
from duly.engine.timekeeping import Timekeeper
from duly.engine.waker import Outage, Waker
from duly.engine.work import Work
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
from duly.planning.poison import UNSUSPECTED
from duly.ports.dispatch import Dispatcher
from duly.ports.observers import EventListener, TickSpan, no_span, tell
from duly.ports.reading import ENGINE, working_for
from duly.ports.records import Claimed, Cycle, CycleResult, Settlement
from duly.ports.store import Store


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
        own = lambda: self.settings  # noqa: E731  they may be changed while the engine runs
        self.work = Work(dispatcher, clock, self.emit, wants, self._waker, chance, self._may_begin, own)
        self._membership = Membership(store, clock, self.settings, random_bits, self._dropped, self._watch)
        self._time = Timekeeper(store, clock, self.emit, lambda: self.node_id)
        self._maintenance = Maintenance(
            store=store,
            dispatcher=dispatcher,
            clock=clock,
            settings=own,
            membership=self._membership,
            work=self.work,
            waker=self._waker,
        )
        self._pace = Pace(clock, self.work, own, lambda: self._draining or self._maintenance.is_uncertain)
        self._journal: list[Event] = []
        self._shutdown = Shutdown(store, clock, self.settings, self._membership, self.work, self._take_events)
        self._main: asyncio.Task[None] | None = None
        self._draining = False
        self._activity = Activity()
        self._stopping: asyncio.Task[None] | None = None
        self._stalled = False
        self._waiting: Mapping[str, datetime] = {}
        self._decided: Mapping[Alike, Decided] = {}
        self._outage = Outage(clock, self._tell)
        self._last_turn = clock.monotonic()
        store.on_replaced(self._store_was_replaced)

    @property
    def running(self) -> bool:
        return self._main is not None

    @property
    def alive(self) -> bool:
        """Whether its loop still turns. Closing the event loop ends it, and no event tells so."""
        return self._main is not None and not (self._main.done() or self._main.get_loop().is_closed())

    @property
    def node_id(self) -> str:
        """The id of the node of this engine, new with every start; empty while it has none."""
        return self._membership.node_id

    async def start(self, prepare: Callable[[], Awaitable[None]] | None = None) -> None:
        """Join, rescue the runs of dead nodes, and begin.

        `prepare` is awaited in between: other engines know of this one already, and it has begun nothing.
        """
        if self._main is not None:
            raise DulyError("the engine is running already")
        with self._activity.alone(START), working_for(ENGINE):
            self._draining = False
            self._last_turn = self._clock.monotonic()
            await self._membership.join(self._dispatcher.serves())
            try:
                failpoints.hit("engine.joined")
                if prepare is not None:
                    await prepare()
                await self._maintenance.rescue()
            except BaseException:
                with suppress(StoreError):
                    await self._membership.leave(within=MIN_PATIENCE)  # or an idle node would go on beating
                raise
            self._store.on_change(self._maintenance.hint)
            self._time.listen(self.settings.notice_jump, self._look_after_a_jump)
            self._main = asyncio.get_running_loop().create_task(self._run(), name="duly-engine")
            self._maintenance.start()

    @property
    def busy(self) -> bool:
        """Whether it is starting, stopping or ticking by hand just now."""
        return self._activity.what is not None

    @property
    def uses_store(self) -> bool:
        """Whether it needs the store open just now: it runs, starts or ticks by hand."""
        return self.running or self._activity.precedes_stop

    @property
    def waits_for_runs(self) -> bool:
        """Whether it was stopped, and still waits for runs that cannot be stopped."""
        return self._shutdown.waits_for_runs

    async def stop(self, grace: float | None = None, then: Then | None = None) -> None:
        """Finish what is under way within the grace time, hand back the rest, and leave.

        The engine waits for a store that does not answer until the grace time is over, and for three seconds at least;
        after that other engines take over when the lease has expired. A tick by hand, or a start, that is under way
        ends first. `then` is called when everything has ended: with runs that cannot be stopped, that is after this
        returns. A second caller waits for the same end, and a caller who is cancelled does not interrupt the stop.
        """
        await self._activity.ended(lambda: self.work.is_here)
        if self._main is not None and self._stopping is None:
            seconds = self.settings.grace if grace is None else grace
            stop = self._stop(self._main, seconds, then)
            self._stopping = asyncio.get_running_loop().create_task(stop, name="duly-stop")
            await asyncio.shield(self._stopping)
            return
        if self._stopping is not None:
            await asyncio.shield(self._stopping)
        await self._shutdown.afterwards(then)

    async def _stop(self, main: asyncio.Task[None], grace: float, then: Then | None) -> None:
        try:
            with self._activity.alone(STOP), working_for(ENGINE):
                self._draining = True
                self._waker.wake()
                over_at = self._clock.monotonic() + grace
                self.work.hand_back(all_of_them=True)
                await self.work.wait(grace)
                self._time.stop_listening()
                await self._maintenance.stop()
                self._main = None  # the loop ends after a turn that writes the last settlements and begins nothing
                self._waker.wake()
                patience = max(MIN_PATIENCE, over_at - self._clock.monotonic())
                answers = await self._shutdown.loop_ended(main, patience)
                await self._shutdown.finish(then, patience if answers else 0.0)
        finally:
            self._stopping = None

    async def tick(self, now: datetime | None = None) -> int:
        """Carry out every run that is due, one after the other; gives the number that succeeded."""
        if self._main is not None:
            raise DulyError("the engine is running and ticks by itself")
        with self._activity.alone(TICK), working_for(ENGINE):
            now = await self._time.check() if now is None else now
            tick = ManualTick(
                store=self._store,
                dispatcher=self._dispatcher,
                clock=self._clock,
                membership=self._membership,
                work=self.work,
                random_bits=self._random_bits,
                take_events=self._take_events,
                put_back=self._put_back,
                finish=self._shutdown.finish,
                correct=self._time.correct,
            )
            return await tick.run(now, self._tick_span)

    def _take_events(self) -> list[Event]:
        journal = self._journal
        self._journal = []
        return journal

    def _put_back(self, settlements: Collection[Settlement], journal: list[Event]) -> None:
        """Keep what could not be written for the next turn."""
        self.work.put_back(settlements)
        self._journal = journal + self._journal

    def wake(self, due: datetime | None = None) -> None:
        """Take a turn at once after a change; for something new, only if it would sleep until that is `due`."""
        self._waker.wake_before(0.0 if due is None else (due - self._clock.now()).total_seconds())

    def look_around(self) -> None:
        """Look at once for runs that a caller cancelled."""
        self._maintenance.hint()

    def serves_more(self) -> None:
        """Register again: the handlers that this process serves have changed."""
        self._membership.stale = True
        self._waker.wake()

    def emit(self, event: Event) -> None:
        """Tell an event to the sinks. A durable one is written with the next turn instead, and the store tells it.

        A listener that wants both kinds also subscribes to the store: `store.on_event`.
        """
        if event.kind.durable:
            self._journal.append(event)
        else:
            tell(self._sinks, [event])

    async def health(self) -> Health:
        """Judge the health of the store and of this engine."""
        return await examine(self._store, self.status, self._clock.now(), self.settings.poll)

    @property
    def status(self) -> EngineStatus:
        """The facts about itself by which this engine is judged."""
        return EngineStatus(
            since_turn=self._clock.monotonic() - self._last_turn if self.running else 0.0,
            store_error=self._outage.error,
            in_flight=len(self.work),
            stuck=len(self.work.unstoppable()),
            leased=not self.running or self.busy or self._membership.is_leased,
            clock_off=self._time.off_by.total_seconds(),
        )

    async def _run(self) -> None:
        while self._main is not None or self.work.has_finished:
            try:
                pause = await self._turn()
                self._outage.over()
            except Exception as error:  # the loop survives every fault and tells it
                if self._main is None and self._outage.failures >= 2:
                    return  # stopping, and the store is gone: the engine that rescues these runs does the rest
                pause = self._failed(error)
            if self._main is not None or self.work.has_finished:  # else that was the last turn
                await self._waker.sleep(pause)

    async def _turn(self) -> float:
        await self._time.check()
        while self._membership.stale:
            await self._membership.renew(self._dispatcher.serves())
        result = await self._cycle()
        self._last_turn = self._clock.monotonic()
        if result.planned_ahead and not self._draining:
            await self._time.correct(self._clock.now())
            self._last_turn = self._clock.monotonic()
            return 0.0  # nothing was planned in this turn
        if self._maintenance.is_due(more_to_plan=result.planned >= self.settings.batch):
            await self._maintenance.work_off(adopt=not self._draining)
        return self._pace.pause(result, self._time.last_check)

    async def _cycle(self) -> CycleResult:
        """Settle, plan and claim in one transaction; start the claimed runs only after it is committed."""
        now = self._clock.now()
        node_id = self._membership.node_id
        asked_at = self._clock.boottime()
        # Without a lease another node may own what this one claims: claim nothing.
        idle = self._draining or not self._membership.may_act_as(node_id, asked_at)
        served = sorted(set(self._dispatcher.serves()))
        self.work.hand_back()
        pools = [] if idle else self.settings.pools(served, self.work.held, self.work.ahead.allowed())
        planner = TickPlanner(now, pools, self._random_bits, self._waiting, self._decided)
        self._decided = planner.decided
        settlements = self.work.take_finished()
        journal = self._take_events()
        turn = Cycle(
            node_id=node_id,
            now=now,
            settlements=settlements,
            planner=None if self._draining else planner,
            plan_limit=self.settings.batch,
            plan_until=self._pace.plan_until(now),
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
            self._maintenance.mark_uncertain()  # if it was committed, this node owns runs that it does not know of
            raise
        for run_id in result.refused:
            self._tell(RUN_LEASE_LOST, run_id=run_id)
        if not self._membership.may_act_as(node_id, asked_at):
            self._maintenance.mark_uncertain()  # the answer is so old that another node may own the claimed runs
        elif not self._draining:  # a draining engine hands them back when it leaves
            self.work.start(result.claimed)
        self._waiting = result.waiting
        self.work.places_wanted = bool(result.waiting)
        return result

    def _may_begin(self, run: Claimed) -> bool:
        """Say, just before a handler is called, whether the lease still holds.

        An event loop that stood still goes on with the runs that it was about to begin, before it learns that the lease
        is lost.
        """
        if self._membership.is_leased:
            if run.attempt > UNSUSPECTED:
                self._membership.beat_closely()
            return True
        self._maintenance.mark_uncertain()  # if this node still owns the run, it adopts it again
        return False

    def _look_after_a_jump(self) -> None:
        if self._main is not None:
            self._membership.beat_now()  # first: the lease may have expired, and no other node may have noticed yet
            self._maintenance.rescue_now()
            self._waker.wake()

    def _failed(self, error: Exception) -> float:
        if isinstance(error, StoreVersionError):  # it cannot record outcomes, so it must stop what is under way
            self._membership.lose("must not touch a store that a newer duly has taken over")
        return self._outage.failed(error)

    def _store_was_replaced(self, why: str) -> None:
        """Give up everything: another store is at this place, which knows neither this node nor its claims."""
        if self.uses_store:
            self._tell(STORE_REPLACED, error=why)
            self._membership.lose("lost the store that it had joined")
            self._waker.wake()

    def _dropped(self, why: str) -> None:
        """Drop everything under way: the lease is lost, and no outcome may be recorded any more."""
        for run_id in sorted(self.work.known()):
            self._tell(RUN_LEASE_LOST, run_id=run_id, reason=why)
        self.work.abandon()
        self._waker.wake()

    def _watch(self) -> None:
        """Check the loop after each heartbeat: one that stands still cannot report it.

        A beat also ends uncertainty about claims, so the loop is woken to ask.
        """
        if self._maintenance.is_uncertain:
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
