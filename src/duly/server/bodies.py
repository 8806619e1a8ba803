"""Reading the bodies of requests: at most a megabyte, and JSON that cannot exhaust the stack."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.types import Message, Receive, Scope

from duly.errors import InvalidInputError

LARGEST = 1_000_000


class TooLargeError(InvalidInputError):
    """The body is larger than any request of a client needs."""


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


async def buffered(scope: Scope, receive: Receive) -> Receive:
    """Read the whole body, and give a `receive` that hands it out: the application never sees half a body."""
    body = await read_body(Request(scope, receive))
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
        given = json.loads(await read_body(request))
    except (TooLargeError, BrokenOffError):
        raise
    except (ValueError, RecursionError):
        raise InvalidInputError("the body is not JSON") from None
    if not isinstance(given, dict):
        raise InvalidInputError(f"the body must be a JSON object, got {type(given).__name__}")
    return given
