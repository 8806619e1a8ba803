"""The store for many machines: a PostgreSQL database that any number of nodes may share."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import psycopg

from duly.errors import StoreNotOpenError, StoreUnavailableError
from duly.ports.changes import nothing_beside
from duly.stores.crud import health
from duly.stores.crud.store import CrudStore
from duly.stores.postgres import clock, cycle, nodes, reconcile, runs, schedules, schema
from duly.stores.postgres.address import Address
from duly.stores.postgres.connection import Session, connect, refuse_statement_pooling
from duly.stores.postgres.executor import PostgresExecutor
from duly.stores.postgres.listener import Listener, Whereabouts, leads_elsewhere, whereabouts
from duly.stores.postgres.pulse import PostgresPulse
from duly.stores.postgres.transaction import PostgresDatabase, PostgresTransaction, get_schedules
from duly.stores.run_records import put_together

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

_log = logging.getLogger("duly")
_LONG = 3600.0  # seconds a step of a migration may take


class PostgresStore(CrudStore):
    """Implements `duly.ports.store.Store`; the interface says what each call does. Use it from one event loop."""

    def __init__(self, url: str, clock: Clock, direct: str | None = None) -> None:
        """`direct` leads to the same database past a pooler: to where the schema is changed, and changes are heard."""
        super().__init__(PostgresDatabase(lambda: self._executor), clock)
        self._address = Address(url)
        self._direct = None if direct is None else Address(direct)
        self._opened: PostgresExecutor | None = None
        self._listener = Listener(self._address, self._direct, self._whereabouts)

    @property
    def url(self) -> str:
        return self._address.shown

    async def open(self, *, create: bool = True) -> None:
        if self._opened is not None:
            return
        session = await connect(self._address)
        try:
            if session.is_pooled:
                await self._accept_pooler(session)
            if self._direct is not None and await schema.is_behind(session):
                await self._migrate_directly(self._direct, await whereabouts(session), create=create)
            session.patience = _LONG
            await schema.migrate(session, self.url, create=create)
        except psycopg.Error as error:
            raise self._address.translated(error) from error
        finally:
            await session.close()
        self._opened = PostgresExecutor(self._address, self._announce)

    async def _accept_pooler(self, session: Session) -> None:
        """Refuse a pooler that tears transactions apart, and tell how duly works through any other."""
        await refuse_statement_pooling(session, self._address)
        if self._direct is None:
            heard = "looked for each second (store_direct may name an address past the pooler, where they are heard)"
        else:
            heard = f"heard over {self._direct.shown}"
        _log.info("%s goes through a pooler: changes by other processes are %s", self.url, heard)

    async def _migrate_directly(self, direct: Address, where: Whereabouts, *, create: bool) -> None:
        session = await connect(direct)
        try:
            if await whereabouts(session) != where:
                raise StoreUnavailableError(leads_elsewhere(direct, self._address))
            session.patience = _LONG
            await schema.migrate(session, direct.shown, create=create)
        except psycopg.Error as error:
            raise direct.translated(error) from error
        finally:
            await session.close()

    async def _whereabouts(self) -> Whereabouts:
        return await self._executor.read(whereabouts)

    @property
    def faults(self) -> list[str]:
        return [] if self._listener.fault is None else [self._listener.fault]

    async def close(self) -> None:
        await self._listener.stop()
        if self._opened is not None:
            opened, self._opened = self._opened, None
            await opened.close()

    @property
    def _executor(self) -> PostgresExecutor:
        if self._opened is None:
            raise StoreNotOpenError(self.url)
        return self._opened

    # schedules

    async def save(
        self,
        rows: Sequence[StoredSchedule],
        merge: Merge,
        beside: Recorder = nothing_beside,
        room: Room | None = None,
    ) -> list[str]:
        return await self._executor.write(lambda session: schedules.save(session, rows, merge, beside, room))

    async def edit(self, ids: Collection[str], change: Change, beside: Recorder = nothing_beside) -> EditResult:
        return await self._executor.write(lambda session: schedules.edit(session, ids, change, beside))

    async def get(self, schedule_id: str) -> StoredSchedule | None:
        found = await self._executor.read(lambda session: get_schedules(session, [schedule_id]))
        return found[0] if found else None

    async def find(self, namespace: str, name: str) -> StoredSchedule | None:
        return await self._executor.read(lambda session: schedules.find(session, namespace, name))

    async def schedules(self, wanted: ScheduleFilter) -> list[StoredSchedule]:
        return await self._executor.read(lambda session: schedules.page(session, wanted))

    async def to_review(self, *, resting: bool, after: str = "", limit: int = 500) -> list[StoredSchedule]:
        return await self._executor.read(lambda session: schedules.to_review(session, resting, after, limit))

    async def reconcile(self, namespace: str, decide: Decide) -> None:
        await self._executor.write(lambda session: reconcile.reconcile(session, namespace, decide))

    # runs

    async def cycle(self, turn: Cycle) -> CycleResult:
        return await self._executor.write(lambda session: cycle.run_cycle(session, turn))

    async def plan(self, ids: Collection[str], planner: Planner) -> Plan:
        now = self._clock.now()
        return await self._executor.write(lambda session: cycle.plan_given(session, ids, planner, now))

    async def adopt(self, node_id: str, known: Collection[str]) -> list[Claimed]:
        return await self._executor.read(lambda session: runs.adopt(session, node_id, known))

    async def get_run(self, run_id: str) -> Run | None:
        return await self._executor.read(lambda session: runs.get(session, run_id))

    async def runs(self, wanted: RunFilter) -> list[Run]:
        return await self._executor.read(lambda session: runs.page(session, wanted))

    async def cancel(self, run_id: str, now: datetime, reason: str, events: Sequence[Event] = ()) -> Run | None:
        return await self._executor.write(lambda session: runs.cancel(session, run_id, now, reason, events))

    async def cancellations(self, node_id: str) -> list[str]:
        return await self._executor.read(lambda session: runs.asked_to_stop(session, node_id))

    async def progress(self, run_id: str, fence: int, data: str) -> bool:
        return await self._executor.write(lambda session: runs.note_progress(session, run_id, fence, data))

    # nodes

    async def register(self, node: NodeRecord) -> None:
        await self._executor.write(lambda session: nodes.register(session, node, self._clock.now()))
        self._lease = node.lease_seconds

    async def deregister(self, node_id: str, now: datetime, keep: Collection[str] = ()) -> None:
        await self._executor.write(lambda session: nodes.deregister(session, node_id, now, keep))

    async def rescue(self, now: datetime, is_poison: Callable[[str, int], bool]) -> list[Rescued]:
        # Reading takes no lock, and mostly there is no node to rescue.
        if not await self._executor.read(nodes.needs_rescue):
            return []
        parts: list[Rescued] = []
        numbers = Counter[str | None]()
        while True:
            done = await self._executor.write(lambda session: nodes.rescue(session, now, is_poison, numbers))
            parts += done.rescued
            numbers.update(done.numbers)
            if not done.more:
                return put_together(parts)

    async def rest(self, handler: str) -> None:
        await self._executor.write(lambda session: nodes.rest(session, handler))

    async def serving(self) -> dict[str, frozenset[str]]:
        return await self._executor.read(nodes.serving)

    def pulse(self) -> PostgresPulse:
        return PostgresPulse(self._address, self._lease, self._clock)

    # correcting a wall clock that was wrong

    async def server_time(self) -> datetime | None:
        return await self._executor.read(clock.server_time)

    async def place_again(self, ids: Collection[str], step: Correction, correct: Correct) -> int:
        return await self._executor.write(lambda session: cycle.place_again(session, ids, step, correct))

    # maintenance

    async def overview(self, now: datetime, at_most: int | None = None) -> Overview:
        async def count(session: Session) -> Overview:
            serving = await nodes.living(session)
            return await health.overview(PostgresTransaction(session), now, at_most, serving)

        return await self._executor.read(count)

    def on_change(self, callback: Callable[[], None]) -> None:
        self._listener.add(callback)

    def on_replaced(self, callback: Callable[[str], None]) -> None:
        """Never called: a server does not lose its database under a connection without ending that connection."""
