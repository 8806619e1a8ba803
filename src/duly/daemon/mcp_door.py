"""MCP over HTTP at exactly `/mcp`, behind bearer tokens."""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from duly.errors import StoreError
from duly.service.access import Caller, Face
from duly.service.failed_logins import FailedLogins
from duly.service.tokens import TokenService

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
        everybody: Caller | None = None,
        home: str | None = None,
        failed: FailedLogins | None = None,
    ) -> None:
        self._app = app
        self._tokens = tokens
        self._everybody = everybody
        self._home = home
        self._failed = failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        caller = await self.caller(scope)
        if caller is None:
            refusal = JSONResponse(
                {
                    "error": "unauthorized",
                    "message": "send Authorization: Bearer <token>; `duly token create` makes one",
                },
                status_code=401,
                headers={"WWW-Authenticate": _REALM},
            )
            await refusal(scope, receive, send)
            return
        scope[CALLER] = caller
        if caller.token_id is not None:
            known = AccessToken(token="", client_id=caller.token_id, scopes=[str(caller.scope)])
            scope["user"] = AuthenticatedUser(known)  # by this the SDK keeps sessions to whoever opened them
        answer = _Answer(send, None if self._everybody is not None else lambda: self._is_closed(scope))
        await self._app(scope, receive, answer.send)
        await answer.finish()

    async def _is_closed(self, scope: Scope) -> bool:
        with suppress(StoreError):  # nobody can say at the moment: the next event asks again
            return await self.caller(scope) is None
        return False

    async def caller(self, scope: Scope, token: str | None = None, face: Face = Face.MCP) -> Caller | None:
        """Whoever the bearer token belongs to; `token` counts where there is no header."""
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


class _Answer:
    """What is sent to a client. A stream of events comes to an end, whatever ends it."""

    def __init__(self, send: Send, is_closed: Callable[[], Awaitable[bool]] | None) -> None:
        self._send = send
        self._is_closed = is_closed
        """Whether the token that opened a stream opens nothing any more; None when streams need none."""
        self._streams = self._begun = self._ended = False

    async def send(self, message: Message) -> None:
        if self._ended:
            return
        if message["type"] == "http.response.start":
            self._streams = any(value.startswith(b"text/event-stream") for _, value in message.get("headers", ()))
        elif not message.get("more_body"):
            self._ended = True
        elif self._streams and self._begun and self._is_closed is not None and await self._is_closed():
            await self.finish()
            return
        else:
            self._begun = True
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
