"""The store for many machines: a PostgreSQL database that any number of nodes may share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

import psycopg

from duly.clock import Clock
from duly.errors import StoreUnavailableError
from duly.model.events import Event
from duly.model.run import Run
from duly.planning.correction import Corrected, Correction
from duly.planning.lease import DEFAULT_LEASE
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
from duly.stores.postgres import attention, clock, cycle, journal, nodes, pruning, reconcile, runs, schedules, upkeep
from duly.stores.postgres.address import Address
from duly.stores.postgres.audit import PostgresAudit
from duly.stores.postgres.connection import Session, connect
from duly.stores.postgres.gate import Gate
from duly.stores.postgres.listener import Listener
from duly.stores.postgres.people import PostgresPeople
from duly.stores.postgres.pulse import PostgresPulse
from duly.stores.postgres.quotas import PostgresQuotas
from duly.stores.postgres.reminders import PostgresReminders
from duly.stores.postgres.targets import PostgresTargets
from duly.stores.postgres.tokens import PostgresTokens

_LONG = 3600.0  # seconds a step of a migration may take


class PostgresStore:
    """See `duly.ports.store.Store` for what each call promises. Use it from one event loop."""

    def __init__(self, url: str, clock: Clock) -> None:
        self._address = Address(url)
        self._clock = clock
        self._gate: Gate | None = None
        self._listener = Listener(self._address)
        self._lease = DEFAULT_LEASE
        self._event_listeners: list[EventListener] = []
        self._audit = PostgresAudit(lambda: self._door)
        self._tokens = PostgresTokens(lambda: self._door)
        self._targets = PostgresTargets(lambda: self._door)
        self._people = PostgresPeople(lambda: self._door)
        self._quotas = PostgresQuotas(lambda: self._door)
        self._reminders = PostgresReminders(lambda: self._door)

    @property
    def url(self) -> str:
        return self._address.shown

    @property
    def audit(self) -> PostgresAudit:
        return self._audit

    @property
    def tokens(self) -> PostgresTokens:
        return self._tokens

    @property
    def targets(self) -> PostgresTargets:
        return self._targets

    @property
    def people(self) -> PostgresPeople:
        return self._people

    @property
    def quotas(self) -> PostgresQuotas:
        return self._quotas

    @property
    def reminders(self) -> PostgresReminders:
        return self._reminders

    async def open(self, *, create: bool = True) -> None:
        if self._gate is not None:
            return
        session = await connect(self._address, patience=_LONG)
        try:
            await upkeep.migrate(session, self.url, create=create)
        except psycopg.Error as error:
            raise self._address.translated(error) from error
        finally:
            await session.close()
        self._gate = Gate(self._address, self._announce)

    async def close(self) -> None:
        await self._listener.stop()
        if self._gate is not None:
            gate, self._gate = self._gate, None
            await gate.close()

    @property
    def _door(self) -> Gate:
        if self._gate is None:
            raise StoreUnavailableError(f"{self.url} is not open")
        return self._gate

    # schedules

    async def save(
        self, rows: Sequence[StoredSchedule], merge: Merge, events: Sequence[Event] = (), room: Room | None = None
    ) -> list[str]:
        told = _Told(events)
        return await self._door.write(lambda session: schedules.save(session, rows, merge, told.afresh(), room))

    async def edit(self, ids: Collection[str], change: Change, events: Sequence[Event] = ()) -> list[StoredSchedule]:
        told = _Told(events)
        return await self._door.write(lambda session: schedules.edit(session, ids, change, told.afresh()))

    async def get(self, schedule_id: str) -> StoredSchedule | None:
        found = await self._door.read(lambda session: schedules.get_many(session, [schedule_id]))
        return found[0] if found else None

    async def find(self, namespace: str, name: str) -> StoredSchedule | None:
        return await self._door.read(lambda session: schedules.find(session, namespace, name))

    async def schedules(self, wanted: ScheduleFilter) -> list[StoredSchedule]:
        return await self._door.read(lambda session: schedules.page(session, wanted))

    async def to_review(self, *, resting: bool, after: str = "", limit: int = 500) -> list[StoredSchedule]:
        return await self._door.read(lambda session: schedules.to_review(session, resting, after, limit))

    async def reconcile(self, namespace: str, decide: Decide) -> None:
        await self._door.write(lambda session: reconcile.reconcile(session, namespace, decide))

    # runs

    async def cycle(self, turn: Cycle) -> CycleResult:
        return await self._door.write(lambda session: cycle.run_cycle(session, turn))

    async def plan(self, ids: Collection[str], planner: Planner) -> Plan:
        now = self._clock.now()
        return await self._door.write(lambda session: cycle.plan_given(session, ids, planner, now))

    async def adopt(self, node_id: str, known: Collection[str]) -> list[Claimed]:
        return await self._door.read(lambda session: runs.adopt(session, node_id, known))

    async def get_run(self, run_id: str) -> Run | None:
        return await self._door.read(lambda session: runs.get(session, run_id))

    async def runs(self, wanted: RunFilter) -> list[Run]:
        return await self._door.read(lambda session: runs.page(session, wanted))

    async def cancel(self, run_id: str, now: datetime, reason: str, events: Sequence[Event] = ()) -> Run | None:
        return await self._door.write(lambda session: runs.cancel(session, run_id, now, reason, events))

    async def cancellations(self, node_id: str) -> list[str]:
        return await self._door.read(lambda session: runs.asked_to_stop(session, node_id))

    async def progress(self, run_id: str, fence: int, data: str) -> bool:
        return await self._door.write(lambda session: runs.note_progress(session, run_id, fence, data))

    # nodes

    async def register(self, node: NodeRecord) -> None:
        await self._door.write(lambda session: nodes.register(session, node))
        self._lease = node.lease_seconds

    async def deregister(self, node_id: str, now: datetime, keep: Collection[str] = ()) -> None:
        await self._door.write(lambda session: nodes.deregister(session, node_id, now, keep))

    async def rescue(self, now: datetime, is_poison: Callable[[str, int], bool]) -> list[Rescued]:
        # Looking takes no lock, and mostly there is nobody to rescue.
        if not await self._door.read(nodes.needs_rescue):
            return []
        return await self._door.write(lambda session: nodes.rescue(session, now, is_poison))

    async def rest(self, handler: str) -> None:
        await self._door.write(lambda session: nodes.rest(session, handler))

    async def serving(self) -> dict[str, frozenset[str]]:
        return await self._door.read(nodes.serving)

    def pulse(self) -> PostgresPulse:
        return PostgresPulse(self._address, self._lease)

    # a wall clock that was wrong

    async def server_time(self) -> datetime | None:
        return await self._door.read(clock.server_time)

    async def begin_correction(self, now: datetime) -> Correction | None:
        return await self._door.write(lambda session: clock.begin_correction(session, now))

    async def placed_ahead(self, now: datetime, *, after: str = "", limit: int = 500) -> list[str]:
        return await self._door.read(lambda session: clock.placed_ahead(session, now, after, limit))

    async def place_again(self, ids: Collection[str], step: Correction, correct: Correct) -> int:
        return await self._door.write(lambda session: cycle.place_again(session, ids, step, correct))

    async def hasten(self, step: Correction, due_again: DueAgain) -> int:
        read, write, now = self._door.read, self._door.write, step.now
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
        return await self._door.write(lambda session: cycle.end_correction(session, step, node_id))

    # looking after itself

    async def overview(self, now: datetime, at_most: int | None = None) -> Overview:
        return await self._door.read(lambda session: upkeep.overview(session, now, at_most))

    async def troubled(self, now: datetime, served: Collection[str], *, ended_after: datetime, limit: int) -> Troubled:
        return await self._door.read(lambda session: attention.troubled(session, now, served, ended_after, limit))

    async def prune(self, before: datetime, limit: int, place: PrunePlace = FIRST_PLACE) -> Pruned:
        began = self._clock.monotonic()

        async def forget(session: Session) -> Pruned:
            nonlocal began
            began = self._clock.monotonic()  # after the wait for a connection
            return await pruning.prune(session, before, limit, place)

        pruned = await self._door.write(forget)
        return replace(pruned, seconds=self._clock.monotonic() - began)

    async def record(self, events: Sequence[Event]) -> None:
        await self._door.write(lambda session: cycle.write_events(session, events))

    async def journal(self, after: int, limit: int) -> list[tuple[int, Event]]:
        return await self._door.read(lambda session: journal.following(session, after, limit))

    async def events(self, wanted: EventFilter) -> list[tuple[int, Event]]:
        return await self._door.read(lambda session: journal.page(session, wanted))

    def on_event(self, listener: EventListener) -> None:
        self._event_listeners.append(listener)

    def _announce(self, events: Sequence[Event]) -> None:
        tell(self._event_listeners, events)

    def on_change(self, callback: Callable[[], None]) -> None:
        self._listener.add(callback)

    def on_replaced(self, callback: Callable[[str], None]) -> None:
        """Never called: a server does not lose its database under a connection without ending that connection."""


class _Told:
    """Events that may grow while the work is being done; work that is done again tells everything again."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events
        self._known = len(events)

    def afresh(self) -> Sequence[Event]:
        if isinstance(self._events, list):
            del self._events[self._known :]
        return self._events
