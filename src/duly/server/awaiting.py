"""A daemon whose store does not answer yet: it listens, its health is red, and it begins as soon as the store does."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from duly.config.settings import ServerLimits
from duly.errors import StoreUnavailableError
from duly.planning.lease import pause_after
from duly.processes import until_asked_to_stop
from duly.runtime.runtime import Runtime

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send


async def wait_for_store(
    runtime: Runtime,
    listening: socket.socket,
    limits: ServerLimits,
    *,
    fault: StoreUnavailableError,
    say: Callable[[str], None],
    make_ready: Callable[[], Awaitable[None]],
) -> bool:
    """Try to make the daemon ready, however long its store takes; false when it was asked to stop before that.

    `fault` is what the first try said.
    """
    say(f"waiting for the store: {fault}")
    say("health is red until it answers; with --no-wait duly up ends instead")
    door = _RedDoor(str(fault))
    stop, failures = asyncio.ensure_future(until_asked_to_stop()), 1
    try:
        async with _served(door, listening, limits):
            while not stop.done():
                await _whichever_is_first(stop, runtime.clock.sleep(pause_after(failures)))
                try:
                    if await _whichever_is_first(stop, make_ready()):
                        return True
                except StoreUnavailableError as error:
                    door.fault = str(error)
                    failures += 1
    finally:
        stop.cancel()
        await asyncio.gather(stop, return_exceptions=True)
    return False


async def _whichever_is_first(stop: asyncio.Future[None], going: Any) -> bool:
    """Whether something came to its end before the daemon was asked to stop; otherwise it is called off."""
    task = asyncio.ensure_future(going)
    await asyncio.wait({stop, task}, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
        return True
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return False


@asynccontextmanager
async def _served(door: _RedDoor, listening: socket.socket, limits: ServerLimits) -> AsyncIterator[None]:
    """Answer requests as long as the block lasts; those that come after it wait for the next one who listens."""
    import uvicorn

    from duly.server.protocols import make_config

    server = uvicorn.Server(make_config(door, limits, lifespan="off", timeout_graceful_shutdown=1))
    serving = asyncio.create_task(server._serve([listening.dup()]))  # noqa: SLF001  `serve` would take over signals
    try:
        yield
    finally:
        server.should_exit = True
        await serving


class _RedDoor:
    """The application of a daemon that waits: everything is answered with 503 and the reason."""

    def __init__(self, fault: str) -> None:
        self.fault = fault

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.responses import JSONResponse

        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1013, "reason": "the store is unavailable"})
            return
        reason = f"the store is unavailable: {self.fault}"
        health = {"light": "red", "state": "red", "reasons": [reason]}
        content = health if scope["path"] == "/health" else {"error": reason}
        await JSONResponse(content, status_code=503, headers={"Retry-After": "5"})(scope, receive, send)
