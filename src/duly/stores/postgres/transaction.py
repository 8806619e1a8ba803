"""Running the shared statements on a connection to PostgreSQL, and writing events."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from psycopg import Pipeline, errors

from duly.model.events import Event
from duly.ports.records import NewRun, StoredSchedule
from duly.stores import queries
from duly.stores.crud.database import Transaction, Work
from duly.stores.postgres.arrays import ArrayColumn, FlagArray, NumberArray, RealArray, TextArray, TimeArray
from duly.stores.postgres.connection import Session
from duly.stores.postgres.executor import PostgresExecutor
from duly.stores.postgres.rows import advance_columns, event_columns, new_run_columns, storable, to_schedule
from duly.stores.postgres.unreadable import nearest

T = TypeVar("T")
if TYPE_CHECKING:
    from duly.model.audit import AuditEntry

SQL = queries.load("postgres")
BEHIND_EVERY_TEXT = "\U0010ffff"
"""What a page ends before that has no other end: names and ids sort by code point."""
_ARRAYS: Mapping[type, Callable[[list[Any]], ArrayColumn]] = {
    datetime: TimeArray,
    int: NumberArray,
    float: RealArray,
    bool: FlagArray,
}
"""How a column of each type is handed over; all others are texts."""
_EVENTS_AT_ONCE = 2000  # more would need more memory


async def write_events(session: Session, events: Iterable[Event]) -> None:
    """Write events to the journal and the audit, and remember them for the listeners after the commit.

    The last thing a transaction does, for others wait meanwhile. One lock serves both: transactions that took two
    locks in different orders would block each other, and without it two of them could fork the chain of the audit.
    """
    from duly.model.audit import is_audited  # late, as below: a command that only reads writes no event

    kept = [event for event in events if event.kind.durable or is_audited(event)]
    if not kept:
        return
    await session.fetch(SQL.lock_journal)
    durable = [event for event in kept if event.kind.durable]
    for start in range(0, len(durable), _EVENTS_AT_ONCE):
        await session.fetch(SQL.events, event_columns(durable[start : start + _EVENTS_AT_ONCE]))
    if audited := [event for event in kept if is_audited(event)]:
        from duly.stores.crud import audit

        await audit.append(PostgresTransaction(session), audited)
    session.written += kept


async def announce(session: Session) -> None:
    """Wake the engines of other nodes once the transaction is committed."""
    await session.fetch(SQL.announce)


async def get_schedules(session: Session, ids: Collection[str]) -> list[StoredSchedule]:
    """Read schedules by id, in the order asked for."""
    found = await session.fetch_leniently(SQL.get_schedules, {"ids": TextArray(list(ids))})
    rows = {row[0]: to_schedule(row) for row in found}
    return [rows[each] for each in ids if each in rows]


class PostgresTransaction(Transaction):
    """Runs the shared statements on a connection that is in a transaction, or that only reads."""

    codecs = MappingProxyType({})  # the driver knows them all
    duplicate = errors.UniqueViolation
    dangling = errors.ForeignKeyViolation
    before_all_times = datetime.min.replace(tzinfo=UTC)

    def __init__(self, session: Session) -> None:
        self._session = session

    async def rows(self, statement: str, /, **values: Any) -> list[tuple[Any, ...]]:
        return await self._session.fetch(getattr(SQL, statement), values)

    async def lenient_rows(self, statement: str, /, **values: Any) -> list[tuple[Any, ...]]:
        return await self._session.fetch_leniently(getattr(SQL, statement), values)

    async def together(self, statements: Mapping[str, Mapping[str, Any]]) -> dict[str, list[tuple[Any, ...]]]:
        if not Pipeline.is_supported():
            return await super().together(statements)
        asked = [(getattr(SQL, name), dict(values)) for name, values in statements.items()]
        return dict(zip(statements, await self._session.fetch_together(asked), strict=True))

    async def write_records(self, statement: str, records: Sequence[Any]) -> None:
        kinds = self.columns(type(records[0])).kinds
        rows = [self.free_text_values(each) for each in records]
        columns = {name: _ARRAYS.get(kind, TextArray)([row[name] for row in rows]) for name, kind in kinds.items()}
        await self._session.fetch(getattr(SQL, statement), columns)

    async def lock(self, statement: str, /, **values: Any) -> None:
        await self._session.fetch(getattr(SQL, statement), values)

    def snapshot(self) -> AbstractContextManager[object]:
        return nullcontext()

    def texts(self, values: Collection[str]) -> TextArray:
        return TextArray(list(values))

    def numbers(self, values: Collection[int]) -> NumberArray:
        return NumberArray(list(values))

    def times(self, values: Collection[datetime]) -> TimeArray:
        return TimeArray(list(values))

    def time(self, value: datetime) -> datetime:
        return value

    def nearest(self, value: datetime | int | None) -> datetime | None:
        return nearest(value)

    def storable(self, text: str | None) -> str | None:
        return storable(text)

    async def add_audit_entries(self, entries: Sequence[AuditEntry]) -> None:
        columns = {
            "links": NumberArray([each.link for each in entries]),
            "seqs": NumberArray([each.seq for each in entries]),
            "times": TimeArray([each.at for each in entries]),
            "kinds": TextArray([each.kind for each in entries]),
            "actors": TextArray([each.actor for each in entries]),
            "schedule_ids": TextArray([each.schedule_id for each in entries]),
            "run_ids": TextArray([each.run_id for each in entries]),
            "data": TextArray([each.data for each in entries]),
        }
        await self._session.fetch(SQL.audit_entry, columns)

    def tell_after_commit(self, events: Sequence[Event]) -> None:
        self._session.written += events

    async def write_events(self, events: Sequence[Event]) -> None:
        await write_events(self._session, events)

    async def record_skips(self, runs: Sequence[NewRun], lanes: Mapping[str, str], now: datetime) -> set[str]:
        columns = {**new_run_columns(runs, lanes), **advance_columns([])}
        found = await self._session.fetch(SQL.write_down, {**columns, "node_id": "", "now": now})
        return {row[0] for row in found}

    async def announce(self) -> None:
        await announce(self._session)

    async def schedules(self, ids: Collection[str]) -> list[StoredSchedule]:
        return await get_schedules(self._session, ids)


class PostgresDatabase:
    """Implements `duly.stores.crud.database.Database`."""

    def __init__(self, executor: Callable[[], PostgresExecutor]) -> None:
        """Take where the executor is to be found: a store has one only while it is open."""
        self._executor = executor

    async def read(self, work: Work[T]) -> T:
        return await self._executor().read(lambda session: work(PostgresTransaction(session)))

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        async def write(session: Session) -> T:
            if not durable:
                await session.fetch(SQL.do_not_wait_for_disk)
            return await work(PostgresTransaction(session))

        return await self._executor().write(write)
