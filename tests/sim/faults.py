"""Faults at every call to a store: refused, done but not answered, slow, cut off, or the end of the process.

`FaultyStore` stands between a simulated process and its store. `Disturbances` holds which faults may happen now; a
seeded random generator decides which of them do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from random import Random
from typing import TypeVar

from duly.errors import StoreUnavailableError
from duly.model.events import Event
from duly.model.run import Run
from duly.planning.clock_marks import Corrected, Correction
from duly.ports.audit import Audit
from duly.ports.changes import Change, EditResult, Merge, Recorder, nothing_beside
from duly.ports.executors import Handovers
from duly.ports.observers import EventListener, tell
from duly.ports.quotas import Room
from duly.ports.records import (
    Claimed,
    Cycle,
    CycleResult,
    EventFilter,
    NodeRecord,
    Plan,
    Planner,
    Rescued,
    RunFilter,
    ScheduleFilter,
    StoredSchedule,
)
from duly.ports.run_history import RunHistory
from duly.ports.store import Decide, Pulse, Store
from duly.ports.upkeep import FIRST_PLACE, Correct, DueAgain, Overview, Pruned, PrunePlace, Troubled
from duly.testing.clock import VirtualClock
from tests.sim.faulty_handovers import FaultyHandovers
from tests.sim.process import Process

T = TypeVar("T")
Work = Callable[[], Awaitable[T]]

MOST_CALLS_AT_ONCE = 500
"""More calls than this without time passing is a loop that spins."""
_LOCK_PATIENCE = 5.0  # seconds for which a call waits for the write lock


def seeded_random(*parts: object) -> Random:
    """Make a random generator that draws the same numbers for the same parts."""
    return Random("/".join(map(str, parts)))


class Fault(Enum):
    """The fault that one call meets."""

    REFUSE = "refuse"
    """It does not take effect, and says so."""
    FORGET = "forget"
    """It takes effect, and the answer gets lost."""
    LATE = "late"
    """It takes effect after a while."""
    SLOW = "slow"
    """It takes effect at once, and the answer comes after a while."""
    KILL_BEFORE = "kill before"
    """The process dies before it."""
    KILL_AFTER = "kill after"
    """The process dies after it took effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """How often each fault happens per call, and how long delays are at most."""

    refuse: float = 0.0
    forget: float = 0.0
    late: float = 0.0
    slow: float = 0.0
    kill: float = 0.0
    longest_delay: float = 0.0
    lost_hints: float = 0.0

    def pick(self, chance: float) -> Fault | None:
        shares = (
            (Fault.REFUSE, self.refuse),
            (Fault.FORGET, self.forget),
            (Fault.LATE, self.late),
            (Fault.SLOW, self.slow),
            (Fault.KILL_BEFORE, self.kill / 2),
            (Fault.KILL_AFTER, self.kill / 2),
        )
        for fault, share in shares:
            if chance < share:
                return fault
            chance -= share
        return None


