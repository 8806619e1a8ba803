"""MCP over HTTP at exactly `/mcp`, behind bearer tokens, and how many sessions each token may have.

Nothing here loads the SDK: `McpEndpoint` does with the first request for MCP, because it takes a fifth of the memory
and a third of the time of a start.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from duly.config.settings import ServerLimits
from duly.errors import DulyError, StoreError
from duly.rest.answers import CALLER
from duly.rest.rates import RateLimits
from duly.server.bodies import BrokenOffError, TooLargeError, buffered
from duly.server.connections import connection_of
from duly.server.guard import Guard, why_no_caller
from duly.service.access.scopes import Caller
from duly.service.services import Services

if TYPE_CHECKING:
    from duly.server.mcp_app import McpApp

_REALM = 'Bearer realm="duly"'
_PATH = "/mcp"
_SESSION = b"mcp-session-id"
_VERSION = b"mcp-protocol-version"


class McpEndpoint:
    """Serves MCP with what its first request loads and makes; `serve` has to run meanwhile, as a task."""

    def __init__(self, services: Services, host: str) -> None:
        self._services = services
        self._host = host
        self._wanted = asyncio.Event()
        self._decided = asyncio.Event()
        """Set when the application was made, or could not be."""
        self._fault: Exception | None = None
        self.app: McpApp | None = None
        """What answers; None before the first request."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].rstrip("/") != _PATH:
            nothing = PlainTextResponse("Not Found", status_code=404) if scope["type"] == "http" else WebSocketClose()
            await nothing(scope, receive, send)
            return
        self._wanted.set()
        await self._decided.wait()
        if self.app is None:
            raise DulyError(f"MCP cannot be served: {self._fault}") from self._fault
        await self.app(scope, receive, send)

    async def serve(self) -> None:
        """Wait for the first request, make what answers it, and keep that until cancelled.

        It is loaded and made in threads: fires and other requests go on meanwhile.
        """
        await self._wanted.wait()
        try:
            module = await asyncio.to_thread(import_module, "duly.server.mcp_app")
            server = await asyncio.to_thread(module.make_server, self._services, module.caller_of)
            server.listen()
            app: McpApp = module.McpApp(server, self._host)
        except Exception as error:
            self._fault = error
            self._decided.set()
            raise
        async with app.running():
            self.app = app
            self._decided.set()
            await app.follow()

    def close(self) -> None:
        """End the streams that clients would keep open as long as they want."""
        if self.app is not None:
            self.app.close()


class McpSessions:
    """The open sessions of the SDK, by token, so that no token takes the places of the others.

    The SDK itself limits only their total number.
    """

    def __init__(self, endpoint: McpEndpoint, limits: ServerLimits) -> None:
        self._endpoint = endpoint
        self._opening: Counter[str] = Counter()
        self.per_token = limits.sessions_per_token
        self.idle_minutes = limits.session_idle_timeout / 60

    def is_full(self, scope: Scope, token: str) -> bool:
        """Whether a request would open a session more than its token may have."""
        return opens_session(scope) and self.count(token) >= self.per_token

    @property
    def total(self) -> int:
        """How many sessions are open, of all tokens together."""
        return 0 if self._endpoint.app is None else self._endpoint.app.sessions

    def count(self, token: str) -> int:
        """Count the sessions of a token, with those that are being opened."""
        there = 0 if self._endpoint.app is None else self._endpoint.app.sessions_of(token)
        return there + self._opening[token]

    @contextmanager
    def opening(self, scope: Scope, token: str | None) -> Iterator[None]:
        """Count a request that may open a session until it is answered: many requests at once stay within the limit."""
        if token is None or not opens_session(scope):
            yield
            return
        self._opening[token] += 1
        try:
            yield
        finally:
            self._opening[token] -= 1
            if not self._opening[token]:
                del self._opening[token]


