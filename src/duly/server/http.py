"""The HTTP application of the daemon: MCP, WebSocket, health, and the routes for answers. It runs the engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import APIRouter, FastAPI, Request, WebSocket
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from starlette.requests import HTTPConnection

from duly._version import __version__
from duly.errors import StoreError
from duly.rest.rates import RateLimits
from duly.runtime.runtime import Runtime
from duly.server.answer_pages import make_answer_pages
from duly.server.api_endpoint import api_mount
from duly.server.calendar import make_calendar_feed
from duly.server.dashboard import mount_dashboard
from duly.server.guard import Guard
from duly.server.inbound import make_inbound
from duly.server.mcp_endpoint import McpEndpoint, McpGate, McpSessions
from duly.server.metrics import make_metrics
from duly.server.startup import EngineStart
from duly.server.websocket import TokenChanges, make_websocket
from duly.service.access.failed_logins import FailedLogins
from duly.service.access.scopes import Caller, Face, anyone
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


async def _health(runtime: Runtime, caller: Caller | None) -> JSONResponse:
    """Give the health with its reasons, and the schedules that need attention; without a token only words."""
    if caller is None:  # counts, names and errors are not for everyone who can reach the port
        seen = await runtime.services.schedules.attention.health()
        content: dict[str, object] = {"light": str(seen.state), "state": str(seen.state), "reasons": seen.words}
    else:
        health = await runtime.services.schedules.health(caller)
        content = {"light": health.state, **plain(health)}
    return JSONResponse(content, status_code=_LIGHT_CODES.get(str(content["state"]), 503))


async def _ready(runtime: Runtime, local: Caller) -> JSONResponse:
    """Tell whether requests can be answered and schedules carried out; without a reason, because it needs no token."""
    try:
        is_ready = (await runtime.services.schedules.health(local)).state != "red"
    except StoreError:
        is_ready = False
    return JSONResponse({"status": "ready" if is_ready else "not ready"}, status_code=200 if is_ready else 503)


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

    @router.get("/healthz")
    async def alive() -> JSONResponse:
        return JSONResponse({"status": "ok"})

    @router.get("/readyz")
    async def ready() -> JSONResponse:
        return await _ready(runtime, local)

    @router.get("/health")
    async def health(request: Request) -> JSONResponse:
        return await _health(runtime, await _known(guard, request))

    return router


def _with_head(router: APIRouter) -> APIRouter:
    """Let routes answer HEAD as they answer GET; the server leaves the body out."""
    for route in router.routes:
        if isinstance(route, APIRoute) and route.methods and "GET" in route.methods:
            route.methods.add("HEAD")
    return router


def _listening_to_vendors(runtime: Runtime) -> list[asyncio.Task[None]]:
    if not runtime.channels:
        return []
    from duly.server.listening import start_listening  # late: it loads every vendor

    return start_listening(runtime)


class _DaemonParts:
    """The parts behind the routes: who may enter, who listens, and what runs as long as the application."""

    def __init__(self, runtime: Runtime, host: str, *, auth: bool) -> None:
        self.runtime = runtime
        self.services = runtime.services
        runtime.monitor.begin(self.services.asking)
        self.live = self.services.live  # before the engine starts, so that it hears all of its events
        self.local = runtime.local(Face.MCP)
        limits = runtime.settings.limits
        self.mcp = McpEndpoint(self.services, host)
        self.sessions = McpSessions(self.mcp, limits)
        self.rates = RateLimits(runtime.clock, limits.requests_per_minute)
        self.failed = FailedLogins(runtime.store, runtime.clock)
        runtime.services.tokens.is_closed = not auth
        open_for = None if auth else anyone(self.local)
        self.guard = Guard(runtime.services.tokens, open_for=open_for, home=self.local.home, failed=self.failed)
        self.gate = McpGate(self.guard, self.mcp, self.sessions, self.rates)
        self.listeners = Listeners(runtime.services.reminder_service.lists)
        self.changes = TokenChanges(runtime.store, runtime.clock)
        self.engine_start = EngineStart(runtime)
        runtime.monitor.clients.update(
            mcp=lambda: self.sessions.total, websocket=lambda: len(self.changes), sse=lambda: len(self.live)
        )

    @asynccontextmanager
    async def lifespan(self, _app: FastAPI) -> AsyncIterator[None]:
        """Run the engine, and what is done beside it, while the application is there; close the runtime at its end."""
        runtime = self.runtime
        runtime.hear(self.listeners.hear)
        runtime.hear(self.changes.hear)
        await self.engine_start.begin()
        beside = map(asyncio.create_task, (self.mcp.serve(), self.changes.follow()))
        tasks = [*_listening_to_vendors(runtime), *runtime.monitor.tasks(), *beside]
        try:
            yield
        finally:
            await self.engine_start.end()
            if self.engine_start.is_open:
                with suppress(StoreError):  # the next start without --no-auth does it otherwise
                    await runtime.services.tokens.note_mode(is_open=False)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.live.close()
            await self.failed.close()
            await runtime.close()
            await runtime.monitor.close()

    def asked_to_stop(self) -> None:
        """End what would delay the stop of the server."""
        self.engine_start.call_off()
        self.mcp.close()
        self.live.end_all()
        if "calendar" in vars(self.services):  # made with the first import
            self.services.calendar.end_imports()


def make_app(runtime: Runtime, *, host: str, auth: bool = True) -> FastAPI:
    """Make the application of a daemon. Its lifespan runs the engine."""
    parts = _DaemonParts(runtime, host, auth=auth)
    app = FastAPI(
        title="duly",
        version=__version__,
        lifespan=parts.lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    app.add_exception_handler(StoreError, _store_is_down)  # type: ignore[arg-type]  # Starlette types handlers for HTTP or WebSocket, not for both
    app.state.asked_to_stop = parts.asked_to_stop
    app.state.sessions = parts.sessions
    app.state.live = parts.live
    app.state.guard = parts.guard
    app.include_router(_with_head(_make_health(runtime, parts.guard, parts.local)))
    app.include_router(_with_head(make_metrics(runtime, parts.guard)))
    app.include_router(_with_head(make_calendar_feed(parts.services, parts.failed)))
    app.include_router(make_inbound(runtime, parts.guard, parts.failed))
    app.include_router(_with_head(make_answer_pages(runtime, parts.failed)))
    app.include_router(make_websocket(parts.services, parts.guard, parts.listeners, parts.changes, parts.rates))
    app.router.routes.append(api_mount(parts.guard, parts.services, parts.rates, parts.failed))
    mount_dashboard(app, runtime, parts.services, parts.failed, parts.gate, auth=auth)
    return app
