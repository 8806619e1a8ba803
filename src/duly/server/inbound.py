"""The ways in for answers: webhooks of vendors, and `/messages` for any other chat."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.background import BackgroundTasks

from duly.channels.kinds import INBOUND_KEYS
from duly.errors import (
    AccessDeniedError,
    ChannelNotConfiguredError,
    DulyError,
    InboundRefusedError,
    InvalidInputError,
    NotFoundError,
    TooManyRequestsError,
)
from duly.ports.channels import Inbound, Incoming
from duly.runtime.runtime import Runtime
from duly.server.bodies import BrokenOffError, TooLargeError, read_body, read_object
from duly.server.exposure import address_of
from duly.server.guard import Guard, why_no_caller
from duly.service.access.failed_logins import FailedLogins
from duly.service.access.scopes import Face
from duly.service.limits import check_given
from duly.service.reminders.replies import Handled
from duly.service.schedules import values

if TYPE_CHECKING:
    from duly.channels.inbound import Receiver
    from duly.service.chat.callers import CallersChat

_NO_ANSWER = "I did not take this for an answer to a reminder."
_STATUS_CODES: tuple[tuple[type[DulyError], int], ...] = (
    (TooLargeError, 413),
    (AccessDeniedError, 403),
    (NotFoundError, 404),
    (TooManyRequestsError, 429),
    (InvalidInputError, 422),
    (DulyError, 503),
)
"""The first that fits counts: a body that is too large is invalid input, too."""
_log = logging.getLogger("duly")


def receivers(runtime: Runtime) -> dict[str, Receiver]:
    """Make a receiver for each channel whose inbound keys are configured."""
    ways = {}
    for name, keys in INBOUND_KEYS.items():
        table = runtime.settings.channels.get(name, {})
        # `phone_number_id` is needed for sending as well: it alone does not ask for a way in.
        if any(key in table for key in keys if key != "phone_number_id"):
            from duly.channels.configuration import make_receiver  # late: it loads every vendor

            ways[name] = make_receiver(name, table, resolve=runtime.resolver(f"channels.{name}"))
    return ways


def make_inbound(runtime: Runtime, guard: Guard, failed: FailedLogins) -> APIRouter:
    """Make the routes `/inbound/{channel}` and `/messages`."""
    router = APIRouter()
    _add_webhooks(router, runtime, receivers(runtime), failed)
    _add_messages(router, runtime, guard)
    return router


def _add_webhooks(router: APIRouter, runtime: Runtime, ways: dict[str, Receiver], failed: FailedLogins) -> None:
    @router.get("/inbound/{channel}")
    async def challenge(channel: str, request: Request) -> Response:
        if channel not in ways:
            return PlainTextResponse("not found", 404)
        try:
            return PlainTextResponse(ways[channel].challenge(dict(request.query_params)))
        except InboundRefusedError as error:
            await failed.note(f"inbound/{channel}", address_of(request.scope), "wrong verify token")
            return PlainTextResponse(str(error), 403)

    @router.post("/inbound/{channel}")
    async def receive(channel: str, request: Request) -> Response:
        if channel not in ways:
            return PlainTextResponse("not found", 404)
        try:
            inbound = ways[channel].receive(request.headers, await read_body(request), now=runtime.clock.now())
            return await _taken(runtime, ways[channel], inbound)
        except TooLargeError as error:
            return PlainTextResponse(str(error), 413)
        except BrokenOffError as error:
            return PlainTextResponse(str(error), 400)
        except InboundRefusedError as error:
            await failed.note(f"inbound/{channel}", address_of(request.scope), "wrong signature")
            return PlainTextResponse(str(error), 401)
        except DulyError as error:  # after a 503 the vendor sends it again
            _log.warning("a request of %s could not be handled: %s", channel, error)
            reason = str(error) if isinstance(error, ChannelNotConfiguredError) else "not now"
            return PlainTextResponse(reason, 503)


async def _taken(runtime: Runtime, way: Receiver, inbound: Inbound) -> Response:
    if inbound.response is not None:
        said = inbound.response
        return PlainTextResponse(said) if isinstance(said, str) else JSONResponse(dict(said))
    await runtime.services.intake.observe(way.name, inbound)
    return await _answers(runtime, way, inbound.messages)


async def _answers(runtime: Runtime, way: Receiver, messages: Sequence[Incoming]) -> Response:
    """Take the messages as answers. Vendors wait at most three seconds, so replies are sent after the response."""
    response = Response(status_code=200)
    later = BackgroundTasks()
    for incoming in messages:
        taken = await runtime.services.intake.handle(incoming)
        reply = taken.reply if taken.consumed or taken.reply else _NO_ANSWER
        said = None if reply is None else way.respond(incoming, reply, closes=taken.closes)
        if said is not None:
            response = JSONResponse(dict(said))
        else:
            later.add_task(runtime.services.intake.reply, incoming, taken)
    response.background = later
    return response


def _add_messages(router: APIRouter, runtime: Runtime, guard: Guard) -> None:
    @router.post("/messages")
    async def message(request: Request) -> JSONResponse:
        """Take `{"user", "channel", "text"}` from any chat; say whether it was understood or is for the agent."""
        caller = await guard.caller(request.scope, face=Face.CHAT)
        if caller is None:
            return _refused(f"unauthorized: {why_no_caller(request.scope)}", 401)
        services = runtime.services
        try:
            services.chat_of(caller)  # refused before the body is read
            given = await read_object(request)
            check_given(given)
            handled = await _handled(services.chat_of(caller, given.get("user")), given)
        except DulyError as error:
            return _refused(str(error), next(code for kind, code in _STATUS_CODES if isinstance(error, kind)))
        return JSONResponse(_shown(handled))


def _shown(handled: Handled) -> dict[str, object]:
    """Give the result of a message. What duly would say to one that is passed on is not a reply: the agent answers."""
    if not handled.consumed:
        return {"consumed": False, "reply": None, **({} if handled.reply is None else {"fallback": handled.reply})}
    buttons = [{"label": each.label, "button": each.token} for each in handled.buttons]
    return {"consumed": True, "reply": handled.reply, **({"buttons": buttons} if buttons else {})}


async def _handled(chat: CallersChat, given: dict[str, Any]) -> Handled:
    names = ("text", "channel", "quoted", "button", "message_id")
    if unknown := sorted(given.keys() - {*names, "user"}):
        raise InvalidInputError(f"{unknown[0]!r:.100} is not known: send user, {', '.join(names)}")
    text = given.pop("text", None)
    read: dict[str, Any] = {name: values.text(given[name], name) for name in names if given.get(name) is not None}
    if not isinstance(text, str) and (text is not None or "button" not in read):
        raise InvalidInputError(f"text must be what the person wrote, got {text!r:.100}")
    said = None if text is None else values.storable(text, "text")  # empty for a picture without a caption
    channel = read.pop("channel", "chat")
    return await chat.pass_on(channel, said, **read)


def _refused(message: str, code: int) -> JSONResponse:
    return JSONResponse({"error": message.encode("utf-8", "replace").decode()}, status_code=code)