class Disturbances:
    """The disturbances in force: faults of calls, processes cut off from the store, a locked store."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.enabled = False
        """Faults happen, and handlers misbehave."""
        self.finished = False
        """The simulation has ended: handlers stop resisting cancellation."""
        self._cut_off: dict[str, float] = {}
        self._locked_until = 0.0

    def cut_off(self, name: str, seconds: float) -> None:
        """Keep the process of this name (`*` for all) from reaching the store for so many seconds."""
        self._cut_off[name] = max(self._cut_off.get(name, 0.0), self._clock.monotonic() + seconds)

    def is_cut_off(self, name: str) -> bool:
        until = max(self._cut_off.get("*", 0.0), self._cut_off.get(name, 0.0))
        return self._clock.monotonic() < until

    def lock(self, seconds: float) -> None:
        """Hold the one write lock of the store for so many seconds: processes can read, but not write."""
        self._locked_until = max(self._locked_until, self._clock.monotonic() + seconds)

    @property
    def locked_for(self) -> float:
        """Seconds until the write lock is free."""
        return max(0.0, self._locked_until - self._clock.monotonic())

    def end_all(self) -> None:
        """End every disturbance."""
        self.enabled = False
        self._cut_off.clear()
        self._locked_until = 0.0


class FaultyStore:
    """A `Store` whose calls may meet faults; it reports calls that took effect to `on_effect`."""

    def __init__(
        self, inner: Store, process: Process, disturbances: Disturbances, rates: Rates, chance: Random
    ) -> None:
        self._inner = inner
        self._process = process
        self._disturbances = disturbances
        self._rates = rates
        self._chance = chance
        self._last_call = (-1.0, 0)
        self._written: list[Event] = []
        self._listeners: list[EventListener] = []
        self.on_effect: Callable[[str], Awaitable[None]] | None = None
        self.on_settled: Callable[[Cycle, CycleResult], None] | None = None
        self.on_corrected: Callable[[Correction], None] | None = None
        self.on_placed: Callable[[Correction], None] | None = None
        self.on_spin: Callable[[str], None] | None = None

    # the faults

    async def _call(self, name: str, work: Work[T], *, writes: bool = True) -> T:
        await self._process.gate()
        self._notice_spinning(name)
        await self._process.gate()
        fault = self._draw()
        if fault is Fault.LATE:
            await self._delay()
        elif fault is Fault.KILL_BEFORE:
            self._process.crash()
        await self._process.gate()
        if fault is Fault.REFUSE or self._is_cut_off():
            raise StoreUnavailableError(f"{name}: no connection")
        if writes:
            await self._wait_for_the_lock(name)
        result = await work()
        events, self._written[:] = list(self._written), []
        if writes and self.on_effect is not None:
            await self.on_effect(name)
        if fault is Fault.SLOW:
            await self._delay()
        elif fault is Fault.KILL_AFTER:
            self._process.crash()
        await self._process.gate()
        if fault is Fault.FORGET or self._is_cut_off():
            raise StoreUnavailableError(f"{name}: the connection broke before the answer")
        tell(self._listeners, events)
        return result

    async def _wait_for_the_lock(self, name: str) -> None:
        if self._disturbances.locked_for:
            await self._process.clock.sleep(min(self._disturbances.locked_for, _LOCK_PATIENCE))
            await self._process.gate()
        if self._disturbances.locked_for:
            raise StoreUnavailableError(f"{name}: the store is locked")

    def _draw(self) -> Fault | None:
        return self._rates.pick(self._chance.random()) if self._disturbances.enabled else None

    async def _delay(self) -> None:
        await self._process.clock.sleep(self._chance.uniform(0, self._rates.longest_delay))

    def _is_cut_off(self) -> bool:
        return self._disturbances.is_cut_off(self._process.name)

    def _notice_spinning(self, name: str) -> None:
        at, calls = self._last_call
        now = self._process.clock.monotonic()
        self._last_call = (now, calls + 1 if now == at else 1)
        if self._last_call[1] > MOST_CALLS_AT_ONCE:
            if self.on_spin is not None:
                self.on_spin(name)
            self._process.crash()

    # the port

    @property
    def url(self) -> str:
        return self._inner.url

    @property
    def audit(self) -> Audit:
        return self._inner.audit

    @property
    def history(self) -> RunHistory:
        return self._inner.history

    @property
    def handovers(self) -> Handovers:
        return FaultyHandovers(self._inner.handovers, self._call)

    async def open(self, *, create: bool = True) -> None:
        await self._inner.open(create=create)

    async def close(self) -> None:
        await self._inner.close()

    async def save(
        self,
        rows: Sequence[StoredSchedule],
        merge: Merge,
        beside: Recorder = nothing_beside,
        room: Room | None = None,
    ) -> list[str]:
        return await self._call("save", lambda: self._inner.save(rows, merge, beside, room))

    async def edit(self, ids: Collection[str], change: Change, beside: Recorder = nothing_beside) -> EditResult:
        return await self._call("edit", lambda: self._inner.edit(ids, change, beside))

    async def get(self, schedule_id: str) -> StoredSchedule | None:
        return await self._call("get", lambda: self._inner.get(schedule_id), writes=False)

    async def find(self, namespace: str, name: str) -> StoredSchedule | None:
        return await self._call("find", lambda: self._inner.find(namespace, name), writes=False)

    async def schedules(self, wanted: ScheduleFilter) -> list[StoredSchedule]:
        return await self._call("schedules", lambda: self._inner.schedules(wanted), writes=False)

    async def to_review(self, *, resting: bool, after: str = "", limit: int = 500) -> list[StoredSchedule]:
        return await self._call(
            "to_review", lambda: self._inner.to_review(resting=resting, after=after, limit=limit), writes=False
        )

    async def reconcile(self, namespace: str, decide: Decide) -> None:
        await self._call("reconcile", lambda: self._inner.reconcile(namespace, decide))

    async def cycle(self, turn: Cycle) -> CycleResult:
        return await self._call("cycle", lambda: self._cycle(turn))

    async def _cycle(self, turn: Cycle) -> CycleResult:
        result = await self._inner.cycle(turn)
        if self.on_settled is not None:
            self.on_settled(turn, result)
        return result

    async def plan(self, ids: Collection[str], planner: Planner) -> Plan:
        return await self._call("plan", lambda: self._inner.plan(ids, planner))

    async def adopt(self, node_id: str, known: Collection[str]) -> list[Claimed]:
        return await self._call("adopt", lambda: self._inner.adopt(node_id, known), writes=False)

    async def get_run(self, run_id: str) -> Run | None:
        return await self._call("get_run", lambda: self._inner.get_run(run_id), writes=False)

    async def runs(self, wanted: RunFilter) -> list[Run]:
        return await self._call("runs", lambda: self._inner.runs(wanted), writes=False)

    async def cancel(self, run_id: str, now: datetime, reason: str, events: Sequence[Event] = ()) -> Run | None:
        return await self._call("cancel", lambda: self._inner.cancel(run_id, now, reason, events))

    async def cancellations(self, node_id: str) -> list[str]:
        return await self._call("cancellations", lambda: self._inner.cancellations(node_id), writes=False)

    async def progress(self, run_id: str, fence: int, data: str) -> bool:
        return await self._call("progress", lambda: self._inner.progress(run_id, fence, data))

    async def register(self, node: NodeRecord) -> None:
        await self._call("register", lambda: self._inner.register(node))

    async def deregister(self, node_id: str, now: datetime, keep: Collection[str] = ()) -> None:
        await self._call("deregister", lambda: self._inner.deregister(node_id, now, keep))

    async def rescue(self, now: datetime, is_poison: Callable[[str, int], bool]) -> list[Rescued]:
        return await self._call("rescue", lambda: self._inner.rescue(now, is_poison))

    async def rest(self, handler: str) -> None:
        await self._call("rest", lambda: self._inner.rest(handler))

    async def serving(self) -> dict[str, frozenset[str]]:
        return await self._call("serving", self._inner.serving, writes=False)

    def pulse(self) -> Pulse:
        return FaultyPulse(self._inner.pulse(), self._process, self._disturbances, self._draw)

    async def server_time(self) -> datetime | None:
        return await self._call("server_time", self._inner.server_time, writes=False)

    async def begin_correction(self, now: datetime) -> Correction | None:
        return await self._call("begin_correction", lambda: self._begin_correction(now))

    async def _begin_correction(self, now: datetime) -> Correction | None:
        step = await self._inner.begin_correction(now)
        if step is not None and self.on_corrected is not None:
            self.on_corrected(step)
        return step

    async def placed_ahead(self, now: datetime, *, after: str = "", limit: int = 500) -> list[str]:
        return await self._call(
            "placed_ahead", lambda: self._inner.placed_ahead(now, after=after, limit=limit), writes=False
        )

    async def place_again(self, ids: Collection[str], step: Correction, correct: Correct) -> int:
        return await self._call("place_again", lambda: self._place_again(ids, step, correct))

    async def _place_again(self, ids: Collection[str], step: Correction, correct: Correct) -> int:
        moved = await self._inner.place_again(ids, step, correct)
        if self.on_placed is not None:
            self.on_placed(step)
        return moved

    async def hasten(self, step: Correction, due_again: DueAgain) -> int:
        return await self._call("hasten", lambda: self._inner.hasten(step, due_again))

    async def end_correction(self, step: Correction, node_id: str) -> Corrected | None:
        return await self._call("end_correction", lambda: self._inner.end_correction(step, node_id))

    async def overview(self, now: datetime, at_most: int | None = None) -> Overview:
        return await self._call("overview", lambda: self._inner.overview(now, at_most), writes=False)

    async def troubled(self, now: datetime, served: Collection[str], *, ended_after: datetime, limit: int) -> Troubled:
        def look() -> Awaitable[Troubled]:
            return self._inner.troubled(now, served, ended_after=ended_after, limit=limit)

        return await self._call("troubled", look, writes=False)

    async def hindered(self, now: datetime, *, limit: int) -> Troubled:
        return await self._call("hindered", lambda: self._inner.hindered(now, limit=limit), writes=False)

    async def prune(self, before: datetime, limit: int, place: PrunePlace = FIRST_PLACE) -> Pruned:
        return await self._call("prune", lambda: self._inner.prune(before, limit, place))

    async def record(self, events: Sequence[Event]) -> None:
        await self._call("record", lambda: self._inner.record(events))

    async def journal(self, after: int, limit: int) -> list[tuple[int, Event]]:
        return await self._call("journal", lambda: self._inner.journal(after, limit), writes=False)

    async def events(self, wanted: EventFilter) -> list[tuple[int, Event]]:
        return await self._call("events", lambda: self._inner.events(wanted), writes=False)

    def on_event(self, listener: EventListener) -> None:
        """Told with the answer, and not at all if that gets lost."""
        if not self._listeners:
            self._inner.on_event(self._written.append)
        self._listeners.append(listener)

    def on_change(self, callback: Callable[[], None]) -> None:
        """A hint, never a promise: some get lost."""

        def hint() -> None:
            deaf = self._process.gone or self._process.frozen or self._is_cut_off()
            if not deaf and self._chance.random() >= self._rates.lost_hints:
                callback()

        self._inner.on_change(hint)

    def on_replaced(self, callback: Callable[[str], None]) -> None:
        self._inner.on_replaced(callback)


class FaultyPulse:
    """A heartbeat that may not arrive, or arrive without an answer."""

    def __init__(
        self, inner: Pulse, process: Process, disturbances: Disturbances, draw: Callable[[], Fault | None]
    ) -> None:
        self._inner = inner
        self._process = process
        self._disturbances = disturbances
        self._draw = draw

    def beat(self, node_id: str) -> bool:
        fault = self._draw()
        if not self._connected or fault in (Fault.REFUSE, Fault.LATE):
            raise StoreUnavailableError("beat: no connection")
        if self._disturbances.locked_for:
            raise StoreUnavailableError("beat: the store is locked")
        alive = self._inner.beat(node_id)
        if fault in (Fault.FORGET, Fault.SLOW):
            raise StoreUnavailableError("beat: the connection broke before the answer")
        return alive

    def is_undoubted(self, node_id: str) -> bool:
        if not self._connected:
            raise StoreUnavailableError("look: no connection")
        return self._inner.is_undoubted(node_id)

    @property
    def _connected(self) -> bool:
        return not (self._disturbances.is_cut_off(self._process.name) or self._process.gone)

    def close(self) -> None:
        self._inner.close()
