"""Reads that work out the times of many schedules: one caller's do not keep the event loop from the others."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from duly.config.settings import Settings
from duly.cron import Cron
from duly.recurrence import AnyOf
from duly.runtime.runtime import Runtime
from duly.server.http import make_app
from duly.server.protocols import WithHeaders
from duly.service import heavy_reads
from duly.service.access.scopes import Caller
from tests.world import START, World, served, until

MANY = 12
_DAY = START.date() + timedelta(days=1)
_SPAN = f"start={_DAY}T00:00:00Z&end={_DAY + timedelta(days=2)}T00:00:00Z"
HEAVY = (
    f"/api/v1/load?day={_DAY}",
    f"/api/v1/load/minute?at={_DAY}T00:00:00Z",
    f"/api/v1/day?{_SPAN}",
    f"/api/v1/fires?{_SPAN}",
    "/api/v1/calendar.ics?rhythms=true",
    "/api/v1/reminders?text=zzz",
)


class Held:
    """Reads of the store that begin, and end when the test says so."""

    def __init__(self, here: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = 0
        self.let_go = asyncio.Event()
        store = here.runtime.store
        for owner, name in ((store.timeline, "planned"), (store, "schedules")):
            monkeypatch.setattr(owner, name, self._slow(getattr(owner, name)))

    def _slow(self, read: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def slow(*given: Any) -> Any:
            self.begun += not self.let_go.is_set()
            await self.let_go.wait()
            return await read(*given)

        return slow


def client(here: World, place: str, secret: str) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=None)
    return httpx.AsyncClient(
        base_url=f"http://{place}",
        headers={"Authorization": f"Bearer {secret}"},
        timeout=60,
        limits=limits,
        trust_env=False,
    )


@pytest.mark.parametrize("path", HEAVY)
async def test_a_caller_has_two_heavy_reads_under_way_and_the_others_come_later_or_are_told_when(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    async with served(tmp_path) as (here, place):
        secrets = [await here.token("admin") for _ in range(2)]
        held = Held(here, monkeypatch)
        async with client(here, place, secrets[0]) as greedy, client(here, place, secrets[1]) as other:
            asked = [asyncio.create_task(greedy.get(path)) for _ in range(MANY)]
            await until(lambda: held.begun == heavy_reads.OF_ONE, "two reads")
            beside = asyncio.create_task(other.get(path))
            await until(lambda: held.begun == heavy_reads.OF_ALL, "the read of the other caller")

            async def all_refused() -> bool:
                await here.clock.travel(seconds=1)
                return sum(each.done() for each in asked) == MANY - heavy_reads.OF_ONE

            await until(all_refused, "the refusals")
            assert held.begun == heavy_reads.OF_ALL
            refused = [each.result() for each in asked if each.done()]
            assert {(each.status_code, each.headers["Retry-After"]) for each in refused} == {(429, "1")}
            held.let_go.set()
            assert (await beside).status_code == 200
            assert sorted(each.status_code for each in await asyncio.gather(*asked))[: heavy_reads.OF_ONE] == [200, 200]


async def test_the_event_loop_comes_round_often_while_the_times_of_one_schedule_are_worked_out(tmp_path: Path) -> None:
    """Measured in processor time of the event loop, as a share of the whole: no turn is a large part of it."""
    runtime = Runtime(Settings(data_dir=tmp_path, store=str(tmp_path / "duly.db"), timezone="Europe/Berlin"))
    await runtime.open()
    app = make_app(runtime, host="127.0.0.1")
    async with app.router.lifespan_context(app):
        secret = (await runtime.services.tokens.create(Caller(), "some", "admin")).secret
        ada = (await runtime.services.reminder_service.people.add("Ada")).user.id
        await runtime.services.reminder_service.create(
            ada, AnyOf(*(Cron(f"*/{every} * * * *") for every in (1, 2, 3))), "Look"
        )
        transport = httpx.ASGITransport(WithHeaders(app))
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765", headers=headers) as http:
            await http.get("/api/v1/load")  # what is loaded late is loaded now
            turns = await _turns_during(http.get(f"/api/v1/load?day={datetime.now(UTC).date() + timedelta(days=6)}"))
    assert max(turns) < sum(turns) / 4, (max(turns), sum(turns))


async def _turns_during(asking: Awaitable[httpx.Response]) -> list[float]:
    """Give how much processor time each turn of the event loop took until an answer came."""
    task = asyncio.ensure_future(asking)
    turns = []
    gc.disable()  # what a collection takes depends on all the objects of this process
    try:
        while not task.done():
            before = time.thread_time()
            await asyncio.sleep(0)
            turns.append(time.thread_time() - before)
    finally:
        gc.enable()
    assert (await task).status_code == 200
    return turns
