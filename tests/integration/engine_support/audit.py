"""What the store says, read past the code that wrote it, and held against what the witnesses say."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import psycopg

from tests.integration.engine_support.witness import Entry

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FINAL = frozenset({"succeeded", "failed", "skipped", "missed", "cancelled", "dead"})
CARRIED_OUT = frozenset({"succeeded", "failed", "cancelled", "dead"})
_RUNS = (
    "SELECT r.id, s.name, r.schedule_id, r.origin, r.fire_at, r.status, r.attempt, r.fence, r.owner, r.result, r.error,"
    " r.reason, r.skipped, r.first_skipped_at FROM runs r JOIN schedules s ON s.id = r.schedule_id ORDER BY r.id"
)
_SCHEDULES = (
    "SELECT id, name, enabled, next_run_at, watermark, fires, total_runs, quarantine, disabled_by FROM schedules"
    " WHERE deleted_at IS NULL ORDER BY name"
)
_NODES = "SELECT id, pid, state FROM nodes ORDER BY id"
_EVENTS = "SELECT name, run_id, data FROM events ORDER BY seq"
_PATIENCE = 60_000  # milliseconds
_GLANCE = 500  # milliseconds: to find out whether a stopped process holds the lock
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class RunRow:
    id: str
    name: str
    schedule_id: str
    origin: str
    fire_at: datetime
    status: str
    attempt: int
    fence: int
    owner: str | None
    result: str | None
    error: str | None
    reason: str | None
    skipped: int
    first_skipped_at: datetime | None

    @property
    def key(self) -> str:
        return f"{self.schedule_id}/{self.origin}/{self.fire_at.isoformat()}"


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    id: str
    name: str
    enabled: bool
    next_run_at: datetime | None
    watermark: datetime | None
    fires: int
    total_runs: int
    """Outcomes that were accepted."""
    quarantine: str | None
    disabled_by: str | None


@dataclass(frozen=True, slots=True)
class NodeRow:
    id: str
    pid: int
    state: str


@dataclass(frozen=True, slots=True)
class EventRow:
    name: str
    run_id: str | None
    data: dict[str, Any]


class Books:
    """Reads a store's tables, whichever store it is.

    `lasting` keeps the connection to a server until `close`: tests look again and again, and most of a look would go
    into connecting.
    """

    def __init__(self, url: str, *, lasting: bool = False) -> None:
        self._url = url
        self._lasting = lasting
        self._server: psycopg.Connection[Any] | None = None

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    def runs(self) -> list[RunRow]:
        return [RunRow(**_named(RunRow, row, "fire_at", "first_skipped_at")) for row in self._select(_RUNS)]

    def schedules(self) -> list[ScheduleRow]:
        rows = self._select(_SCHEDULES)
        return [ScheduleRow(**_named(ScheduleRow, row, "next_run_at", "watermark")) for row in rows]

    def nodes(self) -> list[NodeRow]:
        return [NodeRow(*row) for row in self._select(_NODES)]

    def events(self) -> list[EventRow]:
        return [EventRow(name, run_id, json.loads(data)) for name, run_id, data in self._select(_EVENTS)]

    def execute(self, statement: str) -> None:
        """Change something behind the back of the code."""
        self._select(statement)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else can write, until this is over."""
        if self._url.startswith("postgresql://"):
            with psycopg.connect(self._url) as server:
                server.execute("LOCK TABLE nodes, schedules, runs, events IN ACCESS EXCLUSIVE MODE")
                yield
            return
        file = apsw.Connection(self._url)
        file.set_busy_timeout(_PATIENCE)
        file.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            file.execute("ROLLBACK")
            file.close()

    def is_locked(self) -> bool:
        """Whether a process keeps the others from writing; PostgreSQL lets none do so for long."""
        if self._url.startswith("postgresql://"):
            return False
        file = apsw.Connection(self._url)
        try:
            file.set_busy_timeout(_GLANCE)
            file.execute("BEGIN IMMEDIATE; ROLLBACK")
        except apsw.BusyError:
            return True
        else:
            return False
        finally:
            file.close()

    def beats(self) -> dict[int, Any]:
        """When each process was last heard of, by its pid."""
        return dict(self._select("SELECT pid, beat_at FROM nodes"))

    def damage(self, schedule: str, column: str, value: str) -> None:
        """Write something into a row that no code would write."""
        self._select(f"UPDATE schedules SET {column} = '{value}' WHERE name = '{schedule}'")  # noqa: S608

    def integrity(self) -> str:
        """What SQLite says about its file."""
        return str(self._select("PRAGMA integrity_check")[0][0])

    def _select(self, statement: str) -> list[Any]:
        if self._url.startswith("postgresql://"):
            return self._ask(statement)
        if not Path(self._url).exists():
            return []
        file = apsw.Connection(self._url)
        try:
            file.set_busy_timeout(_PATIENCE)
            return list(file.execute(statement))
        finally:
            file.close()

    def _ask(self, statement: str) -> list[Any]:
        if self._server is not None:
            try:
                return _rows(self._server, statement)
            except psycopg.OperationalError:  # the server was started anew meanwhile
                self.close()
        server = psycopg.connect(self._url, autocommit=True)
        try:
            return _rows(server, statement)
        finally:
            if self._lasting:
                self._server = server
            else:
                server.close()


