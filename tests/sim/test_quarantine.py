"""A row that nobody can read is set aside and shown; the others do not notice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from duly.cron import Cron
from duly.model.run import Status
from tests.sim.lab import Lab, in_lab

QUARTERS = Cron("*/15 * * * *")


async def task() -> None:
    """Nothing to do."""


@pytest.mark.parametrize("damaged", ["trigger", "policy"])
def test_a_damaged_schedule_hurts_nobody_else(damaged: str) -> None:
    @in_lab
    async def inside(lab: Lab) -> None:
        node = await lab.node(task)
        bad = await lab.schedule(task, QUARTERS, name="bad")
        nonsense: dict[str, Any] = {damaged: '{"kind": "nonsense"}'}
        good = await lab.schedule(task, QUARTERS, name="good")
        await lab.store.edit([bad], lambda row: replace(row, **nonsense))
        await lab.pass_time(minutes=31)
        assert await lab.statuses(good) == [Status.SUCCEEDED] * 2
        assert await lab.statuses(bad) == []
        shown = await lab.service.get(bad)
        assert shown.schedule is None
        assert shown.state.quarantine
        assert (shown.state.enabled, shown.state.disabled_by) == (False, "quarantine")
        health = await node.engine.health()
        assert health.light == "yellow"
        assert "quarantine" in health.reasons[0]
        names = [event.kind.name for _, event in await lab.store.journal(0, 99)]
        assert names.count("schedule.quarantined") == 1

    inside()


@in_lab
async def test_a_definition_that_can_be_read_ends_the_quarantine(lab: Lab) -> None:
    await lab.node(task)
    schedule = await lab.schedule(task, QUARTERS)
    await lab.store.edit([schedule], lambda row: replace(row, trigger="{}"))
    await lab.pass_time(minutes=16)
    assert await lab.schedule(task, QUARTERS) == schedule
    await lab.pass_time(minutes=15)
    assert await lab.statuses() == [Status.SUCCEEDED]
    assert (await lab.service.get(schedule)).state.quarantine is None


@in_lab
async def test_an_action_that_cannot_be_read_fails_its_own_runs_only(lab: Lab) -> None:
    await lab.node(task)
    bad = await lab.schedule(task, QUARTERS, name="bad")
    good = await lab.schedule(task, QUARTERS, name="good")
    await lab.store.edit([bad], lambda row: replace(row, action="not JSON"))
    await lab.pass_time(minutes=16)
    assert await lab.statuses(good) == [Status.SUCCEEDED]
    (run,) = await lab.runs(bad)
    assert run.status is Status.FAILED
    assert "is not JSON" in str(run.error)
