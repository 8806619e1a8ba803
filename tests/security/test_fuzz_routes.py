"""Any bytes at the port get an answer within bounds, and change nothing without a token.

Routes come from the application: a new one is fuzzed by itself.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import apsw
import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.responses import Response
from starlette.routing import Mount, WebSocketRoute
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from duly.config.settings import ServerLimits
from duly.errors import StoreUnavailableError
from duly.rest.answers import BASE, DOCUMENT
from duly.rest.api import make_api
from duly.server.api_endpoint import ApiGate
from duly.server.mcp_endpoint import McpGate
from duly.web.screens import NotFoundPages
from tests.integration.faces.test_fuzz import CHANNELS, ENVIRONMENT, anything
from tests.security.test_mcp_sessions import HELLO
from tests.support import tries
from tests.world import World, served

LARGEST_ANSWER = 200_000
STATED = {503}
"""The one server error that is an answer: the store, or a channel, is not there."""
METHODS = ("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "QUERY")
NAMES = ("jsonrpc", "id", "method", "params", "name", "arguments", "user", "text", "channel", "protocolVersion", "uri")
UPGRADE = (
    b"GET /other HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
some = settings(max_examples=tries(60), deadline=None, suppress_health_check=list(HealthCheck))

printable = st.text(st.characters(min_codepoint=33, max_codepoint=255, exclude_characters="\x7f"), max_size=30)
bodies = (
    anything(NAMES).map(lambda value: json.dumps(value).encode()) | st.binary(max_size=300) | st.just(b"[" * 50_000)
)
headers = st.dictionaries(
    st.sampled_from(
        [
            "Accept",
            "Content-Type",
            "Mcp-Session-Id",
            "MCP-Protocol-Version",
            "Origin",
            "Last-Event-ID",
            "Cookie",
            "X-Other",
        ]
    ),
    printable
    | st.sampled_from(["application/json", "application/json, text/event-stream", "2025-06-18", "2026-07-28"]),
    max_size=5,
)
segments = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20) | st.sampled_from(
    ["telegram", "slack", "..", "%"]
)
rpc = st.fixed_dictionaries(
    {
        "jsonrpc": st.just("2.0"),
        "id": st.integers(0, 9) | st.none(),
        "method": st.sampled_from(
            [
                "initialize",
                "tools/list",
                "tools/call",
                "resources/read",
                "resources/subscribe",
                "prompts/get",
                "ping",
                "x",
            ]
        ),
    },
    optional={"params": anything(NAMES)},
).map(lambda value: json.dumps(value).encode())


class _Mounted(NamedTuple):
    """A route of a mounted application, with its whole path."""

    path: str
    methods: set[str] | None


async def no_stream(_caller: object, _request: object) -> Response:
    raise AssertionError("nothing is asked here")


def every_route(routes: Iterable[Any]) -> Iterator[Any]:
    """Routes with those of included routers and mounted applications."""
    for route in routes:
        if hasattr(route, "original_router"):
            yield from every_route(route.original_router.routes)
        elif isinstance(route, Mount):
            inner: Any = route.app
            inner = inner._behind if isinstance(inner, NotFoundPages) else inner
            if isinstance(inner, McpGate):  # MCP and the API are made with their first request
                yield _Mounted(f"{route.path}/mcp", None)
            inner = make_api(inner.services, no_stream) if isinstance(inner, ApiGate) else inner
            for each in every_route(getattr(inner, "routes", ())):  # files have none
                yield each if not route.path else _Mounted(route.path + each.path, each.methods)
        else:
            yield route


def routes_of(app: FastAPI) -> dict[str, tuple[str, ...]]:
    """Every path that is served over HTTP, and its methods."""
    found: dict[str, set[str]] = {}
    for route in every_route(app.routes):
        if not isinstance(route, WebSocketRoute):
            found.setdefault(route.path, set()).update(route.methods or METHODS)
    return {path: tuple(sorted(methods)) for path, methods in found.items()}


def sockets_of(app: FastAPI) -> list[str]:
    """Every path that takes WebSockets."""
    return [route.path for route in every_route(app.routes) if isinstance(route, WebSocketRoute)]


def contents(here: World) -> dict[str, Any]:
    """All rows of all tables but those of the audit, which counts failed logins."""
    with apsw.Connection(here.runtime.settings.store, flags=apsw.SQLITE_OPEN_READONLY) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        names = [name for name in names if not name.startswith("audit")]
        found = {name: sorted(map(repr, database.execute(f'SELECT * FROM "{name}"'))) for name in names}  # noqa: S608
    database.close()
    return found


@contextmanager
def daemon(folder: Path) -> Iterator[tuple[World, str, Callable[[Awaitable[Any]], Any]]]:
    """One daemon on a real port for many examples, and a way to wait for it."""
    limits = ServerLimits(head_timeout=1, body_timeout=1)
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        ready, over = loop.create_future(), loop.create_future()

        async def keep() -> None:
            async with served(folder, channels=CHANNELS, environment=ENVIRONMENT, limits=limits) as made:
                ready.set_result(made)
                await over

        async def waited(for_what: Awaitable[Any]) -> Any:
            async with asyncio.timeout(60):
                return await for_what

        keeping = loop.create_task(keep())
        here, place = runner.run(waited(ready))
        try:
            yield here, place, lambda for_what: runner.run(waited(for_what))
        finally:
            over.set_result(None)
            runner.run(waited(keeping))


@pytest.fixture(autouse=True)
def no_fault_in_the_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No example may leave a stack trace or an error behind."""
    yield
    faults = [record for record in caplog.get_records("call") if record.levelno >= logging.ERROR or record.exc_info]
    assert [record.getMessage() for record in faults] == []


