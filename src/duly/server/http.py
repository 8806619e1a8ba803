"""The one HTTP application: MCP, health, and the ways in for answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI, Request, WebSocket
from fastapi.responses import JSONResponse, Response
from starlette.requests import HTTPConnection

from duly._version import __version__
from duly.errors import StoreError
from duly.mcp.server import make_server
from duly.runtime.runtime import Runtime
from duly.server.answer_pages import make_answer_pages
from duly.server.bodies import LARGEST
from duly.server.desk import make_desk
from duly.server.following import follow
from duly.server.hooks import make_hooks
from duly.server.mcp_door import Guard, caller_of
from duly.server.mcp_sessions import Sessions
from duly.server.polling import start_polling
from duly.server.socket import make_socket
from duly.server.starting import Starting
from duly.service.access.access import Caller, Face
from duly.service.access.failed_logins import FailedLogins
from duly.service.schedules.views import plain
from duly.ws.frames import Listeners

_TRY_AGAIN_LATER = 1013
_LIGHT_CODES = {"green": 200, "yellow": 200, "red": 503}


async def _known(guard: Guard, request: Request) -> Caller | None:
    """Who asks, where that can be told: without a store nobody can say whose a token is."""
    try:
        return await guard.caller(request.scope)
    except StoreError:
        return None


async def _store_is_down(asked: HTTPConnection, error: Exception) -> Response | None:
    """What a request is told, on any route, when the store does not answer: that is no fault of the application."""
    told = f"the store is unavailable, try again later: {error}"
    if isinstance(asked, WebSocket):
        with suppress(RuntimeError):  # it is closed already
            await asked.close(_TRY_AGAIN_LATER)
        return None
    return JSONResponse({"error": told}, status_code=503, headers={"Retry-After": "5"})


def make_app(runtime: Runtime, *, host: str, auth: bool = True) -> FastAPI:
    """The application of a daemon. It runs the engine as long as it is served."""
    desk = make_desk(runtime, caller_of)
    server = make_server(desk)
    local = runtime.local(Face.MCP)
    limits = runtime.settings.limits
    mcp = server.streamable_http_app(
        streamable_http_path="/mcp",
        host=host,
        max_request_body_size=LARGEST,
        max_sessions=limits.sessions,
        session_idle_timeout=limits.session_idle_timeout,
    )
    sessions = Sessions(server.session_manager, limits)
    failed = FailedLogins(runtime.store, runtime.clock)
    guard = Guard(mcp, runtime.tokens, sessions, everybody=None if auth else local, home=local.home, failed=failed)
    listeners = Listeners(runtime.reminders.lists)
    starting = Starting(runtime)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        runtime.hear(listeners.hear)
        async with server.session_manager.run():
            await starting.begin()
            polling = [*start_polling(runtime), asyncio.create_task(follow(runtime, desk.watchers))]
            try:
                yield
            finally:
                await starting.end()
                for task in polling:
                    task.cancel()
                await asyncio.gather(*polling, return_exceptions=True)
                await failed.close()
                await runtime.close()

    app = FastAPI(title="duly", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/health")
    async def health(request: Request) -> JSONResponse:
        """Green, yellow or red, and why; to whoever holds a token also which schedules need attention."""
        caller = await _known(guard, request)
        health = await runtime.use_cases.health(caller or local)
        content = {"light": health.state, **plain(health)}
        if caller is None:  # names of schedules and what went wrong in them are not for everyone who can reach the port
            content.pop("attention", None)
        return JSONResponse(content, status_code=_LIGHT_CODES.get(health.state, 503))

    app.add_exception_handler(StoreError, _store_is_down)  # type: ignore[arg-type]  # one for both kinds of requests

    def asked_to_stop() -> None:
        """What would hold up the stop of the server is ended."""
        starting.call_off()
        desk.watchers.close()

    app.state.asked_to_stop = asked_to_stop
    app.state.sessions = sessions
    app.include_router(make_hooks(runtime, guard, failed))
    app.include_router(make_answer_pages(runtime, failed))
    app.include_router(make_socket(runtime, guard, listeners))
    app.mount("/", guard)
    return app
