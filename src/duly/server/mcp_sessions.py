"""MCP sessions: how many each token may hold, so that no token takes those of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.types import Scope

from duly.config.settings import ServerLimits

_SESSION, _VERSION = MCP_SESSION_ID_HEADER.lower().encode(), MCP_PROTOCOL_VERSION_HEADER.lower().encode()


class Sessions:
    """The open sessions of the SDK, by token. The SDK itself limits only their total."""

    def __init__(self, manager: StreamableHTTPSessionManager, limits: ServerLimits) -> None:
        self._manager = manager
        self._opening: Counter[str] = Counter()
        self.per_token = limits.sessions_per_token
        self.idle_minutes = limits.session_idle_timeout / 60

    def is_full(self, scope: Scope, token: str) -> bool:
        """Whether a request would open a session more than its token may have."""
        return opens_session(scope) and self.count(token) >= self.per_token

    @property
    def total(self) -> int:
        """How many sessions are open, whoever's they are."""
        return len(self._manager._server_instances)  # noqa: SLF001  as above

    def count(self, token: str) -> int:
        """How many sessions a token holds, with those that are being opened."""
        owners = self._manager._session_owners.values()  # noqa: SLF001  the SDK counts them for nobody else
        return sum(owner["client_id"] == token for owner in owners) + self._opening[token]

    @contextmanager
    def opening(self, scope: Scope, token: str | None) -> Iterator[None]:
        """Count a request that may open a session until it is answered: many at once are no way around the limit."""
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
    """Whether a request asks for a session: newer protocols have none, and in older ones the first request does."""
    headers = dict(scope["headers"])
    version = headers.get(_VERSION)
    if version is not None and version.decode("latin-1") not in HANDSHAKE_PROTOCOL_VERSIONS:
        return False
    return _SESSION not in headers
