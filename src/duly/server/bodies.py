"""Reading the bodies of requests: at most a megabyte, and JSON that exhausts neither the stack nor the processor."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.types import Message, Receive, Scope

from duly.errors import InvalidInputError
from duly.service.limits import check_json

LARGEST = 1_000_000


class TooLargeError(InvalidInputError):
    """The body is larger than any request of a client needs, or has more values."""


class BrokenOffError(InvalidInputError):
    """The client went away before its request was complete; an answer would not reach it."""


async def read_body(request: Request, largest: int = LARGEST) -> bytes:
    """Read the body, and stop at the limit."""
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > largest:
                raise TooLargeError(f"a request has at most {largest} bytes")
    except ClientDisconnect:  # no fault of the server: the log need not have it
        raise BrokenOffError("the client went away before its request was complete") from None
    return bytes(body)


async def buffered(scope: Scope, receive: Receive, *, values: bool = True) -> Receive:
    """Read the whole body, and give a `receive` that hands it out: the application never sees half a body.

    With `values`, JSON has no more of them than any request needs; a calendar file has its own bounds.
    """
    request = Request(scope, receive)
    body = await read_body(request)
    if values and not request.headers.get("content-type", "").lower().startswith("text/calendar"):
        _check_values(body)
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()  # waits until the client goes away
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def read_object(request: Request) -> dict[str, Any]:
    """Read the body as a JSON object."""
    try:
        body = await read_body(request)
        _check_values(body)
        given = json.loads(body)
    except (TooLargeError, BrokenOffError):
        raise
    except (ValueError, RecursionError):
        raise InvalidInputError("the body is not JSON") from None
    if not isinstance(given, dict):
        raise InvalidInputError(f"the body must be a JSON object, got {type(given).__name__}")
    return given


def _check_values(body: bytes) -> None:
    try:
        check_json(body)
    except InvalidInputError as error:
        raise TooLargeError(str(error)) from None
