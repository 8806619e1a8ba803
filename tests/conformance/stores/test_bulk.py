"""Very many schedules in one call: a store may take them in pieces, without a visible difference."""

from __future__ import annotations

from dataclasses import replace

import pytest

from duly.errors import InvalidInputError
from duly.model.events import SCHEDULE_CREATED, Event
from duly.planning.chain import ChainCheck
from duly.ports.audit import AuditFilter
from duly.ports.records import ScheduleFilter, StoredSchedule
from tests.conformance.stores.builders import START, names, noting, schedule
from tests.conformance.stores.harness import StoreHarness, conformant


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    for constant in ("crud.audit._AT_ONCE", "postgres.schedules._AT_ONCE", "postgres.transaction._EVENTS_AT_ONCE"):
        monkeypatch.setattr(f"duly.stores.{constant}", 2)


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


@conformant
async def test_the_events_of_one_call_are_in_order_and_one_link_of_the_audit(harness: StoreHarness) -> None:
    rows = [schedule(name) for name in "edcba"]
    told = [Event(SCHEDULE_CREATED, START, row.id, data={"by": "a", "name": row.name}) for row in rows]
    await harness.store.save(rows, lambda _before, incoming: incoming, noting(*told))
    assert await harness.journal() == told
    entries = await harness.store.audit.entries(AuditFilter())
    assert [each.schedule_id for each in reversed(entries)] == [row.id for row in rows]
    head = await harness.store.audit.head()
    assert (head.number, head.seq) == (1, 5)
    check = ChainCheck(head)
    check.follow(await harness.store.audit.links(0, 10))
    check.finish(await harness.store.audit.stray())
    assert check.broken is None
