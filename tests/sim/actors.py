"""Engines that start, crash and come back: each slot holds one process at a time, as under a supervisor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from duly.engine.engine import Engine
from duly.errors import StoreError
from duly.ports.store import Store
from duly.testing.clock import VirtualClock, settle
from tests.sim.faults import Disturbances, FaultyStore, Rates, seeded_random
from tests.sim.handlers import Handlers
from tests.sim.process import Process
from tests.sim.scenario import EngineSpec, Scenario
from tests.sim.witness import Witness


class SimulationContext:
    """The clock, the witness, the disturbances and the handlers that all processes of a simulation share."""

    def __init__(self, scenario: Scenario, clock: VirtualClock, witness: Witness, make_store: Callable[[], Store]):
        self.scenario = scenario
        self.clock = clock
        self.witness = witness
        self.disturbances = Disturbances(clock)
        self.handlers = Handlers(scenario.seed, witness, self.disturbances, 3 * scenario.scale.lease)
        self._make_store = make_store
        self._tasks: set[asyncio.Task[None]] = set()
        self._processes: list[Process] = []

    async def connect(self, process: Process, rates: Rates) -> FaultyStore:
        """A process opens the store."""
        inner = self._make_store()
        await inner.open()
        store = FaultyStore(
            inner, process, self.disturbances, rates, seeded_random(self.scenario.seed, process.name, "store")
        )
        store.on_effect = lambda call: self.witness.look(process.name, call)
        store.on_settled = lambda turn, result: self.witness.settle(process.name, turn, result)
        store.on_placed = self.witness.place
        store.on_corrected = lambda step: self.witness.correct(process.name, step)
        store.on_spin = lambda call: self.witness.complain(f"{process.name} spins: {call} again and again")
        process.on_crash.append(lambda: self.witness.vanish(process.name))
        self._processes.append(process)
        return store

    async def end(self) -> None:
        """End the tasks of crashed processes, which still wait where their process crashed."""
        self.disturbances.finished = True
        for process in self._processes:
            process.forgotten = True
        while left := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in sorted(left, key=_order):
                task.cancel()
            await settle(5)  # one that goes on is told again

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background; complain when it fails."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.witness.complain(f"something ended with {type(error).__name__}: {error}")


def _order(task: asyncio.Task[Any]) -> tuple[int, str]:
    """The order in which tasks were made, as far as their names tell: a set has another one in every process."""
    name = task.get_name()
    return len(name), name


class EngineSlot:
    """Runs one engine at a time, and starts the next after a crash."""

    def __init__(self, context: SimulationContext, index: int, spec: EngineSpec) -> None:
        self._context = context
        self._index = index
        self._spec = spec
        self._generation = 0
        self._chance = seeded_random(context.scenario.seed, "place", index)
        self.process: Process | None = None
        self.engine: Engine | None = None
        self._back_after = context.scenario.scale.lease
        self._busy = False
        self._closed = False

    @property
    def running(self) -> bool:
        there = self.engine is not None and self.process is not None and not self.process.gone
        return there and (self._spec.by_hand or (self.engine is not None and self.engine.running))

    async def start(self) -> None:
        """Start a new process with a new engine."""
        self._generation += 1
        name = f"e{self._index}.{self._generation}"
        process = Process(
            name, self._context.clock, self._spec.skew, seeded_random(self._context.scenario.seed, name, "order")
        )
        process.on_crash.append(self._come_back)
        scenario, witness = self._context.scenario, self._context.witness
        chance = seeded_random(scenario.seed, name)
        self.process = process
        witness.say(name, f"starts, serving {', '.join(self._spec.serves)}")
        store = await self._context.connect(process, scenario.rates)
        hear = partial(witness.hear, name)
        store.on_event(hear)
        self.engine = Engine(
            store,
            self._context.handlers.registry(process, self._spec.serves),
            process.clock,
            scenario.settings,
            sinks=[hear],
            random_bits=chance.getrandbits,
            chance=chance.random,
        )
        self._context.spawn((self._tick_for_ever if self._spec.by_hand else self._boot)(process, self.engine))

    async def _tick_for_ever(self, process: Process, engine: Engine) -> None:
        """Tick by hand once per poll, also after a tick that failed."""
        while not self._closed:
            self._busy = True
            try:
                number = await engine.tick(process.clock.now())
                self._context.witness.say(process.name, f"ticked: {number} succeeded")
            except StoreError as error:
                self._context.witness.say(process.name, f"could not tick: {error}")
            self._busy = False
            await process.clock.sleep(self._context.scenario.settings.poll)

    async def _boot(self, process: Process, engine: Engine) -> None:
        """Start, and try again as long as the store does not answer."""
        while not engine.running:
            try:
                await engine.start()
            except StoreError as error:
                self._context.witness.say(process.name, f"could not start: {error}")
                await process.clock.sleep(self._context.scenario.scale.lease / 3)

    def crash(self, back_after: float) -> None:
        if self.process is not None:
            self._back_after = back_after
            self.process.crash()

    def _come_back(self) -> None:
        self._context.clock.call_later(self._back_after, lambda: self._context.spawn(self.start()))

    def freeze(self, seconds: float) -> None:
        process = self.process
        if process is not None and not process.gone and not process.frozen:
            self._context.witness.say(process.name, f"is frozen for {seconds:.0f} s")
            process.freeze()
            self._context.clock.call_later(seconds, lambda: self.thaw(process))

    def thaw(self, process: Process) -> None:
        if process.frozen:
            self._context.witness.say(process.name, "goes on")
            process.thaw()

    async def stop(self, back_after: float) -> None:
        """Stop in good order, and then end the process, start again, or stay around without an engine for a while."""
        process, engine = self.process, self.engine
        if process is None or engine is None or not engine.running or self._busy:
            return
        self._busy = True
        then = self._chance.choice(("exit", "exit", "start again", "linger"))
        self._context.witness.say(process.name, f"stops, then: {then}")
        await engine.stop()
        self._context.witness.say(process.name, "has stopped")
        self._busy = False
        if then == "exit":
            self.crash(back_after)
        else:
            await process.clock.sleep(0 if then == "start again" else back_after)
            await self._boot(process, engine)

    def recover(self) -> None:
        """Thaw the process, and start a crashed one soon."""
        self._back_after = self._context.scenario.scale.lease / 10
        if self.process is not None and self.process.frozen:
            self.thaw(self.process)

    async def close(self) -> None:
        """Stop for good."""
        self._closed = True
        if self.engine is not None and self.running:
            await self.engine.stop()
