"""Silence is visible: a loop that stands still is reported by its own heartbeat, and from outside health is red."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from duly import Duly, EngineSettings, Health, Light
from tests.integration.engine_support.process_cluster import STORES, ProcessCluster, process_cluster
from tests.integration.engine_support.waiting import eventually

POLL = 0.3
LEASE = 3.0
"""The heartbeat looks at the loop three times in this time."""


@pytest.fixture(params=STORES)
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProcessCluster]:
    with process_cluster(request.param, tmp_path) as made:
        yield made


def _health(cluster: ProcessCluster) -> Health:
    """As another process sees it."""

    async def asking() -> Health:
        app = Duly(cluster.url, settings=EngineSettings(poll=POLL))
        await app.open()
        try:
            return await app.health()
        finally:
            await app.close()

    return asyncio.run(asking())


def test_a_blocked_loop_is_reported_while_it_is_blocked(cluster: ProcessCluster) -> None:
    """How soon, is a matter of virtual time: tests/sim/test_leases.py."""
    worker = cluster.start(poll=POLL, lease=LEASE)
    cluster.add(cluster.once("frozen", "freeze_until", until=cluster.path("go")), cluster.once("waiting", after=0.5))
    cluster.entered("frozen")
    stalled = worker.saw("engine.stalled")
    assert stalled["data"]["seconds"] > 3 * POLL
    health = eventually(lambda: _if_red(cluster), "a red light")
    assert health.reasons[0].startswith("the oldest due fire has waited")
    assert not cluster.entries("frozen", "exit"), "all of that while it stood still"

    cluster.touch("go")
    assert cluster.ended("waiting").status == "succeeded"
    assert worker.saw("engine.resumed")["at"] > stalled["at"]
    eventually(lambda: _health(cluster).light is Light.GREEN, "a green light")
    worker.stop()
    assert len(worker.events("engine.stalled")) == 1
    cluster.check()


def _if_red(cluster: ProcessCluster) -> Health | None:
    health = _health(cluster)
    return health if health.light is Light.RED else None


def test_health_asked_from_another_thread_reports_the_blocked_loop(tmp_path: Path) -> None:
    with process_cluster("sqlite", tmp_path) as cluster:
        app = cluster.app(EngineSettings(poll=POLL, lease=LEASE))
        app.start()
        try:
            # Not at once, or the answer to this call might wait for the end of the freeze.
            soon, args = timedelta(seconds=0.5), {"until": cluster.path("go")}
            app.sync.schedule("frozen", lambda each: each.run_delayed(soon), job="freeze_until", args=args)
            reasons = eventually(lambda: _reasons(app), "a red light")
            assert reasons[0].startswith("the loop has not moved for")
        finally:
            cluster.touch("go")
            app.stop()


def _reasons(app: Duly) -> list[str]:
    return asyncio.run(app.engine.health()).reasons


def test_an_engine_ticked_by_hand_is_not_reported_as_stalled(cluster: ProcessCluster) -> None:
    events: list[str] = []
    app = cluster.app(EngineSettings(poll=POLL, lease=LEASE), on_event=lambda event: events.append(event.kind.name))

    async def by_hand() -> None:
        await app.schedule("slow", lambda recurring: recurring.run_now(), job="block", args={"seconds": 2.5})
        assert await app.tick() == 1
        await app.close()

    asyncio.run(_opened(app, by_hand))
    assert "engine.stalled" not in events


async def _opened(app: Duly, then: object) -> None:
    await app.open()
    assert callable(then)
    await then()
