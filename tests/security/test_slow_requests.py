"""A client that sends half a request, or holds connections, blocks no other client and fills no log."""

from __future__ import annotations

import asyncio
import logging
import resource
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from duly.config.settings import ServerLimits
from duly.server.connections import ClientConnection, ClientConnections
from duly.server.daemon import server_limits
from duly.telemetry.bridges import library_warnings_as_events
from duly.telemetry.log import EventLog
from duly.testing import VirtualClock
from tests.integration.agents.installation import Installation
from tests.integration.faces.test_websocket import ask, client, hear
from tests.world import served

QUICK = ServerLimits(head_timeout=1, body_timeout=1)
PATIENCE = 60.0
HALF = b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: "


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, _, port = address.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.transport.abort()
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)


async def until_closed(reader: asyncio.StreamReader) -> bytes:
    """What a server says until it closes the connection."""
    async with asyncio.timeout(PATIENCE):
        return await reader.read()


HALVES = {
    "nothing at all": b"",
    "a head": HALF,
    "a body for a vendor": b"POST /inbound/telegram HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
    "a body in pieces": b"POST /inbound/slack HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
    "a body of a chat": (
        b"POST /messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 9\r\n\r\n{"
    ),
    "a body for an agent": (
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\n"
        b"Accept: application/json, text/event-stream\r\nContent-Length: 9\r\n\r\n{"
    ),
    "a second head": b"GET /nothing HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOKEN\r\n\r\n" + HALF,
}
CHANNELS = {
    "telegram": {"token": "env:T", "webhook_secret": "env:T", "base_url": "http://127.0.0.1:9"},
    "slack": {"token": "env:T", "signing_secret": "env:T", "base_url": "http://127.0.0.1:9"},
}