def opens_session(scope: Scope) -> bool:
    """Whether a request opens a session: in older protocols the first request does, newer ones have no sessions."""
    if scope["path"].rstrip("/") != _PATH:
        return False
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS  # late: only requests for MCP load the SDK

    headers = dict(scope["headers"])
    version = headers.get(_VERSION)
    if version is not None and version.decode("latin-1") not in HANDSHAKE_PROTOCOL_VERSIONS:
        return False
    return _SESSION not in headers


class McpGate:
    """Lets requests with a token through to MCP, within the rate and the sessions of the token."""

    def __init__(
        self, guard: Guard, inside: ASGIApp, sessions: McpSessions | None = None, rates: RateLimits | None = None
    ) -> None:
        self._guard = guard
        self._inside = inside
        self._sessions = sessions
        self._rates = rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inside(scope, receive, send)
            return
        caller = await self._guard.caller(scope)
        if (refusal := self._refused(scope, caller)) is not None or caller is None:
            await (refusal or _no_token(scope))(scope, receive, send)
            return
        try:
            receive = await buffered(scope, receive) if scope["method"] == "POST" else receive
        except BrokenOffError:
            return
        except TooLargeError as error:
            await _refusal(413, str(error), close=True)(scope, receive, send)
            return
        scope[CALLER] = caller
        response = _Response(send, lambda: self._is_closed(scope))
        with nullcontext() if self._sessions is None else self._sessions.opening(scope, caller.token_id):
            await self._inside(scope, receive, response.send)
        await response.finish()

    def _refused(self, scope: Scope, caller: Caller | None) -> Response | None:
        """Give the answer to a request that is not served; None for one that is.

        The answer to a token that holds too many connections or sessions says how to end some.
        """
        if caller is None:
            return _no_token(scope)
        if scope["method"] == "POST" and self._rates is not None:
            allowance = self._rates.take(caller.name)
            if not allowance.allowed:
                return _refusal(429, allowance.refusal, Retry_After=str(allowance.retry_after))
        connection = connection_of(scope)
        if connection is not None and connection.token_has_too_many():
            most = connection.limits.connections_per_token
            return _refusal(429, f"this token holds {most} connections already: close some of them", close=True)
        sessions = self._sessions
        if sessions is not None and caller.token_id is not None and sessions.is_full(scope, caller.token_id):
            return _refusal(
                429,
                f"this token has {sessions.per_token} MCP sessions open: end some with DELETE /mcp; "
                f"without requests they end after {sessions.idle_minutes:g} minutes",
            )
        return None

    async def _is_closed(self, scope: Scope) -> bool:
        with suppress(StoreError):  # unknown while the store is away: the next event asks again
            return await self._guard.caller(scope) is None
        return False


def _refusal(status: int, message: str, *, close: bool = False, **headers: str) -> Response:
    """Make the answer to a request that is refused; `close` ends the connection with it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    error = {401: "unauthorized", 413: "too large", 429: "too many"}[status]
    more = {"Connection": "close"} if close else {}
    return JSONResponse({"error": error, "message": message}, status_code=status, headers={**named, **more})


def _no_token(scope: Scope) -> Response:
    return _refusal(401, f"{why_no_caller(scope)}; `duly token create` makes one", WWW_Authenticate=_REALM)


class _Response:
    """The response to a client. A stream of events ends when its token was revoked, and in good order at a stop."""

    def __init__(self, send: Send, is_closed: Callable[[], Awaitable[bool]]) -> None:
        self._send = send
        self._is_closed = is_closed
        """Whether the token that opened a stream is no longer valid."""
        self._streams = False
        self._ended = False

    async def send(self, message: Message) -> None:
        if self._ended:
            return
        if message["type"] == "http.response.start":
            self._streams = any(value.startswith(b"text/event-stream") for _, value in message.get("headers", ()))
        elif self._streams and message.get("body") and await self._is_closed():
            await self.finish()  # asked for the first event, too: a stream may be open for hours before it comes
            return
        elif not message.get("more_body"):
            self._ended = True
        await self._send(message)

    async def finish(self) -> None:
        """End a stream that is still open. At a stop the SDK just stops sending, which looks like a lost connection."""
        if self._streams and not self._ended:
            self._ended = True
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
