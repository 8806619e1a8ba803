"""The stream of live events as a client sees it: the real application behind our HTTP server, over real sockets."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import Request
from starlette.responses import JSONResponse, Response

from duly.config.settings import ServerLimits
from duly.errors import DulyError
from duly.server import sse
from duly.server.dashboard import sign_in_link
from duly.server.sse import sse_response
from duly.service.access.scopes import ADMIN, Caller
from duly.web.session import COOKIE
from tests.integration.faces.test_websocket import ask, client, hear
from tests.world import World, served, until

PATIENCE = 60


class Stream:
    """What came on an open stream."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.events: list[dict[str, Any]] = []
        self._lines = response.aiter_lines()
        self.is_over = False

    async def next(self) -> dict[str, Any]:
        """The next event: its fields `id`, `event` and `data`, the last one read."""
        fields: dict[str, Any] = {}
        async with asyncio.timeout(PATIENCE):
            async for line in self._lines:
                name, _, value = line.partition(": ")
                fields |= {name: value} if line else {}
                if not line and "data" in fields:
                    fields["data"] = json.loads(fields["data"])
                    self.events.append(fields)
                    return fields
        self.is_over = True
        return {}

    async def until_over(self) -> None:
        while not self.is_over:
            await self.next()


@asynccontextmanager
async def listening(folder: Path, **options: Any) -> AsyncIterator[tuple[World, httpx.AsyncClient]]:
    """A daemon with a route of its own for the stream, and a client without limits of its own."""
    async with served(folder, **options) as (here, place):

        @here.app.get("/test/events")
        async def events(request: Request) -> Response:
            try:
                caller = await here.app.state.guard.caller(request.scope)
                return await sse_response(here.app.state.live, caller, request)
            except DulyError as error:
                return JSONResponse({"error": str(error)}, 422)

        here.app.router.routes.insert(0, here.app.router.routes.pop())  # the dashboard takes what is left over
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(base_url=f"http://{place}", timeout=PATIENCE, limits=limits) as http:
            yield here, http


