"""Silence is visible: a loop that stands still is reported by its own heartbeat, and from outside health is red."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from duly import Duly, EngineSettings, Health, Light
from tests.integration.engine_support.lab import STORES, Lab, laboratory
from tests.integration.engine_support.waiting import eventually

POLL = 0.3
LEASE = 3.0
"""The heartbeat looks at the loop three times in this time."""


@pytest.fixture(params=STORES)
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lab]:
    with laboratory(request.param, tmp_path) as made:
        yield made


def _health(lab: Lab) -> Health:
    """As another process sees it."""

    async def asking() -> Health:
        app = Duly(lab.url, settings=EngineSettings(poll=POLL))
        await app.open()
        try:
            return await app.health()
        finally:
            await app.close()

    return asyncio.run(asking())


def test_a_loop_that_stands_still_is_reported_while_it_does(lab: Lab) -> None:
    """How soon, is a matter of virtual time: tests/sim/test_leases.py."""
    worker = lab.start(poll=POLL, lease=LEASE)
    lab.add(lab.once("frozen", "freeze_until", until=lab.path("go")), lab.once("waiting", after=0.5))
    lab.entered("frozen")
    stalled = worker.saw("engine.stalled")
    assert stalled["data"]["seconds"] > 3 * POLL
    health = eventually(lambda: _if_red(lab), "a red light")
    assert health.reasons[0].startswith("the oldest due fire has waited")
    assert not lab.entries("frozen", "exit"), "all of that while it stood still"

    lab.touch("go")
    assert lab.ended("waiting").status == "succeeded"
    assert worker.saw("engine.resumed")["at"] > stalled["at"]
    eventually(lambda: _health(lab).light is Light.GREEN, "a green light")
    worker.stop()
    assert len(worker.events("engine.stalled")) == 1
    lab.check()


def _if_red(lab: Lab) -> Health | None:
    health = _health(lab)
    return health if health.light is Light.RED else None


def test_asked_from_another_thread_the_engine_itself_says_so(tmp_path: Path) -> None:
    with laboratory("sqlite", tmp_path) as lab:
        app = lab.app(EngineSettings(poll=POLL, lease=LEASE))
        app.start()
        try:
            # Not at once, or the answer to this call might wait for the end of the freeze.
            soon, args = timedelta(seconds=0.5), {"until": lab.path("go")}
            app.sync.schedule("frozen", lambda each: each.run_delayed(soon), job="freeze_until", args=args)
            reasons = eventually(lambda: _reasons(app), "a red light")
            assert reasons[0].startswith("the loop has not moved for")
        finally:
            lab.touch("go")
            app.stop()


def _reasons(app: Duly) -> list[str]:
    return asyncio.run(app.engine.health()).reasons


def test_an_engine_driven_by_hand_is_not_taken_for_a_stalled_one(lab: Lab) -> None:
    events: list[str] = []
    app = lab.app(EngineSettings(poll=POLL, lease=LEASE), on_event=lambda event: events.append(event.kind.name))

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
