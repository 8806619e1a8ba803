"""The interface between the statements that both databases share and the database that runs them.

A `Database` runs work in a transaction; the work sees a `Transaction`, which runs statements by name and turns rows
into records. Each dialect has one adapter of its own (`sqlite/transaction.py`, `postgres/transaction.py`): it knows how
its database keeps times, flags and lists, and which locks are needed there.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields
from datetime import datetime
from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, cast, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from duly.model.audit import AuditEntry
    from duly.model.events import Event
    from duly.ports.records import NewRun, StoredSchedule

T = TypeVar("T")
Codec = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""How a value is written, and how it is read back."""
_TEXTS_AS_JSON: Codec = (json.dumps, lambda text: tuple(json.loads(text)))


class RecordColumns(Generic[T]):
    """The columns of a table whose rows are records of one kind: the fields of the record, in the same order."""

    kinds: Mapping[str, Any]
    """The type of each field; `datetime` of one that may be None, too."""

    def __init__(self, kind: type[T], codecs: Mapping[type, Codec]) -> None:
        """Build the mapping; `codecs` say how a database keeps types that it does not know."""
        self._kind = kind
        hints = get_type_hints(kind)
        self.kinds = {each.name: _plain(hints[each.name]) for each in fields(kind)}  # type: ignore[arg-type]
        known = {tuple: _TEXTS_AS_JSON, **codecs}
        codecs_of = {name: _codec(plain, known) for name, plain in self.kinds.items()}
        self._names = tuple(codecs_of)
        self._of_record = attrgetter(*self._names)
        self._writes = [(name, codec[0]) for name, codec in codecs_of.items() if codec is not None]
        self._reads = [(place, codec[1]) for place, codec in enumerate(codecs_of.values()) if codec is not None]
        self._by_place = not any(each.kw_only for each in fields(kind))  # type: ignore[arg-type]

    def values(self, record: T) -> dict[str, Any]:
        """Turn a record into values by column."""
        values = dict(zip(self._names, self._of_record(record), strict=True))
        for name, encode in self._writes:
            if (value := values[name]) is not None:
                values[name] = encode(value)
        return values

    def record(self, row: Iterable[Any]) -> T:
        """Read a record from a row that has all columns, in order."""
        values = list(row)
        for place, decode in self._reads:
            if (value := values[place]) is not None:
                values[place] = decode(value)
        return self._kind(*values) if self._by_place else self._kind(**dict(zip(self._names, values, strict=True)))


def _plain(hint: Any) -> Any:
    """Strip the None of an optional type: `datetime` of `datetime | None`. A tuple is one value."""
    if get_origin(hint) is tuple:
        return tuple
    return next((option for option in get_args(hint) if option is not type(None)), hint)


def _codec(hint: Any, codecs: Mapping[type, Codec]) -> Codec | None:
    if isinstance(hint, type) and issubclass(hint, Enum):
        return (str, hint)
    return codecs.get(hint)


