"""The store for one machine: a SQLite file that any number of processes may share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

import apsw

from duly.clock import Clock
from duly.errors import StoreError, StoreUnavailableError
from duly.model.events import Event
from duly.model.run import Run
from duly.planning.correction import Corrected, Correction
from duly.planning.lease import DEFAULT_LEASE, Lease
from duly.ports.corrections import Correct, DueAgain
from duly.ports.listeners import EventListener, tell
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
from duly.ports.store import FIRST_PLACE, Change, Decide, Merge
from duly.ports.upkeep import Overview, Pruned, PrunePlace, Troubled
from duly.stores.paging import page_by_page
from duly.stores.sqlite import attention, clock, cycle, journal, nodes, pruning, reconcile, runs, schedules, upkeep
from duly.stores.sqlite.audit import SqliteAudit
from duly.stores.sqlite.connection import Gate
from duly.stores.sqlite.keeping import Keeper, Watcher
from duly.stores.sqlite.mending import MendingGate
from duly.stores.sqlite.people import SqlitePeople
from duly.stores.sqlite.pulse import SqlitePulse
from duly.stores.sqlite.quotas import SqliteQuotas
from duly.stores.sqlite.reminders import SqliteReminders
from duly.stores.sqlite.rows import micros
from duly.stores.sqlite.targets import SqliteTargets
from duly.stores.sqlite.tokens import SqliteTokens

_log = logging.getLogger("duly")


class SqliteStore:
    """See `duly.ports.store.Store` for what each call promises."""

    def __init__(self, path: str | Path, clock: Clock, *, inline: bool = False) -> None:
        self._path = Path(path).expanduser()
        self._clock = clock
        self._inline = inline
        self._gate: Keeper | None = None
        self._mending: MendingGate | None = None
        self._watcher: Watcher | None = None
        self._on_replaced: list[Callable[[str], None]] = []
        self._callbacks: list[Callable[[], None]] = []
        self._sightings = nodes.Sightings()
        self._listeners: list[EventListener] = []
        self._lease = DEFAULT_LEASE
        self._audit = SqliteAudit(lambda: self._door)
        self._tokens = SqliteTokens(lambda: self._door)
        self._targets = SqliteTargets(lambda: self._door)
        self._people = SqlitePeople(lambda: self._door)
        self._quotas = SqliteQuotas(lambda: self._door)
        self._reminders = SqliteReminders(lambda: self._door)

    @property
    def url(self) -> str:
        return str(self._path)

    @property
    def audit(self) -> SqliteAudit:
        return self._audit

    @property
    def tokens(self) -> SqliteTokens:
        return self._tokens

    @property
    def targets(self) -> SqliteTargets:
        return self._targets

    @property
    def people(self) -> SqlitePeople:
        return self._people

    @property
    def quotas(self) -> SqliteQuotas:
        return self._quotas

    @property
    def reminders(self) -> SqliteReminders:
        return self._reminders

    async def open(self, *, create: bool = True) -> None:
        if self._gate is not None:
            return
        keeper = Keeper(self._path, self._clock, self._announce, inline=self._inline)
        keeper.on_replaced = self._on_replaced
        await keeper.open(create=create)
        self._gate = keeper
        self._mending = MendingGate(keeper, self._path, self._clock)
        self._watcher = Watcher(keeper)
        self._watcher.callbacks = self._callbacks

    async def close(self) -> None:
        if self._watcher is not None:
            await self._watcher.stop()
            self._watcher = None
        if self._gate is not None:
            gate, self._gate = self._gate, None
            await gate.close()

    @property
    def _door(self) -> Gate:
        if self._gate is None or self._mending is None:
            raise StoreUnavailableError(f"{self._path} is not open")
        return self._mending

    # schedules

    async def save(
        self, rows: Sequence[StoredSchedule], merge: Merge, events: Sequence[Event] = (), room: Room | None = None
    ) -> list[str]:
        return await self._door.write(lambda connection: schedules.save(connection, rows, merge, events, room))

    async def edit(self, ids: Collection[str], change: Change, events: Sequence[Event] = ()) -> list[StoredSchedule]:
        return await self._door.write(lambda connection: schedules.edit(connection, ids, change, events))

    async def get(self, schedule_id: str) -> StoredSchedule | None:
        found = await self._door.read(lambda connection: schedules.get_many(connection, [schedule_id]))
        return found[0] if found else None

    async def find(self, namespace: str, name: str) -> StoredSchedule | None:
        return await self._door.read(lambda connection: schedules.find(connection, namespace, name))

    async def schedules(self, wanted: ScheduleFilter) -> list[StoredSchedule]:
        return await self._door.read(lambda connection: schedules.page(connection, wanted))

    async def to_review(self, *, resting: bool, after: str = "", limit: int = 500) -> list[StoredSchedule]:
        return await self._door.read(lambda connection: schedules.to_review(connection, resting, after, limit))

    async def reconcile(self, namespace: str, decide: Decide) -> None:
        look = self._look()

        def write(connection: apsw.Connection) -> None:
            fresh = reconcile.is_fresh(connection, namespace, prepared.seen, look)
            current = prepared if fresh else reconcile.prepare(connection, namespace, decide, look)
            reconcile.write(connection, current)

        prepared = await self._door.read(lambda connection: reconcile.prepare(connection, namespace, decide, look))
        await self._door.write(write)

    # runs

    async def cycle(self, turn: Cycle) -> CycleResult:
        return await self._door.write(lambda connection: cycle.run_cycle(connection, turn))

    async def plan(self, ids: Collection[str], planner: Planner) -> Plan:
        now = micros(self._clock.now())
        return await self._door.write(lambda connection: cycle.plan_given(connection, ids, planner, now))

    async def adopt(self, node_id: str, known: Collection[str]) -> list[Claimed]:
        return await self._door.read(lambda connection: runs.adopt(connection, node_id, known))

    async def get_run(self, run_id: str) -> Run | None:
        return await self._door.read(lambda connection: runs.get(connection, run_id))

    async def runs(self, wanted: RunFilter) -> list[Run]:
        return await self._door.read(lambda connection: runs.page(connection, wanted))

    async def cancel(self, run_id: str, now: datetime, reason: str, events: Sequence[Event] = ()) -> Run | None:
        return await self._door.write(lambda connection: runs.cancel(connection, run_id, micros(now), reason, events))

    async def cancellations(self, node_id: str) -> list[str]:
        return await self._door.read(lambda connection: runs.asked_to_stop(connection, node_id))

    async def progress(self, run_id: str, fence: int, data: str) -> bool:
        return await self._door.write(lambda connection: runs.note_progress(connection, run_id, fence, data))

    # nodes

    async def register(self, node: NodeRecord) -> None:
        await self._refuse_to_share(node)
        boottime = self._clock.boottime()
        await self._door.write(lambda connection: nodes.register(connection, node, boottime))
        self._lease = node.lease_seconds

    async def _refuse_to_share(self, node: NodeRecord) -> None:
        """Refuse to join when a node of another machine is alive: the locks of one do not keep the other out.

        Its clock says nothing here. It is alive if it beats while we watch, and gone if it does not within its lease.
        """
        announced = False
        while strangers := await self._door.read(lambda connection: self._look().strangers(connection, node.id)):
            for owner in strangers:
                if self._sightings.has_beaten(owner.node_id):
                    raise StoreError(
                        f"{self._path} is in use on another machine: node {owner.node_id} on host {owner.place.host!r} "
                        f"is alive. A SQLite file belongs to one machine: stop that one, or use PostgreSQL"
                    )
            if not announced:
                hosts, longest = (
                    sorted({owner.place.host for owner in strangers}),
                    max(each.lease for each in strangers),
                )
                _log.warning("%s was last used on %s: waiting %g s for a sign of life", self._path, hosts, longest)
                announced = True
            await self._clock.sleep(min(Lease(owner.lease).beat_every for owner in strangers))

    def _look(self) -> nodes.Look:
        return nodes.Look(self._clock.boottime, self._sightings)

    async def deregister(self, node_id: str, now: datetime, keep: Collection[str] = ()) -> None:
        await self._door.write(lambda connection: nodes.deregister(connection, node_id, micros(now), keep))

    async def rescue(self, now: datetime, is_poison: Callable[[str, int], bool]) -> list[Rescued]:
        look = self._look()
        # Looking takes no lock, and mostly there is nobody to rescue.
        needed, look_again = await self._door.read(lambda connection: nodes.needs_rescue(connection, look))
        if not needed:
            return look_again
        done = await self._door.write(lambda connection: nodes.rescue(connection, micros(now), look, is_poison))
        look.note_doubts(done.doubted)
        return done.rescued

    async def rest(self, handler: str) -> None:
        look = self._look()
        await self._door.write(lambda connection: nodes.rest(connection, handler, look))

    async def serving(self) -> dict[str, frozenset[str]]:
        look = self._look()
        return await self._door.read(lambda connection: nodes.serving(connection, look))

    def pulse(self) -> SqlitePulse:
        return SqlitePulse(None if self._gate is None else self._gate.file, self._clock, self._lease)

    # a wall clock that was wrong

    async def server_time(self) -> datetime | None:
        return None  # the file is used on one machine, and there is one clock

    async def begin_correction(self, now: datetime) -> Correction | None:
        return await self._door.write(lambda connection: clock.begin_correction(connection, now))

    async def placed_ahead(self, now: datetime, *, after: str = "", limit: int = 500) -> list[str]:
        return await self._door.read(lambda connection: clock.placed_ahead(connection, micros(now), after, limit))

    async def place_again(self, ids: Collection[str], step: Correction, correct: Correct) -> int:
        return await self._door.write(lambda connection: cycle.place_again(connection, ids, step, correct))

    async def hasten(self, step: Correction, due_again: DueAgain) -> int:
        read, write, now = self._door.read, self._door.write, micros(step.now)
        await page_by_page(
            lambda after: read(partial(clock.reminders_ahead, now=now, after=after)),
            lambda ids: write(partial(clock.remind_again, ids=ids, step=step)),
            key=str,
        )
        return await page_by_page(
            lambda after: read(partial(clock.waiting_ahead, now=now, after=after)),
            lambda waiting: write(partial(clock.hasten, waiting=waiting, step=step, due_again=due_again)),
            key=lambda run: str(run[0]),
        )

    async def end_correction(self, step: Correction, node_id: str) -> Corrected | None:
        return await self._door.write(lambda connection: cycle.end_correction(connection, step, node_id))

    # looking after itself

    async def overview(self, now: datetime, at_most: int | None = None) -> Overview:
        look = self._look()
        return await self._door.read(lambda connection: upkeep.overview(connection, micros(now), look, at_most))

    async def troubled(self, now: datetime, served: Collection[str], *, ended_after: datetime, limit: int) -> Troubled:
        ended = micros(ended_after)
        return await self._door.read(
            lambda connection: attention.troubled(connection, micros(now), served, ended, limit)
        )

    async def prune(self, before: datetime, limit: int, place: PrunePlace = FIRST_PLACE) -> Pruned:
        began = self._clock.monotonic()

        def forget(connection: apsw.Connection) -> Pruned:
            nonlocal began
            began = self._clock.monotonic()  # the write lock is ours since now
            return pruning.prune(connection, micros(before), limit, place)

        pruned = await self._door.write(forget)
        return replace(pruned, seconds=self._clock.monotonic() - began)

    async def record(self, events: Sequence[Event]) -> None:
        await self._door.write(lambda connection: cycle.write_events(connection, events))

    async def journal(self, after: int, limit: int) -> list[tuple[int, Event]]:
        return await self._door.read(lambda connection: journal.following(connection, after, limit))

    async def events(self, wanted: EventFilter) -> list[tuple[int, Event]]:
        return await self._door.read(lambda connection: journal.page(connection, wanted))

    def on_event(self, listener: EventListener) -> None:
        self._listeners.append(listener)

    def _announce(self, events: Sequence[Event]) -> None:
        tell(self._listeners, events)

    def on_change(self, callback: Callable[[], None]) -> None:
        if self._watcher is None:
            raise StoreUnavailableError(f"{self._path} is not open")
        self._watcher.add(callback)

    def on_replaced(self, callback: Callable[[str], None]) -> None:
        self._on_replaced.append(callback)
