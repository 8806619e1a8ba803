"""Runs that an executor carries out, on virtual time: nodes, a broker, workers, and everything that goes wrong.

Messages are lost, late, doubled and out of order; workers die, freeze and come back; the broker cannot be reached;
nodes die between any two steps, freeze, and lose their store. The record of what user code did is judged at the end.
`simulate_elsewhere(seed)` is the same every time for a seed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import Any, TypeVar

from duly import Cron, Policy, Retry
from duly.engine.engine import Engine
from duly.engine.settings import EngineSettings
from duly.errors import StoreError
from duly.executors.dispatcher import ExecutorDispatcher
from duly.executors.watching import HandoverWatch, WatchLoop
from duly.model.action import Job
from duly.model.handover import HandoverKey, HandoverState
from duly.model.run import Status
from duly.ports.executors import ExecutorStanding, Judged, QueueStanding, SendResult, WorkOrder
from duly.ports.records import RunFilter
from duly.service.schedules.drafts import Draft, to_row
from duly.testing.clock import VirtualClock, settle
from tests.memory_store.store import MemoryData, MemoryStore
from tests.scripted_executor import Door, FixedExecutors, FixedTerms, ScriptedExecutor, succeeded
from tests.sim.faults import Disturbances, FaultyStore, Rates, seeded_random
from tests.sim.process import Process

T = TypeVar("T")
LEASE = 60.0
_BEAT = LEASE / 3
_LENGTH = 1800.0
_QUIET = 3600.0
_SETTINGS = EngineSettings(threads=False, poll=5, lease=15, grace=1)
_ALL = 10_000


@dataclass(slots=True)
class Start:
    """One start of user code: it had leave."""

    name: str
    key: HandoverKey
    token: str
    began: float
    heard: float
    """When duly last took a sign of life of it."""
    alive: bool = True
    """It goes on, and its worker is not frozen."""
    ended: float | None = None
    deaf_from: datetime | None = None
    """Since when no node could take its signs of life; None if the latest was taken, or lost on its way."""


@dataclass(slots=True)
class Evidence:
    """What happened at the broker and in user code."""

    sent: dict[HandoverKey, list[str]] = field(default_factory=dict)
    """The tokens of the messages that were published for each handover, in order."""
    starts: list[Start] = field(default_factory=list)
    accepted: list[Start] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)


class FaultyBroker(ScriptedExecutor):
    """A broker whose queue the workers share."""

    def __init__(self, evidence: Evidence, chance: Random, *, shows_depth: bool) -> None:
        super().__init__()
        self._evidence = evidence
        self._chance = chance
        self._shows_depth = shows_depth
        self.is_calm = False

    def _send(self, order: WorkOrder) -> SendResult:
        self._evidence.sent.setdefault(order.key, []).append(order.token)
        queue = self.queues["default"]
        for _ in range(2 if not self.is_calm and self._chance.random() < 0.1 else 1):
            queue.insert(self._chance.randint(0, len(queue)), order)
        return SendResult()

    def give_back(self, order: WorkOrder) -> None:
        """Deliver a message once more."""
        self.queues["default"].append(order)

    def standing(self) -> ExecutorStanding:
        self._reach()
        depth = len(self.waiting) if self._shows_depth else None
        return ExecutorStanding(reachable=True, queues=(QueueStanding(name="default", depth=depth),))


class Node:
    """One process of duly, until it dies."""

    def __init__(self, world: Elsewhere, name: str) -> None:
        self._world = world
        self._chance = seeded_random(world.seed, name)
        self.process = Process(name, world.clock, chance=seeded_random(world.seed, name, "order"))

    async def start(self) -> None:
        world = self._world
        inner = MemoryStore(world.clock, shared=world.data)
        await inner.open()
        rates = world.rates
        store = FaultyStore(
            inner, self.process, world.disturbances, rates, seeded_random(self.process.name, world.seed)
        )
        clock = self.process.clock
        dispatcher = ExecutorDispatcher(
            store.handovers,
            store.history,
            clock,
            lambda: world.executors,
            self.call,
            chance=self._chance.random,
            token=lambda: f"{self.process.name}-{next(world.tokens)}",
        )
        watch = HandoverWatch(store.handovers, clock, lambda: world.executors, self.call, lambda: self.engine.wake())
        self.engine = Engine(
            store,
            dispatcher,
            clock,
            _SETTINGS,
            random_bits=self._chance.getrandbits,
            chance=self._chance.random,
            sinks=[watch.hear],
        )
        self._loop = WatchLoop(watch, clock)
        world.spawn(self._boot())

    async def _boot(self) -> None:
        while not self.engine.running:
            try:
                await self.engine.start()
            except StoreError:
                await self.process.clock.sleep(3)
        self._loop.begin()

    async def call(self, work: Callable[[], T]) -> T:
        """Call the executor: slowly, and the process may die before or after it."""
        calm = not self._world.disturbances.enabled
        if not calm and self._chance.random() < 0.3:
            await self.process.clock.sleep(self._chance.uniform(0, 20))
        await self.process.gate()
        if not calm and self._chance.random() < 0.02:
            self.process.crash()
            await self.process.gate()
        answer = work()
        if not calm and self._chance.random() < 0.05:
            self.process.crash()
        await self.process.gate()
        return answer

    @property
    def hears(self) -> bool:
        """Whether it can take what workers say."""
        disturbances = self._world.disturbances
        there = not self.process.gone and not self.process.frozen
        return there and not disturbances.is_cut_off(self.process.name) and not disturbances.locked_for


class Worker:
    """A worker of the executor: one message after the other, through good and bad times."""

    def __init__(self, world: Elsewhere, name: str) -> None:
        self._world = world
        self._name = name
        self._chance = seeded_random(world.seed, name)
        self._numbers = count(1)

    @property
    def _calm(self) -> bool:
        return not self._world.disturbances.enabled

    async def work_for_ever(self) -> None:
        world = self._world
        while True:
            await world.clock.sleep(self._chance.uniform(0.5, 5))
            if not self._calm and self._chance.random() < 0.05:
                await world.clock.sleep(self._chance.uniform(10, 200))  # deaf
            queue = world.broker.queues["default"]
            if not queue or not world.broker.reachable:
                continue
            order = queue.pop(self._chance.randrange(len(queue)))
            if not self._calm and self._chance.random() < 0.1:
                world.broker.give_back(order)  # the broker takes it for unacknowledged
            await self._carry_out(order)

    async def _carry_out(self, order: WorkOrder) -> None:
        world = self._world
        name = f"{self._name}/{next(self._numbers)}"
        judged = await self._ask(lambda: world.door.begin(order, name, self._name), tries=5)
        if judged is None:
            world.broker.give_back(order)  # it has no leave, and does not know that it never will
        if judged is None or judged.refusal is not None:
            return
        start = Start(name, order.key, order.token, world.time, world.time)
        world.begun(start)
        fate = 1.0 if self._calm else self._chance.random()
        if fate < 0.1:
            await self._die(start, order)
            return
        if fate < 0.2:
            start.alive = False
            await world.clock.sleep(self._chance.uniform(0.5, 3) * LEASE)
            start.alive = True
        if await self._run(start, order):
            start.ended = world.time
            result = await self._ask(lambda: world.door.end(order, name, succeeded(name)), tries=20)
            if result is not None and result.refusal is None:
                world.accept(start)
            if not self._calm and self._chance.random() < 0.1:
                world.broker.give_back(order)
        start.alive = False

    async def _die(self, start: Start, order: WorkOrder) -> None:
        await self._world.clock.sleep(self._chance.uniform(0, 100))
        start.alive = False
        start.ended = None
        self._world.broker.give_back(order)

    async def _run(self, start: Start, order: WorkOrder) -> bool:
        """User code, with signs of life; False when it was told to stop."""
        world = self._world
        left = self._chance.uniform(1, 30) if self._calm else self._chance.choice((3, 30, 100, 200))
        while left > 0:
            await world.clock.sleep(min(left, _BEAT))
            left -= _BEAT
            judged = await self._ask(lambda: world.door.beat(order, start.name), tries=1, start=start)
            if judged is not None and judged.refusal is not None:
                return False
            if judged is not None:
                start.heard = world.time
        return True

    async def _ask(self, ask: Callable[[], Awaitable[Judged]], tries: int, start: Start | None = None) -> Judged | None:
        """Ask through a door: no node may hear it, and the answer may get lost."""
        world = self._world
        for _ in range(tries):
            hears = any(node.hears for node in world.nodes.values())
            if start is not None:
                start.deaf_from = None if hears else start.deaf_from or world.clock.now()
            if hears and (self._calm or self._chance.random() > 0.05):
                judged = await ask()
                if start is not None and judged.refusal is None:
                    start.heard = world.time
                if self._calm or self._chance.random() > 0.05:
                    return judged
            if tries > 1:
                await world.clock.sleep(3)
        return None


class Elsewhere:
    """Carries out one simulation: a time with faults, a time without, and the end."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._chance = seeded_random("elsewhere", seed)
        self.clock = VirtualClock(datetime.fromisoformat("2026-03-01T00:00:30+00:00"))
        self.data = MemoryData()
        self.disturbances = Disturbances(self.clock)
        self.evidence = Evidence()
        self.tokens = count(1)
        self.rates = Rates(refuse=0.01, forget=0.01, late=0.01, slow=0.01, kill=0.002, longest_delay=5)
        loses_queues = self._chance.random() < 0.5
        self.broker = FaultyBroker(self.evidence, seeded_random("broker", seed), shows_depth=loses_queues)
        self._loses_queues = loses_queues
        self.executors = FixedExecutors.of([self.broker], FixedTerms(lease=timedelta(seconds=LEASE)))
        self.nodes: dict[int, Node] = {}
        self._generation = count(1)
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def time(self) -> float:
        return self.clock.monotonic()

    def say(self, text: str) -> None:
        self.evidence.trace.append(f"{self.time:8.1f} {text}")

    def complain(self, text: str) -> None:
        self.say(f"COMPLAINT {text}")
        self.evidence.complaints.append(f"seed {self.seed}: {text}")

    # what user code does

    def begun(self, start: Start) -> None:
        self.say(f"{start.name} begins {start.key}")
        if start.token != max(self.evidence.sent[start.key], key=_age):
            self.complain(f"{start.key} got leave with a message that was void")
        for other in self.evidence.starts:
            same = other.key.run_id == start.key.run_id
            if same and other.ended is None and self.time - other.heard < LEASE:
                self.complain(f"{start.key} was begun by {start.name} while {other.name} was beating")
        self.evidence.starts.append(start)

    def accept(self, start: Start) -> None:
        self.say(f"{start.name} ended {start.key}")
        if any(each.key.run_id == start.key.run_id and each is not start for each in self.evidence.accepted):
            self.complain(f"{start.key}: a second outcome was accepted")
        self.evidence.accepted.append(start)

    # the course of things

    async def run(self) -> None:
        looking = MemoryStore(self.clock, shared=self.data)
        await looking.open()
        self.door = Door(looking.handovers, self.clock)
        retry = Retry(max_attempts=100, delay=timedelta(seconds=5))
        rows = [
            to_row(
                Draft(
                    name=f"s{number}",
                    trigger=Cron("* * * * *"),
                    action=Job("proj.tasks.report", executor="heavy"),
                    policy=Policy(retry=retry),
                ),
                self.clock.now(),
                lambda *_: None,
                self._chance.getrandbits,
            )
            for number in range(self._chance.randint(1, 4))
        ]
        await looking.save(rows, lambda old, new: new if old is None else None)
        for index in range(2):
            await self._start_node(index)
        for number in range(self._chance.randint(1, 3)):
            self.spawn(Worker(self, f"w{number}").work_for_ever())
        self.disturbances.enabled = True
        while self.time < _LENGTH:
            await self.pass_time(self._chance.uniform(5, 60))
            await self._disturb()
            await self._watch_for_hasty_losses(looking)
        await self._calm_down(looking, [row.id for row in rows])
        await self._judge(looking)
        await self._end()

    async def _start_node(self, index: int) -> None:
        node = Node(self, f"n{index}.{next(self._generation)}")
        node.process.on_crash.append(lambda: self._come_back(index, node))
        self.nodes[index] = node
        await node.start()

    def _come_back(self, index: int, node: Node) -> None:
        self.say(f"{node.process.name} dies")
        after = 5.0 if not self.disturbances.enabled else self._chance.uniform(1, 120)
        self.clock.call_later(after, lambda: self.spawn(self._start_node(index)))

    async def _disturb(self) -> None:
        kind = self._chance.choice(("crash", "freeze", "broker", "queue", "store", "lock", "none", "none"))
        node = self.nodes[self._chance.randrange(2)]
        seconds = self._chance.choice((3, 20, 90, 150))
        self.say(f"fault: {kind} {node.process.name} {seconds}")
        if kind == "crash":
            node.process.crash()
        elif kind == "freeze" and not node.process.gone and not node.process.frozen:
            node.process.freeze()
            self.clock.call_later(seconds, node.process.thaw)
        elif kind == "broker":
            self.broker.reachable = False
            self.clock.call_later(seconds, lambda: setattr(self.broker, "reachable", True))
        elif kind == "queue" and self._loses_queues:
            self.broker.lose_queues()
        elif kind == "store":
            self.disturbances.cut_off("*", seconds)
        elif kind == "lock":
            self.disturbances.lock(seconds)

    async def _watch_for_hasty_losses(self, looking: MemoryStore) -> None:
        """Complain of workers that were given up although they are alive and only duly could not hear."""
        for start in self.evidence.starts:
            if start.alive and start.ended is None and start.deaf_from is not None:
                record = next(
                    each for each in await looking.handovers.of_run(start.key.run_id) if each.key == start.key
                )
                is_lost = record.state is HandoverState.LOST and record.start == start.name
                if is_lost and record.ended_at is not None and record.ended_at > start.deaf_from:
                    self.complain(f"{start.key} was given up while no node could hear {start.name}")

    async def _calm_down(self, looking: MemoryStore, ids: Sequence[str]) -> None:
        self.say("faults end")
        self.disturbances.end_all()
        self.broker.is_calm = True
        self.broker.reachable = True
        for node in self.nodes.values():
            if node.process.frozen:
                node.process.thaw()
        await looking.edit(ids, lambda row: replace(row, enabled=False, next_fire_at=None, next_run_at=None))
        await self.pass_time(_QUIET)

    async def _judge(self, looking: MemoryStore) -> None:
        accepted = {each.key.run_id: each.name for each in self.evidence.accepted}
        for run in await looking.runs(RunFilter(limit=_ALL)):
            if run.status in (Status.SKIPPED, Status.MISSED) and run.fence == 0:
                continue
            if run.status is not Status.SUCCEEDED:
                self.complain(f"{run.id} is {run.status}: {run.reason or run.error}")
            elif accepted.get(run.id, run.result) != run.result:
                self.complain(f"{run.id} has the result of {run.result}, and that of {accepted[run.id]} was accepted")
            records = await looking.handovers.of_run(run.id)
            if [each.number for each in records] != list(range(1, len(records) + 1)):
                self.complain(f"{run.id} has handovers {[each.number for each in records]}")
            if sum(each.state is HandoverState.SUCCEEDED for each in records) > 1:
                self.complain(f"{run.id} succeeded more than once")
            for each in records:
                if not each.state.final:
                    self.complain(f"{each.key} is {each.state} for ever")

    async def pass_time(self, seconds: float) -> None:
        await self.clock.travel(timedelta(seconds=seconds))

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.complain(f"something ended with {type(error).__name__}: {error}")

    async def _end(self) -> None:
        for node in self.nodes.values():
            node.process.forgotten = True
        while left := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in sorted(left, key=lambda each: each.get_name()):
                task.cancel()
            await settle(5)


def _age(token: str) -> int:
    """Order the tokens of a handover as they were made: one is made only after the one before it was written down."""
    return int(token.rpartition("-")[2])


def simulate_elsewhere(seed: int) -> Evidence:
    """Run the simulation of a seed."""
    world = Elsewhere(seed)
    asyncio.run(world.run())
    return world.evidence
