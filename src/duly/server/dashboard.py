"""The dashboard of a daemon: its secret, its sign-in links, and how it is wired to the runtime."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from duly.rest.rates import RateLimits
from duly.runtime.secret_files import read_secret, replace_secret_file, secret_file
from duly.server.connections import connection_of
from duly.server.exposure import address_of, is_from_here
from duly.server.sse import sse_response
from duly.service.access.failed_logins import FailedLogins, source_of
from duly.service.access.scopes import Face, anyone
from duly.service.services import Services
from duly.web.doors import Doors
from duly.web.screens import NotFoundPages, mount
from duly.web.session import Sessions, UsedUp, make_link
from duly.web.site import Site
from duly.web.viewer import Viewer

if TYPE_CHECKING:
    from pathlib import Path

    from duly.runtime.runtime import Runtime

_SECRET = "dashboard.secret"  # noqa: S105  a file name
_USED = "dashboard.used"
_SIGN_INS = 10
"""Attempts to sign in with a token, in a minute, from one address."""


def sign_in_link(runtime: Runtime, url: str) -> str:
    """Give an address that signs the local admin in, once. Any process of this data directory can make one."""
    return f"{url.rstrip('/')}/?token={make_link(_secret(runtime.settings.data_dir), runtime.clock.now())}"


def _secret(folder: Path) -> str:
    return secret_file(folder / _SECRET, lambda: secrets.token_urlsafe(32))


def mount_dashboard(
    app: FastAPI, runtime: Runtime, services: Services, failed: FailedLogins, behind: ASGIApp, *, auth: bool
) -> None:
    """Add the dashboard to an application; what is no page goes to the application `behind` it."""
    site = make_site(runtime, services, failed, auth=auth)
    mount(app, site)
    app.mount("/", NotFoundPages(site, behind))


def make_site(runtime: Runtime, services: Services, failed: FailedLogins, *, auth: bool) -> Site:
    """Make the dashboard's ground for a runtime."""
    folder = runtime.settings.data_dir
    used = UsedUp(read_secret(folder / _USED) or "", lambda content: replace_secret_file(folder / _USED, content))

    async def refused(request: Request, reason: str, secret: str | None) -> None:
        await failed.note("dashboard", address_of(request.scope), reason, secret)

    sessions = Sessions(_secret(folder), used)
    attempts = RateLimits(runtime.clock, _SIGN_INS)

    def wait(request: Request) -> int:
        allowance = attempts.take(source_of(address_of(request.scope)))
        return 0 if allowance.allowed else allowance.retry_after

    async def stream(viewer: Viewer, request: Request) -> Response:
        connection = connection_of(request.scope)
        if connection is not None:
            connection.recognize(viewer.caller.token_id)
        until = min(filter(None, (viewer.caller.until, viewer.session.until)))
        response = await sse_response(services.live, replace(viewer.caller, until=until), request, viewer.session.id)
        if sessions.is_ended(viewer.session):  # signed out while the stream was opened
            services.live.end_session(viewer.session.id)
        return response

    doors = Doors(
        sessions=sessions,
        local=runtime.local(Face.GUI),
        anyone=anyone(runtime.local(Face.GUI)),
        is_open=lambda request: not auth and is_from_here(request.scope),
        stream=stream,
        refused=refused,
        wait=wait,
        public_url=runtime.settings.public_url,
    )
    return Site(services, doors)
