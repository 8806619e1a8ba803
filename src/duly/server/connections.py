"""The open connections of the HTTP server: how many there may be, whose they are, and which one to close.

A client that has shown no token is a stranger. Strangers have a share of the connections. When it is used up, the
server closes, for each new one, the oldest stranger that keeps it waiting. It does so a moment later: many clients that
come at once with a token are strangers only until their requests are read. It therefore takes every new connection, and
serves a client that sends its request at once, while others hold half-sent requests open.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from duly.config.settings import ServerLimits

CONNECTION = "duly.connection"
_MOMENT = 1.0
"""Seconds for which there may be too many strangers: enough to read the request of each."""
FILES_FOR_OTHERS = 96
"""Open files that are not connections: the store, pipes of agents, channels."""
BACKLOG = 64
"""ClientConnections that the operating system may hand over at once, before any of them can be closed again."""


Pour = Callable[[Callable[[], bytes]], bool]
"""Writes a part of the answer that is under way past the layers of the application: bytes as they go over the wire.

It asks for them only if the client has read enough of what was written before, and gives False otherwise.
"""


class ClientConnection:
    """An open connection. Its client is a stranger until it shows a token."""

    def __init__(
        self,
        connections: ClientConnections,
        *,
        abort: Callable[[], None],
        keeps_waiting: Callable[[], bool],
        pour: Pour | None = None,
    ) -> None:
        self.abort = abort
        self.pour = pour
        self.keeps_waiting = keeps_waiting
        """Whether the server waits for the client: for the rest of a request, for the next one, or for it to read."""
        self.is_open = True
        self.is_known = False
        self.is_socket = False
        self.is_stream = False
        """Whether it carries a stream of events now."""
        self.token: str | None = None
        self.looking: asyncio.Task[Any] | None = None
        """The task of a request that changes nothing: it is called off when the client leaves."""
        self._connections = connections

    @property
    def limits(self) -> ServerLimits:
        return self._connections.limits

    def recognize(self, token: str | None) -> None:
        """Note that the client has shown a token, or needs none. The latest token of a connection counts."""
        self._connections.recognize(self, token)

    def token_has_too_many(self) -> bool:
        """Whether its token holds more connections than it may."""
        return self._connections.count(self.token) > self.limits.connections_per_token

    def token_has_too_many_sockets(self) -> bool:
        """Whether its token holds more WebSockets than it may."""
        return self._connections.count_sockets(self.token) > self.limits.sockets_per_token

    def too_many_streams(self) -> str | None:
        """Say why this stream, already counted, is one too many; None when it is not."""
        limits = self.limits
        if self._connections.count_streams() > limits.streams:
            return f"the server has {limits.streams} streams of events open, as many as it may: try again later"
        if self._connections.count_streams(self.token) > limits.streams_per_token and self.token is not None:
            return f"this token has {limits.streams_per_token} streams of events open: close some of them first"
        return None


class ClientConnections:
    """All open connections of a server, the oldest first."""

    def __init__(
        self, limits: ServerLimits, later: Callable[[float, Callable[[], None]], object] | None = None
    ) -> None:
        """`later` does something after some seconds; without it the running loop does."""
        self.limits = limits
        self._later = later
        self._open: dict[object, ClientConnection] = {}
        self._of_token: Counter[str | None] = Counter()
        self.strangers = 0
        """How many clients have shown no token."""

    def __len__(self) -> int:
        return len(self._open)

    def add(self, key: object, connection: ClientConnection) -> None:
        """Take a new connection, and close another one where there are too many."""
        self._open[key] = connection
        self.strangers += 1
        if self.strangers > self.limits.strangers:
            later = self._later or asyncio.get_running_loop().call_later
            later(_MOMENT, partial(self._close_stranger, key))
        if len(self._open) > self.limits.connections:
            self._close_one(key, list(self._open.items()))

    def get(self, key: object) -> ClientConnection | None:
        return self._open.get(key)

    def discard(self, key: object) -> None:
        """Forget a connection that is closed."""
        connection = self._open.pop(key, None)
        if connection is None:
            return
        connection.is_open = False
        if connection.looking is not None:
            connection.looking.cancel()
        if connection.is_known:
            self._forget(connection.token)
        else:
            self.strangers -= 1

    def recognize(self, connection: ClientConnection, token: str | None) -> None:
        """Note that a client has shown a token, or needs none."""
        if not connection.is_open:
            return
        if connection.is_known:
            self._forget(connection.token)
        else:
            self.strangers -= 1
        connection.is_known = True
        connection.token = token
        self._of_token[token] += 1

    def count(self, token: str | None) -> int:
        """Count the connections of a token; 0 for clients that need no token, which are not limited."""
        return 0 if token is None else self._of_token[token]

    def count_sockets(self, token: str | None) -> int:
        """Count the WebSockets of a token."""
        return 0 if token is None else sum(each.is_socket and each.token == token for each in self._open.values())

    def count_streams(self, token: str | None = None) -> int:
        """Count the streams of events, of a token or of all."""
        return sum(each.is_stream and token in (None, each.token) for each in self._open.values())

    def _forget(self, token: str | None) -> None:
        self._of_token[token] -= 1
        if self._of_token[token] <= 0:
            del self._of_token[token]

    def _close_stranger(self, newest: object) -> None:
        """Close the oldest stranger that keeps the server waiting and came no later than a connection.

        Those that are at work stay: they become known, or end soon.
        """
        if self.strangers <= self.limits.strangers:
            return
        for key, each in self._open.items():
            if not each.is_known and each.keeps_waiting():
                self.discard(key)
                each.abort()
                return
            if key is newest:
                return

    def _close_one(self, newest: object, among: Iterable[tuple[object, ClientConnection]]) -> None:
        """Close the oldest one that keeps the server waiting, strangers first; the newest if no other does."""
        waiting = [(key, each) for key, each in among if key is not newest and each.keeps_waiting()]
        chosen = next((key for key, each in waiting if not each.is_known), waiting[0][0] if waiting else newest)
        connection = self._open[chosen]
        self.discard(chosen)
        connection.abort()


def connection_of(scope: Mapping[str, Any]) -> ClientConnection | None:
    """Give the connection of a request; None without our server, as in tests that call the application directly."""
    found: ClientConnection | None = scope.get(CONNECTION)
    return found
