"""MCP over HTTP at exactly `/mcp`, behind bearer tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from duly.service.access import Caller, Face
from duly.service.tokens import TokenService

CALLER = "duly.caller"
_REALM = 'Bearer realm="duly"'


def caller_of(request: Any) -> Caller:
    """Who sent a request that passed the guard."""
    caller: Caller = request.scope[CALLER]
    return caller


class Guard:
    """Lets through who holds a token; without tokens, everybody who reaches this machine's loopback."""

    def __init__(
        self, app: ASGIApp, tokens: TokenService, everybody: Caller | None = None, home: str | None = None
    ) -> None:
        self._app = app
        self._tokens = tokens
        self._everybody = everybody
        self._home = home

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
        await self._app(scope, receive, send)

    async def caller(self, scope: Scope, token: str | None = None, face: Face = Face.MCP) -> Caller | None:
        """Whoever the bearer token belongs to; `token` counts where there is no header."""
        if self._everybody is not None:
            return self._everybody
        header = next((value for name, value in scope["headers"] if name == b"authorization"), b"").decode("latin-1")
        kind, _, secret = header.partition(" ")
        found = secret.strip() if kind.lower() == "bearer" else token
        if not found:
            return None
        caller = await self._tokens.caller(found, face)
        if caller is None or self._home is None or not caller.scope.is_admin:
            return caller
        return replace(caller, home=self._home)
