"""Who asks: the caller of a request for the API, a WebSocket, MCP or any other route, by the token that it shows."""

from __future__ import annotations

from dataclasses import replace

from starlette.types import Scope

from duly.server.connections import connection_of
from duly.server.exposure import address_of, header_of, is_from_here
from duly.service.access.failed_logins import FailedLogins
from duly.service.access.scopes import Caller, Face
from duly.service.access.tokens import TokenService


class Guard:
    """Knows callers by their tokens.

    With `--no-auth` also those without any token, from programs on this machine and from our own pages: a token that is
    sent counts there, too.
    """

    def __init__(
        self,
        tokens: TokenService,
        *,
        open_for: Caller | None = None,
        home: str | None = None,
        failed: FailedLogins | None = None,
    ) -> None:
        """`open_for` is the caller of those without a token, with `--no-auth`; `home` the namespace of admins."""
        self._tokens = tokens
        self._open_for = open_for
        self._home = home
        self._failed = failed

    async def caller(self, scope: Scope, token: str | None = None, face: Face = Face.MCP) -> Caller | None:
        """Give the caller whose bearer token a request shows; `token` counts where there is no header."""
        caller = await self._found(scope, token, face)
        connection = connection_of(scope)
        if caller is not None and connection is not None:
            connection.recognize(caller.token_id)
        return caller

    async def _found(self, scope: Scope, token: str | None, face: Face) -> Caller | None:
        header = header_of(scope, b"authorization")
        if self._open_for is not None and header is None and token is None:
            return replace(self._open_for, face=face) if is_from_here(scope) else None
        is_bearer = (header or "").partition(" ")[0].lower() == "bearer"
        found = bearer_of(scope) if is_bearer else token
        if not found:
            return None
        caller = await self._tokens.caller(found, face)
        if caller is None and self._failed is not None:
            await self._failed.note(str(face), address_of(scope), "no such token", found)
        if caller is None or self._home is None or not caller.scope.is_admin:
            return caller
        return replace(caller, home=self._home)


def bearer_of(scope: Scope) -> str | None:
    """Give the bearer token that a request shows."""
    kind, _, secret = (header_of(scope, b"authorization") or "").partition(" ")
    return secret.strip() or None if kind.lower() == "bearer" else None


def why_no_caller(scope: Scope, token: str | None = None, ways: str = "Authorization: Bearer <token>") -> str:
    """Say why a request has no caller. Strangers do not hear whether a token was known, revoked, or has expired."""
    if token or bearer_of(scope):
        return f"the token sent is not valid: send one that is, as {ways}"
    return f"send {ways}"
