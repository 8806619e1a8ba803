"""Saved lists: links to lists of runs that a browser keeps on Today.

A cookie has them, as it has the theme and the zone: they are for this browser only, and the address is the whole list.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import quote, unquote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import InvalidInputError
from duly.web.site import Site, text_of

PIN_COOKIE = "duly_pins"
_YEAR = 365 * 86_400
_MOST = 8
_LONGEST_NAME = 60
_LONGEST_LINK = 300
_LIST = "/runs?"


@dataclass(frozen=True, slots=True)
class Pin:
    """A link on Today."""

    name: str
    href: str


def pins_of(request: Request) -> list[Pin]:
    """Read the links that a browser keeps; what is none of ours is left out."""
    try:
        found = json.loads(unquote(request.cookies.get(PIN_COOKIE, "")))
    except ValueError:
        return []
    pairs = found if isinstance(found, list) else []
    return [
        Pin(each[0], each[1])
        for each in pairs[:_MOST]
        if isinstance(each, list)
        and len(each) == 2
        and all(isinstance(part, str) for part in each)
        and _is_ours(each[1])
    ]


def _is_ours(href: str) -> bool:
    return href.startswith(_LIST) and len(href) <= _LONGEST_LINK and href.isascii() and href.isprintable()


def make_pins(site: Site) -> APIRouter:
    """Make the routes that keep a list on Today and take it off."""
    router = site.router()

    def kept(response: Response, pins: list[Pin]) -> Response:
        text = quote(json.dumps([[each.name, each.href] for each in pins]), safe="")
        response.set_cookie(PIN_COOKIE, text, max_age=_YEAR, httponly=True, samesite="strict")
        return response

    @router.post("/ui/pin")
    async def pin(request: Request) -> Response:
        form = await request.form()
        href = text_of(form, "href")
        name = text_of(form, "name")[:_LONGEST_NAME]
        if not _is_ours(href) or not name:
            raise InvalidInputError(f"only lists of runs of at most {_LONGEST_LINK} characters can stand on Today")
        others = [each for each in pins_of(request) if each.href != href]
        if len(others) >= _MOST:
            raise InvalidInputError(f"Today has {_MOST} lists already: take one off there first")
        return kept(site.after(request, f"On Today, in this browser: {name}", back="/runs"), [*others, Pin(name, href)])

    @router.post("/ui/unpin")
    async def unpin(request: Request) -> Response:
        href = text_of(await request.form(), "href")
        found = pins_of(request)
        name = next((each.name for each in found if each.href == href), "that list")
        return kept(
            site.after(request, f"Taken off Today: {name}", back="/"), [each for each in found if each.href != href]
        )

    return router
