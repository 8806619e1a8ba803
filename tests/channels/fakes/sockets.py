"""A WebSocket server in the test's own event loop: what clients sent is kept, and frames are sent to the newest."""

from __future__ import annotations

import asyncio
import json
from types import TracebackType
from typing import Any, Self

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed


class FakeSocket:
    """Keeps every object that comes in, in order, and sends what `greeting` says to each client at once."""

    def __init__(self, greeting: dict[str, Any] | None = None) -> None:
        self.greeting = greeting
        self.url = ""
        self.got: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.opened: asyncio.Queue[ServerConnection] = asyncio.Queue()
        self.current: ServerConnection | None = None
        self.paths: list[str] = []

    async def __aenter__(self) -> Self:
        self._server = await serve(self._converse, "127.0.0.1", 0)
        port = next(iter(self._server.sockets)).getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _converse(self, socket: ServerConnection) -> None:
        self.current = socket
        assert socket.request is not None
        self.paths.append(socket.request.path)
        if self.greeting is not None:
            await socket.send(json.dumps(self.greeting))
        self.opened.put_nowait(socket)
        try:
            async for frame in socket:
                self.got.put_nowait(json.loads(frame))
        except ConnectionClosed:
            return

    async def send(self, data: dict[str, Any]) -> None:
        """Send an object to the client that connected last."""
        assert self.current is not None
        await self.current.send(json.dumps(data))
