"""A whole deployment on virtual time: several engines over one store, faults at every call, and then a quiet end.

`simulate(seed)` is the same every time for a seed: one event loop, no threads, no real time, and all chance from the
seed. Afterwards `tests.sim.checker` checks the record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Protocol

from duly.engine.health import Health, Light
from duly.model.run import Origin, Run, Status
from duly.planning.attention import ConcernKind
from duly.ports.records import StoredSchedule
from duly.ports.store import Store
from duly.testing.clock import VirtualClock, settle
from tests.memory_store.store import MemoryData, MemoryStore
from tests.sim.actors import EngineSlot, SimulationContext
from tests.sim.checker import check
from tests.sim.operators import CLIENT, Operator
from tests.sim.oracle import first_to_come
from tests.sim.process import Process
from tests.sim.scenario import EDITS, LOCK, Move, Scenario, draw_scenario
from tests.sim.witness import Record, Rows, Witness

_QUIET_LEASES = 5
_LONGEST_DRAIN = 120  # leases
_MOST_TURNS = 100_000
_SLACK = 5.0  # seconds
_WHOLE_JOURNAL = 1_000_000


class Backend(Protocol):
    """A kind of store: handles on the same data, and a look at everything in it."""

    def make(self) -> Store: ...

    async def view(self) -> Rows: ...

    async def steps(self) -> list[str]:
        """Everything that is kept for undo, as it is stored."""
        ...


class MemoryBackend:
    """The store in dicts."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.data = MemoryData()

    def make(self) -> Store:
        return MemoryStore(self._clock, shared=self.data)

    async def view(self) -> Rows:
        return self.data.tables.runs, self.data.tables.schedules

    async def steps(self) -> list[str]:
        return [each.data for each in self.data.tables.undos.values()]


MakeBackend = Callable[[VirtualClock], Backend]


@dataclass(slots=True)
class Report:
    """The record of a simulation and its violations."""

    scenario: Scenario
    record: Record
    violations: list[str] = field(default_factory=list)

    @property
    def seed(self) -> int:
        return self.scenario.seed


def simulate(seed: int, backend: MakeBackend = MemoryBackend) -> Report:
    """Run the scenario of a seed and check its record."""
    scenario = draw_scenario(seed)
    simulation = Simulation(scenario, backend)
    asyncio.run(simulation.run())
    return Report(scenario, simulation.record, check(scenario, simulation.record))


