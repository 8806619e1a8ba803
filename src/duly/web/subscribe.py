"""Subscribe: the secret addresses under which calendars read what duly does."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.service.calendar.calendar import NewCalendarLink
from duly.web.site import Site


def make_subscribe(site: Site) -> APIRouter:
    """Make the routes of calendar links."""
    router = site.router()

    @router.get("/subscribe")
    async def subscribe(request: Request) -> Response:
        return await _show(site, request)

    @router.post("/subscribe")
    async def link(request: Request) -> Response:
        form = await request.form()
        name = str(form.get("name") or "").strip() or "calendar"
        return await _show(site, request, await site.services.calendar.link(site.caller(request), name))

    @router.post("/subscribe/{link}/rotate")
    async def rotate(request: Request, link: str) -> Response:
        return await _show(site, request, await site.services.calendar.rotate(site.caller(request), link))

    @router.post("/subscribe/{link}/revoke")
    async def revoke(request: Request, link: str) -> Response:
        gone = await site.services.calendar.revoke(site.caller(request), link)
        return site.after(request, f"{gone.name} was revoked: its address shows nothing any more", go="/subscribe")

    return router


async def _show(site: Site, request: Request, made: NewCalendarLink | None = None) -> Response:
    """Show the links; a new one with its address, which stands on this page only."""
    links = await site.services.calendar.links(site.caller(request))
    base = site.doors.public_url or str(request.base_url).rstrip("/")
    address = None if made is None else base.rstrip("/") + made.path
    return await site.render(
        request,
        "subscribe.html",
        links=links,
        made=made,
        address=address,
        webcal=None if address is None else "webcal://" + address.partition("://")[2],
        is_reachable=site.doors.public_url is not None,
    )
