"""Headers that every answer has, whichever part of the application gives it."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

NO_SNIFFING = (b"x-content-type-options", b"nosniff")
"""A browser takes an answer for what it says it is, and never looks for a script in it."""
_HEADS = ("http.response.start", "websocket.accept", "websocket.http.response.start")


class WithHeaders:
    """An application whose every answer has these headers: pages, errors, streams and WebSockets.

    A WebSocket that is refused before it was accepted is answered by the server: see `protocols`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] in _HEADS:
                message["headers"] = _completed(message.get("headers", ()))
            await send(message)

        await self._app(scope, receive, sending)


def _completed(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [*((name, value) for name, value in headers if name.lower() != NO_SNIFFING[0]), NO_SNIFFING]
