"""The readable reference of a store: plain dicts. The simulator uses it.

It waits for nothing and has no threads, so a test on virtual time gives the same result every time. Several handles
may share one set of data, as several processes share a file: `MemoryStore(clock, shared=data)`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime

from duly.clock import Clock
from duly.errors import StoreNotOpenError
from duly.model.events import NODE_STARTED, NODE_STOPPED, Event
from duly.model.run import Run, Status
from duly.planning.clock_marks import Corrected, Correction
from duly.planning.lease import Lease
from duly.planning.places import lane_of
from duly.ports.changes import Change, EditResult, Merge, Recorder, nothing_beside
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
from duly.ports.store import Decide
from duly.ports.upkeep import FIRST_PLACE, Correct, DueAgain, Overview, Pruned, PrunePlace, Troubled
from duly.stores.upcoming import after_births, is_full
from tests.memory_store.audit import MemoryAudit
from tests.memory_store.handovers import MemoryHandovers
from tests.memory_store.history import MemoryHistory
from tests.memory_store.maintenance import (
    Correcting,
    Pruning,
    begin_correction,
    is_wanted_event,
    overview,
    placed_ahead,
    troubled,
)
from tests.memory_store.schedules import cancel_unbegun, edit, is_wanted, save, standing
from tests.memory_store.tables import NodeRow, Tables


@dataclass(slots=True)
class MemoryData:
    """The data that several handles share."""

    tables: Tables = field(default_factory=Tables)
    crashed: set[str] = field(default_factory=set)
    listeners: list[tuple[MemoryStore, Callable[[], None]]] = field(default_factory=list)


class MemoryStore:
    """Implements `duly.ports.store.Store`; the interface says what each call does."""

    def __init__(self, clock: Clock, *, shared: MemoryData | None = None) -> None:
        self._clock = clock
        self._data = shared or MemoryData()
        self._is_open = False
        self._listeners: list[EventListener] = []

    @property
    def url(self) -> str:
        return "memory"

    @property
    def audit(self) -> MemoryAudit:
        return MemoryAudit(lambda: self._tables, self._transaction)

    @property
    def history(self) -> MemoryHistory:
        return MemoryHistory(lambda: self._tables, self._transaction)

    @property
    def handovers(self) -> MemoryHandovers:
        return MemoryHandovers(lambda: self._tables, self._transaction)

    async def open(self, *, create: bool = True) -> None:  # noqa: ARG002  it is always there
        self._is_open = True

    async def close(self) -> None:
        self._is_open = False
        self._data.listeners[:] = [each for each in self._data.listeners if each[0] is not self]

    def crash(self, node_id: str) -> None:
        """Let the others see that the process of a node is gone, without waiting for its lease to run out."""
        self._data.crashed.add(node_id)

    @property
    def _tables(self) -> Tables:
        if not self._is_open:
            raise StoreNotOpenError(self.url)
        return self._data.tables

    @contextmanager
    def _transaction(self) -> Iterator[Tables]:
        """Yield a draft of the tables, which replaces them only if the block ends without an error."""
        before = self._tables
        draft = before.copy()
        yield draft
        draft.ask_for_ends()
        if draft != before:
            self._data.tables = draft
            for store, callback in list(self._data.listeners):
                if store is not self:
                    callback()
        tell(self._listeners, draft.written)

    # schedules

    async def save(
        self,
        rows: Sequence[StoredSchedule],
        merge: Merge,
        beside: Recorder = nothing_beside,
        room: Room | None = None,
    ) -> list[str]:
        with self._transaction() as tables:
            return save(tables, rows, merge, beside, room)

    async def edit(self, ids: Collection[str], change: Change, beside: Recorder = nothing_beside) -> EditResult:
        with self._transaction() as tables:
            return edit(tables, ids, change, beside)

    async def get(self, schedule_id: str) -> StoredSchedule | None:
        found = self._tables.schedules.get(schedule_id)
        return None if found is None else replace(found)

    async def find(self, namespace: str, name: str) -> StoredSchedule | None:
        found = self._tables.named(namespace, name)
        return None if found is None else replace(found)

    async def schedules(self, wanted: ScheduleFilter) -> list[StoredSchedule]:
        found = [replace(each) for each in self._tables.schedules.values() if is_wanted(each, wanted)]
        return sorted(found, key=lambda each: (each.namespace, each.name))[: wanted.limit]

    async def to_review(self, *, resting: bool, after: str = "", limit: int = 500) -> list[StoredSchedule]:
        found = [
            replace(row)
            for row in sorted(self._tables.schedules.values(), key=lambda row: row.id)
            if (row.resting if resting else row.next_run_at) is not None
            and row.deleted_at is None
            and row.handler != "message"
            and (row.source == "toml" or row.created_via is not None)
            and row.id > after
        ]
        return found[:limit]

    async def reconcile(self, namespace: str, decide: Decide) -> None:
        with self._transaction() as tables:
            found = [each for each in tables.schedules.values() if each.namespace == namespace and not each.deleted_at]
            decided = decide([standing(tables, each) for each in found], list(self._not_gone(tables)))
            cancel_unbegun(tables, decided.call_off, decided.reason, decided.at)
            save(tables, list(decided.rows), decided.merge)
            tables.write_events(*decided.events)

    # runs

    async def cycle(self, turn: Cycle) -> CycleResult:
        with self._transaction() as tables:
            result = CycleResult()
            result.refused = [each.run_id for each in turn.settlements if not tables.settle(each, turn.now)]
            if tables.clock.mark.forbids_planning(turn.wall):
                result.planned_ahead = True
            elif turn.planner is not None:
                self._plan_due(tables, turn, turn.planner, result)
            self._claim(tables, turn, result)
            tables.write_events(*turn.events)
            if turn.settlements or result.planned or result.claimed:
                tables.decided(turn.decides_until)
            return result

    def _claim(self, tables: Tables, turn: Cycle, result: CycleResult) -> None:
        pools = after_births(turn.places, result.claimed)
        for index, pool in enumerate(pools):
            taken = tables.claim(turn.node_id, turn.now, pool)
            result.claimed += taken
            pools[index] = pool.with_held([lane_of(run.namespace) for run in taken])
        upcoming = tables.upcoming(turn.now, turn.handlers)
        result.next_wake = upcoming.next_wake(
            pool for pool in pools if is_full(pool, turn, upcoming.owners(pool, turn.now))
        )
        result.waiting = upcoming.waiting(turn.now)

    def _plan_due(self, tables: Tables, turn: Cycle, planner: Planner, result: CycleResult) -> None:
        if due := tables.due(turn.due_until)[: turn.plan_limit]:
            plan = planner([tables.describe(each) for each in due])
            recorded = tables.apply(plan, turn.node_id, turn.now)
            result.planned = len(plan.advances)
            result.recorded = len(recorded)
            result.claimed = [tables.claimed(run.id) for run in recorded if run.status is Status.RUNNING]

    async def plan(self, ids: Collection[str], planner: Planner) -> Plan:
        with self._transaction() as tables:
            wanted = [tables.schedules[each] for each in sorted(ids) if each in tables.schedules]
            now = self._clock.now()
            plan = planner([tables.describe(each) for each in wanted if each.deleted_at is None])
            plan.runs = tables.apply(plan, "", now)
            tables.decided(now)
            return plan

    async def adopt(self, node_id: str, known: Collection[str]) -> list[Claimed]:
        tables = self._tables
        return [tables.claimed(run.id) for run in tables.owned(node_id) if run.id not in known]

    async def get_run(self, run_id: str) -> Run | None:
        tables = self._tables
        return tables.shown(tables.runs[run_id]) if run_id in tables.runs else None

    async def runs(self, wanted: RunFilter) -> list[Run]:
        tables = self._tables
        found = [
            run
            for run in tables.runs.values()
            if (wanted.ids is None or run.id in wanted.ids)
            and (wanted.schedule_id is None or run.fire.schedule_id == wanted.schedule_id)
            and (not wanted.statuses or run.status in wanted.statuses)
            and (wanted.before is None or run.id < wanted.before)
        ]
        newest = sorted(found, key=lambda run: run.id, reverse=True)
        return [tables.shown(run) for run in newest[: wanted.limit]]

    async def cancel(self, run_id: str, now: datetime, reason: str, events: Sequence[Event] = ()) -> Run | None:
        with self._transaction() as tables:
            run = tables.runs.get(run_id)
            if run is None:
                return None
            if run.status is Status.RUNNING:
                tables.runs[run_id] = replace(run, cancel_requested=True, reason=reason)
                tables.write_events(*events)
            elif not run.status.final:
                tables.write_events(*events)
                tables.finish(run, Status.CANCELLED, reason, now, now)
                tables.decided(now)
                tables.tell_cancelled(run_id, now)
            return tables.shown(tables.runs[run_id])

    async def cancellations(self, node_id: str) -> list[str]:
        return [run.id for run in self._tables.owned(node_id) if run.cancel_requested]

    async def progress(self, run_id: str, fence: int, data: str) -> bool:
        with self._transaction() as tables:
            run = tables.runs.get(run_id)
            ours = run is not None and run.fence == fence and run.status is Status.RUNNING
            if run is not None and ours:
                tables.runs[run_id] = replace(run, progress=json.loads(data))
            return ours

    # nodes

    async def register(self, node: NodeRecord) -> None:
        with self._transaction() as tables:
            there = tables.nodes.get(node.id)
            record = replace(node) if there is None else replace(there.record, handlers=node.handlers)
            state = "alive" if there is None else there.state
            tables.nodes[node.id] = NodeRow(record, self._clock.boottime(), state, self._clock.now())
            if there is None:
                self._data.crashed.discard(node.id)
                tables.write_events(Event(NODE_STARTED, node.started_at, node_id=node.id, data={"pid": node.pid}))

    async def deregister(self, node_id: str, now: datetime, keep: Collection[str] = ()) -> None:
        with self._transaction() as tables:
            for run in tables.owned(node_id):
                if run.id not in keep:
                    tables.hand_back(run, now, "handed back by a node that stopped", refund=1)
            if not keep and tables.bury(node_id, "stopped", now):
                tables.write_events(Event(NODE_STOPPED, now, node_id=node_id))
            tables.decided(now)

    async def rescue(self, now: datetime, is_poison: Callable[[str, int], bool]) -> list[Rescued]:
        with self._transaction() as tables:
            there = self._not_gone(tables)
            doubted = [self._doubt(tables, each, there[each]) for each in there.keys() - self._living(tables).keys()]
            silent = [each for each, node in tables.nodes.items() if node.state == "alive" and each not in there]
            lost = [*silent, *(node_id for node_id, time_left in doubted if time_left <= 0)]
            orphaned = {run.owner for run in tables.runs.values() if run.owner is not None} - {*there, *silent}
            gone = [*sorted(lost), *sorted(orphaned), None]
            rescued = [tables.take_back(each, now, is_poison) for each in gone]
            if any(each.dead for each in rescued if each is not None):
                tables.clear_waiting(now)
            halted = tables.stranded()
            for schedule_id in halted:
                tables.promote(schedule_id, now)
            if halted or any(rescued):
                tables.decided(now)
            again = [
                Rescued(node_id, look_again_in=time_left) for node_id, time_left in sorted(doubted) if time_left > 0
            ]
            return [each for each in rescued if each is not None] + again

    def _doubt(self, tables: Tables, node_id: str, node: NodeRow) -> tuple[str, float]:
        """Mark a silent node as doubted; returns for how many seconds it may still beat."""
        now = self._clock.boottime()
        since = now if node.doubted_at is None else node.doubted_at
        tables.nodes[node_id] = replace(node, doubted_at=since)
        return node_id, Lease(node.record.lease_seconds).time_to_answer - (now - since)

    def _not_gone(self, tables: Tables) -> dict[str, NodeRow]:
        """Find nodes that may be alive: neither gone nor crashed."""
        there = sorted(tables.nodes.items())
        return {node_id: node for node_id, node in there if node.state == "alive" and node_id not in self._data.crashed}

    def _living(self, tables: Tables) -> dict[str, NodeRow]:
        """Find nodes that have beaten within their lease."""
        now = self._clock.boottime()
        return {
            node_id: node
            for node_id, node in self._not_gone(tables).items()
            if now - node.beat_at <= node.record.lease_seconds
        }

    async def rest(self, handler: str) -> None:
        with self._transaction() as tables:
            if not any(handler in node.record.handlers for node in self._not_gone(tables).values()):
                for row in list(tables.schedules.values()):
                    if row.handler == handler:
                        tables.schedules[row.id] = replace(row, next_run_at=None)

    async def serving(self) -> dict[str, frozenset[str]]:
        living = self._living(self._tables)
        return {node_id: frozenset(node.record.handlers) for node_id, node in living.items()}

    def pulse(self) -> MemoryPulse:
        return MemoryPulse(self._clock, self._data)

    # correcting a wall clock that was wrong

    async def server_time(self) -> datetime | None:
        return None

    async def begin_correction(self, now: datetime) -> Correction | None:
        with self._transaction() as tables:
            return begin_correction(tables, now)

    async def placed_ahead(self, now: datetime, *, after: str = "", limit: int = 500) -> list[str]:
        found = sorted(self._tables.schedules.values(), key=lambda row: row.id)
        return [row.id for row in found if row.id > after and placed_ahead(row, now)][:limit]

    async def place_again(self, ids: Collection[str], step: Correction, correct: Correct) -> int:
        with self._transaction() as tables:
            return Correcting(tables, step).place_again(ids, correct)

    async def hasten(self, step: Correction, due_again: DueAgain) -> int:
        with self._transaction() as tables:
            return Correcting(tables, step).hasten(due_again)

    async def end_correction(self, step: Correction, node_id: str) -> Corrected | None:
        with self._transaction() as tables:
            return Correcting(tables, step).end(node_id)

    # maintenance

    async def overview(self, now: datetime, at_most: int | None = None) -> Overview:
        return overview(self._tables, self._living(self._tables), now, at_most)

    async def troubled(self, now: datetime, served: Collection[str], *, ended_after: datetime, limit: int) -> Troubled:
        return troubled(self._tables, now, served, ended_after, limit)

    async def hindered(self, now: datetime, *, limit: int) -> Troubled:
        return replace(troubled(self._tables, now, (), now, limit), rows=[])

    async def prune(self, before: datetime, limit: int, place: PrunePlace = FIRST_PLACE) -> Pruned:
        with self._transaction() as tables:
            return Pruning(tables).prune(before, limit, place)

    async def record(self, events: Sequence[Event]) -> None:
        with self._transaction() as tables:
            tables.write_events(*events)

    async def journal(self, after: int, limit: int) -> list[tuple[int, Event]]:
        return [(seq, deepcopy(event)) for seq, event in self._tables.events.items() if seq > after][:limit]

    async def events(self, wanted: EventFilter) -> list[tuple[int, Event]]:
        tables = self._tables
        found = [(seq, event) for seq, event in tables.events.items() if is_wanted_event(tables, seq, event, wanted)]
        return [(seq, deepcopy(event)) for seq, event in sorted(found, reverse=True, key=lambda each: each[0])][
            : wanted.limit
        ]

    def on_event(self, listener: EventListener) -> None:
        self._listeners.append(listener)

    def on_change(self, callback: Callable[[], None]) -> None:
        self._data.listeners.append((self, callback))

    def on_replaced(self, callback: Callable[[str], None]) -> None:
        """Never called: nothing can take its place."""


class MemoryPulse:
    """A heartbeat; it beats whether or not the store is open, as one with a connection of its own does."""

    def __init__(self, clock: Clock, data: MemoryData) -> None:
        self._clock = clock
        self._data = data

    def beat(self, node_id: str) -> bool:
        nodes = self._data.tables.nodes
        node = nodes.get(node_id)
        if node is None or node.state != "alive":
            return False
        nodes[node_id] = replace(node, beat_at=self._clock.boottime(), seen_at=self._clock.now(), doubted_at=None)
        return True

    def is_undoubted(self, node_id: str) -> bool:
        node = self._data.tables.nodes.get(node_id)
        return node is not None and node.state == "alive" and node.doubted_at is None

    def close(self) -> None:
        """There is nothing to close."""
