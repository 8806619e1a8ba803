"""`tick()` by hand: everything that is due, one after the other, in the order it fell due."""

from __future__ import annotations

from typing import Any

import pytest

from duly.cron import Cron
from duly.errors import DulyError
from duly.model.policy import Policy, Retry
from duly.model.run import Status
from tests.sim.lab import SETTINGS, Lab, in_lab


@in_lab
async def test_a_tick_is_serial_ordered_and_counts_what_succeeded(lab: Lab) -> None:
    acting: list[str] = []

    async def task(name: str) -> None:
        acting.append(f"{name} in")
        await lab.clock.sleep(5)
        acting.append(f"{name} out")
        if name == "second":
            raise ValueError("no")

    node = await lab.node(task, start=False)
    for name, minute in (("third", 30), ("first", 10), ("second", 20), ("not yet", 50)):
        await lab.schedule(task, Cron(f"{minute} * * * *"), name=name, args={"name": name})
    await lab.pass_time(minutes=40)
    assert await lab.done(node.engine.tick(lab.clock.now()), seconds=30) == 2
    assert acting == [f"{name} {what}" for name in ("first", "second", "third") for what in ("in", "out")]
    assert sorted(await lab.statuses()) == [Status.FAILED, Status.SUCCEEDED, Status.SUCCEEDED]
    assert (await lab.store.overview(lab.clock.now())).nodes == []
    assert await lab.done(node.engine.tick(lab.clock.now()), seconds=1) == 0


@in_lab
async def test_a_retry_is_taken_up_by_a_later_tick(lab: Lab) -> None:
    calls: list[int] = []

    async def task() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("no")

    node = await lab.node(task, start=False)
    await lab.schedule(task, Cron("0 * * * *"), Policy(retry=Retry(max_attempts=2)))
    await lab.pass_time(hours=1)
    assert await node.engine.tick(lab.clock.now()) == 0
    await lab.pass_time(minutes=1)
    assert await node.engine.tick(lab.clock.now()) == 1
    assert (await lab.run()).attempt == 2


@in_lab
async def test_a_running_engine_ticks_by_itself(lab: Lab) -> None:
    node = await lab.node()
    with pytest.raises(DulyError, match="ticks by itself"):
        await node.engine.tick(lab.clock.now())


@in_lab
async def test_a_tick_that_loses_its_lease_claims_nothing_more(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(2 * SETTINGS.lease)

    node = await lab.node(slow, start=False)
    await lab.schedule(slow, Cron("0 * * * *"), name="one")
    await lab.schedule(slow, Cron("0 * * * *"), name="two")
    await lab.pass_time(hours=1)
    lab.weather.cut_off("a", 0)

    async def cut_off() -> None:
        await lab.clock.sleep(10)
        lab.weather.cut_off("a", SETTINGS.lease)

    breaking = cut_off()
    await lab.done(_both(node.engine.tick(lab.clock.now()), breaking), seconds=4 * SETTINGS.lease)
    assert {run.owner for run in await lab.runs()} <= {None, *(run.owner for run in await lab.runs() if run.owner)}
    assert "" not in {run.owner for run in await lab.runs()}
    await lab.node(slow, name="b")
    await lab.pass_time(hours=1)
    assert [run.status for run in await lab.runs() if run.fire.fire_at.hour == 1] == [Status.SUCCEEDED] * 2


async def _both(*works: Any) -> Any:
    import asyncio

    return await asyncio.gather(*works)
