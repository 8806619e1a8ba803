"""Two stores side by side, one of them the dict-backed one: after any steps both give the same answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from duly.errors import InvalidInputError
from duly.model.policy import Overlap, Policy, Retry
from duly.model.run import Origin, Status
from duly.planning.overlap import decide_overlap, stands_in_line
from duly.ports.codec import decode_policy, encode_policy
from duly.ports.records import (
    Advance,
    Claimed,
    Cycle,
    Due,
    NewRun,
    Plan,
    RunFilter,
    ScheduleFilter,
    Settlement,
    StoredSchedule,
)
from tests.conformance.stores.builders import START, due_schedule, fresh_id
from tests.conformance.stores.harness import MemoryHarness, StoreHarness

T = TypeVar("T")

NODES = ("node_a", "node_b", "node_c")
HANDLERS = ("job:a", "job:b")
STEP = timedelta(seconds=10)
FATES = ("succeeded", "failed", "cancelled", "dead", "retry now", "retry later")
_SUPERSEDED, _NOT = Retry(superseded=True), Retry(superseded=False)
POLICIES = [
    encode_policy(policy)
    for policy in (
        Policy(retry=_NOT),
        Policy(overlap=Overlap.QUEUE, queue_limit=2, retry=_NOT),
        Policy(overlap=Overlap.PARALLEL, max_parallel=2, retry=_NOT),
        Policy(overlap=Overlap.PARALLEL, retry=_NOT),
        Policy(retry=_SUPERSEDED),
        Policy(overlap=Overlap.QUEUE, queue_limit=2, retry=_SUPERSEDED),
    )
] + ["damaged"]

index = st.integers(0, 1000)
some_names = st.sampled_from("abcd")
some_nodes = st.sampled_from(NODES)
some_handlers = st.sets(st.sampled_from(HANDLERS)).map(sorted)


class StoreMachine(RuleBasedStateMachine):
    """Subclasses make the store that is compared with the model."""

    def make(self) -> StoreHarness:
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.now = START
        self.schedules: list[str] = []
        self.claims: list[Claimed] = []
        self.asked = 0
        self.run_ids: dict[tuple[int, str, datetime, Origin], str] = {}

    @initialize()
    def begin(self) -> None:
        self.worlds = (MemoryHarness(), self.make())
        for harness in self.worlds:
            harness.lease = 1e9  # nodes die by the rule for it, not by and by
            self.runner.run(harness.__aenter__())
            self.runner.run(harness.join(*NODES))

    def teardown(self) -> None:
        for harness in getattr(self, "worlds", ()):
            self.runner.run(harness.__aexit__())
        self.runner.close()

    def both(self, ask: Callable[[StoreHarness], Awaitable[T]]) -> T | None:
        """Ask both the same, and hold them to the same answer; None when both refused."""
        self.asked += 1
        expected, found = (self.runner.run(_answer(ask, harness)) for harness in self.worlds)
        assert found == expected
        return found

    # schedules

    @rule(
        names=st.lists(some_names, min_size=1, max_size=3),
        policy=st.sampled_from(POLICIES),
        handler=st.sampled_from(HANDLERS),
        due=st.integers(-3, 3),
    )
    def save(self, names: list[str], policy: str, handler: str, due: int) -> None:
        rows = [due_schedule(name, self._seconds(due), policy=policy, handler=handler) for name in names]

        def merge(before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule:
            return row if before is None else replace(before, policy=row.policy, version=before.version + 1)

        ids = self.both(lambda harness: harness.store.save(rows, merge)) or []
        self.schedules += [each for each in ids if each not in self.schedules]

    @rule(which=index, name=some_names, fate=st.sampled_from(["rename", "disable", "enable", "delete", "revive"]))
    def edit(self, which: int, name: str, fate: str) -> None:
        changes: dict[str, dict[str, Any]] = {
            "rename": {"name": name},
            "disable": {"enabled": False, "next_fire_at": None, "next_run_at": None},
            "enable": {"enabled": True, "next_fire_at": self.now, "next_run_at": self.now},
            "delete": {"deleted_at": self.now, "updated_at": self.now, "next_run_at": None},
            "revive": {"deleted_at": None},
        }
        wanted = [_pick(self.schedules, which) or "", "sched_nobody"]

        def change(row: StoredSchedule) -> StoredSchedule | None:
            if row.deleted_at is not None and fate != "revive":
                return None
            return replace(row, **changes[fate])

        self.both(lambda harness: harness.store.edit(wanted, change))

    # the turn

    @rule(
        node=some_nodes,
        handlers=some_handlers,
        settle=st.dictionaries(index, st.sampled_from(FATES), max_size=4),
        twice=st.booleans(),
        plan_limit=st.integers(0, 4),
        claim_limit=st.integers(0, 4),
        born=st.booleans(),
    )
    def cycle(
        self,
        node: str,
        handlers: list[str],
        settle: dict[int, str],
        twice: bool,
        plan_limit: int,
        claim_limit: int,
        born: bool,
    ) -> None:
        # An owner says how an attempt ended; it may say so twice, but not now this and now that.
        fates = {which % len(self.claims): fate for which, fate in settle.items()} if self.claims else {}
        settlements = [self._settlement(self.claims[which], fate) for which, fate in fates.items()]
        turn = Cycle(
            node,
            self.now,
            settlements * (1 + twice),
            self._planner(Status.RUNNING if born else Status.PENDING),
            plan_limit,
            claim_limit,
            handlers,
        )
        result = self.both(lambda harness: harness.store.cycle(turn))
        self.claims += result.claimed if result else []

    @rule(which=index, seconds=st.integers(-9, 9), status=st.sampled_from([Status.PENDING, Status.WAITING]))
    def plan_by_hand(self, which: int, seconds: int, status: Status) -> None:
        fire_at = self.now + timedelta(seconds=seconds)

        def planner(due: Sequence[Due]) -> Plan:
            return Plan(runs=[self._run(entry, fire_at, status, Origin.MANUAL) for entry in due])

        async def plan(harness: StoreHarness) -> list[NewRun]:
            return (await harness.store.plan([_pick(self.schedules, which) or ""], planner)).runs

        self.both(plan)

    @rule(steps=st.integers(0, 4))
    def time_passes(self, steps: int) -> None:
        self.now += steps * STEP
        for harness in self.worlds:
            harness.clock.advance(steps * STEP)

    # runs

    @rule(which=index)
    def cancel(self, which: int) -> None:
        if run_id := _pick(list(self.run_ids.values()), which):
            self.both(lambda harness: harness.store.cancel(run_id, self.now, "enough"))

    @rule(which=index, stale=st.integers(0, 1))
    def progress(self, which: int, stale: int) -> None:
        if claim := _pick(self.claims, which):
            self.both(lambda harness: harness.store.progress(claim.run_id, claim.fence - stale, f"{which}"))

    @rule(node=some_nodes, which=index)
    def adopt(self, node: str, which: int) -> None:
        known = [claim.run_id for claim in self.claims[which % 5 :]]
        adopted = self.both(lambda harness: harness.store.adopt(node, known)) or []
        self.claims += [claim for claim in adopted if claim not in self.claims]

    # nodes

    @rule(node=some_nodes, handlers=some_handlers)
    def register(self, node: str, handlers: list[str]) -> None:
        self.both(lambda harness: harness.store.register(harness.node(node, handlers)))

    @rule(node=some_nodes, keep=st.lists(index, max_size=2))
    def deregister(self, node: str, keep: list[int]) -> None:
        kept = [claim.run_id for which in keep if (claim := _pick(self.claims, which))]
        self.both(lambda harness: harness.store.deregister(node, self.now, kept))

    @rule(node=some_nodes)
    def beat(self, node: str) -> None:
        async def beat(harness: StoreHarness) -> bool:
            pulse = harness.store.pulse()
            try:
                return await asyncio.to_thread(pulse.beat, node)
            finally:
                await asyncio.to_thread(pulse.close)

        self.both(beat)

    @rule(node=st.none() | some_nodes, most=st.integers(1, 3))
    def rescue(self, node: str | None, most: int) -> None:
        async def rescue(harness: StoreHarness) -> Any:
            if node is not None:
                await harness.silence(node)
            return await harness.store.rescue(self.now, lambda _policy, lost: lost >= most)

        self.both(rescue)

    @rule(seconds=st.integers(0, 60), limit=st.integers(0, 3))
    def prune(self, seconds: int, limit: int) -> None:
        self.both(lambda harness: harness.store.prune(self.now - timedelta(seconds=seconds), limit))

    # what callers can see

    @invariant()
    def they_look_the_same_and_nothing_impossible_is_seen(self) -> None:
        if not hasattr(self, "worlds"):
            return
        everything = self.both(_everything)
        assert everything is not None
        runs = everything["runs"]
        for run in runs:
            assert (run.owner is not None) == (run.status is Status.RUNNING)
            assert (run.finished_at is not None) == run.status.final
            assert 0 <= run.attempt <= run.fence
            assert 0 <= run.lost <= run.fence - run.attempt
        assert len({run.key for run in runs}) == len(runs)

    def _seconds(self, steps: int) -> float:
        return (self.now + steps * STEP - START).total_seconds()

    def _run(self, entry: Due, fire_at: datetime, status: Status, origin: Origin = Origin.SCHEDULE) -> NewRun:
        """The same run whichever store asks first; when the fire is planned again, another one, as planners do."""
        run_id = self.run_ids.setdefault((self.asked, entry.id, fire_at, origin), fresh_id("run_", self.now))
        line = stands_in_line(_policy(entry))
        return NewRun(run_id, entry.id, origin, fire_at, self.now, entry.handler, status, in_line=line)

    def _planner(self, first: Status) -> Callable[[Sequence[Due]], Plan]:
        def planner(due: Sequence[Due]) -> Plan:
            plan = Plan()
            for entry in due:
                policy = _policy(entry)
                supersede = policy.retry.superseded and entry.retrying > 0
                ahead = min(entry.waiting, entry.retrying) if supersede else 0
                running = entry.running - (entry.retrying if supersede else 0) + ahead
                decided = decide_overlap(policy, running, entry.waiting - ahead).status
                status = first if decided is Status.PENDING else decided
                assert entry.next_fire_at is not None
                plan.runs.append(self._run(entry, entry.next_fire_at, status))
                following = max(entry.next_fire_at, self.now) + STEP
                moved = Advance(entry.id, True, following, following, entry.next_fire_at, entry.fires + 1)
                plan.advances.append(replace(moved, supersede=supersede, come_forward=ahead))
            return plan

        return planner

    def _settlement(self, claim: Claimed, fate: str) -> Settlement:
        retry_at = {"retry now": self.now, "retry later": self.now + STEP}.get(fate)
        status = Status.FAILED if retry_at else Status(fate)
        error = "boom" if status is Status.FAILED else None
        result = '{"ok": 1}' if status is Status.SUCCEEDED else None
        return Settlement(claim.run_id, claim.schedule_id, claim.fence, status, self.now, result, error, None, retry_at)


def _policy(entry: Due) -> Policy:
    """As the store has it, or, where that is damaged, one that lets runs wait."""
    return Policy(overlap=Overlap.QUEUE) if entry.policy == "damaged" else decode_policy(entry.policy)


async def _answer(ask: Callable[[StoreHarness], Awaitable[T]], harness: StoreHarness) -> T | None:
    try:
        return await ask(harness)
    except InvalidInputError:
        return None


async def _everything(harness: StoreHarness) -> dict[str, Any]:
    """All that can be seen of a store."""
    store = harness.store
    idle = [await store.cycle(Cycle("node_z", harness.now, handlers=serving)) for serving in ((), HANDLERS)]
    return {
        "schedules": await store.schedules(ScheduleFilter(limit=1000)),
        "deleted": _by_id(await store.schedules(ScheduleFilter(limit=1000, deleted=True))),
        "runs": await store.runs(RunFilter(limit=10_000)),
        "overview": await store.overview(harness.now),
        "troubled": await store.troubled(harness.now, HANDLERS[:1], ended_after=START, limit=1000),
        "hindered": await store.hindered(harness.now, limit=1000),
        "next wake": [result.next_wake for result in idle],
        "cancellations": [await store.cancellations(node) for node in NODES],
        "journal": [event for _, event in await store.journal(0, 10_000)],
    }


def _by_id(rows: list[StoredSchedule]) -> list[StoredSchedule]:
    return sorted(rows, key=lambda row: row.id)


def _pick(options: Sequence[T], which: int) -> T | None:
    return options[which % len(options)] if options else None
