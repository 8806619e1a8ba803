"""A name that is not there is answered with the nearest one that the caller may see, through every way in."""

from __future__ import annotations

import pytest

from duly.entropy import random_bits
from duly.model.action import Job
from duly.model.policy import Policy
from duly.recurrence import every
from duly.service.schedules.drafts import make_draft
from duly.service.schedules.schedules import ScheduleService
from tests.conformance.schedules.harness import DAILY, Refused, ScheduleHarness, scenario


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("plant", "there is no schedule 'plant': did you mean plants?"),
        ("Plants", "there is no schedule 'Plants': did you mean plants?"),
        ("garden", "there is no schedule 'garden'"),
    ],
)
@scenario
async def test_a_slip_is_answered_with_the_name_that_was_meant(harness: ScheduleHarness, typed: str, said: str) -> None:
    await harness.create("plants")
    with pytest.raises(Refused) as refused:
        await harness.get(typed)
    assert str(refused.value) == said


@scenario
async def test_no_name_is_suggested_that_the_caller_may_not_see(crossed: ScheduleHarness) -> None:
    await crossed.create("plants", **{**DAILY, "targets": [{"project_id": "b"}]})
    crossed.as_scope("project:a")
    with pytest.raises(Refused) as refused:
        await crossed.get("plant")
    assert str(refused.value) == "there is no schedule 'plant'"


@scenario
async def test_a_removed_name_is_suggested_only_to_those_who_bring_one_back(crossed: ScheduleHarness) -> None:
    made = await crossed.create("plants")
    await crossed.ask("schedule_delete", schedule_id=made["id"])
    with pytest.raises(Refused) as refused:
        await crossed.get("plant")
    assert str(refused.value) == "there is no schedule 'plant'"


@scenario
async def test_among_very_many_the_names_beside_the_wanted_one_are_looked_at(butler: ScheduleHarness) -> None:
    names = [*(f"a{number:03}" for number in range(300)), "vitamins"]
    schedules = ScheduleService(butler.store, butler.clock, lambda _job: None, random_bits)
    job = Job(name="work")
    await schedules.save([make_draft(name, every(1).hours(), job, "project:a", Policy(), {}) for name in names])
    butler.as_scope("project:a")
    with pytest.raises(Refused, match="did you mean vitamins"):
        await butler.get("vitamin")