@asynccontextmanager
async def stream(http: httpx.AsyncClient, token: str, query: str = "", **headers: str) -> AsyncIterator[Stream]:
    given = {"Authorization": f"Bearer {token}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    async with http.stream("GET", f"/test/events{query}", headers=given) as response:
        yield Stream(response)


async def test_events_come_as_they_happen_and_a_reconnect_goes_on(tmp_path: Path) -> None:
    async with listening(tmp_path) as (here, http):
        token = await here.token("admin")
        ana = await here.person("Ana")
        async with stream(http, token, "?topics=schedule") as line:
            assert line.response.headers["content-type"] == "text/event-stream; charset=utf-8"
            assert line.response.headers["cache-control"] == "no-store"
            assert line.response.headers["x-content-type-options"] == "nosniff"
            first = await line.next()
            assert (first["event"], first["data"]["at"]) == ("beat", "2026-11-16T12:00:00Z")
            assert first["retry"] == "2000"
            made = await here.remind(ana, "line one\nline two")
            told = await until_told(here, line)
            assert (told["event"], told["data"]["kind"]) == ("schedule", "schedule.created")
            assert told["data"]["schedule_id"] == made.id
        await here.remind(ana, "while away")
        async with stream(http, token, Last_Event_ID=told["id"]) as line:
            assert (await line.next())["event"] == "beat"
            assert (await until_told(here, line))["data"]["kind"] == "schedule.created"
        async with stream(http, token, "?last_id=unknown") as line:
            assert (await line.next())["event"] == "reset"
        async with stream(http, token, "?topics=run,shedule") as line:
            assert line.response.status_code == 422
            body = json.loads(await line.response.aread())
            assert body == {"error": "topic 'shedule' is unknown: did you mean schedule?"}


async def while_time_passes(here: World, work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """Let the clock of the daemon go on until something is done."""
    waiting = asyncio.ensure_future(work)

    def is_done() -> bool:
        here.clock.advance(0.3)
        return waiting.done()

    await until(is_done, "an event")
    return await waiting


async def until_told(here: World, line: Stream) -> dict[str, Any]:
    """Give the next event that is no beat."""
    while (told := await while_time_passes(here, line.next())).get("event") == "beat":
        pass
    return told


async def test_a_stream_ends_with_its_token_and_with_the_daemon(tmp_path: Path) -> None:
    async with listening(tmp_path) as (here, http):
        made = await here.runtime.services.tokens.create(Caller(ADMIN), "one", "admin")
        other = await here.token("admin")
        async with stream(http, made.secret) as first, stream(http, other) as second:
            await first.next()
            await second.next()
            await here.runtime.services.tokens.revoke(Caller(ADMIN), made.record.id)
            await until_told(here, first)
            assert first.is_over
            assert not second.is_over
            here.app.state.asked_to_stop()
            await second.until_over()
        assert len(here.app.state.live) == 0


async def test_streams_are_limited_for_each_token_and_in_all(tmp_path: Path) -> None:
    limits = ServerLimits(streams=3, streams_per_token=2)
    async with listening(tmp_path, limits=limits) as (here, http):
        one = await here.token("admin")
        two = await here.token("admin")
        async with stream(http, one) as first, stream(http, one) as second:
            await first.next()
            await second.next()
            async with stream(http, one) as third:
                assert third.response.status_code == 429
                problem = json.loads(await third.response.aread())
                assert problem["detail"] == "this token has 2 streams of events open: close some of them first"
                assert (problem["type"], problem["instance"]) == ("urn:duly:problem:too-many-streams", "/test/events")
                assert third.response.headers["retry-after"] == "10"
            async with stream(http, two) as third:
                assert third.response.status_code == 200
                async with stream(http, two) as fourth:
                    assert fourth.response.status_code == 429
                    detail = json.loads(await fourth.response.aread())["detail"]
                    assert detail == "the server has 3 streams of events open, as many as it may: try again later"
        await until(lambda: len(here.app.state.live) == 0, "the end of the streams")
        async with stream(http, one) as again:
            assert again.response.status_code == 200


async def test_streams_that_are_opened_at_once_with_a_token_are_served(tmp_path: Path) -> None:
    async with listening(tmp_path, limits=ServerLimits(strangers=2)) as (here, http):
        token = await here.token("admin")

        async def opened() -> int:
            async with stream(http, token) as each:
                return each.response.status_code

        assert await asyncio.gather(*(opened() for _ in range(40))) == [200] * 40


async def test_a_client_that_does_not_read_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "_PATIENCE", 0.05)
    async with listening(tmp_path) as (here, http):
        token = await here.token("admin")
        ana = await here.person("Ana")
        _, writer = await asyncio.open_connection(http.base_url.host, http.base_url.port, limit=1)
        writer.write(f"GET /test/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        await until(lambda: len(here.app.state.live) == 1, "the stream")

        async def is_cut_off() -> bool:
            for _ in range(20):
                await here.remind(ana, "x" * 400)
            here.clock.advance(0.3)
            return len(here.app.state.live) == 0

        monkeypatch.setattr(sse, "render", lambda _batch: b": a long write\n" * 100_000)
        await until(is_cut_off, "the end of the stream")
        writer.transport.abort()


async def test_a_websocket_subscribes_and_unsubscribes(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, place):
        ana = await here.person("Ana")
        ben = await here.person("Ben")
        async with client(f"ws://{place}/ws", await here.token("user:Ana")) as line:
            answer = await ask(line, "subscribe", {"topics": ["schedule"]})
            assert answer["payload"] == {"topics": ["schedule"]}
            [beat] = (await hear(line))["payload"]["events"]
            assert beat["kind"] == "beat"
            await here.remind(ben, "not for her")
            await here.remind(ana, "for her")
            frame = await while_time_passes(here, hear(line))
            assert frame["event"] == "live"
            assert [each["kind"] for each in frame["payload"]["events"]] == ["schedule.created"]
            await ask(line, "unsubscribe")
            await until(lambda: len(here.app.state.live) == 0, "the end of the subscription")
            wrong = await ask(line, "subscribe", {"topics": ["people"]})
            assert wrong["error"]["code"] == "INVALID_PARAMS"
            wrong = await ask(line, "subscribe", {"topics": "run"})
            assert wrong["error"]["message"] == "topics must be a list of texts, got 'run'"
            wrong = await ask(line, "subscribe", {"user": "Ben"})
            assert wrong["error"]["code"] == "UNAUTHORIZED"


async def signed_in(here: World, http: httpx.AsyncClient, holder: str) -> dict[str, str]:
    """Begin a session of the dashboard, and give its cookie."""
    if holder == "local":
        answer = await http.get(sign_in_link(here.runtime, ""), headers={"accept": "text/html"})
    else:
        answer = await http.post("/signin", data={"token": await here.token(holder)})
    cookie = answer.cookies[COOKIE]
    http.cookies.clear()
    return {"cookie": f"{COOKIE}={cookie}"}


@pytest.mark.parametrize("holder", ["local", "admin:ro"])
async def test_signing_out_ends_the_streams_of_that_session_only(tmp_path: Path, holder: str) -> None:
    async with listening(tmp_path) as (here, http):
        leaving = await signed_in(here, http, holder)
        staying = await signed_in(here, http, holder)
        async with (
            http.stream("GET", "/ui/live", headers=leaving) as one,
            http.stream("GET", "/ui/live", headers=leaving) as another,
            http.stream("GET", "/ui/live", headers=staying) as other,
        ):
            ended = [Stream(one), Stream(another)]
            kept = Stream(other)
            for line in (*ended, kept):
                assert (await line.next())["event"] == "beat"
            page = await http.get("/settings", headers={"accept": "text/html", **leaving})
            found = re.search(r'name="csrf" value="([^"]+)"', page.text)
            assert found is not None
            assert (await http.post("/signout", data={"csrf": found[1]}, headers=leaving)).status_code == 303
            for line in ended:
                await line.until_over()
            await here.remind(await here.person("Ana"), "tea")
            assert (await until_told(here, kept))["event"] != ""
            assert not kept.is_over
