"""One statement for many rows: all are written, in order, with the same query plan as one row."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest

from duly.stores.sqlite import transaction
from duly.stores.sqlite.transaction import run_many, update_flat

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


MOST = transaction._widened(INSERT)[0][0] // 2


@pytest.mark.parametrize("count", [0, 1, 19, 20, 21, MOST - 1, MOST, MOST + 1, 2 * MOST + 23])
def test_every_row_is_written_once(connection: apsw.Connection, count: int) -> None:
    rows = [(f"{each:05}", each) for each in range(count)]
    assert run_many(connection, INSERT, rows) == []
    assert numbers(connection) == dict(rows)


def test_what_is_answered_comes_in_the_order_of_the_rows(connection: apsw.Connection) -> None:
    run_many(connection, INSERT, [(f"{each:05}", each) for each in range(5000)])
    asked = [(f"{each:05}",) for each in range(7500, 0, -1)]
    assert run_many(connection, FIND, asked) == [(f"{each:05}",) for each in range(4999, 0, -1)]


def test_rows_with_the_same_id_count_one_after_the_other(connection: apsw.Connection) -> None:
    run_many(connection, INSERT, [("a", 1), ("b", 2)])
    update_flat(connection, ADD, ["a", 3, "b", 4, "a", 5])
    assert numbers(connection) == {"a": 135, "b": 24}


def test_rows_with_ids_of_their_own_are_updated_together(connection: apsw.Connection) -> None:
    run_many(connection, INSERT, [(f"{each:05}", 1) for each in range(2500)])
    update_flat(connection, ADD, [value for each in range(2500) for value in (f"{each:05}", each % 7)])
    assert numbers(connection) == {f"{each:05}": 10 + each % 7 for each in range(2500)}


def test_many_rows_are_looked_up_by_their_key_as_one_is(connection: apsw.Connection) -> None:
    taken, widened = transaction._widened(ADD)[0]
    plan = [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {widened}", ("x", 1) * (taken // 2))]
    assert any("SEARCH notes USING PRIMARY KEY (id=?)" in step for step in plan), plan
    assert not any(step.startswith("SCAN notes") for step in plan), plan


def test_a_statement_for_many_rows_is_kept_prepared(connection: apsw.Connection) -> None:
    run_many(connection, INSERT, [(f"{each:05}", each) for each in range(3 * MOST)])
    assert connection.cache_stats()["too_big"] == 0
    assert connection.cache_stats()["hits"] >= 2


@pytest.mark.parametrize("count", [1, 19, 399, 777, 1000])
def test_any_number_of_rows_takes_few_statements(connection: apsw.Connection, count: int) -> None:
    steps: list[str] = []

    def note(_cursor: apsw.Cursor, statement: str, _values: object) -> bool:
        steps.append(statement)
        return True

    connection.exec_trace = note
    run_many(connection, INSERT, [(f"{each:05}", each) for each in range(count)])
    assert len(steps) <= 10


def test_a_statement_without_a_row_of_values_is_a_mistake(connection: apsw.Connection) -> None:
    with pytest.raises(ValueError, match="no row of values"):
        run_many(connection, "DELETE FROM notes", [(), ()])
