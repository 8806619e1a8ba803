"""All screens of the dashboard, in the order in which their routes are tried. A new screen is one line here."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, FastAPI
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from duly.web.calendar import make_calendar
from duly.web.connect import make_connect
from duly.web.edit import make_edit
from duly.web.entry import make_entry, make_open_routes
from duly.web.executors import make_executors
from duly.web.inbox import make_inbox
from duly.web.journal import make_journal
from duly.web.load import make_load
from duly.web.nodes import make_nodes
from duly.web.palette import make_palette
from duly.web.people import make_channels, make_people, make_person
from duly.web.pins import make_pins
from duly.web.pressed import make_pressed, make_steps
from duly.web.run import make_run
from duly.web.run_output import make_output
from duly.web.runs import make_runs
from duly.web.schedule import make_schedule
from duly.web.schedules import make_schedules
from duly.web.session import COOKIE
from duly.web.site import Site
from duly.web.subscribe import make_subscribe
from duly.web.today import make_today
from duly.web.tokens import make_tokens

_OTHER_FACES = ("/mcp", "/ws", "/api/", "/metrics", "/health", "/inbound/", "/answer/", "/calendar/")
SCREENS: tuple[Callable[[Site], APIRouter], ...] = (
    make_open_routes,
    make_entry,
    make_today,
    make_palette,
    make_edit,
    make_runs,
    make_run,
    make_output,
    make_schedule,
    make_schedules,
    make_pressed,
    make_steps,
    make_pins,
    make_inbox,
    make_calendar,
    make_subscribe,
    make_load,
    make_people,
    make_person,
    make_channels,
    make_nodes,
    make_executors,
    make_tokens,
    make_connect,
    make_journal,
)


def mount(app: FastAPI, site: Site) -> None:
    """Add every screen to an application."""
    for make in SCREENS:
        app.include_router(make(site))


class NotFoundPages:
    """Shows browsers a page where an address leads nowhere; everything else goes on to the faces behind it."""

    def __init__(self, site: Site, behind: ASGIApp) -> None:
        self._site = site
        self._behind = behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] in {"GET", "HEAD"} and not _is_other(scope["path"]):
            request = Request(scope, receive)
            if "text/html" in request.headers.get("accept", "") or COOKIE in request.cookies:
                await (await self._site.not_found(request))(scope, receive, send)
                return
        await self._behind(scope, receive, send)


def _is_other(path: str) -> bool:
    return any(path == face or path.startswith(face) for face in _OTHER_FACES)


def is_page(path: str) -> bool:
    """Whether a path may be one of the dashboard's pages, and not of another face."""
    return not _is_other(path)


__all__ = ["SCREENS", "NotFoundPages", "is_page", "mount"]
