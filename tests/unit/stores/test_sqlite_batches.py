"""Many rows in one statement: all of them, in order, and by the same way as one."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest

from duly.stores.sqlite import batches
from duly.stores.sqlite.batches import run_many, update_many

INSERT = "INSERT INTO notes (id, number) VALUES (?, ?)"
FIND = "WITH asked (id) AS (VALUES (?)) SELECT notes.id FROM asked JOIN notes ON notes.id = asked.id"
ADD = """
WITH more (id, number) AS (VALUES (?, ?))
UPDATE notes SET number = notes.number * 10 + more.number FROM more WHERE notes.id = more.id
"""


@pytest.fixture
def connection() -> Iterator[apsw.Connection]:
    made = apsw.Connection(":memory:")
    made.execute("CREATE TABLE notes (id TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID")
    yield made
    made.close()


def numbers(connection: apsw.Connection) -> dict[str, int]:
    return dict(connection.execute("SELECT id, number FROM notes"))


@pytest.mark.parametrize("count", [0, 1, 19, 20, 21, 199, 200, 201, 423])
def test_every_row_is_written_once(connection: apsw.Connection, count: int) -> None:
    rows = [(f"{each:03}", each) for each in range(count)]
    assert run_many(connection, INSERT, rows) == []
    assert numbers(connection) == dict(rows)


def test_what_is_answered_comes_in_the_order_of_the_rows(connection: apsw.Connection) -> None:
    run_many(connection, INSERT, [(f"{each:03}", each) for each in range(300)])
    asked = [(f"{each:03}",) for each in range(450, 0, -1)]
    assert run_many(connection, FIND, asked) == [(f"{each:03}",) for each in range(299, 0, -1)]


def test_rows_with_the_same_id_count_one_after_the_other(connection: apsw.Connection) -> None:
    run_many(connection, INSERT, [("a", 1), ("b", 2)])
    update_many(connection, ADD, [("a", 3), ("b", 4), ("a", 5)])
    assert numbers(connection) == {"a": 135, "b": 24}


def test_rows_with_ids_of_their_own_are_updated_together(connection: apsw.Connection) -> None:
    run_many(connection, INSERT, [(f"{each:03}", 1) for each in range(250)])
    update_many(connection, ADD, [(f"{each:03}", each % 7) for each in range(250)])
    assert numbers(connection) == {f"{each:03}": 10 + each % 7 for each in range(250)}


def test_many_rows_are_looked_up_by_their_key_as_one_is(connection: apsw.Connection) -> None:
    widened = batches._for_rows(ADD, 200)
    plan = [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {widened}", ("x", 1) * 200)]
    assert any("SEARCH notes USING PRIMARY KEY (id=?)" in step for step in plan), plan
    assert not any(step.startswith("SCAN notes") for step in plan), plan


def test_a_statement_without_a_row_of_values_is_a_mistake(connection: apsw.Connection) -> None:
    with pytest.raises(ValueError, match="no row of values"):
        run_many(connection, "DELETE FROM notes", [()])