class Simulation:
    """Carries out one scenario: a time with faults, a time without, and the end."""

    def __init__(self, scenario: Scenario, backend: MakeBackend) -> None:
        self._scenario = scenario
        self._lease = scenario.scale.lease
        self._clock = VirtualClock(scenario.start)
        self._backend = backend(self._clock)
        self._witness = Witness(self._clock, self._backend.view)
        self._context = SimulationContext(scenario, self._clock, self._witness, self._backend.make)
        self._slots = [EngineSlot(self._context, index, spec) for index, spec in enumerate(scenario.engines)]
        self._turns = 0

    @property
    def record(self) -> Record:
        return self._witness.record

    async def run(self) -> None:
        """Simulate from the first schedule to the last outcome."""
        operator = await self._begin()
        await self._disturb(operator)
        await self._recover()
        await operator.pause_all()
        self._witness.record.silent_since = self._clock.now()
        await self._drain()
        await self._close()
        await self._context.end()

    async def _begin(self) -> Operator:
        process = Process(CLIENT, self._clock)
        store = await self._context.connect(process, replace(self._scenario.rates, kill=0))
        operator = Operator(self._scenario, store, process, self._witness, self._backend.view)
        await operator.make_all()
        for slot in self._slots:
            await slot.start()
        return operator

    async def _disturb(self, operator: Operator) -> None:
        self._context.disturbances.enabled = True
        for move in self._scenario.moves:
            await self._pass_time(move.at - self._clock.monotonic())
            self._make(move, operator)
        await self._pass_time(self._scenario.scale.length - self._clock.monotonic())

    def _make(self, move: Move, operator: Operator) -> None:
        slot = self._slots[move.engine]
        disturbances = self._context.disturbances
        say = self._witness.say
        if move.kind in EDITS:
            self._context.spawn(operator.do(move.kind))
        elif move.kind == "crash":
            slot.crash(move.back_after)
        elif move.kind == "freeze":
            slot.freeze(move.seconds)
        elif move.kind == "stop":
            self._context.spawn(slot.stop(move.back_after))
        elif move.kind == "step":
            say("clock", f"is set by {move.seconds:+.0f} s")
            self._clock.step(timedelta(seconds=move.seconds))
        elif move.kind == "wrong":
            ahead = timedelta(seconds=move.seconds)
            say("clock", f"is {ahead} ahead for {move.back_after:.0f} s")
            self._clock.step(ahead)
            self._clock.call_later(move.back_after, lambda: self._clock.step(-ahead))
        elif move.kind == "suspend":
            say("clock", f"the machine sleeps for {move.seconds:.0f} s")
            self._clock.suspend(timedelta(seconds=move.seconds))
        elif move.kind == LOCK:
            say("store", f"is locked for {move.seconds:.0f} s")
            disturbances.lock(move.seconds)
        else:
            whom = "*" if move.kind == "outage" or slot.process is None else slot.process.name
            say("store", f"{whom} is cut off for {move.seconds:.0f} s")
            disturbances.cut_off(whom, move.seconds)

    async def _recover(self) -> None:
        """End all faults, wait a few leases, and complain of schedules that are still late."""
        self._witness.say("faults", "end")
        self._context.disturbances.end_all()
        for slot in self._slots:
            slot.recover()
        self._witness.record.quiet_since = self._clock.now()
        await self._pass_time(_QUIET_LEASES * self._lease)
        late = self._clock.now() - timedelta(seconds=1.5 * self._scenario.settings.poll + _SLACK)
        runs, schedules = await self._backend.view()
        for row in schedules.values():
            if row.next_run_at is not None and row.next_run_at < late:
                self._witness.complain(
                    f"{row.name} is late: it was to run at {row.next_run_at} and no engine planned it"
                )
        self._complain_of_silence(runs, schedules)

    def _complain_of_silence(self, runs: Mapping[str, Run], schedules: Mapping[str, StoredSchedule]) -> None:
        """Complain of schedules that a wrong clock made miss a fire or end early."""
        now = self._clock.now()
        for row in schedules.values():
            ended = row.disabled_by == "finished" and (row.max_runs is None or row.fires < row.max_runs)
            if row.watermark is None or row.fires == 0 or row.deleted_at is not None or not (row.enabled or ended):
                continue
            if row.watermark <= row.updated_at <= now:
                continue  # it was given another trigger, which may begin later
            mine = [run for run in runs.values() if run.fire.schedule_id == row.id]
            known = {run.fire.fire_at for run in mine if run.fire.origin is Origin.SCHEDULE}
            if any(run.fire.fire_at == row.watermark and _was_asked_for(run) for run in mine):
                continue
            first = first_to_come(row, now, known)
            if first is not None and (row.next_fire_at is None or row.next_fire_at > first):
                self._witness.complain(f"{row.name} is silent until {row.next_fire_at}, and {first} comes before")

    async def _drain(self) -> None:
        """Wait until every run has ended; complain of those that never do."""
        for _ in range(_LONGEST_DRAIN):
            if not await self._active():
                return
            await self._pass_time(self._lease)
        for run in await self._active():
            self._witness.complain(f"{run.name} {run.id} is {run.status} for ever")

    async def _active(self) -> list[Run]:
        runs, _ = await self._backend.view()
        return [run for run in runs.values() if not run.status.final]

    async def _close(self) -> None:
        """Check the health of all engines, stop them, and check that no node is left."""
        await self._pass_time(2 * self._lease)
        for slot in self._slots:
            if slot.engine is None or not slot.running:
                self._witness.complain("an engine did not come back")
                continue
            health = await slot.engine.health()
            if health.light is not Light.GREEN and not _is_excused(health, bool(self.record.corrections)):
                self._witness.complain(f"health is {health.light}: {'; '.join(health.reasons)}")
        closing = asyncio.gather(*(slot.close() for slot in self._slots))
        await self._pass_time(2 * self._lease)
        if not closing.done():
            self._witness.complain("an engine with nothing to do does not stop")
        store = self._backend.make()
        await store.open()
        for node_id in (await store.overview(self._clock.now())).nodes:
            self._witness.complain(f"{node_id} still beats although every engine has stopped")
        self.record.steps = await self._backend.steps()
        self.record.journal = [event for _, event in await store.journal(0, _WHOLE_JOURNAL)]
        await store.close()

    # time

    async def _pass_time(self, seconds: float) -> None:
        """Stop at every sleeper on the way, and let it do its work."""
        until = self._clock.monotonic() + max(0.0, seconds)
        await _idle()
        while (wait := self._clock.next_wake_up) is not None and self._clock.monotonic() + wait <= until:
            self._clock.advance(wait)
            await _idle()
            self._turns += 1
            if self._turns > _MOST_TURNS:
                raise RuntimeError(f"seed {self._scenario.seed}: something never rests")
        self._clock.advance(max(0.0, until - self._clock.monotonic()))
        await _idle()


def _is_excused(health: Health, corrected: bool) -> bool:
    """Whether the only reasons are handlers told to fail and a clock that was wrong."""
    excuses = int(any(each.kind is ConcernKind.FAILING for each in health.attention)) + corrected
    only_failing = {each.kind for each in health.attention} <= {ConcernKind.FAILING}
    return health.light is Light.YELLOW and only_failing and len(health.reasons) <= excuses


def _was_asked_for(run: Run) -> bool:
    """Whether a person had the fire left out before its time."""
    return run.status is Status.SKIPPED and run.finished_at is not None and run.finished_at < run.fire.fire_at


async def _idle() -> None:
    """Let everything that can run without time passing run."""
    ready = getattr(asyncio.get_running_loop(), "_ready", None)
    if ready is None:
        await settle()
        return
    await asyncio.sleep(0)
    while ready:  # noqa: ASYNC110  a loop gives no signal when it has nothing left to do
        await asyncio.sleep(0)
