"""Reconciling a namespace: reading, deciding and writing in one step."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from threading import Thread

import pytest

from duly.model.run import Status
from duly.ports.records import Standing, StoredSchedule
from duly.ports.store import Glimpse, Reconciliation
from tests.conformance.stores.builders import at, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant

HERE = "declarative:here"


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let schedules be read and written a few at a time, as very many are."""
    for constant in ("postgres.reconcile._AT_ONCE", "postgres.schedules._AT_ONCE", "sqlite.reconcile._AT_ONCE"):
        monkeypatch.setattr(f"duly.stores.{constant}", 2)


class Decision:
    """Notes what it is told, and wants some rows stored and some runs called off."""

    def __init__(self, *rows: StoredSchedule, call_off: Sequence[str] = ()) -> None:
        self._rows = rows
        self._call_off = call_off
        self.told: list[tuple[list[str], list[str]]] = []
        self.fails = False

    def __call__(self, standings: Sequence[Standing], living: Collection[str]) -> Reconciliation:
        self.told.append((sorted(each.name for each in standings), sorted(living)))
        return Reconciliation(
            rows=self._rows, merge=self._merge, events=[], call_off=self._call_off, at=at(7), reason="not needed"
        )

    def _merge(self, before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule | None:
        if self.fails:
            raise ValueError("changed its mind")
        return row if before is None else None


@conformant
async def test_a_decision_is_told_how_the_namespace_stands_and_who_is_alive(harness: StoreHarness) -> None:
    await harness.join("node_a", "node_b")
    await harness.add(schedule("a", namespace=HERE), schedule("b", namespace="elsewhere"))
    await harness.silence("node_a")
    await harness.join("node_c")
    await harness.store.deregister("node_b", harness.now)
    decision = Decision(schedule("new", namespace=HERE))
    await harness.store.reconcile(HERE, decision)
    assert decision.told[-1] == (["a"], ["node_c"])
    assert sorted(each.name for each in await harness.standings(HERE)) == ["a", "new"]


@conformant
async def test_only_runs_that_have_not_begun_are_cancelled(harness: StoreHarness) -> None:
    await harness.join("node_a")
    await harness.add(row := schedule("a", namespace=HERE))
    [begun] = await harness.started(new_run(row, -9))
    await harness.put(pending := new_run(row, 1), waiting := new_run(row, 2, Status.WAITING))
    called_off = [begun.run_id, pending.id, waiting.id, "run_unknown"]
    await harness.store.reconcile(HERE, Decision(row, call_off=called_off))
    assert await harness.statuses(pending, waiting) == [Status.CANCELLED] * 2
    still = await harness.seen(begun.run_id)
    assert (still.status, still.cancel_requested) == (Status.RUNNING, False)
    seen = await harness.seen(waiting.id)
    assert (seen.reason, seen.finished_at) == ("not needed", at(7))
    assert sorted(
        event.run_id or "" for event in await harness.journal() if event.kind.name == "run.cancelled"
    ) == sorted([pending.id, waiting.id])


@conformant
async def test_either_everything_counts_or_nothing_does(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a", namespace=HERE))
    await harness.put(pending := new_run(row, 1))
    decision = Decision(row, schedule("new", namespace=HERE), call_off=[pending.id])
    decision.fails = True
    with pytest.raises(ValueError, match="changed its mind"):
        await harness.store.reconcile(HERE, decision)
    assert await harness.statuses(pending) == [Status.PENDING]
    assert [each.name for each in await harness.standings(HERE)] == ["a"]


@conformant
async def test_of_two_who_decide_at_once_the_second_knows_what_the_first_did(harness: StoreHarness) -> None:
    stores = [harness.store, await harness.another()]
    decisions = [Decision(*(schedule(f"{number}", namespace=HERE) for number in range(20))) for _ in stores]
    both = zip(stores, decisions, strict=True)
    await asyncio.gather(*(store.reconcile(HERE, decision) for store, decision in both))
    assert sorted(len(decision.told[-1][0]) for decision in decisions) == [0, 20]


@conformant
async def test_a_schedule_made_during_the_decision_is_not_overlooked(shared_harness: StoreHarness) -> None:
    decision = Decision(wanted := schedule("wanted", namespace=HERE))
    made = schedule("wanted", namespace=HERE)

    async def make() -> None:
        store = shared_harness.make()
        await store.open()
        await store.save([made], lambda _before, row: row)
        await store.close()

    def overtaken(standings: Sequence[Standing], living: Collection[str]) -> Reconciliation:
        if not decision.told:
            (other := Thread(target=asyncio.run, args=(make(),))).start()
            other.join()
        return decision(standings, living)

    await shared_harness.store.reconcile(HERE, overtaken)
    assert [names for names, _ in decision.told] == [[], ["wanted"]]
    assert await shared_harness.store.get(wanted.id) is None
    assert await shared_harness.saved(made.id) == made


class Glancing:
    """Moves every schedule to another time: one with an even number after a glance, the others by `merge`."""

    def __init__(self) -> None:
        self.seen: dict[str, tuple[Glimpse, datetime | None]] = {}
        self.merged: list[str] = []
        self._names: list[str] = []

    def __call__(self, standings: Sequence[Standing], _living: Collection[str]) -> Reconciliation:
        self._names = [each.name for each in standings]
        return Reconciliation(
            rows=self, merge=self._merge, events=[], call_off=[], at=at(7), reason="not needed", glance=self._glance
        )

    def __iter__(self) -> Iterator[StoredSchedule]:
        return (schedule(name, namespace=HERE) for name in self._names if name not in self.seen or int(name) % 2)

    def _glance(self, stored: Glimpse, watermark: datetime | None) -> datetime | None:
        self.seen[stored.name] = (stored, watermark)
        return None if int(stored.name) % 2 else at(60)

    def _merge(self, before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule | None:
        assert before is not None
        self.merged.append(row.name)
        if before.next_run_at == at(60):
            return None
        return replace(before, next_fire_at=at(60), next_run_at=at(60), updated_at=at(7))


@conformant
async def test_a_glance_writes_the_same_as_a_merge_and_nothing_else(harness: StoreHarness) -> None:
    rows = [
        schedule(
            f"{number}", namespace=HERE, next_fire_at=at(5), next_run_at=None, watermark=at(1), last_status="failed"
        )
        for number in range(5)
    ]
    rows[4] = replace(rows[4], next_fire_at=at(60), next_run_at=at(60))
    elsewhere = schedule("6", namespace="elsewhere", next_fire_at=at(5), next_run_at=at(5))
    await harness.add(*rows, elsewhere)
    await harness.store.reconcile(HERE, decision := Glancing())
    moved = [replace(row, next_fire_at=at(60), next_run_at=at(60), updated_at=at(7)) for row in rows[:4]]
    assert [await harness.saved(row.id) for row in rows] == [*moved, rows[4]]  # the last one had that time
    assert await harness.saved(elsewhere.id) == elsewhere
    if decision.seen:  # a store may do without
        columns = {row.name: tuple(getattr(row, name) for name in Glimpse._fields) for row in rows}
        assert decision.seen == {name: (columns[name], at(1)) for name in columns}
        assert sorted(decision.merged) == ["1", "3"]
