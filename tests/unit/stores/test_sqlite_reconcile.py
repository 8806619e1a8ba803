"""SQLite decides before it takes the write lock, and decides again only if something has changed meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from duly.model.run import Status
from duly.ports.records import Standing, StoredSchedule
from duly.ports.store import Reconciliation
from duly.stores.sqlite import reconcile
from tests.conformance.stores.builders import at, due_schedule, new_run, schedule
from tests.conformance.stores.harness import InlineSqliteHarness, SqliteHarness

HERE = "declarative:here"
Told = tuple[dict[str, list[Status]], list[str]]


class Overtaken:
    """Decide while another process writes, the first time; moves every schedule to another time."""

    def __init__(self, path: Path, *statements: str) -> None:
        self._path = path
        self._statements = statements
        self.told: list[Told] = []
        self.rows: list[StoredSchedule] = []

    def __call__(self, standings: Sequence[Standing], living: Collection[str]) -> Reconciliation:
        self.told.append(({each.name: [run.status for run in each.unfinished] for each in standings}, sorted(living)))
        if len(self.told) == 1:
            with apsw.Connection(str(self._path)) as other:  # has no patience: it fails if it has to wait
                for statement in self._statements:
                    other.execute(statement)
        rows = [schedule(name, namespace=HERE) for name in self.told[-1][0]]
        return Reconciliation(rows=rows, merge=self._merge, events=[], call_off=[], at=at(7), reason="not needed")

    def _merge(self, before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule | None:
        return row if before is None else replace(before, next_fire_at=at(60), next_run_at=at(60), updated_at=at(7))


def overtake(path: Path, statement: str, *, world: Callable[[Path], SqliteHarness] = SqliteHarness) -> Overtaken:
    """Reconcile one schedule with a waiting run, while another process runs a statement."""
    decision = Overtaken(path, statement)

    async def scenario() -> None:
        async with world(path) as here:
            await here.join("node_a")
            row = due_schedule("a", 5, namespace=HERE)
            await here.add(row, due_schedule("b", 5, namespace="elsewhere"))
            await here.put(new_run(row, 1))
            await here.store.reconcile(HERE, decision)
            decision.rows += [each for each in [await here.store.get(row.id)] if each is not None]

    asyncio.run(scenario())
    return decision


PENDING = {"a": [Status.PENDING]}
MEANWHILE = {
    "a run was begun": ("UPDATE runs SET status = 'running', owner = 'node_b'", ({"a": [Status.RUNNING]}, ["node_a"])),
    "a run has ended": ("UPDATE runs SET status = 'succeeded', finished_at = 9", ({"a": []}, ["node_a"])),
    "a schedule has ended a run": ("UPDATE schedules SET total_runs = 5", (PENDING, ["node_a"])),
    "a schedule was described": ("UPDATE schedules SET description = 'new'", (PENDING, ["node_a"])),
    "a schedule was deleted": ("UPDATE schedules SET deleted_at = 9", ({}, ["node_a"])),
    "a node has left": ("UPDATE nodes SET state = 'stopped'", (PENDING, [])),
}


@pytest.mark.parametrize("what", MEANWHILE)
def test_what_has_changed_meanwhile_is_decided_anew(what: str, tmp_path: Path) -> None:
    statement, expected = MEANWHILE[what]
    decision = overtake(tmp_path / "duly.db", statement)
    assert decision.told == [(PENDING, ["node_a"]), expected]


def test_nothing_that_others_wrote_is_overwritten(tmp_path: Path) -> None:
    [row] = overtake(tmp_path / "duly.db", "UPDATE schedules SET description = 'new', fires = 3").rows
    assert (row.description, row.fires, row.next_run_at, row.updated_at) == ("new", 3, at(60), at(7))


@pytest.mark.parametrize("world", [SqliteHarness, InlineSqliteHarness])
def test_what_has_nothing_to_do_with_it_may_change(world: Callable[[Path], SqliteHarness], tmp_path: Path) -> None:
    decision = overtake(
        tmp_path / "duly.db",
        "UPDATE nodes SET beat_at = beat_at + 1; UPDATE schedules SET fires = 3 WHERE namespace = 'elsewhere'",
        world=world,
    )
    assert decision.told == [(PENDING, ["node_a"])]
    assert [(row.next_fire_at, row.next_run_at) for row in decision.rows] == [(at(60), at(60))]


def test_a_namespace_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconcile, "_AT_ONCE", 2)
    names = ["a", "B", "é", "日本", '"quoted"', "a'b", "\x1e"]
    decision = Overtaken(tmp_path / "duly.db")

    async def scenario() -> list[StoredSchedule]:
        async with SqliteHarness(tmp_path / "duly.db") as here:
            rows = [due_schedule(name, 5, namespace=HERE) for name in names]
            await here.add(*rows)
            await here.store.reconcile(HERE, decision)
            return [await here.saved(row.id) for row in rows]

    found = asyncio.run(scenario())
    assert [row.name for row in found] == names
    assert {row.next_run_at for row in found} == {at(60)}
    assert len(decision.told) == 1
