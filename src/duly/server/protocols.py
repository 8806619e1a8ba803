"""The HTTP server: uvicorn with deadlines, counted connections, and a header that every answer has.

uvicorn waits without limit for the rest of a request. Here the head and the body of each request have a deadline; when
it passes, the client gets 408 and the server closes the connection.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from functools import partial
from http import HTTPStatus
from typing import Any, cast

import h11
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Response
from websockets.server import ServerProtocol

from duly.config.settings import ServerLimits
from duly.server.connections import BACKLOG, CONNECTION, ClientConnection, ClientConnections

NO_SNIFFING = (b"x-content-type-options", b"nosniff")
"""Browsers take an answer for the type that it names, and do not look for a script in it."""
_RESPONSE_HEADS = ("http.response.start", "websocket.accept", "websocket.http.response.start")
_LARGEST_FRAME = 1_000_000
_KEEP_ALIVE = 5
_LOOKS = ("GET", "HEAD")
_MCP = "/mcp"
_TEXTS = {408: b"the request did not arrive in time", 400: b"this is not a request in HTTP/1.1"}


def make_config(app: ASGIApp, limits: ServerLimits, *, public_url: str | None = None, **options: Any) -> uvicorn.Config:
    """Make the configuration with which uvicorn serves an application within these limits.

    Only with a `public_url` there is a proxy, whose `X-Forwarded-For` says where a request came from. Without one any
    program could name any address.
    """
    connections = ClientConnections(limits)
    return uvicorn.Config(
        WithHeaders(app),
        http=cast("type[asyncio.Protocol]", partial(HttpConnection, open_ones=connections)),
        ws=cast("type[asyncio.Protocol]", partial(SocketConnection, open_ones=connections)),
        ws_max_size=_LARGEST_FRAME,
        ws_per_message_deflate=False,  # a small compressed frame could be huge in memory
        timeout_keep_alive=_KEEP_ALIVE,
        backlog=BACKLOG,
        proxy_headers=public_url is not None,
        log_config=None,  # `library_warnings` handles what it logs
        access_log=False,
        **options,
    )


class WithHeaders:
    """An application that adds `NO_SNIFFING` to every answer: pages, errors, streams and WebSockets.

    uvicorn itself answers a WebSocket that is refused before it was accepted: see `_Handshake`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] in _RESPONSE_HEADS:
                message["headers"] = _completed(message.get("headers", ()))
            await send(message)

        await self._app(scope, receive, sending)


