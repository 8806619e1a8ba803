"""What is kept beside runs is found by its keys: no statement reads through a table, sorts it, or reads other runs."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import pytest

from duly.stores.sqlite.store import SqliteStore
from duly.stores.sqlite.transaction import SQL
from duly.testing import VirtualClock

STATEMENTS = (
    "failed_attempts",
    "note_output",
    "forget_pieces",
    "drop_middle",
    "outputs_of",
    "kept_bytes",
    "next_piece",
    "pieces",
    "run_before",
    "run_after",
    "finished_until",
)


@pytest.mark.parametrize("name", STATEMENTS)
async def test_a_statement_searches_by_its_keys(tmp_path: Path, name: str) -> None:
    store = SqliteStore(tmp_path / "duly.db", VirtualClock())
    await store.open()
    await store.close()
    statement = getattr(SQL, name)
    values = dict.fromkeys(re.findall(r":(\w+)", statement), 1)
    with apsw.Connection(str(tmp_path / "duly.db")) as connection:
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
    connection.close()
    searched = [line for line in plan if line.startswith("SEARCH")]
    assert searched
    assert not [line for line in plan if line.startswith("SCAN") and "latest" not in line]
    assert not [line for line in plan if "TEMP B-TREE" in line and name != "finished_until"]
