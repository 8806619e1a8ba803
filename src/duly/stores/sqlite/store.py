"""The store for one machine: a SQLite file that any number of processes may share."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw

from duly.errors import StoreError, StoreNotOpenError
from duly.planning.lease import Lease
from duly.ports.changes import nothing_beside
from duly.stores.crud import health
from duly.stores.crud.store import CrudStore
from duly.stores.run_records import put_together
from duly.stores.sqlite import cycle, nodes, runs, schedules
from duly.stores.sqlite.pulse import SqlitePulse
from duly.stores.sqlite.reopening import FileWatcher, ReopeningExecutor
from duly.stores.sqlite.repairing import RepairingExecutor
from duly.stores.sqlite.rows import micros
from duly.stores.sqlite.transaction import SqliteTransaction, finish, get_schedules

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.model.events import Event
    from duly.model.run import Run
    from duly.planning.clock_marks import Correction
    from duly.ports.changes import Change, EditResult, Merge, Recorder
    from duly.ports.quotas import Room
    from duly.ports.records import (
        Claimed,
        Cycle,
        CycleResult,
        NodeRecord,
        Plan,
        Planner,
        Rescued,
        RunFilter,
        ScheduleFilter,
        StoredSchedule,
    )
    from duly.ports.store import Decide
    from duly.ports.upkeep import Correct, Overview
    from duly.stores.crud.database import Work
    from duly.stores.sqlite.executor import SqliteExecutor

T = TypeVar("T")
_log = logging.getLogger("duly")


class SqliteDatabase:
    """Implements `duly.stores.crud.database.Database`."""

    def __init__(self, executor: Callable[[], SqliteExecutor]) -> None:
        """Take where the executor is to be found: a store has one only while it is open."""
        self._executor = executor

    async def read(self, work: Work[T]) -> T:
        return await self._executor().read(lambda connection: finish(work(SqliteTransaction(connection))))

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        return await self._executor().write(
            lambda connection: finish(work(SqliteTransaction(connection))), durable=durable
        )


class SqliteStore(CrudStore):
    """Implements `duly.ports.store.Store`; the interface says what each call does."""

    def __init__(self, path: str | Path, clock: Clock, *, inline: bool = False) -> None:
        super().__init__(SqliteDatabase(lambda: self._executor), clock)
        self._path = Path(path).expanduser()
        self._inline = inline
        self._file: ReopeningExecutor | None = None
        self._repairing: RepairingExecutor | None = None
        self._watcher: FileWatcher | None = None
        self._on_replaced: list[Callable[[str], None]] = []
        self._callbacks: list[Callable[[], None]] = []
        self._sightings = nodes.Sightings()

    @property
    def url(self) -> str:
        return str(self._path)

    async def open(self, *, create: bool = True) -> None:
        if self._file is not None:
            return
        file = ReopeningExecutor(self._path, self._clock, self._announce, inline=self._inline)
        file.on_replaced = self._on_replaced
        await file.open(create=create)
        self._file = file
        self._repairing = RepairingExecutor(file, self._path, self._clock)
        self._watcher = FileWatcher(file)
        self._watcher.callbacks = self._callbacks

    async def close(self) -> None:
        if self._watcher is not None:
            await self._watcher.stop()
            self._watcher = None
        if self._file is not None:
            file, self._file = self._file, None
            await file.close()

    @property
    def _executor(self) -> SqliteExecutor:
        if self._file is None or self._repairing is None:
            raise StoreNotOpenError(self.url)
        return self._repairing

    # schedules

    async def save(
        self,
        rows: Sequence[StoredSchedule],
        merge: Merge,
        beside: Recorder = nothing_beside,
        room: Room | None = None,
    ) -> list[str]:
        return await self._executor.write(lambda connection: schedules.save(connection, rows, merge, beside, room))

    async def edit(self, ids: Collection[str], change: Change, beside: Recorder = nothing_beside) -> EditResult:
        return await self._executor.write(lambda connection: schedules.edit(connection, ids, change, beside))

    async def get(self, schedule_id: str) -> StoredSchedule | None:
        found = await self._executor.read(lambda connection: get_schedules(connection, [schedule_id]))
        return found[0] if found else None

    async def find(self, namespace: str, name: str) -> StoredSchedule | None:
        return await self._executor.read(lambda connection: schedules.find(connection, namespace, name))

    async def schedules(self, wanted: ScheduleFilter) -> list[StoredSchedule]:
        return await self._executor.read(lambda connection: schedules.page(connection, wanted))

    async def to_review(self, *, resting: bool, after: str = "", limit: int = 500) -> list[StoredSchedule]:
        return await self._executor.read(lambda connection: schedules.to_review(connection, resting, after, limit))

    async def reconcile(self, namespace: str, decide: Decide) -> None:
        from duly.stores.sqlite import reconcile  # late: only schedulers with tasks of their own need it

        observed = self._observe()

        def write(connection: apsw.Connection) -> None:
            fresh = reconcile.is_fresh(connection, namespace, prepared.seen, observed)
            current = prepared if fresh else reconcile.prepare(connection, namespace, decide, observed)
            reconcile.write(connection, current)

        prepared = await self._executor.read(
            lambda connection: reconcile.prepare(connection, namespace, decide, observed)
        )
        await self._executor.write(write)

    # runs

    async def cycle(self, turn: Cycle) -> CycleResult:
        return await self._executor.write(lambda connection: cycle.run_cycle(connection, turn))

    async def plan(self, ids: Collection[str], planner: Planner) -> Plan:
        now = micros(self._clock.now())
        return await self._executor.write(lambda connection: cycle.plan_given(connection, ids, planner, now))

    async def adopt(self, node_id: str, known: Collection[str]) -> list[Claimed]:
        return await self._executor.read(lambda connection: runs.adopt(connection, node_id, known))

    async def get_run(self, run_id: str) -> Run | None:
        return await self._executor.read(lambda connection: runs.get(connection, run_id))

    async def runs(self, wanted: RunFilter) -> list[Run]:
        return await self._executor.read(lambda connection: runs.page(connection, wanted))

    async def cancel(self, run_id: str, now: datetime, reason: str, events: Sequence[Event] = ()) -> Run | None:
        return await self._executor.write(
            lambda connection: runs.cancel(connection, run_id, micros(now), reason, events)
        )

    async def cancellations(self, node_id: str) -> list[str]:
        return await self._executor.read(lambda connection: runs.asked_to_stop(connection, node_id))

    async def progress(self, run_id: str, fence: int, data: str) -> bool:
        return await self._executor.write(lambda connection: runs.note_progress(connection, run_id, fence, data))

    # nodes

    async def register(self, node: NodeRecord) -> None:
        await self._refuse_to_share(node)
        boottime = self._clock.boottime()
        now = micros(self._clock.now())
        await self._executor.write(lambda connection: nodes.register(connection, node, boottime, now))
        self._lease = node.lease_seconds

    async def _refuse_to_share(self, node: NodeRecord) -> None:
        """Refuse to join when a node of another machine is alive: the locks of one do not keep the other out.

        Its clock says nothing here. It is alive if it beats while we watch, and gone if it does not within its lease.
        """
        announced = False
        while strangers := await self._executor.read(lambda connection: self._observe().strangers(connection, node.id)):
            for owner in strangers:
                if self._sightings.has_beaten(owner.node_id):
                    raise StoreError(
                        f"{self._path} is in use on another machine: node {owner.node_id} on host {owner.place.host!r} "
                        f"is alive. A SQLite file belongs to one machine: stop that one, or use PostgreSQL"
                    )
            if not announced:
                hosts = sorted({owner.place.host for owner in strangers})
                longest = max(each.lease for each in strangers)
                _log.warning("%s was last used on %s: waiting %g s for a sign of life", self._path, hosts, longest)
                announced = True
            await self._clock.sleep(min(Lease(owner.lease).beat_every for owner in strangers))

    def _observe(self) -> nodes.Observation:
        return nodes.Observation(self._clock.boottime, self._sightings)

    async def deregister(self, node_id: str, now: datetime, keep: Collection[str] = ()) -> None:
        await self._executor.write(lambda connection: nodes.deregister(connection, node_id, micros(now), keep))

    async def rescue(self, now: datetime, is_poison: Callable[[str, int], bool]) -> list[Rescued]:
        observed = self._observe()
        # Reading takes no lock, and mostly there is no node to rescue.
        needed, look_again = await self._executor.read(lambda connection: nodes.needs_rescue(connection, observed))
        if not needed:
            return look_again
        parts: list[Rescued] = []
        numbers = Counter[str | None]()
        while True:
            done = await self._executor.write(
                lambda connection: nodes.rescue(connection, micros(now), observed, is_poison, numbers)
            )
            observed.note_doubts(done.doubted)
            parts += done.rescued
            numbers.update(done.numbers)
            if not done.more:
                return put_together(parts)

    async def rest(self, handler: str) -> None:
        observed = self._observe()
        await self._executor.write(lambda connection: nodes.rest(connection, handler, observed))

    async def serving(self) -> dict[str, frozenset[str]]:
        observed = self._observe()
        return await self._executor.read(lambda connection: nodes.serving(connection, observed))

    def pulse(self) -> SqlitePulse:
        return SqlitePulse(None if self._file is None else self._file.file, self._clock, self._lease)

    # correcting a wall clock that was wrong

    async def server_time(self) -> datetime | None:
        return None  # one machine uses the file, and it has one clock

    async def place_again(self, ids: Collection[str], step: Correction, correct: Correct) -> int:
        return await self._executor.write(lambda connection: cycle.place_again(connection, ids, step, correct))

    # maintenance

    async def overview(self, now: datetime, at_most: int | None = None) -> Overview:
        observed = self._observe()

        def count(connection: apsw.Connection) -> Overview:
            serving = nodes.serving(connection, observed)
            return finish(health.overview(SqliteTransaction(connection), now, at_most, serving))

        return await self._executor.read(count)

    def on_change(self, callback: Callable[[], None]) -> None:
        if self._watcher is None:
            raise StoreNotOpenError(self.url)
        self._watcher.add(callback)

    def on_replaced(self, callback: Callable[[str], None]) -> None:
        self._on_replaced.append(callback)
