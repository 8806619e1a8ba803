"""The part of a store that SQLite and PostgreSQL share: everything that is one transaction of portable statements."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from duly.clock import Clock
from duly.model.events import Event
from duly.planning.correction import Corrected, Correction
from duly.planning.lease import DEFAULT_LEASE
from duly.ports.observers import EventListener, tell
from duly.ports.records import EventFilter
from duly.ports.upkeep import FIRST_PLACE, DueAgain, Pruned, PrunePlace, Troubled
from duly.stores.crud import corrections, health, journal, pruning
from duly.stores.crud.audit import StoredAudit
from duly.stores.crud.calendar import StoredCalendarLinks
from duly.stores.crud.database import Database, Transaction
from duly.stores.crud.desk import StoredDesk
from duly.stores.crud.history import StoredHistory
from duly.stores.crud.live import StoredLiveRuns
from duly.stores.crud.notices import StoredNotices
from duly.stores.crud.people import StoredPeople
from duly.stores.crud.quotas import StoredQuotas
from duly.stores.crud.reminders import StoredReminders
from duly.stores.crud.targets import StoredTargets
from duly.stores.crud.timeline import StoredTimeline
from duly.stores.crud.tokens import StoredTokens


class CrudStore:
    """Implements the shared part of `duly.ports.store.Store`; the stores of the two dialects extend it."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._lease = DEFAULT_LEASE
        self._listeners: list[EventListener] = []
        self.audit = StoredAudit(database)
        self.calendar_links = StoredCalendarLinks(database)
        self.history = StoredHistory(database)
        self.live_runs = StoredLiveRuns(database)
        self.notices = StoredNotices(database)
        self.desk = StoredDesk(database)
        self.tokens = StoredTokens(database)
        self.targets = StoredTargets(database)
        self.people = StoredPeople(database)
        self.quotas = StoredQuotas(database)
        self.reminders = StoredReminders(database)
        self.timeline = StoredTimeline(database)

    # events

    async def record(self, events: Sequence[Event]) -> None:
        await self._database.write(lambda tx: tx.write_events(events))

    async def journal(self, after: int, limit: int) -> list[tuple[int, Event]]:
        return await self._database.read(lambda tx: journal.following(tx, after, limit))

    async def events(self, wanted: EventFilter) -> list[tuple[int, Event]]:
        return await self._database.read(lambda tx: journal.page(tx, wanted))

    def on_event(self, listener: EventListener) -> None:
        self._listeners.append(listener)

    def _announce(self, events: Sequence[Event]) -> None:
        tell(self._listeners, events)

    # correcting a wall clock that was wrong

    async def begin_correction(self, now: datetime) -> Correction | None:
        return await self._database.write(lambda tx: corrections.begin_correction(tx, now))

    async def placed_ahead(self, now: datetime, *, after: str = "", limit: int = 500) -> list[str]:
        return await self._database.read(lambda tx: corrections.placed_ahead(tx, now, after, limit))

    async def hasten(self, step: Correction, due_again: DueAgain) -> int:
        return await corrections.hasten(self._database, step, due_again)

    async def end_correction(self, step: Correction, node_id: str) -> Corrected | None:
        return await self._database.write(lambda tx: corrections.end_correction(tx, step, node_id))

    # maintenance

    async def troubled(self, now: datetime, served: Collection[str], *, ended_after: datetime, limit: int) -> Troubled:
        return await self._database.read(lambda tx: health.troubled(tx, now, served, ended_after, limit))

    async def hindered(self, now: datetime, *, limit: int) -> Troubled:
        return await self._database.read(lambda tx: health.hindered(tx, now, limit))

    async def prune(self, before: datetime, limit: int, place: PrunePlace = FIRST_PLACE) -> Pruned:
        began = self._clock.monotonic()

        async def delete(tx: Transaction) -> Pruned:
            nonlocal began
            began = self._clock.monotonic()  # after the wait for a connection or for the write lock
            return await pruning.prune(tx, before, limit, place, lambda: self._clock.monotonic() - began)

        pruned = await self._database.write(delete, durable=False)  # what comes back is deleted again
        return replace(pruned, seconds=self._clock.monotonic() - began)

    async def prunable(self, before: datetime) -> dict[str, int]:
        return await self._database.read(lambda tx: pruning.prunable(tx, before))
