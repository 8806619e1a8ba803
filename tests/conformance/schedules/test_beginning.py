"""A series without a day of the month takes it when it is made, keeps it over restarts, and old series keep theirs."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from duly.entropy import random_bits
from duly.model.action import Job
from duly.recurrence import as_trigger, every, run_now
from duly.recurrence.coerce import TriggerLike
from duly.service.schedules.drafts import Draft
from duly.service.schedules.schedules import ScheduleService
from tests.conformance.schedules.harness import ScheduleHarness, scenario
from tests.conformance.stores.damaging import damage, stored

OLD_MONTH = {
    "v": 1,
    "kind": "recurring_task",
    "run_now": False,
    "month_interval": {
        "v": 1,
        "kind": "month_interval",
        "interval": 1,
        "tz": "UTC",
        "dst": "once",
        "on_days_of_month": [],
        "on_days": [],
        "on_times": [],
        "on_months": [],
    },
    "min_gap": "PT30S",
}
"""What the first release stored for `every(1).months()`: it ran on the 1st."""


async def register(harness: ScheduleHarness, when: TriggerLike) -> None:
    """What a program does at every start: `app.schedule("rent", …)`."""
    service = ScheduleService(harness.store, harness.clock, lambda _job: None, random_bits)
    await service.save([Draft(name="rent", trigger=as_trigger(when), action=Job("backup"))])


async def next_fire(harness: ScheduleHarness) -> datetime | None:
    return (await harness.row("rent")).next_fire_at


def to(harness: ScheduleHarness, moment: datetime) -> None:
    harness.clock.advance(moment - harness.now)


@scenario
async def test_the_day_is_stored_when_the_series_is_made(butler: ScheduleHarness) -> None:
    to(butler, datetime(2026, 1, 15, 10, tzinfo=UTC))
    await register(butler, run_now().then().every(2).months())
    assert await next_fire(butler) == butler.now
    assert await butler.tick() == 1
    assert await next_fire(butler) == datetime(2026, 3, 15, tzinfo=UTC)
    trigger: dict[str, Any] = json.loads(str(stored(butler.store_harness, "trigger", "rent")))
    assert trigger["month_interval"]["start"] == "2026-01-15"


@scenario
async def test_a_program_that_starts_again_does_not_move_the_day(butler: ScheduleHarness) -> None:
    to(butler, datetime(2026, 1, 15, 10, tzinfo=UTC))
    await register(butler, every(2).months())
    before = await butler.row("rent")
    to(butler, datetime(2026, 1, 20, 10, tzinfo=UTC))
    await register(butler, every(2).months())
    assert await butler.row("rent") == before
    await register(butler, every(3).months())
    assert await next_fire(butler) == datetime(2026, 4, 20, tzinfo=UTC)


@scenario
async def test_a_series_stored_before_keeps_the_first(butler: ScheduleHarness) -> None:
    to(butler, datetime(2026, 1, 15, 10, tzinfo=UTC))
    await register(butler, every(1).months().on_day(1))
    old = json.dumps(OLD_MONTH, separators=(",", ":"))
    damage(butler.store_harness, "schedules", "trigger", old, "rent")
    assert await butler.tick(days=17) == 1
    assert await next_fire(butler) == datetime(2026, 3, 1, tzinfo=UTC)
    await register(butler, every(1).months())  # the program is upgraded, and says what it always said
    assert json.loads(str(stored(butler.store_harness, "trigger", "rent"))) == OLD_MONTH
    assert await next_fire(butler) == datetime(2026, 3, 1, tzinfo=UTC)
    assert (await butler.row("rent")).version == 1


@scenario
async def test_drafts_that_share_a_chain_begin_together(butler: ScheduleHarness) -> None:
    to(butler, datetime(2026, 1, 15, 10, tzinfo=UTC))
    service = ScheduleService(butler.store, butler.clock, lambda _job: None, random_bits)
    shared, other = as_trigger(every(1).months()), as_trigger(every(2).months())
    triggers = {"a": shared, "b": other, "c": shared}
    await service.save([Draft(name=name, trigger=each, action=Job("backup")) for name, each in triggers.items()])
    fires = {name: (await butler.row(name)).next_fire_at for name in triggers}
    assert fires == {
        "a": datetime(2026, 2, 15, tzinfo=UTC),
        "b": datetime(2026, 3, 15, tzinfo=UTC),
        "c": datetime(2026, 2, 15, tzinfo=UTC),
    }
    assert (await butler.row("a")).trigger == (await butler.row("c")).trigger != (await butler.row("b")).trigger


@scenario
async def test_renaming_a_series_does_not_begin_it_anew(harness: ScheduleHarness) -> None:
    to(harness, datetime(2026, 1, 15, 10, tzinfo=UTC))
    await register(harness, every(1).months())
    before = await harness.row("rent")
    harness.clock.advance(timedelta(days=5))
    await harness.update(before.id, name="flat")
    assert (await harness.row("flat")).trigger == before.trigger
