"""The schema of a SQLite file: made, kept, refused, and used by its indexes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import apsw
import pytest

from duly import failpoints
from duly.errors import StoreError, StoreUnavailableError, StoreVersionError
from duly.stores import queries
from duly.stores.sqlite.file import connect
from duly.stores.sqlite.rows import micros
from duly.stores.sqlite.store import SqliteStore
from duly.testing.clock import VirtualClock
from tests.conformance.stores.builders import schedule
from tests.migration import first_version
from tests.migration.together import open_together

NEWEST = len(queries.migrations("sqlite"))
TABLES = {
    "schedules",
    "schedule_targets",
    "runs",
    "run_targets",
    "delivery_attempts",
    "reminder_acks",
    "users",
    "user_channels",
    "reminders",
    "inbox",
    "pairing_codes",
    "inbound_seen",
    "cursors",
    "handovers",
    "tokens",
    "nodes",
    "events",
    "schema_version",
}


def store_at(path: Path, *, inline: bool = False) -> SqliteStore:
    return SqliteStore(path, VirtualClock(), inline=inline)


async def opened(path: Path) -> None:
    store = store_at(path)
    await store.open()
    await store.close()


def look(path: Path) -> tuple[list[int], dict[str, str]]:
    """Versions and schema, as they are in the file."""
    with apsw.Connection(str(path)) as connection:
        versions = [row[0] for row in connection.execute("SELECT version FROM schema_version")]
        schema = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    connection.close()
    return versions, schema


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


async def test_a_fresh_file_reaches_the_newest_version(tmp_path: Path) -> None:
    path = tmp_path / "some" / "folders" / "duly.db"
    await opened(path)
    versions, schema = look(path)
    assert versions == list(range(1, NEWEST + 1))
    assert set(schema) >= TABLES


async def test_opening_again_is_harmless(tmp_path: Path) -> None:
    path = tmp_path / "duly.db"
    store = store_at(path)
    await store.open()
    await store.save([row := schedule("a")], lambda _before, new: new)
    await store.close()
    before = look(path)
    for inline in (False, True, False):
        again = store_at(path, inline=inline)
        await again.open()
        assert await again.get(row.id) == row
        await again.close()
    assert look(path) == before


async def test_two_handles_may_be_open_at_once(tmp_path: Path) -> None:
    first, second = store_at(tmp_path / "duly.db"), store_at(tmp_path / "duly.db")
    await first.open()
    await second.open()
    await first.save([row := schedule("a")], lambda _before, new: new)
    assert await second.get(row.id) == row
    await first.close()
    assert await second.get(row.id) == row
    await second.close()


def test_processes_that_open_new_files_at_the_same_moment_all_succeed(tmp_path: Path) -> None:
    paths = [tmp_path / f"duly-{number}.db" for number in range(25)]
    assert open_together([str(path) for path in paths], processes=3) == []
    for path in paths:
        assert look(path)[0] == list(range(1, NEWEST + 1))


@pytest.mark.parametrize("inline", [False, True])
async def test_a_newer_schema_is_refused_and_not_touched(tmp_path: Path, inline: bool) -> None:
    path = tmp_path / "duly.db"
    await opened(path)
    connection = apsw.Connection(str(path))
    connection.execute("INSERT INTO schema_version VALUES (?)", (NEWEST + 1,))
    connection.execute("CREATE TABLE from_the_future (x)")
    connection.close()
    before = files(tmp_path)
    with pytest.raises(StoreVersionError) as caught:
        await store_at(path, inline=inline).open()
    assert (caught.value.found, caught.value.known) == (NEWEST + 1, NEWEST)
    assert str(path) in str(caught.value)
    assert files(tmp_path) == before


async def test_a_migration_that_was_interrupted_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "duly.db"
    failpoints.arm("migration.step")
    with pytest.raises(failpoints.FailpointError):
        await opened(path)
    with apsw.Connection(str(path)) as connection:
        assert list(connection.execute("SELECT name FROM sqlite_schema")) == []
    connection.close()
    await opened(path)
    assert look(path)[0] == list(range(1, NEWEST + 1))


async def test_a_file_of_the_first_version_is_brought_up_to_date_with_its_rows(tmp_path: Path) -> None:
    path, fresh = tmp_path / "duly.db", tmp_path / "fresh.db"
    connection = connect(path)
    connection.execute("CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT")
    connection.execute(queries.migrations("sqlite")[0][1])
    connection.execute("INSERT INTO schema_version VALUES (1)")
    for statement, values in first_version.statements("?"):
        connection.execute(statement, [micros(each) if isinstance(each, datetime) else each for each in values])
    connection.close()
    await opened(fresh)
    store = store_at(path)
    await store.open()
    assert look(path) == look(fresh)
    await first_version.check_nothing_was_lost(store)
    await store.close()
    with apsw.Connection(str(path)) as looking:
        assert list(looking.execute(first_version.PEOPLE)) == [first_version.ADA]
        assert list(looking.execute("PRAGMA foreign_key_check")) == []
    looking.close()


@pytest.mark.parametrize("content", [b"This is not a database.\n" * 99, b"SQLite format 3\x00" + b"?" * 5000])
@pytest.mark.parametrize("inline", [False, True])
async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content: bytes, inline: bool) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StoreUnavailableError, match=re.escape(str(path))):
        await store_at(path, inline=inline).open()
    assert files(tmp_path) == {"notes.txt": content}


async def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with apsw.Connection(str(path)) as connection:
        connection.execute("CREATE TABLE users (name); INSERT INTO users VALUES ('Ada')")
    connection.close()
    with pytest.raises(StoreError, match=re.escape(str(path))):
        await store_at(path).open()
    with apsw.Connection(str(path)) as connection:
        assert list(connection.execute("SELECT name FROM sqlite_schema")) == [("users",)]
        assert connection.execute("SELECT name FROM users").get == "Ada"
    connection.close()


async def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match=re.escape(str(tmp_path))):
        await store_at(tmp_path).open()


async def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(StoreUnavailableError, match="file"):
        await store_at(tmp_path / "file" / "duly.db").open()
    assert files(tmp_path) == {"file": b"in the way"}


INDEXES = {
    "states_unfinished": "runs_active",
    "states_under_way": "runs_owned",
    "states_latest": "PRIMARY KEY (id>?)",
    "due": "schedules_due",
    "waiting": "schedules_due",
    "claimable": "runs_pending (handler=? AND lane=? AND due_at<?)",
    "ready_shared": "runs_pending (handler=? AND lane=? AND due_at<?)",
    "ready_owners": "runs_of_owners (handler=? AND due_at<?)",
    "ready_by_lane": "runs_pending (handler=? AND lane=? AND due_at<?)",
    "active": "runs_active",
    "queue_counts": "runs_active",
    "come_forward": "runs_active",
    "stand_in_line": "runs_active",
    "supersede": "runs_active",
    "cancel_unstarted": "runs_active",
    "owned": "runs_owned",
    "adopt": "runs_owned",
    "asked_to_stop": "runs_owned",
    "orphans": "runs_owned",
    "runs_to_prune": "PRIMARY KEY (id>? AND id<?)",
    "prune_runs": "PRIMARY KEY (id>? AND id<?)",
    "schedules_to_prune": "schedules_deleted",
    "prune_schedules": "schedules_deleted",
    "nodes_to_prune": "nodes_gone",
    "prune_nodes": "nodes_gone",
    "prune_events": "events_by_name (name=? AND at<?)",
    "prune_inbound": "inbound_seen_at",
    "prune_inbox": "inbox_read",
    "prune_codes": "pairing_codes_expiry",
    "unowned": "runs_unowned",
    "has_unowned": "runs_unowned",
    "find_schedule": "schedules_name",
    "named": "schedules_name",
    "list_runs_of_schedule": "runs_fire",
    "pending_by_handler": "runs_pending",
    "oldest_unplanned": "schedules_due",
    "living": "nodes_alive",
    "count_quarantined": "schedules_quarantined",
    "failing": "schedules_failing",
    "ended_badly": "schedules_failing",
    "quarantined": "schedules_quarantined",
    "resting": "schedules_resting",
    "unplanned": "schedules_due",
    "coming_unserved": "schedules_due",
    "held_up": "runs_pending",
    "stranded": "runs_active",
    "count_active": "runs_active",
    "spent": "runs_fire",
    "unfinished_targets": "run_targets_running",
    "token_by_hash": "sqlite_autoindex_tokens_2",
    "latest_handover": "sqlite_autoindex_handovers_1 (run_id=?)",
    "latest_handovers": "sqlite_autoindex_handovers_1 (run_id=?)",
    "standing_handovers": "sqlite_autoindex_handovers_1 (run_id=? AND number=?)",
    "handovers_of_run": "sqlite_autoindex_handovers_1 (run_id=?)",
    "intended_tokens": "sqlite_autoindex_handovers_1 (run_id=?)",
    "replace_handovers": "sqlite_autoindex_handovers_1 (run_id=?",
    "intend_handovers": "SEARCH r USING PRIMARY KEY (id=?)",
    "change_handovers": "sqlite_autoindex_handovers_1 (run_id=? AND number=?)",
    "progress_of_handover": "sqlite_autoindex_handovers_1 (run_id=? AND number=?)",
    "handovers_over": "handovers_over (executor=?)",
    "late_handovers": "handovers_begin_by (executor=? AND begin_by<?)",
    "handovers_to_tell": "handovers_to_tell (executor=? AND tell_at<?)",
    "open_begun": "handovers_begun (executor=? AND (run_id",
    "open_unbegun": "handovers_unbegun (executor=? AND (run_id",
    "count_handovers": "SCAN handovers USING INDEX handovers_unbegun",
}
BY_KEY = (
    "states_by_id",
    "unusual",
    "settle_final",
    "settle_retry",
    "settled_already",
    "note_outcome",
    "advance",
    "claim",
    "get_run",
    "by_ids",
    "recorded",
)


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[apsw.Connection]:
    """To a file with the newest schema."""
    made = connect(tmp_path_factory.mktemp("plans") / "duly.db")
    for _, script in queries.migrations("sqlite"):
        made.execute(script)
    yield made
    made.close()


def plan_of(connection: apsw.Connection, name: str) -> str:
    """How SQLite goes about a statement."""
    statement = getattr(queries.load("sqlite"), name)
    named = set(re.findall(r":(\w+)", statement))
    lists = {"ids", "handlers", "names", "statuses", "targets", "served", "executors", "numbers"}
    values = {key: "[]" if key in lists else 1 for key in named} or (1,) * statement.count("?")
    return "\n".join(str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values))


@pytest.mark.parametrize(("name", "index"), INDEXES.items())
def test_a_statement_goes_by_its_index(connection: apsw.Connection, name: str, index: str) -> None:
    plan = plan_of(connection, name)
    assert index in plan
    assert not re.search(r"SCAN (schedules|runs|r|s|t|h|tokens|waiting|handovers)\b(?! USING)", plan), plan


@pytest.mark.parametrize("name", BY_KEY)
def test_a_statement_goes_by_the_primary_key(connection: apsw.Connection, name: str) -> None:
    plan = plan_of(connection, name)
    assert "PRIMARY KEY (id=?)" in plan
    assert not re.search(r"SCAN (schedules|runs|r|s)\b", plan), plan


@pytest.mark.parametrize("name", ["drop_targets", "add_targets", "target_session", "pin_session", "target_runs"])
def test_a_statement_about_targets_looks_at_no_others(connection: apsw.Connection, name: str) -> None:
    plan = plan_of(connection, name)
    assert "PRIMARY KEY" in plan
    assert not re.search(r"SCAN (schedules|schedule_targets|run_targets|s)\b", plan), plan


def test_what_is_due_needs_no_sorting(connection: apsw.Connection) -> None:
    plan = plan_of(connection, "due")
    assert "SEARCH schedules USING INDEX schedules_due (next_run_at<?)" in plan
    assert "TEMP B-TREE" not in plan


PRUNING = sorted(
    name for name in vars(queries.load("sqlite")) if name.startswith("prune_") or name.endswith("_to_prune")
)


@pytest.mark.parametrize("name", PRUNING)
def test_pruning_reads_only_old_rows(connection: apsw.Connection, name: str) -> None:
    """It holds the write lock meanwhile, and a scan takes the longer the larger the table is. Kinds are few."""
    plan = plan_of(connection, name)
    assert "SEARCH" in plan
    assert not re.search(r"SCAN (?!CONSTANT ROW|kinds\b)|TEMP B-TREE|AUTOMATIC", plan), plan


def test_the_entries_of_links_are_found_without_reading_the_audit(connection: apsw.Connection) -> None:
    plan = plan_of(connection, "last_audited")
    assert "SEARCH audit USING INTEGER PRIMARY KEY (rowid<?)" in plan
    assert "SCAN audit" not in plan
    assert "SEARCH audit USING INTEGER PRIMARY KEY" in plan_of(connection, "audit_entries_between")


def test_what_goes_with_a_row_is_found_by_an_index(connection: apsw.Connection) -> None:
    """A foreign key that cascades looks for children of every row that goes."""
    references = (
        "SELECT child.name, reference.'from' "
        "FROM sqlite_schema AS child, pragma_foreign_key_list(child.name) AS reference "
        "WHERE reference.'table' IN ('runs', 'schedules')"
    )
    children = list(connection.execute(references))
    assert len(children) >= 6
    for table, column in children:
        statement = f"EXPLAIN QUERY PLAN DELETE FROM {table} WHERE {column} = ?"  # noqa: S608  names from the schema
        plan = "\n".join(str(row[3]) for row in connection.execute(statement, ("x",)))
        assert f"SEARCH {table} USING" in plan, plan