def test_there_are_routes(tmp_path: Path) -> None:
    with daemon(tmp_path) as (here, _, _):
        assert {
            "/health",
            "/messages",
            "/inbound/{channel}",
            "/answer/{signed}",
            "/mcp",
            f"{BASE}/schedules",
        } <= routes_of(here.app).keys()
        assert sockets_of(here.app) == ["/ws"]


@pytest.mark.parametrize("known", [False, True], ids=["without a token", "with a token"])
def test_every_route_has_an_answer_to_everything(tmp_path: Path, known: bool) -> None:
    with daemon(tmp_path) as (here, _, wait):
        routes, before = routes_of(here.app), contents(here)
        token = wait(here.token("user:local")) if known else "duly_not_a_token"
        asked = st.sampled_from(sorted(routes)).flatmap(
            lambda path: st.tuples(st.just(path), st.sampled_from([*routes[path], *routes[path], *METHODS]))
        )

        @settings(some, max_examples=tries(120))
        @given(asked, segments, printable, headers, bodies | rpc)
        def check(asked: tuple[str, str], segment: str, query: str, told: dict[str, str], body: bytes) -> None:
            path, method = asked
            path = re.sub(r"\{\w+\}", quote(segment, safe="").replace("\\", ""), path)
            sent = [(name.encode(), value.encode("latin-1")) for name, value in told.items()]
            sent.append((b"Authorization", f"Bearer {token}".encode()))
            request = here.http.build_request(method, f"{path}?{quote(query)}", content=body, headers=sent)
            answer = wait(here.http.send(request))
            assert answer.status_code < 500 or answer.status_code in STATED, (method, path)
            assert len(answer.content) <= LARGEST_ANSWER
            assert "Traceback" not in answer.text
            assert answer.headers["x-content-type-options"] == "nosniff"
            if not known:
                assert path != "/mcp" or answer.status_code == 401
                refused = (401, 404) if path.startswith(f"{BASE}/executions/") else (401,)
                assert not path.startswith(BASE) or path == BASE + DOCUMENT or answer.status_code in refused

        check()
        assert wait(here.http.get("/health")).status_code == 200
        if not known:
            assert contents(here) == before


