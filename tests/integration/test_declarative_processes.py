"""The declarative scheduler in processes of its own: killed, and beside others on one store."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from duly import Duly
from duly.declarative import Scheduler
from duly.model.events import Event
from tests.postgres_server import server

NEVER = timedelta(hours=1)
EVERY_MINUTE = "* * * * *"
SCRIPT = textwrap.dedent(
    """
    import asyncio, sys
    from datetime import timedelta
    from duly.declarative import Scheduler

    async def forever():
        print("started", flush=True)
        await asyncio.sleep(600)

    async def main():
        await Scheduler(sys.argv[1], tz="UTC").initialize([("a", "* * * * *", forever, timedelta(hours=1))])
        await asyncio.sleep(600)

    asyncio.run(main())
    """
)


def _start_and_kill(store: str) -> None:
    """A scheduler whose process ends in the middle of a callback."""
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, store], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()


async def test_a_killed_process_leaves_an_orphan_that_starts_again_at_once(tmp_path: Path) -> None:
    store = str(tmp_path / "duly.db")
    _start_and_kill(store)
    told: list[Event] = []
    again = asyncio.Event()

    async def callback() -> None:
        again.set()

    scheduler = Scheduler(store, tz="UTC", on_event=told.append)
    await scheduler.initialize([("a", EVERY_MINUTE, callback, NEVER)])
    await asyncio.wait_for(again.wait(), 60)
    await scheduler.stop()
    assert [event.kind.name for event in told if "Orphan" in event.kind.name] == ["TaskOrphaned"]
    assert scheduler.tasks["a"].last_success_at is not None


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "duly.db")
    else:
        with server().database() as url:
            yield url


async def test_a_scheduler_and_an_app_share_a_store_without_touching_each_other(store: str) -> None:
    called = asyncio.Event()

    async def callback() -> None:
        called.set()

    async with Duly(store) as app:

        @app.job
        async def job() -> None:
            """Does nothing."""

        await app.schedule("a", lambda r: r.every(1).hours(), job="job")
        scheduler = Scheduler(store, tz="UTC")
        await scheduler.initialize([("a", EVERY_MINUTE, callback, NEVER)])
        await asyncio.wait_for(called.wait(), 60)
        await scheduler.stop()
        await scheduler.initialize([])
        await scheduler.stop()
        assert [info.name for info in await app.schedules()] == ["a"]
        health = await app.health()
        assert health.overview is not None
        assert health.overview.unserved == {}


async def test_stop_waits_for_a_callback_on_the_machines_own_clock(tmp_path: Path) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def callback() -> None:
        begun.set()
        await asyncio.sleep(0.3)
        ended.set()

    scheduler = Scheduler(str(tmp_path / "duly.db"), tz="UTC")
    await scheduler.initialize([("a", EVERY_MINUTE, callback, NEVER)])
    await asyncio.wait_for(begun.wait(), 60)
    await asyncio.wait_for(scheduler.stop(), 60)
    assert ended.is_set()
    assert scheduler.tasks["a"].last_success_at is not None