class Transaction(ABC):
    """Runs statements by their names, within one transaction, or on a connection that only reads.

    Values are given by name; times are `datetime` objects for the caller in both databases.
    """

    duplicate: ClassVar[type[Exception]]
    """Raised when a value that must be unique is there already."""
    dangling: ClassVar[type[Exception]]
    """Raised when a row names another row that does not exist."""
    before_all_times: ClassVar[Any]
    """Sorts before every time that the database has stored."""
    codecs: ClassVar[Mapping[type, Codec]]
    """How the database keeps types that it does not know."""
    _columns: ClassVar[dict[type, RecordColumns[Any]]]

    def __init_subclass__(cls) -> None:
        cls._columns = {}

    @abstractmethod
    async def rows(self, statement: str, /, **values: Any) -> list[tuple[Any, ...]]:
        """Run a statement and return all rows it answers with."""

    @abstractmethod
    async def lenient_rows(self, statement: str, /, **values: Any) -> list[tuple[Any, ...]]:
        """Run a statement whose times may lie outside the calendar; read those with `time` or `nearest`."""

    @abstractmethod
    async def write_records(self, statement: str, records: Sequence[Any]) -> None:
        """Run a statement that writes records of one kind, for all of them at once; they may have texts of people."""

    @abstractmethod
    async def lock(self, statement: str, /, **values: Any) -> None:
        """Keep other writers out with a locking statement; does nothing where only one transaction writes at a time."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[object]:
        """Let the statements of a block see the store at one moment, as far as the database needs telling."""

    @abstractmethod
    def texts(self, values: Collection[str]) -> object:
        """Make a list of texts a value for `= ANY(:name)`."""

    @abstractmethod
    def numbers(self, values: Collection[int]) -> object:
        """Make a list of whole numbers a value for `= ANY(:name)`."""

    @abstractmethod
    def times(self, values: Collection[datetime]) -> object:
        """Make a list of times a value."""

    @abstractmethod
    def time(self, value: Any) -> datetime:
        """Read a time out of a row."""

    @abstractmethod
    def nearest(self, value: Any) -> datetime | None:
        """Read a time out of a row of `lenient_rows`: the nearest one within the calendar."""

    @abstractmethod
    def storable(self, text: str | None) -> str | None:
        """Replace characters that the database cannot store, so that a message is not lost over one of them."""

    @abstractmethod
    async def add_audit_entries(self, entries: Sequence[AuditEntry]) -> None:
        """Write entries of the audit, all of one link."""

    @abstractmethod
    def tell_after_commit(self, events: Sequence[Event]) -> None:
        """Hand events to the listeners of this store once the transaction is committed."""

    @abstractmethod
    async def write_events(self, events: Sequence[Event]) -> None:
        """Write events to the journal and the audit, and hand them to the listeners after the commit."""

    @abstractmethod
    async def record_skips(self, runs: Sequence[NewRun], lanes: Mapping[str, str], now: datetime) -> set[str]:
        """Record fires that were left out; return the ids of those that had no run yet."""

    @abstractmethod
    async def announce(self) -> None:
        """Wake the engines of other machines after the commit."""

    @abstractmethod
    async def schedules(self, ids: Collection[str]) -> list[StoredSchedule]:
        """Read schedules by id, in the order asked for."""

    def columns(self, kind: type[T]) -> RecordColumns[T]:
        """Return the mapping of a kind of record."""
        found = self._columns.get(kind)
        if found is None:
            found = self._columns[kind] = RecordColumns(kind, self.codecs)
        return found

    async def value(self, statement: str, /, **values: Any) -> Any:
        """Return the first value of the first row; None when there is no row."""
        rows = await self.rows(statement, **values)
        return rows[0][0] if rows else None

    async def record(self, kind: type[T], statement: str, /, **values: Any) -> T | None:
        """Read the record in the first row; None when there is no row."""
        rows = await self.rows(statement, **values)
        return self.columns(kind).record(rows[0]) if rows else None

    async def written(self, kind: type[T], statement: str, /, **values: Any) -> T:
        """Read the record that this transaction has just written."""
        return cast(T, await self.record(kind, statement, **values))

    async def records(self, kind: type[T], statement: str, /, **values: Any) -> list[T]:
        """Read a record from each row."""
        columns = self.columns(kind)
        return [columns.record(row) for row in await self.rows(statement, **values)]

    async def together(self, statements: Mapping[str, Mapping[str, Any]]) -> dict[str, list[tuple[Any, ...]]]:
        """Run statements that only read, each by name with its values, and return the lenient rows of each.

        A database on another machine is asked once for all of them.
        """
        return {name: await self.lenient_rows(name, **values) for name, values in statements.items()}

    def values(self, record: Any) -> dict[str, Any]:
        """Turn a record into values by column."""
        return self.columns(type(record)).values(record)

    def free_text_values(self, record: Any) -> dict[str, Any]:
        """Turn a record with texts of people and vendors into values by column."""
        values = self.values(record)
        return {name: self.storable(value) if isinstance(value, str) else value for name, value in values.items()}

    async def note_decision(self, at: datetime) -> None:
        """Note that something was decided at a time: a clock that is set back later is noticed by it."""
        await self.rows("decided", at=at)


Work = Callable[[Transaction], Coroutine[Any, Any, T]]
"""Work on a store. It may be run more than once, and waits for nothing but its transaction."""


class Database(Protocol):
    """Runs work on a store."""

    async def read(self, work: Work[T]) -> T:
        """Run work that changes nothing."""
        ...

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        """Run work in a transaction; returns once it is committed and on disk.

        Work that need not be durable, because it is simply done again, does not wait for the disk.
        """
        ...
