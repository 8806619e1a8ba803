"""MCP over HTTP at exactly `/mcp`, behind bearer tokens."""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from duly.errors import StoreError
from duly.server.bodies import BrokenOffError, TooLargeError, buffered
from duly.server.connections import connection_of
from duly.server.mcp_sessions import Sessions
from duly.service.access.access import Caller, Face
from duly.service.access.failed_logins import FailedLogins
from duly.service.access.tokens import TokenService

CALLER = "duly.caller"
_REALM = 'Bearer realm="duly"'


def caller_of(request: Any) -> Caller:
    """Who sent a request that passed the guard."""
    caller: Caller = request.scope[CALLER]
    return caller


class Guard:
    """Lets through who holds a token; without tokens, every program on this machine, but no page in its browsers."""

    def __init__(
        self,
        app: ASGIApp,
        tokens: TokenService,
        sessions: Sessions | None = None,
        *,
        everybody: Caller | None = None,
        home: str | None = None,
        failed: FailedLogins | None = None,
    ) -> None:
        self.inside = app
        self._tokens = tokens
        self._sessions = sessions
        self._everybody = everybody
        self._home = home
        self._failed = failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.inside(scope, receive, send)
            return
        caller = await self.caller(scope)
        if (refusal := self._refused(scope, caller)) is not None or caller is None:
            await (refusal or _NO_TOKEN)(scope, receive, send)
            return
        try:
            receive = await buffered(scope, receive) if scope["method"] == "POST" else receive
        except BrokenOffError:
            return
        except TooLargeError as error:
            await _refusal(413, str(error), close=True)(scope, receive, send)
            return
        scope[CALLER] = caller
        if caller.token_id is not None:
            known = AccessToken(token="", client_id=caller.token_id, scopes=[str(caller.scope)])
            scope["user"] = AuthenticatedUser(known)  # by this the SDK keeps sessions to whoever opened them
        answer = _Answer(send, None if self._everybody is not None else lambda: self._is_closed(scope))
        with nullcontext() if self._sessions is None else self._sessions.opening(scope, caller.token_id):
            await self.inside(scope, receive, answer.send)
        await answer.finish()

    def _refused(self, scope: Scope, caller: Caller | None) -> Response | None:
        """Why a request is not served: to a token that holds too much, what and how to let go of it."""
        if caller is None:
            return _NO_TOKEN
        connection = connection_of(scope)
        if connection is not None and connection.token_has_too_many():
            most = connection.limits.connections_per_token
            return _refusal(429, f"this token holds {most} connections already: close some of them", close=True)
        sessions = self._sessions
        if sessions is not None and caller.token_id is not None and sessions.is_full(scope, caller.token_id):
            most, minutes = sessions.per_token, sessions.idle_minutes
            return _refusal(
                429,
                f"this token has {most} MCP sessions open: end some with DELETE /mcp; "
                f"without requests they end after {minutes:g} minutes",
            )
        return None

    async def _is_closed(self, scope: Scope) -> bool:
        with suppress(StoreError):  # nobody can say at the moment: the next event asks again
            return await self.caller(scope) is None
        return False

    async def caller(self, scope: Scope, token: str | None = None, face: Face = Face.MCP) -> Caller | None:
        """Whoever the bearer token belongs to; `token` counts where there is no header."""
        caller = await self._found(scope, token, face)
        connection = connection_of(scope)
        if caller is not None and connection is not None:
            connection.recognize(caller.token_id)
        return caller

    async def _found(self, scope: Scope, token: str | None, face: Face) -> Caller | None:
        if self._everybody is not None:
            return replace(self._everybody, face=face) if is_from_here(scope) else None
        kind, _, secret = (_header(scope, b"authorization") or "").partition(" ")
        found = secret.strip() if kind.lower() == "bearer" else token
        if not found:
            return None
        caller = await self._tokens.caller(found, face)
        if caller is None and self._failed is not None:
            await self._failed.note(str(face), address_of(scope), "no such token", found)
        if caller is None or self._home is None or not caller.scope.is_admin:
            return caller
        return replace(caller, home=self._home)


def _refusal(status: int, message: str, *, close: bool = False, **headers: str) -> Response:
    """An answer to a request that does not get through; `close` ends the connection with it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    error = {401: "unauthorized", 413: "too large", 429: "too many"}[status]
    more = {"Connection": "close"} if close else {}
    return JSONResponse({"error": error, "message": message}, status_code=status, headers={**named, **more})


_NO_TOKEN = _refusal(401, "send Authorization: Bearer <token>; `duly token create` makes one", WWW_Authenticate=_REALM)


class _Answer:
    """What is sent to a client. A stream of events comes to an end, whatever ends it."""

    def __init__(self, send: Send, is_closed: Callable[[], Awaitable[bool]] | None) -> None:
        self._send = send
        self._is_closed = is_closed
        """Whether the token that opened a stream opens nothing any more; None when streams need none."""
        self._streams = self._ended = False

    async def send(self, message: Message) -> None:
        if self._ended:
            return
        if message["type"] == "http.response.start":
            self._streams = any(value.startswith(b"text/event-stream") for _, value in message.get("headers", ()))
        elif self._streams and message.get("body") and self._is_closed is not None and await self._is_closed():
            await self.finish()  # the first event, too: a stream may be open for hours before it comes
            return
        elif not message.get("more_body"):
            self._ended = True
        await self._send(message)

    async def finish(self) -> None:
        """End a stream that is still open: at a stop the SDK only breaks off, which looks like a torn connection."""
        if self._streams and not self._ended:
            self._ended = True
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def address_of(scope: Scope) -> str | None:
    """Where a request came from."""
    client = scope.get("client")
    return None if not client else str(client[0])


def is_from_here(scope: Scope) -> bool:
    """Whether a request came from a program on this machine.

    Pages of anybody reach loopback through the browser that shows them: it says where they are from. A name that was
    made to lead here is not one of loopback's.
    """
    host, origin = _header(scope, b"host"), _header(scope, b"origin")
    return _is_loopback(f"//{host}") and (origin is None or _is_loopback(origin))


def _is_loopback(url: str) -> bool:
    with suppress(ValueError):
        name = urlsplit(url).hostname or ""
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    return False


def _header(scope: Scope, wanted: bytes) -> str | None:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == wanted), None)
