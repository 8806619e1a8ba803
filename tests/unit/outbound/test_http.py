"""The HTTP policy: redirects, time limits, certificates, and errors that say whether a request may have arrived."""

from __future__ import annotations

import asyncio
import socket
import ssl
from typing import Any

import httpx
import pytest

from duly.outbound.http import (
    HttpRequest,
    InvalidUrlError,
    NoAnswerError,
    NotConnectedError,
    exchange,
    pinned_client,
    read_start,
    vendor_client,
)
from tests.channels.fakes.server import FakeServer, Hang, HangUp, Reply
from tests.channels.samples import QUICK


def get(url: str, timeout: float = 10.0, **more: Any) -> HttpRequest:
    return HttpRequest(method="GET", url=url, timeout=timeout, **more)


async def ask(*requests: HttpRequest) -> tuple[int, bytes]:
    async with pinned_client() as client, exchange(client, *requests) as response:
        return response.status_code, await read_start(response, 1000)


def closed_port() -> str:
    """A URL at which no server listens."""
    with socket.socket() as placeholder:
        placeholder.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{placeholder.getsockname()[1]}/"


async def test_a_request_names_duly_and_hides_its_path_from_the_log() -> None:
    async with FakeServer() as fake:
        await ask(get(f"{fake.url}/", hidden_url=f"{fake.url}/token/ü?x=ä b"))
        [seen] = fake.seen
        assert seen.target == "/token/%C3%BC?x=%C3%A4%20b"
        assert seen.headers["user-agent"] == "duly"


async def test_a_redirect_is_not_followed_even_by_a_client_that_would() -> None:
    async with FakeServer() as fake, httpx.AsyncClient(follow_redirects=True) as client:
        fake.fail(Reply(302, None, {"Location": f"{fake.url}/stolen"}))
        async with exchange(client, get(fake.url)) as response:
            assert response.status_code == 302
        assert len(fake.seen) == 1


async def test_the_next_address_is_tried_only_where_no_connection_was_made() -> None:
    async with FakeServer() as first, FakeServer() as second:
        status, _ = await ask(get(closed_port()), get(first.url), get(second.url))
        assert status == 404
        first.fail(HangUp)
        with pytest.raises(NoAnswerError):
            await ask(get(closed_port()), get(first.url), get(second.url))
        assert (len(first.seen), len(second.seen)) == (2, 0)


async def test_an_error_says_whether_the_request_may_have_arrived() -> None:
    with pytest.raises(NotConnectedError, match="ConnectError"):
        await ask(get(closed_port()))
    async with FakeServer() as fake:
        fake.fail(HangUp, Hang)
        with pytest.raises(NoAnswerError, match="RemoteProtocolError") as failed:
            await ask(get(fake.url))
        assert failed.value.kind == "RemoteProtocolError"
        with pytest.raises(NoAnswerError, match="ReadTimeout"):
            await ask(get(fake.url, timeout=QUICK))
    for url in ("ftp://host/", "http://[::1"):
        with pytest.raises(InvalidUrlError):
            await ask(get(url))


async def test_an_answer_that_trickles_ends_after_twice_the_timeout() -> None:
    ended = asyncio.Event()

    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        try:
            while True:
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(QUICK / 10)
        except OSError:  # the client has gone
            writer.close()
            ended.set()

    server = await asyncio.start_server(trickle, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    with pytest.raises(NoAnswerError, match="TimeoutError"):
        await ask(get(url, timeout=QUICK))
    await ended.wait()
    server.close()
    await server.wait_closed()


async def test_a_body_is_read_up_to_a_limit() -> None:
    async with FakeServer() as fake:
        fake.fail(Reply(200, "x" * 3_000_000))
        _, body = await ask(get(fake.url))
        assert 1000 < len(body) < 1_000_000


async def test_every_client_checks_certificates() -> None:
    for client in (vendor_client(), pinned_client()):
        context = client._transport._pool._ssl_context  # type: ignore[attr-defined]
        assert context.verify_mode is ssl.CERT_REQUIRED
        assert context.check_hostname
        assert context.get_ca_certs()
        await client.aclose()
