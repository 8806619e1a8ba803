"""The schema of a PostgreSQL database: made, kept, refused, and used by its indexes."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from duly import failpoints
from duly.errors import StoreVersionError
from duly.model.run import Status
from duly.ports.records import Plan
from duly.stores import queries
from duly.stores.postgres.store import PostgresStore
from duly.testing.clock import VirtualClock
from tests.conformance.stores.builders import JOB, START, Script, due_schedule, new_run, schedule
from tests.migration import first_version
from tests.migration.test_sqlite import TABLES
from tests.migration.together import open_together
from tests.postgres_server import server

NEWEST = len(queries.migrations("postgres"))


@pytest.fixture
def empty_url() -> Iterator[str]:
    """The address of a database without a single table."""
    with server().database(migrated=False) as url:
        yield url


@pytest.fixture
def fresh_url() -> Iterator[str]:
    """The address of a database with the newest schema and nothing in it."""
    with server().database() as url:
        yield url


async def opened(url: str) -> None:
    store = PostgresStore(url, VirtualClock())
    try:
        await store.open()
    finally:
        await store.close()


def ask(url: str, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def look(url: str) -> tuple[list[int], list[tuple[Any, ...]]]:
    """Versions and schema, as they are in the database."""
    schema = (
        "SELECT table_name, column_name, data_type, is_nullable, column_default"
        " FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2"
    )
    versions = ask(url, "SELECT version FROM schema_version ORDER BY version")
    return [row[0] for row in versions], ask(url, schema) + ask(url, "SELECT indexdef FROM pg_indexes ORDER BY 1")


async def test_a_fresh_database_reaches_the_newest_version(empty_url: str) -> None:
    await opened(empty_url)
    versions, schema = look(empty_url)
    assert versions == list(range(1, NEWEST + 1))
    assert {row[0] for row in schema} >= TABLES


async def test_opening_again_is_harmless(empty_url: str) -> None:
    store = PostgresStore(empty_url, VirtualClock())
    await store.open()
    await store.save([row := schedule("a")], lambda _before, new: new)
    await store.close()
    before = look(empty_url)
    for _ in range(2):
        await opened(empty_url)
    assert look(empty_url) == before
    await store.open()
    assert await store.get(row.id) == row
    await store.close()


def test_processes_that_open_a_new_database_at_the_same_moment_all_succeed(empty_url: str) -> None:
    assert open_together([empty_url], processes=3) == []
    assert look(empty_url)[0] == list(range(1, NEWEST + 1))


async def test_many_that_open_a_new_database_at_the_same_moment_all_succeed(empty_url: str) -> None:
    await asyncio.gather(*(opened(empty_url) for _ in range(8)))
    assert look(empty_url)[0] == list(range(1, NEWEST + 1))


async def test_a_newer_schema_is_refused_and_not_touched(empty_url: str) -> None:
    await opened(empty_url)
    ask(empty_url, "INSERT INTO schema_version SELECT max(version) + 1 FROM schema_version")
    ask(empty_url, "CREATE TABLE from_the_future (x integer)")
    before = look(empty_url)
    with pytest.raises(StoreVersionError) as caught:
        await opened(empty_url)
    assert (caught.value.found, caught.value.known) == (NEWEST + 1, NEWEST)
    assert look(empty_url) == before


async def test_a_migration_that_was_interrupted_is_made_anew(empty_url: str) -> None:
    failpoints.arm("migration.step")
    with pytest.raises(failpoints.FailpointError):
        await opened(empty_url)
    assert ask(empty_url, "SELECT tablename FROM pg_tables WHERE tablename = 'schedules'") == []
    await opened(empty_url)
    assert look(empty_url)[0] == list(range(1, NEWEST + 1))


async def test_a_database_of_the_first_version_is_brought_up_to_date_with_its_rows(
    empty_url: str, fresh_url: str
) -> None:
    with psycopg.connect(empty_url) as connection:
        connection.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
        connection.execute(queries.migrations("postgres")[0][1].encode())
        connection.execute("INSERT INTO schema_version VALUES (1)")
        for statement, values in first_version.statements("%s"):
            connection.execute(statement.encode(), values)
    store = PostgresStore(empty_url, VirtualClock())
    await store.open()
    assert look(empty_url) == look(fresh_url)
    await first_version.check_nothing_was_lost(store)
    await store.close()
    assert ask(empty_url, first_version.PEOPLE) == [first_version.ADA]


@pytest.fixture(scope="module")
def filled_url() -> Iterator[str]:
    """The address of a database with some thousand schedules and runs, few of them due, counted by its planner."""
    with server().database() as url:
        asyncio.run(_fill(url))
        ask(url, "ANALYZE")
        yield url


async def _fill(url: str) -> None:
    store = PostgresStore(url, VirtualClock(START))
    await store.open()
    rows = [due_schedule(f"s{number}", 60 * (number - 20)) for number in range(4000)]
    await store.save(rows, lambda _before, row: row)
    runs = [new_run(row, -n, Status.SUCCEEDED) for n in range(1, 3) for row in rows]
    runs += [new_run(row, -9) for row in rows[:200]]
    await store.plan([row.id for row in rows], Script(Plan(runs=runs)))
    await store.close()


_SPAN = {"start": START, "end": START}
_FILTERS = {
    "last_namespace": "\U0010ffff",
    **dict.fromkeys(("enabled", "handler", "source", "quarantined", "resting", "token", "text", "project")),
}
_TAKING = {"handlers": [JOB], "since": [START - timedelta(days=1)]}
INDEXES: dict[str, tuple[str, dict[str, Any]]] = {
    "planned": ("schedules_due", {"until": START, "limit": 100}),
    "last_marks": ("runs_fire", {"ids": ["sched_1", "sched_2"], "count": 30}),
    "stretches": ("runs_fire", {"ids": ["sched_1", "sched_2"], "width": 900, **_SPAN}),
    "doing": ("runs_active", {"ids": ["sched_1", "sched_2"]}),
    "due": ("schedules_due", {"until": START, "limit": 100}),
    "list_schedules": ("schedules_name", {**_FILTERS, "after_namespace": "default", "after_name": "s2", "limit": 50}),
    "list_few_schedules": (
        "schedules_pkey",
        {**_FILTERS, "ids": ["sched_1", "sched_2"], "after_namespace": "default", "after_name": "s2", "limit": 50},
    ),
    "list_switched_off_schedules": (
        "schedules_paused",
        {"last_namespace": "\U0010ffff", "after_namespace": "default", "after_name": "s2", "limit": 50},
    ),
    "ids_of_token": ("schedules_changed_by", {"token": "tok_1", "most": 100}),
    "ids_of_unreadable": ("schedules_quarantined", {"most": 100}),
    "ids_of_switched_off": ("schedules_over", {"most": 100}),
    "ids_of_switched_on": ("schedules_due", {"most": 100}),
    "search_schedules": (
        "schedules_name",
        {
            **dict.fromkeys(("enabled", "handlers", "more_handlers", "project", "namespace")),
            "text": "nowhere",
            "after_namespace": "default",
            "after_name": "s2",
            "most": 200,
        },
    ),
    "glimpses": ("schedules_name", {"namespace": "default", "after": "s2", "limit": 50}),
    "of_any_namespace": ("schedules_name", {"name": "s7"}),
    "search_runs": (
        "runs_pkey",
        {
            **dict.fromkeys(("handlers", "more_handlers", "origin", "project")),
            "text": "%nowhere%",
            "any_status": True,
            "statuses": [],
            "most": 200,
            "from_id": "",
            "to_id": "run_g",
        },
    ),
    "list_runs": ("runs_pkey", {"before": "run_5", "any_status": True, "statuses": [], "limit": 50}),
    "claim": ("runs_pending", {"now": START, **_TAKING, "numbers": [10], "node_id": "node_a"}),
    "oldest": ("runs_pending", {"now": START, **_TAKING, "limit": 10}),
    "claim_chosen": ("runs_pkey", {"now": START, "ids": ["run_1", "run_2"], "node_id": "node_a"}),
    "waiting": ("runs_pending", {"now": START, "handlers": [JOB]}),
    "ready": ("runs_of_owners", {"now": START, "shared": [JOB], "owners": [JOB], "limit": 10, "window": 40}),
    "ready_by_lane": ("runs_pending", {"now": START, "owners": [JOB], "full": ["user:a"], "limit": 10}),
    "schedules_of_unowned": ("runs_unowned", {"limit": 100}),
    "failing": ("schedules_failing", {"limit": 100}),
    "ended_badly": ("schedules_failing", {"limit": 100, "ended_after": START}),
    "count_quarantined": ("schedules_quarantined", {"most": 1000}),
    "quarantined": ("schedules_quarantined", {"limit": 100}),
    "resting": ("schedules_resting", {"limit": 100}),
    "unplanned": ("schedules_due", {"now": START, "limit": 10}),
    "coming_unserved": ("schedules_due", {"now": START, "limit": 100, "ahead": 1000, "served": [JOB]}),
    "pending_by_handler": ("runs_pending", {"now": START, "most": 1000}),
    "held_up": ("runs_pending", {"now": START, "handler": JOB, "limit": 100}),
    "disowned": ("schedules_created_by", {"now": START, "limit": 100}),
    "under_way": ("runs_owned", {"everything": True, "ids": [], "limit": 100}),
    "owned_by_time": (
        "schedules_name",
        {
            **dict.fromkeys(("handlers", "more_handlers", "enabled")),
            "namespace": "user:ada",
            "ok": True,
            "after_time": START,
            "after_id": "sched_1",
            "limit": 50,
        },
    ),
    "count_switched_on": ("schedules_unplanned", {"most": 20}),
}
_AFTER = {"after_namespace": "default", "after_name": "s2", "last_namespace": "\U0010ffff", "limit": 50}
_LISTED: dict[str, Any] = {"handlers": None, "more_handlers": None, "alone": True}
LISTS: dict[str, tuple[set[str], dict[str, Any]]] = {
    "list_schedules": ({"schedules_name"}, {**_FILTERS, **_AFTER, "project": "shop"}),
    "list_resting_schedules": ({"schedules_resting_by_name"}, {**_FILTERS, **_AFTER}),
    "listed_by_name": ({"schedules_name"}, {**_AFTER, "ok": True, "enabled": None}),
    "paused_by_name": ({"schedules_paused"}, _AFTER),
    "over_by_name": ({"schedules_over"}, {**_AFTER, "finished": False}),
    "off_by_name": ({"schedules_off_by_name"}, _AFTER),
    "failing_by_name": ({"schedules_failing_by_name"}, {**_AFTER, "resting": False}),
    "resting_by_name": ({"schedules_resting_by_name"}, _AFTER),
    "listed_by_time": (
        {"schedules_due"},
        {"after_time": START, "after_id": "sched_1", "namespace": None, "ok": True, "enabled": None, "limit": 50},
    ),
    "without_next_run": (
        {"schedules_unplanned", "schedules_paused", "schedules_over"},
        {**_AFTER, "ok": False, "enabled": None},
    ),
}


@pytest.mark.parametrize("name", INDEXES)
def test_a_statement_goes_by_its_index(filled_url: str, name: str) -> None:
    index, values = INDEXES[name]
    lists = "|".join({"handlers", "shared", "owners", "full", "ids"} - {key for key in values if values[key] is None})
    statement = re.sub(rf"%\(({lists})\)s", r"\g<0>::text[]", getattr(queries.load("postgres"), name))
    with psycopg.connect(filled_url) as connection:
        assert connection.execute("SHOW enable_seqscan").fetchall() == [("on",)]
        [[plan]] = connection.execute(f"EXPLAIN (FORMAT JSON) {statement}".encode(), values).fetchall()
        connection.rollback()
    text = json.dumps(plan)
    assert index in text
    scanned = {node["Relation Name"] for node in _nodes(plan[0]["Plan"]) if node["Node Type"] == "Seq Scan"}
    assert not scanned - {"reminders", "tokens", "handovers"}, text  # of these there are none


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_in_the_order_of_its_index(filled_url: str, name: str) -> None:
    """It looks for the next rows, and puts nothing in order but what is on the page."""
    indexes, values = LISTS[name]
    statement = getattr(queries.load("postgres"), name)
    with psycopg.connect(filled_url) as connection:
        [[plan]] = connection.execute(f"EXPLAIN (FORMAT JSON) {statement}".encode(), {**_LISTED, **values}).fetchall()
        connection.rollback()
    nodes = list(_nodes(plan[0]["Plan"]))
    assert {node["Index Name"] for node in nodes if node.get("Relation Name") == "schedules"} == indexes
    runs = [node for node in nodes if node.get("Relation Name") == "runs"]
    assert all(node["Index Name"] == "runs_active" and "schedule_id" in node["Index Cond"] for node in runs)
    for sort in (node for node in nodes if node["Node Type"] == "Sort"):
        assert any(inner["Node Type"] == "Limit" for inner in _nodes(sort)), json.dumps(plan)


STATES: dict[str, tuple[str, dict[str, Any]]] = {
    "states_unfinished": ("runs_active", {"limit": 10}),
    "states_under_way": ("runs_owned", {"limit": 10}),
    "states_by_id": ("runs_pkey", {"ids": ["run_a"]}),
    "states_latest": ("runs_pkey", {"after": "run_a", "limit": 10}),
}


@pytest.mark.parametrize("name", STATES)
def test_what_listeners_look_for_is_found_by_an_index(filled_url: str, name: str) -> None:
    """The table of the tests is small and nearly all of its runs are unfinished: reading it whole would be as quick."""
    index, values = STATES[name]
    statement = getattr(queries.load("postgres"), name)
    with psycopg.connect(filled_url) as connection:
        connection.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        [[plan]] = connection.execute(
            f"EXPLAIN (FORMAT JSON) {statement}".encode(), {"longest": 9, **values}
        ).fetchall()
        connection.rollback()
    by_index = [node["Index Name"] for node in _nodes(plan[0]["Plan"]) if node.get("Relation Name") == "runs"]
    assert by_index == [index]


@pytest.fixture(scope="module")
def uncounted_url() -> Iterator[str]:
    """The address of a database with the same rows, of which its planner knows nothing."""
    with server().database() as url:
        asyncio.run(_fill(url))
        yield url


def test_a_claim_finds_its_runs_by_their_ids(uncounted_url: str) -> None:
    """By the index of pending runs it would go through all of them once for each id, and through the dead ones."""
    _, values = INDEXES["claim_chosen"]
    statement = re.sub(r"%\((handlers|ids)\)s", r"\g<0>::text[]", queries.load("postgres").claim_chosen)
    with psycopg.connect(uncounted_url) as connection:
        connection.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        [[plan]] = connection.execute(f"EXPLAIN (FORMAT JSON) {statement}".encode(), values).fetchall()
        connection.rollback()
    scans = [node for node in _nodes(plan[0]["Plan"]) if node.get("Relation Name") == "runs" and "Index Name" in node]
    assert {node["Index Name"] for node in scans} == {"runs_pkey"}
    assert all("id = ANY" in node["Index Cond"] for node in scans)


def test_a_claim_reads_no_more_than_it_takes(uncounted_url: str) -> None:
    """Not the runs that wait behind those, and not the entries of runs that were taken before and wait for a vacuum."""
    claim = re.sub(r"%\(handlers\)s", r"\g<0>::text[]", queries.load("postgres").claim)
    taking = {"now": START + timedelta(days=1), "node_id": "node_a", "handlers": [JOB]}
    with psycopg.connect(uncounted_url) as connection:
        first = connection.execute("SELECT min(due_at) FROM runs WHERE status = 'pending'").fetchall()[0][0]
        for number in (50, 50, 5):
            values = {**taking, "numbers": [number], "since": [first]}
            [[plan]] = connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {claim}".encode(), values).fetchall()
            nodes = list(_nodes(plan[0]["Plan"]))
            scans = [each for each in nodes if each.get("Relation Name") == "runs" and "Scan" in each["Node Type"]]
            assert {each["Node Type"] for each in scans} == {"Index Scan", "Tid Scan"}
            assert all(each["Actual Rows"] == number for each in scans), scans
        connection.rollback()


RANGE = {"before": START, "after_at": START, "after": "a", "upto_at": START, "upto": "z", "limit": 100}
PRUNING: dict[str, str] = {
    "runs_to_prune": "runs_pkey",
    "prune_runs": "runs_pkey",
    "schedules_to_prune": "schedules_deleted",
    "prune_schedules": "schedules_deleted",
    "nodes_to_prune": "nodes_gone",
    "prune_nodes": "nodes_gone",
    "prune_events": "events_at",
    "prune_inbound": "inbound_seen_at",
    "prune_inbox": "inbox_read",
    "prune_codes": "pairing_codes_expiry",
    "prune_undos": "undos_expiry",
    "prune_seen": "seen_items_at",
    "prune_answers": "kept_answers_at",
    "prune_audit": "audit_pkey",
    "prune_audit_links": "audit_links_pkey",
}


@pytest.mark.parametrize("name", PRUNING)
def test_pruning_reads_only_old_rows(filled_url: str, name: str) -> None:
    """Planned as a transaction of ours is, in which small tables are no reason to look at all of their rows."""
    statement = getattr(queries.load("postgres"), name)
    with psycopg.connect(filled_url) as connection:
        connection.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        values = {**RANGE, "before_id": "run_z", "number": 9, "seq": 9}
        [[plan]] = connection.execute(f"EXPLAIN (FORMAT JSON) {statement}".encode(), values).fetchall()
        connection.rollback()
    text = json.dumps(plan)
    assert PRUNING[name] in text
    assert not [node for node in _nodes(plan[0]["Plan"]) if node["Node Type"] in ("Seq Scan", "Sort")], text


def test_every_pruning_statement_is_checked() -> None:
    names = vars(queries.load("postgres"))
    assert set(PRUNING) == {name for name in names if name.startswith("prune_") or name.endswith("_to_prune")}


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from _nodes(inner)
