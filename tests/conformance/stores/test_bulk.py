"""Very many schedules in one call: a store may take them in pieces, without a visible difference."""

from __future__ import annotations

from dataclasses import replace

import pytest

from duly.errors import InvalidInputError
from duly.ports.records import ScheduleFilter, StoredSchedule
from tests.conformance.stores.builders import names, schedule
from tests.conformance.stores.harness import StoreHarness, conformant


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duly.stores.postgres.schedules._AT_ONCE", 2)


@conformant
async def test_ids_come_back_in_the_order_of_the_names(harness: StoreHarness) -> None:
    rows = [schedule(name) for name in "edcba"]
    ids = await harness.store.save(rows, lambda _before, incoming: incoming)
    assert ids == [row.id for row in rows]
    assert names(await harness.store.schedules(ScheduleFilter())) == list("abcde")


@conformant
async def test_a_name_that_is_handed_in_twice_is_one_schedule(harness: StoreHarness) -> None:
    first, last = schedule("a", description="first"), schedule("a", description="last")

    def merge(before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule:
        return incoming if before is None else replace(before, description=incoming.description)

    rows = [first, schedule("b"), schedule("c"), last]
    ids = await harness.store.save(rows, merge)
    assert ids[0] == ids[3] == first.id
    saved = await harness.store.get(first.id)
    assert saved is not None
    assert saved.description == "last"


@conformant
async def test_a_refusal_of_the_last_one_undoes_all_of_them(harness: StoreHarness) -> None:
    await harness.add(kept := schedule("a"))

    def merge(before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule:
        if incoming.name == "e":
            raise InvalidInputError("not this one")
        return incoming if before is None else replace(before, description="changed")

    with pytest.raises(InvalidInputError, match="not this one"):
        await harness.store.save([schedule(name) for name in "abcde"], merge)
    assert await harness.store.schedules(ScheduleFilter()) == [kept]