def test_the_port_takes_any_bytes(tmp_path: Path) -> None:
    starts = st.sampled_from(
        [
            b"GET /health HTTP/1.1\r\nHost: x\r\n",
            b"POST /inbound/slack HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n",
            b"POST /messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n",
            UPGRADE,
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"",
        ]
    )
    ends = st.sampled_from([b"\r\n", b"\r\n\r\n", b"0\r\n\r\n", b"Sec-WebSocket-Version: 13\r\n\r\n", b"\n\n", b""])

    with daemon(tmp_path) as (here, place, wait):
        before = contents(here)

        async def say(sent: bytes) -> bytes:
            reader, writer = await asyncio.open_connection(*place.split(":"))
            try:
                writer.write(sent)
                writer.write_eof()
                return await reader.read(LARGEST_ANSWER + 1)
            except ConnectionError:
                return b""
            finally:
                writer.transport.abort()
                await asyncio.gather(writer.wait_closed(), return_exceptions=True)

        @some
        @given(starts, st.binary(max_size=100), ends)
        def check(start: bytes, middle: bytes, end: bytes) -> None:
            answer = wait(say(start + middle + end))
            assert not answer.startswith(b"HTTP/1.1 5")
            assert len(answer) <= LARGEST_ANSWER
            if answer.startswith(b"HTTP/1.1 ") and not answer.startswith(b"HTTP/1.1 1"):
                assert b"\r\nx-content-type-options: nosniff\r\n" in answer.lower()

        check()
        assert wait(here.http.get("/health")).status_code == 200
        assert contents(here) == before


def test_a_websocket_takes_any_frames(tmp_path: Path) -> None:
    frames = st.lists(anything(NAMES).map(json.dumps) | st.text(max_size=50) | st.binary(max_size=50), max_size=4)

    with daemon(tmp_path) as (here, place, wait):
        tokens = {True: wait(here.token("user:local")), False: "duly_not_a_token"}
        before = contents(here)

        async def talk(path: str, token: str, sent: list[str | bytes]) -> list[dict[str, Any]]:
            heard: list[dict[str, Any]] = []
            try:
                async with connect(f"ws://{place}{path}?token={token}", proxy=None) as line:
                    for frame in sent:
                        await line.send(frame)
                        heard.append(json.loads(await line.recv()))
            except (ConnectionClosed, InvalidHandshake):
                pass
            return heard

        @some
        @given(st.sampled_from([*sockets_of(here.app), "/mcp", "/health", "/nothing"]), st.booleans(), frames)
        def check(path: str, known: bool, sent: list[str | bytes]) -> None:
            heard = wait(talk(path, tokens[known], sent))
            if path not in sockets_of(here.app):
                assert heard == []
            elif known:
                assert len(heard) == len(sent)
                assert all(answer["ok"] or answer["error"]["code"] != "INTERNAL" for answer in heard)
            else:
                assert all(answer["error"]["code"] == "UNAUTHORIZED" for answer in heard)

        check()
        assert wait(here.http.get("/health")).status_code == 200
        assert {name: rows for name, rows in contents(here).items() if name not in ("tokens", "users")} == {
            name: rows for name, rows in before.items() if name not in ("tokens", "users")
        }


def test_a_session_of_an_agent_takes_any_call(tmp_path: Path) -> None:
    with daemon(tmp_path) as (here, _, wait):
        sent = {"Authorization": f"Bearer {wait(here.token('admin'))}", "Accept": "application/json, text/event-stream"}
        opened = wait(here.http.post("/mcp", json=HELLO, headers=sent))
        sent |= {"Mcp-Session-Id": opened.headers["mcp-session-id"], "Content-Type": "application/json"}

        @some
        @given(rpc | bodies)
        def check(body: bytes) -> None:
            answer = wait(here.http.post("/mcp", content=body, headers=sent))
            assert answer.status_code < 500
            assert len(answer.content) <= LARGEST_ANSWER
            assert "Traceback" not in answer.text

        check()
        listed = wait(here.http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=sent))
        assert listed.status_code == 200


def test_without_a_store_every_route_says_so(tmp_path: Path) -> None:
    with daemon(tmp_path) as (here, place, wait):
        token = wait(here.token("admin"))
        headers = {"Authorization": f"Bearer {token}"}

        async def gone(*_: Any) -> None:
            raise StoreUnavailableError("the disk is on fire")

        here.runtime.services.tokens.caller = gone  # type: ignore[method-assign, assignment]
        for path, method in (("/mcp", "POST"), ("/messages", "POST"), ("/mcp", "GET")):
            answer = wait(here.http.request(method, path, headers=headers))
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
            assert "the store is unavailable, try again later: " in answer.json()["error"]

        async def talk() -> int | None:
            async with connect(f"ws://{place}/ws", additional_headers=headers, proxy=None) as line:
                await line.wait_closed()
                return line.close_code

        assert wait(talk()) == 1013
