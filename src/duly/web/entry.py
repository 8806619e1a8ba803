"""Signing in and out, the assets, the live stream, settings and undo: the routes that belong to no screen."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from duly.service.access.scopes import Face
from duly.service.access.tokens import digest
from duly.web.assets import PREFIX, serve_asset
from duly.web.session import COOKIE
from duly.web.site import KEYS_COOKIE, THEME_COOKIE, ZONE_COOKIE, Site
from duly.web.viewer import THEMES
from duly.zones import Zone

_YEAR = 365 * 86_400


@dataclass(frozen=True, slots=True)
class _Example:
    """A run on the page of components."""

    status: str
    reminder_status: str | None = None
    run_id: str = "run_example"


_EXAMPLES = [
    _Example(status)
    for status in ["succeeded"] * 9 + ["failed", "missed", "skipped", "dead", "cancelled", "pending", "running"]
]


def make_open_routes(site: Site) -> APIRouter:
    """Make the routes that need no session: assets, and signing in."""
    router = APIRouter(include_in_schema=False)

    @router.get(PREFIX + "{name}")
    async def asset(name: str, request: Request) -> Response:
        return serve_asset(request, name)

    @router.get("/favicon.ico")
    async def icon(request: Request) -> Response:
        """Give the icon to browsers that ask for it by its old name."""
        return serve_asset(request, "favicon.svg")

    @router.get("/signin")
    async def sign_in_page(request: Request) -> Response:
        return site.page(request, "signin.html", said=None, to="/")

    @router.post("/signin")
    async def sign_in(request: Request) -> Response:
        """Begin a session of a token."""
        if not site.is_own_origin(request):
            return site.page(request, "signin.html", status=403, said="This form came from another site.", to="/")
        if seconds := site.doors.wait(request):
            return await site.too_many_attempts(request, seconds)
        form = await request.form(max_fields=4)
        secret = str(form.get("token") or "").strip()
        caller = await site.services.tokens.caller(secret, Face.GUI) if secret else None
        if caller is None:
            await site.doors.refused(request, "no such token", secret)
            said = "This token is not known, was revoked, or has expired."
            return site.page(request, "signin.html", status=401, said=said, to="/")
        session = site.doors.sessions.begin(digest(secret), site.services.clock.now())
        to = str(form.get("to") or "/")
        response = Response(status_code=303, headers={"Location": to if _is_path(to) else "/"})
        site.set_session(request, response, session)
        return response

    return router


def make_entry(site: Site) -> APIRouter:
    """Make the routes for signing out, settings, undo, and the live stream."""
    router = site.router()

    @router.post("/signout")
    async def sign_out(request: Request) -> Response:
        session = site.viewer(request).session
        site.doors.sessions.end(session, site.services.clock.now())
        site.services.live.end_session(session.id)
        response = Response(status_code=303, headers={"Location": "/signin"})
        response.delete_cookie(COOKIE)
        return response

    @router.get("/settings")
    async def settings_page(request: Request) -> Response:
        own = await site.services.schedules.zones.person(site.caller(request))
        return await site.render(request, "settings.html", own=own, chosen=request.cookies.get(ZONE_COOKIE, ""))

    @router.post("/ui/settings")
    async def settings(request: Request) -> Response:
        return _settings_saved(site, request, await request.form())

    @router.get("/ui/components")
    async def components(request: Request) -> Response:
        """Show every component once, for who makes a screen."""
        return await site.render(request, "components_page.html", runs=_EXAMPLES)

    @router.get("/ui/health")
    async def health(request: Request) -> Response:
        """Show how things stand, for pages that are open: asked with every beat, so that silence is seen."""
        return await site.render(request, "health.html")

    @router.get("/ui/live")
    async def live(request: Request) -> Response:
        return await site.doors.stream(site.viewer(request), request)

    return router


def _settings_saved(site: Site, request: Request, form: FormData) -> Response:
    response = site.after(request, "Saved for this browser")
    if (theme := form.get("theme")) in THEMES:
        response.set_cookie(THEME_COOKIE, str(theme), max_age=_YEAR, samesite="strict")
    if (keys := form.get("keys")) in {"on", "off"}:
        response.set_cookie(KEYS_COOKIE, str(keys), max_age=_YEAR, samesite="strict")
    if isinstance(zone := form.get("zone"), str):
        name = zone.strip()
        if name:
            Zone.of(name)  # raises for a name that is unknown, with the nearest one
        response.set_cookie(ZONE_COOKIE, quote(name, safe=""), max_age=_YEAR if name else 0, samesite="strict")
    return response


def _is_path(address: str) -> bool:
    """Whether an address is a path of ours; browsers leave out control characters, and then read `//` as a host."""
    is_plain = address.isascii() and address.isprintable() and "\\" not in address
    return is_plain and address.startswith("/") and not address.startswith("//")
