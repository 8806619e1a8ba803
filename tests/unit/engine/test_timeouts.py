"""A job that takes too long: its error says so once, in the history and in the log."""

from __future__ import annotations

import asyncio
import logging
import threading
from datetime import timedelta

import pytest

from duly import Duly, Event, Policy
from duly.recurrence import run_now
from duly.testing import VirtualClock

HASTY = Policy(timeout=timedelta(seconds=2))


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """What the log says about the runs that failed."""
    return "\n".join(record.getMessage() for record in caplog.records if record.getMessage().startswith("run.failed"))


async def test_a_job_in_the_loop(duly_store: str, caplog: pytest.LogCaptureFixture) -> None:
    clock = VirtualClock()
    app = Duly(duly_store, clock=clock)

    @app.job
    async def wait_for_ever() -> None:
        await asyncio.Event().wait()

    with caplog.at_level(logging.ERROR, "duly"):
        async with app:
            await app.schedule("slow", run_now(), job=wait_for_ever, policy=HASTY)
            await clock.travel(seconds=5)
            [made] = await app.history("slow")
    assert made.error == "RunTimeoutError: timed out after 2 s"
    said = logged(caplog)
    assert said.count("RunTimeoutError") == said.count("timed out after") == 1
    assert "in wait_for_ever" in said  # where it stood when its time was up


async def test_a_job_in_a_thread(duly_store: str, caplog: pytest.LogCaptureFixture) -> None:
    clock, begun, failed, let_go = VirtualClock(), asyncio.Event(), asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hear(event: Event) -> None:
        if event.kind.name == "run.failed":
            failed.set()

    app = Duly(duly_store, clock=clock, on_event=hear)

    @app.job
    def hold() -> None:
        loop.call_soon_threadsafe(begun.set)
        let_go.wait()
        raise ValueError("too late to matter")

    with caplog.at_level(logging.ERROR, "duly"):
        async with app:
            await app.schedule("slow", run_now(), job=hold, policy=HASTY)
            await clock.travel(seconds=1)
            await begun.wait()
            await clock.travel(seconds=5)
            let_go.set()
            await failed.wait()
            await clock.travel(seconds=5)
            [made] = await app.history("slow")
    assert made.error == "RunTimeoutError: timed out after 2 s"
    said = logged(caplog)
    assert said.count("RunTimeoutError") == said.count("timed out after") == 1
