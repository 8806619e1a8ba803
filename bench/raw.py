"""The same rows written by bare driver code in batches: the limit that no scheduler on this store can pass."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import psycopg

from duly import every
from duly.model.action import Job
from duly.ports.codec import encode_action, encode_trigger
from duly.stores import queries
from duly.stores.sqlite.file import connect

BATCH = 1000
_NOW = 1_800_000_000_000_000
_NODE = f"node_{7:032x}"
"""As long as the id of a node: it is in each run that is under way, and in an index."""
_TRIGGER = encode_trigger(every(1).hours())
_ACTION = encode_action(Job("noop"))


def sqlite(path: Path, number: int) -> float:
    """Fires per second: run inserted, schedule moved on, run settled, schedule told.

    A batch is settled in the transaction that records the next one, as the engine does it.
    """
    connection = connect(path)  # with the settings of duly: durable, and foreign keys are checked
    connection.execute("PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -16000")
    for _, script in queries.migrations("sqlite"):
        connection.execute(script)
    schedules = [f"sched_{each:032x}" for each in range(number)]
    with connection:
        connection.executemany(
            "INSERT INTO schedules (id, namespace, name, trigger, action, policy, handler, next_fire_at, next_run_at,"
            " created_at, updated_at) VALUES (?, 'default', ?, ?, ?, '{}', 'job:noop', ?, ?, 0, 0)",
            [(each, each, _TRIGGER, _ACTION, _NOW, _NOW) for each in schedules],
        )
    begun = time.perf_counter()
    batches = [schedules[start : start + BATCH] for start in range(0, number, BATCH)]
    for before, batch in zip([[], *batches], [*batches, []], strict=True):
        with connection:
            _sqlite_settle(connection, before)
            _sqlite_record(connection, batch)
    took = time.perf_counter() - begun
    connection.close()
    return number / took


def _sqlite_record(connection: apsw.Connection, batch: list[str]) -> None:
    connection.executemany(
        "INSERT INTO runs (id, schedule_id, origin, fire_at, due_at, handler, status, attempt, fence, owner,"
        " started_at) VALUES (?, ?, 'schedule', ?, ?, 'job:noop', 'running', 1, 1, ?, ?)",
        [(f"run_{each[6:]}", each, _NOW, _NOW, _NODE, _NOW) for each in batch],
    )
    connection.executemany(
        "UPDATE schedules SET next_fire_at = ?, next_run_at = ?, watermark = ?, fires = fires + 1 WHERE id = ?",
        [(_NOW + 1, _NOW + 1, _NOW, each) for each in batch],
    )


def _sqlite_settle(connection: apsw.Connection, batch: list[str]) -> None:
    connection.executemany(
        "UPDATE runs SET status = 'succeeded', finished_at = ?, owner = NULL WHERE id = ? AND fence = 1",
        [(_NOW, f"run_{each[6:]}") for each in batch],
    )
    connection.executemany(
        "UPDATE schedules SET last_status = 'succeeded', last_run_at = ?, total_runs = total_runs + 1 WHERE id = ?",
        [(_NOW, each) for each in batch],
    )


def postgres(url: str, number: int) -> float:
    """The same on PostgreSQL, with arrays through `unnest`, on a migrated database."""
    now = datetime.now(UTC)
    schedules = [f"sched_{each:032x}" for each in range(number)]
    with psycopg.connect(url) as connection:
        connection.execute(
            "INSERT INTO schedules (id, namespace, name, trigger, action, policy, handler, next_fire_at, next_run_at,"
            " created_at, updated_at) SELECT i, 'default', i, %s, '{}', '{}', 'job:noop', %s, %s, %s, %s"
            " FROM unnest(%s::text[]) AS i",
            ("x" * 300, now, now, now, now, schedules),
        )
        connection.commit()
        begun = time.perf_counter()
        for start in range(0, number, BATCH):
            _postgres_batch(connection, schedules[start : start + BATCH], now)
        return number / (time.perf_counter() - begun)


def _postgres_batch(connection: psycopg.Connection[Any], batch: list[str], now: datetime) -> None:
    runs = [f"run_{each[6:]}" for each in batch]
    connection.execute(
        "INSERT INTO runs (id, schedule_id, origin, fire_at, due_at, handler, status, attempt, fence, owner,"
        " started_at) SELECT r, s, 'schedule', %s, %s, 'job:noop', 'running', 1, 1, 'node', %s"
        " FROM unnest(%s::text[], %s::text[]) AS t(r, s)",
        (now, now, now, runs, batch),
    )
    connection.execute(
        "UPDATE schedules SET next_fire_at = %s, next_run_at = %s, watermark = %s, fires = fires + 1"
        " FROM unnest(%s::text[]) AS i WHERE id = i",
        (now, now, now, batch),
    )
    connection.commit()
    connection.execute(
        "UPDATE runs SET status = 'succeeded', finished_at = %s, owner = NULL FROM unnest(%s::text[]) AS i"
        " WHERE id = i AND fence = 1",
        (now, runs),
    )
    connection.execute(
        "UPDATE schedules SET last_status = 'succeeded', last_run_at = %s, total_runs = total_runs + 1"
        " FROM unnest(%s::text[]) AS i WHERE id = i",
        (now, batch),
    )
    connection.commit()
