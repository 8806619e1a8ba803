"""The journal may hold millions of entries: those of one schedule or run are found without reading the others."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from duly.stores.sqlite.store import SqliteStore
from duly.stores.sqlite.transaction import SQL
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
