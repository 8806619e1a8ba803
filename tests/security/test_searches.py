"""Searches and other long reads of one caller: others are answered meanwhile, and the engine is not late."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import httpx
import psycopg
import pytest
import uvicorn

from duly.config.settings import Settings
from duly.ports.reading import ENGINE, READERS, working_for
from duly.runtime.runtime import Runtime
from duly.server.http import make_app
from duly.server.protocols import make_config
from duly.service import heavy_reads
from duly.service.access.scopes import Caller
from duly.stores.sqlite.store import SqliteStore
from duly.testing.clock import VirtualClock
from tests.postgres_server import postgres_server, postgres_url  # noqa: F401  fixtures
from tests.world import START, World, served, until

MANY = 24
ENDLESS = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
SEARCH = "/api/v1/schedules?text=nowhere"


@asynccontextmanager
async def daemon(folder: Path, url: str) -> AsyncIterator[tuple[Runtime, str]]:
    """A daemon on a PostgreSQL server, by its own clock; gives its address."""
    runtime = Runtime(Settings(data_dir=folder, store=url))
    await runtime.open()
    app = make_app(runtime, host="127.0.0.1")
    async with app.router.lifespan_context(app):
        listening = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(make_config(app, runtime.settings.limits, lifespan="off"))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        await until(lambda: server.started, "the server")
        try:
            yield runtime, f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await serving


@asynccontextmanager
async def client(runtime: Runtime, url: str) -> AsyncIterator[httpx.AsyncClient]:
    made = await runtime.services.tokens.create(Caller(), "some", "admin")
    headers = {"Authorization": f"Bearer {made.secret}"}
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60, limits=limits, trust_env=False) as http:
        yield http


@asynccontextmanager
async def locked(url: str, table: str) -> AsyncIterator[Callable[[], Awaitable[int]]]:
    """Let all who read a table wait during the block; gives how many wait at present."""
    async with await psycopg.AsyncConnection.connect(url) as holder:
        await holder.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")

        async def waiting() -> int:
            async with await psycopg.AsyncConnection.connect(url, autocommit=True) as looking:
                found = await looking.execute(
                    "SELECT count(*) FROM pg_locks l WHERE NOT granted AND relation = %s::regclass", [table]
                )
                [(number,)] = await found.fetchall()
                return int(number)

        yield waiting
        await holder.rollback()


async def test_others_are_answered_while_one_caller_has_every_search_that_it_may(
    tmp_path: Path,
    postgres_url: str,  # noqa: F811
) -> None:
    async with (
        daemon(tmp_path, postgres_url) as (runtime, url),
        client(runtime, url) as greedy,
        client(runtime, url) as other,
    ):
        async with locked(postgres_url, "audit") as waiting:  # so that what reads it takes as long as we like
            asked = [asyncio.create_task(greedy.get("/api/v1/audit")) for _ in range(MANY)]
            await until(lambda: _is(waiting, READERS - 1), "as many readers as one caller may hold")
            for _ in range(3):
                assert (await other.get("/api/v1/me")).status_code == 200
            assert await waiting() == READERS - 1
        assert {each.status_code for each in await asyncio.gather(*asked)} == {200}


async def test_a_reminder_comes_while_callers_have_every_connection_that_is_for_callers(
    tmp_path: Path,
    postgres_url: str,  # noqa: F811
) -> None:
    async with (
        daemon(tmp_path, postgres_url) as (runtime, url),
        client(runtime, url) as one,
        client(runtime, url) as two,
    ):
        wanted = {"type": "once", "at": (datetime.now(UTC) + timedelta(seconds=2)).isoformat()}
        made = await one.post("/api/v1/reminders", json={"schedule": wanted, "message": "Now", "priority": "critical"})
        assert made.status_code == 201
        async with locked(postgres_url, "audit") as waiting:
            asked = [asyncio.create_task(each.get("/api/v1/audit")) for each in (one, two) for _ in range(MANY)]
            await until(lambda: _is(waiting, READERS), "all connections of callers")

            async def delivered() -> bool:
                with working_for(ENGINE):  # this look needs a connection, too
                    inbox = await runtime.store.reminders.inbox("local", unread=True, limit=5)
                return [each.text for each in inbox] == ["Now"]

            await until(delivered, "the reminder")
        await asyncio.gather(*asked)


async def test_a_statement_ends_on_the_server_when_its_client_has_left(
    tmp_path: Path,
    postgres_url: str,  # noqa: F811
) -> None:
    async with (
        daemon(tmp_path, postgres_url) as (runtime, url),
        client(runtime, url) as http,
        locked(postgres_url, "audit") as waiting,
    ):
        asked = [asyncio.create_task(http.get("/api/v1/audit")) for _ in range(READERS - 1)]
        await until(lambda: _is(waiting, READERS - 1), "the requests")
        for each in asked:
            each.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        await until(lambda: _is(waiting, 0), "the end of what no client waits for")


async def _is(count: Callable[[], Awaitable[int]], number: int) -> bool:
    return await count() == number


# SQLite, whose readers are threads


def _endless(connection: apsw.Connection) -> Any:
    return connection.execute(ENDLESS).get


def _ask(store: SqliteStore, who: str) -> list[asyncio.Future[Any]]:
    with working_for(who):
        return [asyncio.ensure_future(store._executor.read(_endless)) for _ in range(MANY)]


async def test_others_and_the_engine_read_a_file_beside_endless_statements(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "duly.db", VirtualClock(START))
    await store.open()
    async with asyncio.timeout(60):
        asked = _ask(store, "a")
        with working_for("c"):
            assert await store.find("default", "x") is None
        asked += _ask(store, "b")
        with working_for(ENGINE):
            assert await store.find("default", "x") is None
        for each in asked:
            each.cancel()
        with working_for("c"):
            assert await store.find("default", "x") is None
        await store.close()  # it waits for the threads: a statement that no caller waits for has ended


# searches


class Held:
    """Searches that begin, and end when the test says so."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = 0
        self.let_go = asyncio.Event()
        timeline = world.runtime.store.timeline
        search = timeline.search_schedules

        async def slow(*given: Any) -> Any:
            self.begun += 1
            await self.let_go.wait()
            return await search(*given)

        monkeypatch.setattr(timeline, "search_schedules", slow)


