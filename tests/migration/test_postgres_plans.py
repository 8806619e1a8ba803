"""Statements of duly find each row by its index, whatever the planner of PostgreSQL believes about the tables.

A table that was vacuumed while it was empty, or analysed before it grew, looks as if it had no rows; then reading it
whole seems to cost nothing, and a statement for a thousand rows takes minutes. So the statements leave no such choice.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest

from duly.model.run import Status
from duly.ports.records import Plan
from duly.stores import queries
from duly.stores.postgres.connection import BEGIN
from duly.stores.postgres.store import PostgresStore
from duly.testing.clock import VirtualClock
from tests.conformance.stores.builders import JOB, START, Script, due_schedule, handover, new_run
from tests.postgres_server import server

MANY = 500
_IDS = [f"id_{number}" for number in range(MANY)]
_TEXTS = ["x"] * MANY
_NUMBERS = [1] * MANY
_TIMES = [START] * MANY
_FLAGS = [True] * MANY
_BEGINNING = START - timedelta(days=1)
_OF_SCHEDULES = {
    "id": _IDS,
    **dict.fromkeys(("max_runs", "fires", "version", "consecutive_failures", "total_runs"), _NUMBERS),
    **dict.fromkeys(("start_at", "end_at", "until_at", "next_fire_at", "next_run_at", "watermark"), _TIMES),
    **dict.fromkeys(("last_run_at", "created_at", "updated_at", "deleted_at", "resting_since"), _TIMES),
    **dict.fromkeys(("failing_since",), _TIMES),
    "enabled": _FLAGS,
}
_PLACED = {"enabled": _FLAGS, "next_fires": _TIMES, "next_runs": _TIMES, "watermarks": _TIMES, "disabled_by": _TEXTS}
_NEW_RUNS = {
    **dict.fromkeys(("origins", "handlers", "lanes", "statuses", "reasons"), _TEXTS),
    **dict.fromkeys(("fires", "dues", "first_skipped"), _TIMES),
    "in_line": _FLAGS,
    "skipped": _NUMBERS,
}
_ENDS = {"fences": _NUMBERS, "finished": _TIMES, "errors": _TEXTS}
_NOW: dict[str, Any] = {"now": START, "node_id": "node_a", "reason": "x"}
STATEMENTS: dict[str, dict[str, Any]] = {
    "named": {"namespaces": _TEXTS, "names": _IDS},
    "replace_schedules": _OF_SCHEDULES,
    "get_schedules": {"ids": _IDS},
    "cancel_unstarted": {"ids": _IDS, "at": _TIMES, **_NOW},
    "ask_to_stop": {"ids": _IDS, **_NOW},
    "add_targets": {"schedule_ids": _IDS, "project_ids": _TEXTS, "workspace_ids": _TEXTS},
    "lock_schedules": {"ids": _IDS},
    "by_ids": {"ids": _IDS},
    "active": {"ids": _IDS},
    "due": {"until": START, "limit": MANY},
    "queue_counts": {"ids": _IDS},
    "stand_in_line": {"ids": _IDS},
    "come_forward": {"ids": _IDS, "places": _NUMBERS, **_NOW},
    "supersede": {"ids": _IDS, **_NOW},
    "write_down": {
        **_PLACED,
        **_NEW_RUNS,
        **_NOW,
        "advanced": _IDS,
        "numbers_of_fires": _NUMBERS,
        "quarantines": _TEXTS,
        "ids": _IDS,
        "schedule_ids": _IDS,
    },
    "note_failed": {"ids": _IDS, **_ENDS},
    "settle": {
        "ids": _IDS,
        "statuses": _TEXTS,
        "results": _TEXTS,
        "reasons": _TEXTS,
        "retries": _TIMES,
        **_ENDS,
        "goes_on": _NUMBERS,
    },
    "settle_successes": {"ids": _IDS, "schedule_ids": _IDS, "results": _TEXTS, **_ENDS},
    "settled_already": {"ids": _IDS, "fences": _NUMBERS},
    "called_off": {"ids": _IDS},
    "note_outcomes": {"schedule_ids": _IDS, "statuses": _TEXTS, "results": _TEXTS, "ran": _TIMES},
    "claim": {"handlers": [JOB], "numbers": [MANY], "since": [_BEGINNING], **_NOW},
    "claim_chosen": {"ids": _IDS, **_NOW},
    "oldest": {"handlers": [JOB], "since": [_BEGINNING], "limit": MANY, **_NOW},
    "quarantine_runs": {"ids": _IDS, "reasons": _TEXTS, **_NOW},
    "adopt": _NOW,
    "owned": {"owners": ["node_a"], "limit": MANY},
    "taken": {"ids": _IDS, "fires": _TIMES},
    "still_ahead": {"ids": _IDS, **_NOW},
    "fires_ahead": {"ids": _IDS, **_NOW},
    "place": {"ids": _IDS, "fires": _NUMBERS, "updated": _TIMES, **_PLACED},
    "leave_to_their_time": {"ids": _IDS, **_NOW},
    "due_again": {"ids": _IDS, "dues": _TIMES},
    "hand_back": {"ids": _IDS, "reasons": _TEXTS, "lost": _NUMBERS, "due": _TIMES, "refund": 0, **_NOW},
    "note_lost": {"ids": _IDS, "reasons": _TEXTS, **_NOW},
    "give_up": {"ids": _IDS, "reasons": _TEXTS, **_NOW},
}
_OF_HANDOVERS = {
    "run_id": _IDS,
    **dict.fromkeys(("number", "sent", "ended_fence"), _NUMBERS),
    **dict.fromkeys(("reports", "cancel_asked"), _FLAGS),
    **dict.fromkeys(("lease_seconds", "run_seconds"), [1.5] * MANY),
    **dict.fromkeys(("intended_at", "sent_at", "begin_by", "tell_at", "begun_at", "heard_at", "ended_at"), _TIMES),
}
_WATCHED: dict[str, Any] = {"executors": ["heavy", "light"], "limit": MANY, "hearing_since": START, **_NOW}
STATEMENTS |= {
    "lock_schedules_of_runs": {"ids": _IDS},
    "lock_runs": {"ids": _IDS},
    "intend_handovers": _OF_HANDOVERS,
    "change_handovers": _OF_HANDOVERS,
    "standing_handovers": {"ids": _IDS, "numbers": _NUMBERS},
    "intended_tokens": {"ids": _IDS},
    "replace_handovers": {"ids": _IDS},
    "latest_handover": {"run_id": "x"},
    "latest_handovers": {"ids": _IDS},
    "handovers_of_run": {"run_id": "x"},
    "progress_of_handover": {"run_id": "x", "number": 1, "data": "x"},
    "wake_runs": {"ids": _IDS, **_NOW},
    "handovers_over": _WATCHED,
    "late_handovers": _WATCHED,
    "handovers_to_tell": _WATCHED,
    "open_begun": {"executor": "heavy", "run_id": "x", "number": 1, "limit": MANY},
    "open_unbegun": {"executor": "heavy", "run_id": "x", "number": 1, "limit": MANY},
}
BELIEFS = {
    "nothing": "",
    "that all is empty": """
        UPDATE pg_class SET reltuples = 0, relpages = 100
        WHERE relname IN ('schedules', 'runs', 'handovers')
           OR oid IN (SELECT indexrelid FROM pg_index
                      WHERE indrelid IN ('schedules'::regclass, 'runs'::regclass, 'handovers'::regclass))
    """,
    "what is so": "ANALYZE schedules, runs, handovers",
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a database with some schedules and runs."""
    with server().database() as address:
        asyncio.run(_fill(address))
        yield address


