"""Executors: who carries out jobs elsewhere, what waits for them, and what is wrong with them?"""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.service.executors.views import ExecutorView
from duly.web import words
from duly.web.site import Site


def make_executors(site: Site) -> APIRouter:
    """Make the routes of Executors."""
    router = site.router()

    @router.get("/executors")
    async def executors(request: Request) -> Response:
        found = await site.services.executors.all(site.caller(request))
        return await site.render(
            request,
            "executors.html",
            executors=found,
            troubled=[each for each in found if each.faults],
            sentence=_sentence(found),
        )

    return router


def _sentence(found: list[ExecutorView]) -> str:
    if not found:
        return "Every job is carried out by duly itself."
    begun = sum(each.begun for each in found)
    waiting = sum(each.waiting for each in found)
    who = words.many(len(found), "executor")
    work = "nothing is under way there" if not begun else f"{words.many(begun, 'run')} under way there"
    return f"{who}, {work}{f', {waiting} not begun' if waiting else ''}."
