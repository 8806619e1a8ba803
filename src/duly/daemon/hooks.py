"""The ways in for answers: vendors' webhooks, signed links, and one route for any other chat."""

from __future__ import annotations

import html
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from duly.daemon.house import House
from duly.daemon.links import link_secret
from duly.daemon.mcp_door import Guard
from duly.delivery.buttons import read_button
from duly.delivery.channels import INBOUND_KEYS, Receiver, make_receiver
from duly.delivery.channels.links import verify_link
from duly.errors import AccessDeniedError, DulyError, InboundRefusedError, InvalidInputError, NotFoundError
from duly.service.acting import acts_for

_LARGEST_BODY = 1_000_000
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def receivers(house: House) -> dict[str, Receiver]:
    """Ways in for the channels that have one configured."""
    ways = {}
    for name, keys in INBOUND_KEYS.items():
        table = house.settings.channels.get(name, {})
        if any(key in table for key in keys if key != "phone_number_id"):
            ways[name] = make_receiver(name, table, resolve=house.resolver(f"channels.{name}"))
    return ways


def make_hooks(house: House, guard: Guard) -> APIRouter:
    """The routes."""
    router = APIRouter()
    ways = receivers(house)
    _vendors(router, house, ways)
    _links(router, house)
    _others(router, house, guard)
    return router


def _vendors(router: APIRouter, house: House, ways: dict[str, Receiver]) -> None:
    @router.get("/inbound/{channel}")
    async def challenge(channel: str, request: Request) -> Response:
        if channel not in ways:
            return PlainTextResponse("not found", 404)
        try:
            return PlainTextResponse(ways[channel].challenge(dict(request.query_params)))
        except InboundRefusedError as error:
            return PlainTextResponse(str(error), 403)

    @router.post("/inbound/{channel}")
    async def receive(channel: str, request: Request) -> Response:
        if channel not in ways:
            return PlainTextResponse("not found", 404)
        body = await request.body()
        if len(body) > _LARGEST_BODY:
            return PlainTextResponse("too large", 413)
        try:
            inbound = ways[channel].receive(request.headers, body, now=house.clock.now())
        except InboundRefusedError as error:
            return PlainTextResponse(str(error), 401)
        if inbound.response is not None:
            said = inbound.response
            return PlainTextResponse(said) if isinstance(said, str) else JSONResponse(dict(said))
        await house.intake.observe(channel, inbound)
        return await _answers(house, ways[channel], inbound.messages)


async def _answers(house: House, way: Receiver, messages: Any) -> Response:
    response: Response = Response(status_code=200)
    for incoming in messages:
        taken = await house.intake.take(incoming)
        said = None if taken.reply is None else way.respond(incoming, taken.reply)
        if said is not None:
            response = JSONResponse(dict(said))
        else:
            await house.intake.reply(incoming, taken)
    return response


def _links(router: APIRouter, house: House) -> None:
    """A link opens a page with one button: programs that look at links in mail must not answer for people."""

    @router.get("/answer/{signed}")
    async def ask(signed: str) -> HTMLResponse:
        try:
            _, kind = verify_link(link_secret(house), signed, house.clock.now())
        except InboundRefusedError as error:
            return _page(str(error), code=403)
        button = f'<form method="post"><button autofocus>{html.escape(kind.value.capitalize())}</button></form>'
        return _page("Your answer:", button)

    @router.post("/answer/{signed}")
    async def answer(signed: str) -> HTMLResponse:
        try:
            token, _ = verify_link(link_secret(house), signed, house.clock.now())
        except InboundRefusedError as error:
            return _page(str(error), code=403)
        press = read_button(token)
        meant = None if press is None else await house.store.reminders.by_token(press.token)
        if press is None or meant is None:
            return _page("This reminder is gone.", code=404)
        handled = await house.reminders.handle_message(meant.user_id, "link", button=token)
        return _page(handled.reply or "This reminder is over.")


def _page(text: str, more: str = "", code: int = 200) -> HTMLResponse:
    body = (
        '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>duly</title>'
        f"<p>{html.escape(text)}</p>{more}"
    )
    return HTMLResponse(body, code, headers=_PAGE_HEADERS)


def _others(router: APIRouter, house: House, guard: Guard) -> None:
    @router.post("/messages")
    async def message(request: Request) -> JSONResponse:
        """`{"user", "channel", "text"}` from any chat: says whether it was an answer, or should go on to the agent."""
        caller = await guard.caller(request.scope)
        if caller is None:
            return _refused("unauthorized", 401)
        try:
            given = await request.json()
            if not isinstance(given, dict) or not isinstance(given.get("text"), str):
                raise InvalidInputError('send {"user": …, "channel": …, "text": …}')
            who = acts_for(caller, given.get("user"))
            handled = await house.reminders.handle_message(
                who,
                str(given.get("channel") or "chat"),
                given["text"],
                quoted=given.get("quoted"),
                button=given.get("button"),
                message_id=given.get("message_id"),
            )
        except AccessDeniedError as error:
            return _refused(str(error), 403)
        except NotFoundError as error:
            return _refused(str(error), 404)
        except (DulyError, ValueError) as error:
            return _refused(str(error), 422)
        return JSONResponse({"consumed": handled.consumed, "reply": handled.reply})


def _refused(message: str, code: int) -> JSONResponse:
    return JSONResponse({"error": message}, status_code=code)