async def test_half_a_request_ends_at_its_deadline(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with served(tmp_path, limits=QUICK, channels=CHANNELS, environment={"T": "123:abc"}) as (here, address):
        token = await here.token("admin")

        async def said_to(half: bytes) -> bytes:
            async with connected(address) as (reader, writer):
                writer.write(half.replace(b"TOKEN", token.encode()))
                return await until_closed(reader)

        answers = await asyncio.gather(*map(said_to, HALVES.values()))
    for what, said in zip(HALVES, answers, strict=True):
        assert b"HTTP/1.1 408 Request Timeout\r\n" in said, what
        assert said.endswith(b"nosniff\r\n\r\nthe request did not arrive in time"), what
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_sending_a_byte_now_and_then_does_not_move_the_deadline(tmp_path: Path) -> None:
    async with served(tmp_path, limits=QUICK) as (_, address), connected(address) as (reader, writer):
        writer.write(HALF)
        closing = asyncio.create_task(until_closed(reader))
        while not closing.done():
            writer.write(b"x")
            await asyncio.wait([closing], timeout=0.02)
        with suppress(ConnectionError):  # the last byte may meet a closed connection before the answer was read
            assert b" 408 " in closing.result()


async def test_a_request_that_arrives_in_time_may_be_answered_late_and_followed_by_another(tmp_path: Path) -> None:
    async with served(tmp_path, limits=QUICK) as (here, address):
        going_on = asyncio.Event()

        @here.app.get("/slowly")  # before the mount that takes everything
        async def slowly() -> str:
            await going_on.wait()
            return "done"

        here.app.router.routes.insert(0, here.app.router.routes.pop())
        async with httpx.AsyncClient(base_url=f"http://{address}", trust_env=False, timeout=PATIENCE) as http:
            asked = asyncio.create_task(http.get("/slowly"))
            async with connected(address) as (reader, _):
                await until_closed(reader)  # a deadline has passed meanwhile
            going_on.set()
            assert (await asked).text == '"done"'
            assert (await http.get("/health")).status_code == 200


@asynccontextmanager
async def half_sent(address: str, many: int) -> AsyncIterator[list[asyncio.StreamReader]]:
    """Many clients, each of which has sent half a head."""
    opened = [await asyncio.open_connection(*address.split(":")) for _ in range(many)]
    try:
        for _, writer in opened:
            writer.write(HALF)
        yield [reader for reader, _ in opened]
    finally:
        for _, writer in opened:
            writer.transport.abort()
        await asyncio.gather(*(writer.wait_closed() for _, writer in opened), return_exceptions=True)


async def use_it(address: str, token: str) -> None:
    """Ask for the health and call a tool, with a token."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
        assert (await http.get(f"http://{address}/health")).status_code == 200
        async with Client(streamable_http_client(f"http://{address}/mcp", http_client=http), mode="legacy") as agent:
            assert not (await agent.call_tool("schedule_list", {})).is_error


async def test_clients_with_a_token_are_served_while_300_strangers_hold_half_a_request(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, address):
        token = await here.token("admin")
        async with half_sent(address, 300) as readers:
            await use_it(address, token)
            for reader in readers[: 300 - ServerLimits().strangers]:  # the oldest had to go
                with suppress(ConnectionError):
                    assert await until_closed(reader) == b""
            assert not any(reader.at_eof() for reader in readers[-50:])


async def test_the_number_of_websockets_is_limited_for_each_token(tmp_path: Path) -> None:
    async with served(tmp_path, limits=ServerLimits(sockets_per_token=2)) as (here, address):
        one, other = await here.token("admin"), await here.token("admin")
        url = f"ws://{address}/ws"
        async with client(url, one), client(url, one) as second:
            async with client(url, one) as third:
                refused = await hear(third)
                await third.wait_closed()
            assert refused["error"]["code"] == "TOO_MANY"
            assert "this token has 2 WebSockets open" in refused["error"]["message"]
            assert third.close_code == 4429
            async with client(url, other) as free:
                await free.send("{}")
                assert (await hear(free))["error"]["code"] == "INVALID_PARAMS"
            await second.close()
            async with client(url, one) as again:
                await again.send("{}")
                assert (await hear(again))["error"]["code"] == "INVALID_PARAMS"


async def test_a_token_that_holds_too_many_connections_is_told_so(tmp_path: Path) -> None:
    async with served(tmp_path, limits=ServerLimits(connections_per_token=1)) as (here, address):
        token, other = await here.token("admin"), await here.token("admin")
        async with client(f"ws://{address}/ws", token), httpx.AsyncClient(base_url=f"http://{address}") as http:
            refused = await http.post("/mcp", headers={"Authorization": f"Bearer {token}"})
            served_still = await http.post("/mcp", headers={"Authorization": f"Bearer {other}"})
        assert refused.status_code == 429
        assert refused.json()["message"] == "this token holds 1 connections already: close some of them"
        assert served_still.status_code != 429


class Clients:
    """Connections to count, and which of them were closed."""

    def __init__(self, **limits: int) -> None:
        self.open = ClientConnections(ServerLimits(**limits), later=lambda _, do: self.timers.append(do))
        self.closed: list[str] = []
        self.timers: list[Callable[[], None]] = []

    def come(self, name: str, *, waits: bool = True, of: str | None = None) -> ClientConnection:
        made = ClientConnection(self.open, abort=lambda: self.closed.append(name), keeps_waiting=lambda: waits)
        self.open.add(name, made)
        if of is not None:
            made.recognize(of)
        return made

    def wait(self) -> None:
        """Let the time pass after which strangers are closed."""
        timers = self.timers
        self.timers = []
        for do in timers:
            do()


def test_the_oldest_stranger_that_keeps_the_server_waiting_is_closed() -> None:
    clients = Clients(strangers=2)
    clients.come("is being answered", waits=False)
    clients.come("slow")
    clients.come("known", of="one")
    clients.come("new")
    clients.wait()
    assert clients.closed == ["slow"]
    clients.come("newer")
    clients.wait()
    assert clients.closed == ["slow", "new"]
    assert (clients.open.strangers, len(clients.open)) == (2, 3)


def test_clients_that_show_a_token_in_time_are_not_closed_as_strangers() -> None:
    clients = Clients(strangers=1)
    first = clients.come("first")
    for name in ("second", "third"):
        clients.come(name)
    assert clients.closed == []
    first.recognize("one")
    clients.wait()
    assert clients.closed == ["second"]
    clients.come("at work", waits=False)
    clients.open.discard("third")
    clients.come("also at work", waits=False)
    clients.come("too young")
    first_timer = clients.timers.pop(0)
    first_timer()
    assert clients.closed == ["second"]


def test_when_all_others_are_at_work_the_newest_is_closed() -> None:
    clients = Clients(connections=2)
    first = clients.come("one", waits=False, of="one")
    clients.come("two", waits=False, of="one")
    clients.come("three")
    assert clients.closed == ["three"]
    clients.open.discard("one")
    first.recognize("two")  # its token was looked up while it was closed
    assert (clients.open.count("one"), clients.open.count("two"), clients.open.strangers) == (1, 0, 0)
    clients.open.discard("two")
    assert (clients.open.count("one"), len(clients.open)) == (0, 0)


def test_repeated_warnings_of_libraries_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    clock = VirtualClock()
    log = EventLog(clock, timedelta(minutes=10))
    with library_warnings_as_events(log, clock):
        for number in range(1000):
            error = OSError(24, "Too many open files")
            logging.getLogger("asyncio").error("socket.accept() out of resource\nfd=%d", number, exc_info=error)
            logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
            logging.getLogger("mcp.server.streamable_http").warning("Rejecting session %032x", number)
            logging.getLogger("uvicorn.access").info("not a complaint")
        log.flush()
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 6
    assert sum("Too many open files" in line for line in lines) == 1
    assert sum(" again, 999 times since " in line for line in lines) == 3
    assert sum(len(line) for line in lines) < 3000
    assert all(record.name == "duly" for record in caplog.records)


def _in_process_with_few_files(code: str) -> str:
    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 256))

    return subprocess.check_output(
        [sys.executable, "-c", code], preexec_fn=few, text=True, stderr=subprocess.STDOUT, timeout=PATIENCE
    )


def test_the_limit_of_open_files_is_raised_and_a_low_one_is_told() -> None:
    said = _in_process_with_few_files(
        "import resource, logging; logging.basicConfig()\n"
        "from duly.config.settings import ServerLimits\n"
        "from duly.server.daemon import server_limits\n"
        "limits = server_limits(ServerLimits())\n"
        "print(limits.connections, limits.strangers, resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    told, printed = said.splitlines()
    assert printed == "96 48 (256, 256)"
    assert "may open only 256 files, so it takes 96 connections instead of 2000: raise the limit (ulimit -n" in told
    enough = ServerLimits(connections=10)
    assert server_limits(enough) == enough


def test_400_strangers_do_not_block_a_daemon_that_may_open_few_files(tmp_path: Path) -> None:
    """As a process of its own: it ran out of files, answered nothing, and wrote megabytes of log each second."""
    here = Installation(tmp_path)
    with here.daemon() as daemon:
        resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (256, 256))
        address = daemon.url.removeprefix("http://")

        async def attack() -> None:
            async with half_sent(address, 400):
                await use_it(address, here.token)

        asyncio.run(attack())
        log = (tmp_path / "daemon.log").read_text(encoding="utf-8")
    assert len(log) < 5_000, log[-2000:]


async def test_a_websocket_that_only_listens_outlives_the_deadlines_of_requests(tmp_path: Path) -> None:
    async with served(tmp_path, limits=QUICK) as (here, address):
        await here.person("Ana")
        async with client(f"ws://{address}/ws", await here.token("user:Ana")) as line:
            async with connected(address) as (reader, writer):  # opened later, and ended by its deadline
                writer.write(HALF)
                assert (await until_closed(reader)).startswith(b"HTTP/1.1 408")
            assert (await ask(line, "cron.list"))["ok"] is True
