"""A schedule whose row cannot be decoded is quarantined and shown; the other schedules go on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from duly.cron import Cron
from duly.model.run import Status
from tests.sim.cluster import VirtualCluster, virtual_cluster, with_cluster

QUARTERS = Cron("*/15 * * * *")


async def task() -> None:
    """Nothing to do."""


@pytest.mark.parametrize("damaged", ["trigger", "policy"])
async def test_a_damaged_schedule_is_quarantined_and_the_others_fire(damaged: str) -> None:
    async with virtual_cluster() as cluster:
        node = await cluster.node(task)
        bad = await cluster.schedule(task, QUARTERS, name="bad")
        nonsense: dict[str, Any] = {damaged: '{"kind": "nonsense"}'}
        good = await cluster.schedule(task, QUARTERS, name="good")
        await cluster.store.edit([bad], lambda row: replace(row, **nonsense))
        await cluster.pass_time(minutes=31)
        assert await cluster.statuses(good) == [Status.SUCCEEDED] * 2
        assert await cluster.statuses(bad) == []
        shown = await cluster.service.get(bad)
        assert shown.schedule is None
        assert shown.state.quarantine
        assert (shown.state.enabled, shown.state.disabled_by) == (False, "quarantine")
        health = await node.engine.health()
        assert health.light == "yellow"
        assert "quarantine" in health.reasons[0]
        names = [event.kind.name for _, event in await cluster.store.journal(0, 99)]
        assert names.count("schedule.quarantined") == 1


@with_cluster
async def test_a_new_definition_ends_the_quarantine(cluster: VirtualCluster) -> None:
    await cluster.node(task)
    schedule = await cluster.schedule(task, QUARTERS)
    await cluster.store.edit([schedule], lambda row: replace(row, trigger="{}"))
    await cluster.pass_time(minutes=16)
    assert await cluster.schedule(task, QUARTERS) == schedule
    await cluster.pass_time(minutes=15)
    assert await cluster.statuses() == [Status.SUCCEEDED]
    assert (await cluster.service.get(schedule)).state.quarantine is None


@with_cluster
async def test_an_undecodable_action_fails_only_the_runs_of_its_schedule(cluster: VirtualCluster) -> None:
    await cluster.node(task)
    bad = await cluster.schedule(task, QUARTERS, name="bad")
    good = await cluster.schedule(task, QUARTERS, name="good")
    await cluster.store.edit([bad], lambda row: replace(row, action="not JSON"))
    await cluster.pass_time(minutes=16)
    assert await cluster.statuses(good) == [Status.SUCCEEDED]
    (run,) = await cluster.runs(bad)
    assert run.status is Status.FAILED
    assert "is not JSON" in str(run.error)
