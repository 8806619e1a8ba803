"""The part of a store that SQLite and PostgreSQL share: everything that is one transaction of portable statements."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from duly.planning.lease import DEFAULT_LEASE
from duly.ports.observers import tell
from duly.ports.upkeep import FIRST_PLACE
from duly.stores.crud import corrections, health, journal, pruning

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.model.events import Event
    from duly.planning.clock_marks import Corrected, Correction
    from duly.ports.observers import EventListener
    from duly.ports.records import EventFilter
    from duly.ports.upkeep import DueAgain, Pruned, PrunePlace, Troubled
    from duly.stores.crud.audit import StoredAudit
    from duly.stores.crud.calendar import StoredCalendarLinks
    from duly.stores.crud.database import Database, Transaction
    from duly.stores.crud.handovers import StoredHandovers
    from duly.stores.crud.history import StoredHistory
    from duly.stores.crud.live import StoredLiveRuns
    from duly.stores.crud.notices import StoredNotices
    from duly.stores.crud.people import StoredPeople
    from duly.stores.crud.quotas import StoredQuotas
    from duly.stores.crud.remembered import StoredRemembered
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

    @property
    def faults(self) -> list[str]:
        return []

    # tables of their own, each loaded when it is first used: a short command needs few of them

    @cached_property
    def audit(self) -> StoredAudit:
        from duly.stores.crud.audit import StoredAudit

        return StoredAudit(self._database)

    @cached_property
    def calendar_links(self) -> StoredCalendarLinks:
        from duly.stores.crud.calendar import StoredCalendarLinks

        return StoredCalendarLinks(self._database)

    @cached_property
    def handovers(self) -> StoredHandovers:
        from duly.stores.crud.handovers import StoredHandovers

        return StoredHandovers(self._database)

    @cached_property
    def history(self) -> StoredHistory:
        from duly.stores.crud.history import StoredHistory

        return StoredHistory(self._database)

    @cached_property
    def live_runs(self) -> StoredLiveRuns:
        from duly.stores.crud.live import StoredLiveRuns

        return StoredLiveRuns(self._database)

    @cached_property
    def notices(self) -> StoredNotices:
        from duly.stores.crud.notices import StoredNotices

        return StoredNotices(self._database)

    @cached_property
    def remembered(self) -> StoredRemembered:
        from duly.stores.crud.remembered import StoredRemembered

        return StoredRemembered(self._database)

    @cached_property
    def tokens(self) -> StoredTokens:
        from duly.stores.crud.tokens import StoredTokens

        return StoredTokens(self._database)

    @cached_property
    def targets(self) -> StoredTargets:
        from duly.stores.crud.targets import StoredTargets

        return StoredTargets(self._database)

    @cached_property
    def people(self) -> StoredPeople:
        from duly.stores.crud.people import StoredPeople

        return StoredPeople(self._database)

    @cached_property
    def quotas(self) -> StoredQuotas:
        from duly.stores.crud.quotas import StoredQuotas

        return StoredQuotas(self._database)

    @cached_property
    def reminders(self) -> StoredReminders:
        from duly.stores.crud.reminders import StoredReminders

        return StoredReminders(self._database)

    @cached_property
    def timeline(self) -> StoredTimeline:
        from duly.stores.crud.timeline import StoredTimeline

        return StoredTimeline(self._database)

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
