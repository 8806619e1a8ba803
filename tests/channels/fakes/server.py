"""An HTTP server in the test's own event loop, which can misbehave on request."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

import h11


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it came."""

    method: str
    target: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def fields(self) -> dict[str, Any]:
        """Parameters as JSON or as a form; clients differ, vendors take both."""
        if self.headers.get("content-type", "").startswith("application/json"):
            return dict(self.json) if self.body else {}
        return {name: _maybe_json(values[0]) for name, values in parse_qs(self.body.decode()).items()}


def _maybe_json(text: str) -> Any:
    return json.loads(text) if text.startswith(("{", "[")) else text


@dataclass(frozen=True, slots=True)
class Reply:
    """A response: an object goes out as JSON, a string as it is."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


class Hang:
    """Do the work, then never answer."""


class HangUp:
    """Do the work, then close the connection."""


Fault = Reply | type[Hang] | type[HangUp]


class FakeServer:
    """Answers with `respond`, except where `fail` foresaw something else for the next requests."""

    def __init__(self, *, tls: ssl.SSLContext | None = None) -> None:
        self.seen: list[Seen] = []
        self._faults: deque[Fault] = deque()
        self._tls = tls
        self._tasks: set[asyncio.Task[None]] = set()
        self.url = ""
        self.port = 0

    def fail(self, *faults: Fault) -> None:
        self._faults.extend(faults)

    async def respond(self, seen: Seen) -> Reply:
        return Reply(404, {"error": f"no {seen.path}"})

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._converse(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass  # the client went away, or the test is over
        finally:
            self._tasks.discard(task)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = h11.Connection(h11.SERVER)
        while (seen := await _request(connection, reader)) is not None:
            self.seen.append(seen)
            fault = self._faults.popleft() if self._faults else None
            reply = fault if isinstance(fault, Reply) else await self.respond(seen)
            if fault is Hang:
                await asyncio.Event().wait()
            if fault is HangUp:
                return
            writer.write(_response(connection, reply))
            await writer.drain()
            if connection.our_state is h11.MUST_CLOSE:
                return
            connection.start_next_cycle()


async def _request(connection: h11.Connection, reader: asyncio.StreamReader) -> Seen | None:
    head: h11.Request | None = None
    body = b""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(65536))
        elif isinstance(event, h11.Request):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage) and head is not None:
            url = urlsplit(head.target.decode())
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            headers = {name.decode().lower(): value.decode() for name, value in head.headers}
            return Seen(head.method.decode(), head.target.decode(), unquote(url.path), query, headers, bytes(body))
        else:
            return None


def _response(connection: h11.Connection, reply: Reply) -> bytes:
    text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
    headers = {"Content-Type": "text/plain" if isinstance(reply.body, str) else "application/json", **reply.headers}
    headers["Content-Length"] = str(len(text.encode()))
    parts = [
        connection.send(h11.Response(status_code=reply.status, headers=list(headers.items()))),
        connection.send(h11.Data(data=text.encode())),
        connection.send(h11.EndOfMessage()),
    ]
    return b"".join(part for part in parts if part)
