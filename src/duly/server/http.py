"""The HTTP application of the daemon: MCP, WebSocket, health, and the routes for answers. It runs the engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

from fastapi import APIRouter, FastAPI, Request, WebSocket
from fastapi.responses import JSONResponse, Response
from starlette.requests import HTTPConnection

from duly._version import __version__
from duly.errors import StoreError
from duly.mcp.server import make_server
from duly.runtime.runtime import Runtime
from duly.server.answer_pages import make_answer_pages
from duly.server.bodies import LARGEST
from duly.server.dashboard import mount_dashboard
from duly.server.inbound import make_inbound, start_telegram
from duly.server.mcp_endpoint import Guard, McpSessions, caller_of, make_services
from duly.server.metrics import make_metrics
from duly.server.startup import EngineStart
from duly.server.websocket import TokenChanges, make_websocket
from duly.service.access.failed_logins import FailedLogins
from duly.service.access.scopes import Caller, Face
from duly.service.schedules.views import plain
from duly.ws.frames import Listeners

_TRY_AGAIN_LATER = 1013
_LIGHT_CODES = {"green": 200, "yellow": 200, "red": 503}


async def _known(guard: Guard, request: Request) -> Caller | None:
    """Give the caller of a request; None without a valid token, and while the store cannot tell whose a token is."""
    try:
        return await guard.caller(request.scope)
    except StoreError:
        return None


async def _health(runtime: Runtime, caller: Caller | None, local: Caller) -> JSONResponse:
    """Give the health with its reasons; to callers with a token also the schedules that need attention."""
    health = await runtime.use_cases.health(caller or local)
    content = {"light": health.state, **plain(health)}
    if caller is None:  # names of schedules and their errors are not for everyone who can reach the port
        content.pop("attention", None)
    return JSONResponse(content, status_code=_LIGHT_CODES.get(health.state, 503))


async def _store_is_down(asked: HTTPConnection, error: Exception) -> Response | None:
    """Answer a request, on any route, when the store is unavailable: 503, and not the 500 of an error in duly."""
    message = f"the store is unavailable, try again later: {error}"
    if isinstance(asked, WebSocket):
        with suppress(RuntimeError):  # already closed
            await asked.close(_TRY_AGAIN_LATER)
        return None
    return JSONResponse({"error": message}, status_code=503, headers={"Retry-After": "5"})


def _make_health(runtime: Runtime, guard: Guard, local: Caller) -> APIRouter:
    router = APIRouter()

    @router.get("/health")
    async def health(request: Request) -> JSONResponse:
        return await _health(runtime, await _known(guard, request), local)

    return router


@asynccontextmanager
async def _running(
    runtime: Runtime, engine_start: EngineStart, failed: FailedLogins, follow: Iterable[Coroutine[Any, Any, None]]
) -> AsyncIterator[None]:
    """Run the engine, and what is done beside it, during the block; close the runtime at its end."""
    await engine_start.begin()
    tasks = [*start_telegram(runtime), *runtime.monitor.tasks(), *map(asyncio.create_task, follow)]
    try:
        yield
    finally:
        await engine_start.end()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await failed.close()
        await runtime.close()


def make_app(runtime: Runtime, *, host: str, auth: bool = True) -> FastAPI:
    """Make the application of a daemon. Its lifespan runs the engine."""
    monitor = runtime.monitor
    monitor.begin()
    services = make_services(runtime, caller_of)
    server = make_server(services)
    local = runtime.local(Face.MCP)
    limits = runtime.settings.limits
    mcp = server.streamable_http_app(
        streamable_http_path="/mcp",
        host=host,
        max_request_body_size=LARGEST,
        max_sessions=limits.sessions,
        session_idle_timeout=limits.session_idle_timeout,
    )
    sessions = McpSessions(server.session_manager, limits)
    failed = FailedLogins(runtime.store, runtime.clock)
    guard = Guard(mcp, runtime.tokens, sessions, open_for=None if auth else local, home=local.home, failed=failed)
    listeners = Listeners(runtime.reminders.lists)
    changes = TokenChanges(runtime.store, runtime.clock)
    engine_start = EngineStart(runtime)
    monitor.clients.update(mcp=lambda: sessions.total, websocket=lambda: len(changes))

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        runtime.hear(listeners.hear)
        runtime.hear(changes.hear)
        follow = [services.watchers.follow(runtime.store, runtime.clock), changes.follow()]
        async with server.session_manager.run(), _running(runtime, engine_start, failed, follow):
            yield

    app = FastAPI(title="duly", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_exception_handler(StoreError, _store_is_down)  # type: ignore[arg-type]  # Starlette types handlers for HTTP or WebSocket, not for both

    def asked_to_stop() -> None:
        """End what would delay the stop of the server."""
        engine_start.call_off()
        services.watchers.close()

    app.state.asked_to_stop = asked_to_stop
    app.state.sessions = sessions
    app.include_router(_make_health(runtime, guard, local))
    app.include_router(make_metrics(runtime, guard))
    app.include_router(make_inbound(runtime, guard, failed))
    app.include_router(make_answer_pages(runtime, failed))
    app.include_router(make_websocket(runtime, guard, listeners, changes))
    mount_dashboard(app, runtime, failed, guard, auth=auth)
    return app
