"""The live feed over HTTP: server-sent events, for `GET /api/v1/events` and for the dashboard.

Each write holds everything that is new, at most four times a second. A client that does not read keeps its connection
for half a minute; what it missed meanwhile costs no memory, and if it is too much it gets `reset` instead.

A thousand clients get the same bytes: they are made once, and written by one task, without waking one for each client.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from duly.rest.answers import problem_response
from duly.rest.problems import problem
from duly.server.connections import ClientConnection, Pour, connection_of
from duly.service.access.scopes import Caller
from duly.service.live.events import Batch, LiveEvent
from duly.service.live.feed import LiveFeed, Subscription

_SSE = "sse"
_CHUNK = "sse chunk"
_CHUNKED = "1.1"
"""The version of HTTP whose answers of unknown length come in chunks; those of 1.0 end with the connection."""
_RETRY = b"retry: 2000\n\n"
"""Milliseconds after which a browser connects again when the connection was lost."""
_PATIENCE = 30.0
"""Seconds for which a client may leave a write unread."""
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # a proxy in front must not hold events back
]


async def sse_response(feed: LiveFeed, caller: Caller, request: Request, session: str | None = None) -> Response:
    """Answer a request with the stream of what its caller may see, until the client leaves or its token ends.

    With the id of a `session` of the dashboard, it ends with that session as well.

    `?topics=run,schedule` chooses topics. `Last-Event-ID`, or `?last_id=` where a page opens its first stream, says
    where to go on. Raises `InvalidInputError` for an unknown topic, `AccessDeniedError` for a token that has ended.
    """
    connection = connection_of(request.scope)
    if connection is not None:
        connection.is_stream = True
        if (most := connection.too_many_streams()) is not None:
            connection.is_stream = False
            return _refused(most, request)
    topics = request.query_params.get("topics")
    last_id = request.headers.get("last-event-id") or request.query_params.get("last_id")
    try:
        chosen = None if topics is None else topics.split(",")
        subscription = await feed.open(caller, topics=chosen, last_id=last_id, session=session)
    except BaseException:
        if connection is not None:
            connection.is_stream = False
        raise
    return EventStream(subscription, connection)


def render(batch: Batch) -> bytes:
    """Write a batch as server-sent events; once for all clients that share it."""
    if _SSE not in batch.rendered:
        batch.rendered[_SSE] = "".join(map(_lines, batch.events)).encode()
    return batch.rendered[_SSE]


def _chunk(batch: Batch) -> bytes:
    """Write a batch as a chunk of HTTP/1.1; once for all clients that share it."""
    if not batch.events:
        return b""
    if _CHUNK not in batch.rendered:
        body = render(batch)
        batch.rendered[_CHUNK] = b"%x\r\n%b\r\n" % (len(body), body)
    return batch.rendered[_CHUNK]


def _lines(event: LiveEvent) -> str:
    return f"id: {event.id}\nevent: {event.topic}\ndata: {json.dumps(event.to_json(), separators=(',', ':'))}\n\n"


def _refused(why: str, request: Request) -> Response:
    fix = "Close streams that are not read; an admin can raise the limits of [server] in duly.toml."
    return problem_response(problem("too-many-streams", 429, why, fix), request.url.path, {"Retry-After": "10"})


class EventStream(Response):
    """The response: it writes what the subscription has, and ends with it."""

    def __init__(self, subscription: Subscription, connection: ClientConnection | None) -> None:
        super().__init__()
        self._subscription = subscription
        self._connection = connection

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        leaving = asyncio.create_task(self._end_when_left(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
            await send({"type": "http.response.body", "body": _RETRY, "more_body": True})
            connection = self._connection
            if connection is not None and connection.pour is not None and scope.get("http_version") == _CHUNKED:
                await self._pour(connection.pour)
            else:
                await self._write(send)
            async with asyncio.timeout(_PATIENCE):
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            if self._connection is not None:
                self._connection.abort()  # it reads nothing: an orderly end would wait for it, too
        finally:
            self._subscription.close()
            if self._connection is not None:
                self._connection.is_stream = False
            leaving.cancel()
            with suppress(asyncio.CancelledError):
                await leaving

    async def _write(self, send: Send) -> None:
        while (batch := await self._subscription.next()) is not None:
            async with asyncio.timeout(_PATIENCE):
                await send({"type": "http.response.body", "body": render(batch), "more_body": True})

    async def _pour(self, pour: Pour) -> None:
        """Let the feed write, until the end. Raises `TimeoutError` when the client has not read for too long."""
        loop = asyncio.get_running_loop()
        end = loop.create_future()
        unread_since: float | None = None

        def deliver() -> None:
            nonlocal unread_since
            if end.done():
                return
            if self._subscription.is_over:
                end.set_result(None)
            elif pour(lambda: _chunk(self._subscription.news())):
                unread_since = None
            elif unread_since is None:
                unread_since = loop.time()
            elif loop.time() - unread_since > _PATIENCE:
                end.set_exception(TimeoutError())

        self._subscription.call(deliver)
        await end

    async def _end_when_left(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._subscription.end()
