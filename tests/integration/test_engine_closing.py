"""Closing while something else is under way: a tick by hand, a start, another close."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from duly import Duly, DulyError, StoreUnavailableError
from tests.integration.engine_support.process_cluster import STORES, ProcessCluster, process_cluster


@pytest.fixture(params=STORES)
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProcessCluster]:
    with process_cluster(request.param, tmp_path) as made:
        yield made


class Program:
    """An app with one job that is due, begins, and ends when it is told to."""

    def __init__(self, cluster: ProcessCluster) -> None:
        self.app = Duly(cluster.url)
        self.begun, self.let_go = asyncio.Event(), asyncio.Event()
        self.app.job(self.hold)

    async def hold(self) -> None:
        self.begun.set()
        await self.let_go.wait()

    @asynccontextmanager
    async def ticking(self) -> AsyncIterator[asyncio.Task[int]]:
        """A tick by hand that has begun the job."""
        await self.app.open()
        await self.app.schedule("held", lambda recurring: recurring.run_now(), job="hold")
        tick = asyncio.ensure_future(self.app.tick())
        await self.begun.wait()
        yield tick
        self.let_go.set()
        await asyncio.wait({tick})
        await self.app.close()

    async def is_closed(self) -> bool:
        try:
            await self.app.history("held")
        except StoreUnavailableError:
            return True
        return False

    async def statuses(self) -> list[str]:
        await self.app.open()
        return [str(made.status) for made in await self.app.history("held")]


async def turns() -> None:
    """Let everything that can go on go on."""
    for _ in range(50):
        await asyncio.sleep(0)


async def test_close_waits_for_a_running_tick(cluster: ProcessCluster) -> None:
    program = Program(cluster)
    async with program.ticking() as tick:
        closing = [asyncio.ensure_future(program.app.close()) for _ in range(2)]
        await turns()
        assert not any(each.done() for each in closing)
        assert not await program.is_closed()
        program.let_go.set()
        assert await tick == 1
        await asyncio.gather(*closing)
        assert await program.is_closed()
        assert await program.statuses() == ["succeeded"]


async def test_a_cancelled_close_does_not_end_a_running_tick(cluster: ProcessCluster) -> None:
    program = Program(cluster)
    async with program.ticking() as tick:
        closing = asyncio.ensure_future(program.app.close())
        await turns()
        closing.cancel()
        await asyncio.wait({closing})
        program.let_go.set()
        assert await tick == 1
        assert await program.statuses() == ["succeeded"]


async def test_a_handler_cannot_close_the_app_of_its_tick(cluster: ProcessCluster) -> None:
    """It would wait for itself."""
    app = Duly(cluster.url)

    @app.job
    async def close() -> str:
        with pytest.raises(DulyError, match="a handler cannot wait for the tick that carries it out"):
            await app.close()
        return "refused"

    await app.open()
    await app.schedule("held", lambda recurring: recurring.run_now(), job=close)
    assert await app.tick() == 1
    [made] = await app.history("held")
    assert made.result == "refused"
    await app.close()


async def test_two_closes_of_a_running_engine_end_together(cluster: ProcessCluster) -> None:
    program = Program(cluster)
    async with program.app:
        await program.app.schedule("held", lambda recurring: recurring.run_now(), job="hold")
        await program.begun.wait()
        closing = [asyncio.ensure_future(program.app.close()) for _ in range(2)]
        await turns()
        assert not any(each.done() for each in closing)
        program.let_go.set()
        for each in asyncio.as_completed(closing):
            await each
            assert await program.is_closed()
        await program.app.close()
    assert await program.statuses() == ["succeeded"]
    await program.app.close()


async def test_a_close_during_a_start_stops_the_engine(cluster: ProcessCluster) -> None:
    app = Duly(cluster.url)
    starting = asyncio.ensure_future(app.__aenter__())
    while not app.engine.busy:  # noqa: ASYNC110  there is no signal for it
        await asyncio.sleep(0)
    await app.close()
    await starting
    assert not app.engine.running
    with pytest.raises(StoreUnavailableError):
        await app.history()


async def test_two_closes_of_an_open_store_end_together(cluster: ProcessCluster) -> None:
    app = Duly(cluster.url)
    await app.open()
    for each in asyncio.as_completed([app.close(), app.close()]):
        await each
        with pytest.raises(StoreUnavailableError):
            await app.history()


def test_stopping_twice_is_harmless(cluster: ProcessCluster) -> None:
    app = Duly(cluster.url)
    app.start()
    app.stop()
    app.stop()
    app.start()
    assert app.sync.history() == []
    app.stop()
