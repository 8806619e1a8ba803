"""`/answer/…`: the pages behind the signed links in messages.

A link opens a page with one button: mail programs open links to check them, and must not answer for people.
"""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from duly.delivery.messages import make_buttons, read_button
from duly.errors import InboundRefusedError, NotFoundError
from duly.language.spoken import words
from duly.model.reminder import ReminderStatus
from duly.planning.presets import Preset, read_presets
from duly.ports.channels import ButtonKind
from duly.runtime.links import read_link
from duly.runtime.runtime import Runtime
from duly.server.exposure import address_of
from duly.service.access.failed_logins import FailedLogins

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
_GONE = "This reminder is gone."
_OVER = "This reminder is over."


def make_answer_pages(runtime: Runtime, failed: FailedLogins) -> APIRouter:
    """Make the routes."""
    router = APIRouter()

    async def show(
        signed: str, request: Request, page: Callable[[str, ButtonKind], Awaitable[HTMLResponse]]
    ) -> HTMLResponse:
        try:
            token, kind = read_link(runtime, signed)
            return await page(token, kind)
        except InboundRefusedError as error:
            await failed.note("answer", address_of(request.scope), "wrong or expired link")
            return _page(str(error), code=403)
        except NotFoundError:
            return _page(_GONE, code=404)

    @router.get("/answer/{signed}")
    async def ask(signed: str, request: Request) -> HTMLResponse:
        return await show(signed, request, lambda token, kind: _question(runtime, token, kind))

    @router.post("/answer/{signed}")
    async def answer(signed: str, request: Request) -> HTMLResponse:
        return await show(signed, request, lambda token, _kind: _answer(runtime, token))

    return router


async def _question(runtime: Runtime, token: str, kind: ButtonKind) -> HTMLResponse:
    press = read_button(token)
    meant = None if press is None else await runtime.store.reminders.by_token(press.token)
    if press is None or meant is None:
        raise NotFoundError(_GONE)
    user = (await runtime.services.reminder_service.people.get(meant.user_id)).user
    text = (await runtime.services.reminder_service.get(user.id, meant.schedule_id)).message
    if meant.status.final and meant.status is not ReminderStatus.DELIVERED:
        return _page(words(user.language).is_over.format(text=text))
    length = [] if press.minutes is None and press.part is None else [Preset(press.minutes, press.part)]
    made = make_buttons(press.token, user.language, length or read_presets(None)[:1])
    [label] = [each.label for each in made if each.kind is kind]
    return _page(text, f'<form method="post"><button autofocus>{html.escape(label)}</button></form>')


async def _answer(runtime: Runtime, token: str) -> HTMLResponse:
    press = read_button(token)
    meant = None if press is None else await runtime.store.reminders.by_token(press.token)
    if meant is None:
        raise NotFoundError(_GONE)
    handled = await runtime.services.reminder_service.handle_message(meant.user_id, "link", button=token)
    return _page(handled.reply or _OVER)


def _page(text: str, more: str = "", code: int = 200) -> HTMLResponse:
    body = (
        '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>duly</title>'
        f"<p>{html.escape(text)}</p>{more}"
    )
    return HTMLResponse(body, code, headers=_HEADERS)