def _completed(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [*((name, value) for name, value in headers if name.lower() != NO_SNIFFING[0]), NO_SNIFFING]


def _with_connection(app: ASGIApp, connection: ClientConnection) -> ASGIApp:
    """Wrap an application so that each scope names the connection of its request: see `connection_of`.

    A request that changes nothing ends when its client leaves. The streams of MCP notice that themselves.
    """

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        scope[CONNECTION] = connection
        if scope.get("method") not in _LOOKS or scope["path"] == _MCP:
            await app(scope, receive, send)
            return
        connection.looking = asyncio.current_task()
        try:
            await app(scope, receive, send)
        except asyncio.CancelledError:
            if connection.is_open:
                raise
        finally:
            connection.looking = None

    return served


class OneWrite:
    """A transport that hands everything written in one turn of the event loop to the system at once.

    uvicorn writes the head and the body of an answer one after the other. Two packets wake a client twice, and sending
    the second cost a tenth of a request.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Write soon: when the callbacks that are ready have run."""
        if not data:
            return
        if not self._held:
            self._loop.call_soon(self._flush)
        self._held.append(data)

    def _flush(self) -> None:
        held = self._held
        if held:
            self._held = []
            self._transport.write(held[0] if len(held) == 1 else b"".join(held))

    def write_now(self, data: bytes) -> None:
        """Write at once, after what is held."""
        self._flush()
        self._transport.write(data)

    def close(self) -> None:
        """Close the connection after everything was sent."""
        self._flush()
        self._transport.close()

    def abort(self) -> None:
        """Close the connection now."""
        self._held = []
        self._transport.abort()

    def get_write_buffer_size(self) -> int:
        """Count the bytes that wait to be sent."""
        return self._transport.get_write_buffer_size() + sum(map(len, self._held))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class HttpConnection(H11Protocol):
    """One HTTP connection, with a deadline for the part of a request that the server waits for."""

    def __init__(self, *args: Any, open_ones: ClientConnections, **more: Any) -> None:
        super().__init__(*args, **more)
        self._open_ones = open_ones
        self._deadline: asyncio.TimerHandle | None = None
        self._awaited: Any = None
        """The state of the client for which the deadline runs: `h11.IDLE` for a head, `h11.SEND_BODY` for a body."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._one_write = OneWrite(transport, self.loop)
        transport = cast("asyncio.Transport", self._one_write)
        super().connection_made(transport)
        connection = ClientConnection(
            self._open_ones, abort=transport.abort, keeps_waiting=self._keeps_waiting, pour=self._pour
        )
        self.app = cast("Any", _with_connection(cast("ASGIApp", self.app), connection))
        self._wait_for(h11.IDLE)
        self._open_ones.add(transport, connection)

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_for(None)
        self._open_ones.discard(self.transport)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        if self.transport.get_protocol() is not self:
            return  # it has become a WebSocket: what it sends from now on is no request
        # A head has begun when h11 holds bytes of it. Between two requests uvicorn's own keep-alive timeout runs.
        state = self.conn.their_state
        begun = state is h11.SEND_BODY or (state is h11.IDLE and self.conn.trailing_data[0])
        self._wait_for(state if begun and not self.transport.is_closing() else None)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._wait_for(None)
        super().handle_websocket_upgrade(event)

    def shutdown(self) -> None:
        self._wait_for(None)
        super().shutdown()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  `_refuse` has the text
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse(400)
        self.transport.close()

    def _wait_for(self, state: Any) -> None:
        """Start the deadline for a head or a body, unless it runs already; stop it when `state` is None."""
        if state is self._awaited:
            return
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        self._awaited = state
        limits = self._open_ones.limits
        if state is not None:
            seconds = limits.head_timeout if state is h11.IDLE else limits.body_timeout
            self._deadline = self.loop.call_later(seconds, self._too_late)

    def _too_late(self) -> None:
        if self.transport.is_closing():
            return
        if self.transport.get_write_buffer_size():
            self.transport.abort()  # the client does not read either: `close` would wait until it does
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse(408)
        self.transport.close()

    def _refuse(self, status: int) -> None:
        """Answer a request that did not arrive in full. An application that has begun to read it sees a disconnect."""
        if self._is_working():
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        text = _TEXTS[status]
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(text)).encode()),
            (b"connection", b"close"),
            NO_SNIFFING,
        ]
        head = h11.Response(status_code=status, headers=headers, reason=HTTPStatus(status).phrase.encode())
        for event in (head, h11.Data(data=text), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")

    def _pour(self, make: Callable[[], bytes]) -> bool:
        """Write a part of an answer as it goes over the wire, if the client has read enough: see `ClientConnection`."""
        if self.flow.write_paused or self.transport.is_closing():
            return False
        if data := make():
            self._one_write.write_now(data)
        return True

    def _keeps_waiting(self) -> bool:
        """Whether the server waits for the client: to read, or to send (the rest of) a request."""
        return self.flow.write_paused or self._awaited is not None or not self._is_working()

    def _is_working(self) -> bool:
        cycle: RequestResponseCycle | None = (
            self.cycle
        )  # None before the first request, although uvicorn types it otherwise
        return cycle is not None and not cycle.response_complete


class SocketConnection(WebSocketsSansIOProtocol):
    """A connection that has become a WebSocket."""

    def __init__(self, *args: Any, open_ones: ClientConnections, **more: Any) -> None:
        super().__init__(*args, **more)
        self._open_ones = open_ones
        self.conn = _Handshake(max_size=self.config.ws_max_size, logger=logging.getLogger("uvicorn.error"))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        connection = self._open_ones.get(transport)
        if connection is not None:
            connection.is_socket = True
            connection.keeps_waiting = lambda: not connection.is_known or not self.writable.is_set()
            self.app = cast("Any", _with_connection(cast("ASGIApp", self.app), connection))

    def connection_lost(self, exc: Exception | None) -> None:
        self._open_ones.discard(self.transport)
        super().connection_lost(exc)


class _Handshake(ServerProtocol):
    """The WebSocket protocol; its refusals have the header that every answer has."""

    def reject(self, *args: Any, **more: Any) -> Response:
        response = super().reject(*args, **more)
        name, value = NO_SNIFFING
        response.headers[name.decode()] = value.decode()
        return response