async def test_a_caller_searches_twice_at_once_and_the_rest_waits_in_a_line_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(tmp_path) as (here, place):
        held = Held(here, monkeypatch)
        async with client(here.runtime, f"http://{place}") as greedy, client(here.runtime, f"http://{place}") as other:
            asked = [asyncio.create_task(greedy.get(SEARCH)) for _ in range(MANY)]
            await until(lambda: held.begun == heavy_reads.OF_ONE, "two searches")
            beside = asyncio.create_task(other.get(SEARCH))
            await until(lambda: held.begun == heavy_reads.OF_ONE + 1, "the search of the other caller")
            held.let_go.set()
            assert (await beside).status_code == 200
            assert {each.status_code for each in await asyncio.gather(*asked)} == {200}


async def test_a_search_that_waits_too_long_is_refused_with_a_time_to_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(tmp_path) as (here, place):
        held = Held(here, monkeypatch)
        async with client(here.runtime, f"http://{place}") as greedy:
            asked = [asyncio.create_task(greedy.get(SEARCH)) for _ in range(MANY)]
            await until(lambda: held.begun == heavy_reads.OF_ONE, "two searches")

            async def all_refused() -> bool:
                await here.clock.travel(seconds=1)
                return sum(each.done() for each in asked) == MANY - heavy_reads.OF_ONE

            await until(all_refused, "the refusals")
            refused = [each.result() for each in asked if each.done()]
            assert {each.status_code for each in refused} == {429}
            assert {each.headers["Retry-After"] for each in refused} == {"1"}
            problem = refused[0].json()
            assert problem["type"] == "urn:duly:problem:too-many-requests"
            assert "2 heavy reads under way" in problem["detail"]
            held.let_go.set()
            assert {each.status_code for each in await asyncio.gather(*asked)} == {200, 429}


async def test_a_search_ends_when_its_client_has_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(tmp_path) as (here, place):
        held = Held(here, monkeypatch)
        async with client(here.runtime, f"http://{place}") as http:
            gone = [asyncio.create_task(http.get(SEARCH)) for _ in range(heavy_reads.OF_ONE)]
            await until(lambda: held.begun == heavy_reads.OF_ONE, "two searches")
            for each in gone:
                each.cancel()
            await asyncio.gather(*gone, return_exceptions=True)
            asked = asyncio.create_task(http.get(SEARCH))
            await until(lambda: held.begun == heavy_reads.OF_ONE + 1, "a search in the place of those that were left")
            held.let_go.set()
            assert (await asked).status_code == 200
