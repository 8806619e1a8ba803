"""Today: does anything need me, and what comes next?"""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.web.site import Site


def make_today(site: Site) -> APIRouter:
    """Make the routes of Today."""
    router = site.router()

    @router.get("/")
    async def today(request: Request) -> Response:
        return await site.render(request, "today.html")

    return router
