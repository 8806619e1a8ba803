"""What the store says in the end, read past the code that wrote it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import apsw
import psycopg

OVER = frozenset({"succeeded", "failed", "skipped", "missed", "cancelled", "dead"})
CARRIED_OUT = frozenset({"succeeded", "failed", "cancelled", "dead"})
_PATIENCE = 60_000  # milliseconds
_RUNS = (
    "SELECT s.name, r.origin, {fire_at}, r.status, r.fence, r.result, r.error, r.reason, r.skipped, {first_skipped_at},"
    " r.id, r.schedule_id FROM runs r JOIN schedules s ON s.id = r.schedule_id ORDER BY r.id"
)
_SCHEDULES = "SELECT name, total_runs, {next_run_at}, quarantine FROM schedules ORDER BY name"
_REMINDERS = "SELECT s.name, r.status FROM reminders r JOIN schedules s ON s.id = r.schedule_id ORDER BY s.name"
_INBOX = "SELECT text, key FROM inbox ORDER BY id"
_TIMES = ("fire_at", "first_skipped_at", "next_run_at", "ended_at")
_EVENTS = "SELECT name, run_id FROM events WHERE name = 'run.failed' ORDER BY seq"
_HANDOVERS = (
    "SELECT run_id, number, state, task, sent, result, error, {ended_at}, lease_seconds FROM handovers"
    " ORDER BY run_id, number"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    name: str
    origin: str
    fire_at: int
    status: str
    fence: int
    result: str | None
    error: str | None
    reason: str | None
    skipped: int
    first_skipped_at: int | None
    id: str
    schedule_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    name: str
    total_runs: int
    """Outcomes that were accepted."""
    next_run_at: int | None
    quarantine: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    name: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A message in the inbox."""

    text: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    name: str
    run_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """An attempt that workers elsewhere carried out."""

    run_id: str
    number: int
    state: str
    task: str
    sent: int
    result: str | None
    error: str | None
    ended_at: int | None
    lease_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Everything the verdict needs of the store."""

    runs: tuple[Run, ...]
    schedules: tuple[Schedule, ...]
    reminders: tuple[Reminder, ...]
    inbox: tuple[Kept, ...]
    failures: tuple[Event, ...]
    handovers: tuple[Handover, ...] = ()

    def write(self, file: Path) -> None:
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @property
    def is_settled(self) -> bool:
        """Whether nothing is due or under way any more."""
        waiting = [each for each in self.schedules if each.next_run_at is not None]
        return not waiting and all(run.status in OVER for run in self.runs)


def read_record(file: Path) -> Record:
    """A record as it was written."""
    told = json.loads(file.read_text(encoding="utf-8"))
    return _record(lambda name: [tuple(row.values()) for row in told[name]])


def look(store: str) -> Record:
    """The record of a store: a URL of PostgreSQL, or the path of a SQLite file."""
    remote = store.startswith("postgresql://")
    times = {name: _microseconds(name) if remote else name for name in _TIMES}
    statements = {
        "runs": _RUNS,
        "schedules": _SCHEDULES,
        "reminders": _REMINDERS,
        "inbox": _INBOX,
        "failures": _EVENTS,
        "handovers": _HANDOVERS,
    }
    select = _select_remote if remote else _select_file
    rows = select(store, {name: text.format(**times) for name, text in statements.items()})
    return _record(rows.__getitem__)


def _record(rows: Callable[[str], list[Any]]) -> Record:
    return Record(
        runs=tuple(_named(Run, row) for row in rows("runs")),
        schedules=tuple(_named(Schedule, row) for row in rows("schedules")),
        reminders=tuple(_named(Reminder, row) for row in rows("reminders")),
        inbox=tuple(_named(Kept, row) for row in rows("inbox")),
        failures=tuple(_named(Event, row) for row in rows("failures")),
        handovers=tuple(_named(Handover, row) for row in rows("handovers")),
    )


def _named(kind: type[Any], row: tuple[Any, ...]) -> Any:
    return kind(**dict(zip(kind.__dataclass_fields__, row, strict=True)))


def _microseconds(column: str) -> str:
    return f"(extract(epoch FROM {column}) * 1000000)::bigint"


def _select_remote(url: str, statements: dict[str, str]) -> dict[str, list[Any]]:
    with psycopg.connect(url) as server:
        return {name: server.execute(text.encode()).fetchall() for name, text in statements.items()}


def _select_file(path: str, statements: dict[str, str]) -> dict[str, list[Any]]:
    file = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        file.set_busy_timeout(_PATIENCE)
        file.execute("BEGIN")  # one moment for all of them
        return {name: list(file.execute(text)) for name, text in statements.items()}
    finally:
        file.close()
