"""Batches in which nothing is unusual have shorter statements. They write what the general ones write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from duly.model.run import Status
from duly.ports.records import Claimed, Due, Plan, Settlement, StoredSchedule
from duly.stores import queries
from duly.stores.run_records import claimed_at_birth
from duly.stores.sqlite.cycle import apply, settle
from duly.stores.sqlite.file import connect
from duly.stores.sqlite.rows import micros, schedule_values, to_due
from duly.stores.sqlite.transaction import _widened
from tests.conformance.stores.builders import START, Script, advance, at, ended, new_run, schedule

SQL = queries.load("sqlite")
NUMBER = 1234
USUAL = ("record_begun", "advance_usual", "settle_successes", "note_successes")
GENERAL = ("record", "advance", "settle_final", "note_outcome")
NODE = "node_a"


def due(row: StoredSchedule) -> Due:
    return to_due((row.id, row.namespace, row.name, row.handler, 0, 0, None, None, 0, 1, None, None), "{}", "{}", "{}")


class Batch:
    """A file with many schedules, and the statements that were run on it."""

    def __init__(self, path: Path) -> None:
        self.connection = connect(path)
        for _, script in queries.migrations("sqlite"):
            self.connection.execute(script)
        self.rows = [
            schedule(f"s{each:04}", id=f"sched_{each:04}", consecutive_failures=each % 3, fires=each)
            for each in range(NUMBER)
        ]
        with self.connection:
            self.connection.executemany(SQL.insert_schedule, map(schedule_values, self.rows))
        self._ran: list[str] = []
        self.connection.exec_trace = self._note

    def _note(self, _cursor: apsw.Cursor, statement: str, _values: object) -> bool:
        self._ran.append(statement)
        return True

    def ran(self, names: tuple[str, ...]) -> set[str]:
        """Which of these statements were run, for any number of rows."""
        return {name for name in names if {text for _, text in _widened(getattr(SQL, name))} & set(self._ran)}

    def fire(self, *, unusual: bool) -> list[Claimed]:
        """Plan and record a run of each; an unusual one more is only recorded."""
        runs = [new_run(row, each % 5, Status.RUNNING, id=f"run_{row.id}") for each, row in enumerate(self.rows)]
        for run in runs[::7]:
            run.in_line = True
        advances = [advance(row, 60, watermark=None if each % 2 else at(each)) for each, row in enumerate(self.rows)]
        if unusual:
            runs.append(new_run(self.rows[0], 99, Status.SKIPPED, id="run_unusual", reason="said so"))
            advances.append(advance(self._put("unusual"), None))
        entries = [due(row) for row in self.rows]
        _, recorded = apply(self.connection, entries, Script(Plan(runs=runs, advances=advances)), NODE, micros(at(2)))
        return claimed_at_birth(entries, [run for run in runs if run.id in recorded])

    def end(self, claimed: list[Claimed], *, unusual: bool) -> list[str]:
        ends: list[Settlement] = [
            ended(run, 3, result='{"n":1}' if run.run_id.endswith("5") else None) for run in claimed
        ]
        if unusual:
            row = self._put("another")
            run = new_run(row, 0, Status.RUNNING, id="run_another")
            apply(self.connection, [due(row)], Script(Plan(runs=[run])), NODE, micros(at(2)))
            ends.append(ended(claimed_at_birth([due(row)], [run])[0], 3, Status.FAILED, error="boom"))
        return settle(self.connection, ends, micros(at(4)))

    def _put(self, name: str) -> StoredSchedule:
        row = schedule(name, id=f"sched_{name}")
        self.connection.execute(SQL.insert_schedule, schedule_values(row))
        return row

    def content(self) -> list[tuple[Any, ...]]:
        """All that is known of the schedules and of their runs."""
        return [
            *self.connection.execute("SELECT * FROM schedules WHERE name GLOB 's[0-9]*' ORDER BY id"),
            *self.connection.execute("SELECT * FROM runs WHERE id GLOB 'run_sched_*' ORDER BY id"),
        ]


def test_both_ways_write_the_same(tmp_path: Path) -> None:
    usual, general = Batch(tmp_path / "usual.db"), Batch(tmp_path / "general.db")
    for batch, unusual in ((usual, False), (general, True)):
        claimed = batch.fire(unusual=unusual)
        assert len(claimed) == NUMBER
        assert batch.end(claimed, unusual=unusual) == []
    assert usual.ran(USUAL) == set(USUAL)
    assert usual.ran(GENERAL) == set()
    assert general.ran(GENERAL) == set(GENERAL)
    assert usual.content() == general.content()
    assert len(usual.content()) == 2 * NUMBER


def test_a_fire_that_has_its_run_keeps_it(tmp_path: Path) -> None:
    batch = Batch(tmp_path / "duly.db")
    batch.fire(unusual=False)
    before = batch.content()
    again = Plan(runs=[new_run(batch.rows[3], 3, Status.RUNNING, id="run_again")])
    assert apply(batch.connection, [due(batch.rows[3])], Script(again), NODE, micros(START))[1] == set()
    assert batch.content() == before


@pytest.mark.parametrize("name", USUAL)
def test_each_row_is_found_by_its_key(tmp_path: Path, name: str) -> None:
    connection = Batch(tmp_path / "duly.db").connection
    connection.exec_trace = None
    taken, widened = _widened(getattr(SQL, name))[0]
    extra = widened.count("?") - taken
    plan = [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {widened}", (1,) * (taken + extra))]
    assert not any(step.startswith(("SCAN runs", "SCAN schedules")) for step in plan), plan
    assert taken // _widened(getattr(SQL, name))[-1][0] == 1000, "a batch is one statement"
