"""The journal may hold millions of entries: those of one schedule or run are found without reading the others."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from duly.model.events import PERSON_ADDED, Event
from duly.planning.chain import ChainCheck
from duly.stores.sqlite.file import connect
from duly.stores.sqlite.store import SqliteStore
from duly.stores.sqlite.transaction import SQL, write_events
from duly.testing import VirtualClock


@pytest.mark.parametrize("column", ["schedule", "run"])
async def test_searching_for_one_reads_no_others(tmp_path: Path, column: str) -> None:
    store = SqliteStore(tmp_path / "duly.db", VirtualClock())
    await store.open()
    await store.close()
    statement = getattr(SQL, f"list_events_of_{column}")
    values = {
        **dict.fromkeys(("any_name", "names", "namespace", "project", "schedule_id", "run_id")),
        **dict.fromkeys(("after", "before", "since", "until", "limit"), 1),
    }
    with apsw.Connection(str(tmp_path / "duly.db")) as connection:
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
    connection.close()
    assert f"SEARCH events USING INDEX events_by_{column} ({column}_id=? AND seq>? AND seq<?)" in plan
    assert not any("TEMP B-TREE" in line for line in plan)


async def test_a_writer_goes_on_where_the_chain_ends_by_now(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "duly.db", VirtualClock())
    await store.open()
    one = connect(tmp_path / "duly.db")
    other = connect(tmp_path / "duly.db")
    changed = Event(PERSON_ADDED, datetime(2026, 11, 16, tzinfo=UTC), data={"by": "ana", "user": "b"})

    def write(connection: apsw.Connection, how: str = "COMMIT") -> None:
        connection.execute("BEGIN IMMEDIATE")
        write_events(connection, [changed])
        connection.execute(how)

    write(one)
    write(one)
    write(other)  # where it does not know the end yet
    write(one)  # after another connection has gone on
    write(one, "ROLLBACK")
    write(one)  # after what it wrote was undone
    one.close()
    other.close()
    head = await store.audit.head()
    check = ChainCheck(head)
    check.follow(await store.audit.links(0, 100))
    check.finish(await store.audit.stray())
    await store.close()
    assert (head.number, head.seq) == (5, 5)
    assert check.broken is None
