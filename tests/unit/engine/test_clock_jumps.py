"""A wall clock that is set, a machine that sleeps: an engine on virtual time notices as soon as a real one would."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from duly import Cron, Duly, EngineSettings, Event
from duly.model.run import Status
from duly.testing import VirtualClock

START = datetime(2026, 1, 1, tzinfo=UTC)
POLL = EngineSettings().poll


async def ring() -> None:
    """Nothing to do."""


@pytest.mark.parametrize("asleep", [timedelta(hours=8), timedelta(days=60)])  # within the lease, and far beyond it
async def test_a_fire_of_the_time_asleep_is_carried_out_within_a_poll(duly_store: str, asleep: timedelta) -> None:
    clock = VirtualClock(START)
    app = Duly(duly_store, clock=clock)
    async with app:
        await app.schedule("hourly", Cron("0 * * * *"), job=ring)
        await clock.travel(minutes=30)
        clock.suspend(asleep)
        await clock.travel(seconds=POLL)
        runs = {made.status: made for made in await app.history("hourly")}
        assert app.runs("hourly") == 1
    assert runs[Status.SUCCEEDED].fire.fire_at == START + asleep
    assert runs[Status.MISSED].skipped == asleep // timedelta(hours=1) - 1
    assert clock.monotonic() == 1800 + POLL


async def test_a_fire_that_setting_the_clock_forward_makes_due_is_carried_out_within_a_poll(duly_store: str) -> None:
    clock = VirtualClock(START)
    app = Duly(duly_store, clock=clock)
    async with app:
        await app.schedule("hourly", Cron("0 * * * *"), job=ring)
        await clock.travel(minutes=30)
        clock.step(timedelta(hours=2))
        assert app.runs("hourly") == 0
        await clock.travel(seconds=POLL)
        assert app.runs("hourly") == 1


async def test_setting_the_clock_back_is_told_of_within_a_poll_and_fires_nothing_again(duly_store: str) -> None:
    clock, told = VirtualClock(START), list[Event]()
    app = Duly(duly_store, clock=clock, on_event=told.append)
    async with app:
        await app.schedule("hourly", Cron("0 * * * *"), job=ring)
        await clock.travel(hours=3, minutes=30)
        clock.step(timedelta(hours=-2))
        await clock.travel(seconds=POLL)
        [event] = [each for each in told if each.kind.name == "clock.stepped_back"]
        await clock.travel(hours=1, minutes=45)
        assert app.runs("hourly") == 3
        await clock.travel(hours=1)
        assert app.runs("hourly") == 4
    assert event.data["seconds"] == 7200 - POLL


async def test_a_timeout_does_not_run_while_the_machine_sleeps(duly_store: str) -> None:
    clock, woken = VirtualClock(START), list[float]()
    app = Duly(duly_store, clock=clock)

    @app.job
    async def wait() -> None:
        await clock.sleep(60)
        woken.append(clock.monotonic())

    async with app:
        await app.schedule("slow", Cron("0 1 * * *"), job=wait)
        await clock.travel(hours=1, seconds=10)
        clock.suspend(timedelta(hours=5))
        await clock.travel(seconds=40)
        assert woken == []
        await clock.travel(seconds=20)
    assert woken == [3660.0]


async def test_an_engine_that_has_stopped_is_not_woken(duly_store: str) -> None:
    clock = VirtualClock(START)
    app = Duly(duly_store, clock=clock)
    async with app:
        await app.schedule("hourly", Cron("0 * * * *"), job=ring)
    clock.suspend(timedelta(hours=5))
    assert clock.next_wake_up is None
    async with app:
        await clock.travel(seconds=POLL)
        assert app.runs("hourly") == 1
