"""What answers requests for MCP over HTTP: the SDK and all tools. Only the first such request imports this module."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.types import Receive, Scope, Send

from duly.mcp.server import DulyServer, make_server
from duly.rest.answers import CALLER
from duly.server.bodies import LARGEST
from duly.service.access.scopes import Caller

__all__ = ["McpApp", "caller_of", "make_server"]


def caller_of(request: Any) -> Caller:
    """Give the caller of a request that passed the guard."""
    caller: Caller = request.scope[CALLER]
    return caller


class McpApp:
    """The application of the SDK, with the tools of duly."""

    def __init__(self, server: DulyServer, host: str) -> None:
        self._server = server
        limits = server.services.process.settings.limits
        self._inside = server.streamable_http_app(
            streamable_http_path="/mcp",
            host=host,
            max_request_body_size=LARGEST,
            max_sessions=limits.sessions,
            session_idle_timeout=limits.session_idle_timeout,
        )
        self._manager = server.session_manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller: Caller = scope[CALLER]
        if caller.token_id is not None:
            known = AccessToken(token="", client_id=caller.token_id, scopes=[str(caller.scope)])
            scope["user"] = AuthenticatedUser(known)  # the SDK lets only this user into the session it opens
        await self._inside(scope, receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Take requests during the block."""
        async with self._manager.run():
            if gc.get_freeze_count():  # a daemon keeps what it loaded at its start out of the search for garbage
                gc.collect()
                gc.freeze()
            yield

    async def follow(self) -> None:
        """Notify clients of changes by other processes, until cancelled."""
        await self._server.follow()

    def close(self) -> None:
        """End the streams of clients that watch."""
        self._server.watchers.close()

    @property
    def sessions(self) -> int:
        """How many sessions are open, of all tokens together."""
        return len(self._manager._server_instances)  # noqa: SLF001  the SDK has no public count

    def sessions_of(self, token: str) -> int:
        """Count the open sessions of a token."""
        owners = self._manager._session_owners.values()  # noqa: SLF001  the SDK has no public count
        return sum(owner["client_id"] == token for owner in owners)
