"""`/calendar/<secret>.ics`: the feed that calendar programs subscribe to. The address is the secret."""

from __future__ import annotations

import hashlib

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response

from duly.server.exposure import address_of
from duly.service.access.failed_logins import FailedLogins
from duly.service.services import Services

_HEADERS = {
    "Cache-Control": "private, no-cache",  # kept by the one who asked, and asked for again with the ETag
    "Referrer-Policy": "no-referrer",
    "Content-Disposition": 'inline; filename="duly.ics"',
}
_GONE = "there is no such calendar: its link was revoked or renewed. `duly calendar link` makes one\n"
_LONGEST_SECRET = 200


def make_calendar_feed(services: Services, failed: FailedLogins) -> APIRouter:
    """Make the route. Query: `rhythms=1` also shows schedules that fire more than 24 times a day."""
    router = APIRouter()

    @router.get("/calendar/{secret}.ics")
    async def feed(secret: str, request: Request) -> Response:
        fetches = request.method == "GET"  # a HEAD only asks whether there is something
        known = await services.calendar.caller_of(secret, fetches=fetches) if len(secret) <= _LONGEST_SECRET else None
        if known is None:
            await failed.note("calendar", address_of(request.scope), "no such calendar link")
            return PlainTextResponse(_GONE, status_code=404)
        caller, link = known
        rhythms = request.query_params.get("rhythms") == "1"
        body = await services.calendar.export(caller, name=link.name, rhythms=rhythms)
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        headers = {**_HEADERS, "ETag": etag}
        if etag in _tags(request.headers.get("if-none-match", "")):
            return Response(status_code=304, headers=headers)
        return Response(body, headers=headers, media_type="text/calendar; charset=utf-8")

    return router


def _tags(header: str) -> list[str]:
    return [each.strip().removeprefix("W/") for each in header.split(",")]