def _rows(server: psycopg.Connection[Any], statement: str) -> list[Any]:
    cursor = server.execute(statement.encode())
    return cursor.fetchall() if cursor.description is not None else []


def _named(kind: type[DataclassInstance], row: tuple[Any, ...], *times: str) -> dict[str, Any]:
    """The values of a row by the fields of a class, with SQLite's whole microseconds as times."""
    values = dict(zip((field.name for field in fields(kind)), row, strict=True))
    for name in times:
        if isinstance(values[name], int):
            values[name] = _EPOCH + timedelta(microseconds=values[name])
    return values


def check(books: Books, testimony: Sequence[Entry], *, excused: Collection[int] = ()) -> list[RunRow]:
    """Nothing lost, nothing accepted twice, one key over all attempts; gives the runs.

    `excused` are the processes that were killed or kept from beating, and lost their runs for it.
    """
    runs, schedules = books.runs(), books.schedules()
    unfinished = [run for run in runs if run.status not in FINAL]
    assert not unfinished
    overdue = [schedule for schedule in schedules if schedule.next_run_at is not None and not schedule.enabled]
    assert not overdue
    _check_keys(runs, testimony)
    _check_attempts(runs, testimony)
    _check_acceptance(runs, schedules)
    _check_one_at_a_time(testimony, excused)
    return runs


def _check_keys(runs: Iterable[RunRow], testimony: Iterable[Entry]) -> None:
    """A run has one key, the same in the store and over all attempts, and no other run has it."""
    stored = {run.id: run.key for run in runs}
    seen: dict[str, set[str]] = defaultdict(set)
    for entry in testimony:
        seen[entry.run_id].add(entry.key)
    assert {run_id: {stored[run_id]} for run_id in seen} == seen
    assert len(set(stored.values())) == len(stored)


def _check_attempts(runs: Iterable[RunRow], testimony: Sequence[Entry]) -> None:
    """No claim was carried out twice; what succeeded was really done, by the claim the store accepted."""
    entered = Counter((entry.run_id, entry.fence) for entry in testimony if entry.what == "enter")
    assert not [claim for claim, number in entered.items() if number > 1]
    done = {(entry.run_id, entry.fence, entry.attempt) for entry in testimony if entry.what == "exit"}
    for run in runs:
        if run.status == "succeeded":
            result = json.loads(run.result or "{}")
            assert (run.id, result["fence"], result["attempt"]) in done, run
            assert (result["fence"], result["attempt"]) == (run.fence, run.attempt), run


def _check_acceptance(runs: Iterable[RunRow], schedules: Iterable[ScheduleRow]) -> None:
    """Every run that was carried out was counted once."""
    accepted = Counter(run.schedule_id for run in runs if run.status in CARRIED_OUT)
    assert {each.name: each.total_runs for each in schedules} == {each.name: accepted[each.id] for each in schedules}


def _check_one_at_a_time(testimony: Iterable[Entry], excused: Collection[int]) -> None:
    """No second attempt while the first was going on, unless the process of the first had lost its lease."""
    going_on: dict[str, Entry] = {}
    for entry in testimony:
        before = going_on.pop(entry.run_id, None)
        if entry.what == "enter":
            assert before is None or before.pid in excused, (before, entry)
            going_on[entry.run_id] = entry


def fires_accounted_for(schedule_id: str, runs: Iterable[RunRow]) -> int:
    """How many nominal instants the records of a schedule stand for."""
    own = [run for run in runs if run.schedule_id == schedule_id and run.origin == "schedule"]
    return sum(run.skipped if run.status in {"skipped", "missed"} else 1 for run in own)
