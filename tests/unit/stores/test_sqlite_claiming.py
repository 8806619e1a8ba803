"""The cost of a claim grows with the runs it takes, not with those that wait: counted in steps of SQLite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from duly.model.run import Status
from duly.planning.places import Pool
from duly.ports.records import Claimed, Cycle, Plan, StoredSchedule
from duly.stores import queries
from duly.stores.sqlite.claiming import claim
from duly.stores.sqlite.cycle import plan_given
from duly.stores.sqlite.file import connect
from duly.stores.sqlite.rows import micros, schedule_values
from tests.conformance.stores.builders import JOB, START, Script, at, new_run, schedule

SQL = queries.load("sqlite")
ADA, BEN = "user:ada", "user:ben"
FEW, MANY = 40, 4000


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    made = connect(tmp_path / "duly.db")
    for _, script in queries.migrations("sqlite"):
        made.execute(script)
    yield made
    made.close()


def put(connection: apsw.Connection, owner: str, number: int, status: Status = Status.PENDING) -> StoredSchedule:
    """A schedule of an owner with so many runs, all of them due."""
    row = schedule(f"{owner} {number}", namespace=owner)
    connection.execute(SQL.insert_schedule, schedule_values(row))
    runs = [new_run(row, -10_000 + each, status) for each in range(number)]
    plan_given(connection, [row.id], Script(Plan(runs=runs)), micros(START))
    return row


def steps(connection: apsw.Connection, work: Callable[[], object]) -> int:
    """How many steps of the machine some work takes, to the nearest ten."""
    counted = 0

    def count() -> bool:
        nonlocal counted
        counted += 10
        return False

    connection.set_progress_handler(count, 10)
    try:
        work()
    finally:
        connection.set_progress_handler(None)
    return counted


def turn(*pools: Pool) -> Cycle:
    return Cycle("node_a", at(0), handlers=(JOB,), pools=pools)


def claimed(connection: apsw.Connection, asked: Cycle) -> list[Claimed]:
    return claim(connection, asked, []).runs


def cost(connection: apsw.Connection, asked: Cycle) -> int:
    """The steps of a claim that is undone."""
    connection.execute("SAVEPOINT cost")
    try:
        return steps(connection, lambda: claim(connection, asked, []))
    finally:
        connection.execute("ROLLBACK TO cost")
        connection.execute("RELEASE cost")


@pytest.mark.parametrize("share", [0.5, 1.0])
@pytest.mark.parametrize("owner", ["default", ADA])
def test_ten_times_as_many_that_wait_cost_no_more(connection: apsw.Connection, owner: str, share: float) -> None:
    asked = turn(Pool(handlers=(JOB,), size=8, owner_share=share))
    put(connection, owner, 10 * FEW)
    before = cost(connection, asked)
    put(connection, owner, MANY)
    put(connection, owner, 3 * MANY, Status.SUCCEEDED)
    assert cost(connection, asked) < 1.5 * before + 200


def test_runs_of_a_full_lane_are_not_read(connection: apsw.Connection) -> None:
    full = turn(Pool(handlers=(JOB,), size=8, owner_share=0.5, held={ADA: 4}))
    put(connection, ADA, FEW)
    put(connection, BEN, 1)
    before = cost(connection, full)
    put(connection, ADA, MANY)
    assert cost(connection, full) < 1.5 * before + 200
    assert {run.namespace for run in claimed(connection, full)} == {BEN}


def test_a_turn_that_finds_nothing_due_costs_the_same_however_many_wait_for_later(connection: apsw.Connection) -> None:
    asked = replace(turn(Pool(handlers=(JOB,), size=8)), now=at(-20_000))
    put(connection, ADA, FEW)
    before = cost(connection, asked)
    for number in range(FEW):
        put(connection, f"user:{number}", 1)
    put(connection, ADA, MANY)
    assert cost(connection, asked) < 1.5 * before + 200