async def _fill(url: str) -> None:
    store = PostgresStore(url, VirtualClock(START))
    await store.open()
    rows = [due_schedule(f"s{number}", 60 * (number - 20)) for number in range(2 * MANY)]
    await store.save(rows, lambda _before, row: row)
    runs = [new_run(row, -n, Status.SUCCEEDED) for n in range(1, 3) for row in rows] + [
        new_run(row, -9) for row in rows
    ]
    await store.plan([row.id for row in rows], Script(Plan(runs=runs)))
    await store.handovers.intend([handover(run.id, schedule_id=run.schedule_id) for run in runs])
    await store.close()


@pytest.mark.parametrize("belief", BELIEFS)
def test_each_row_is_found_by_its_index(url: str, belief: str) -> None:
    wrong: dict[str, list[str]] = {}
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("BEGIN")
        connection.execute(BELIEFS[belief].encode())
        connection.execute(re.sub("BEGIN.*;", "", BEGIN).encode())
        for mode in ("custom", "generic"):
            connection.execute(f"SET LOCAL plan_cache_mode = force_{mode}_plan".encode())
            for name in STATEMENTS:
                if found := [text for node in _nodes(_plan(connection, name)) if (text := _fault(node))]:
                    wrong[f"{name}, {mode}"] = found
        connection.execute("ROLLBACK")
    assert not wrong


def _plan(connection: psycopg.Connection[Any], name: str) -> dict[str, Any]:
    """Plan a statement as it is planned for every execution alike, or for these values."""
    statement = getattr(queries.load("postgres"), name)
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", statement)))
    values = {each: STATEMENTS[name].get(each, _TEXTS) for each in names}
    numbered = re.sub(r"%\((\w+)\)s", lambda found: f"${names.index(found[1]) + 1}", statement)
    types = ", ".join(map(_type, values.values()))
    connection.execute(f"PREPARE statement ({types}) AS {numbered}".encode())
    given = ", ".join(f"%({each})s::{_type(value)}" for each, value in values.items())
    cursor = psycopg.ClientCursor(connection)
    cursor.execute(f"EXPLAIN (FORMAT JSON) EXECUTE statement ({given})".encode(), values)
    [[[plan]]] = cursor.fetchall()
    connection.execute("DEALLOCATE statement")
    planned: dict[str, Any] = plan["Plan"]
    return planned


def _type(value: object) -> str:
    if isinstance(value, list):
        return f"{_type(value[0])}[]"
    if isinstance(value, datetime):
        return "timestamptz"
    return {bool: "boolean", int: "bigint", float: "float8", str: "text"}[type(value)]


def _fault(node: dict[str, Any]) -> str | None:
    """Say what is wrong with a node of a plan: it reads a table whole, or many rows for each of many."""
    kind = node["Node Type"]
    if kind == "Seq Scan" or ("Index" in kind and "Index Cond" not in node):
        return f"{kind} of {node['Relation Name']}"
    if kind in ("Hash Join", "Merge Join"):
        return f"{kind} on {json.dumps(node.get('Hash Cond'))}"
    if kind == "Nested Loop" and node["Plans"][1]["Node Type"] in ("Function Scan", "CTE Scan", "Materialize"):
        return "Nested Loop that reads all values for each row"
    return None


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from _nodes(inner)
