"""Bodies of requests from strangers: never more of them than fits, and JSON that cannot do harm."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.types import Message, Receive, Scope

from duly.errors import InvalidInputError

LARGEST = 1_000_000


class TooLargeError(InvalidInputError):
    """More than anybody who means well sends."""


class BrokenOffError(InvalidInputError):
    """The client went away before its request was complete: no answer reaches it."""


async def read_body(request: Request, largest: int = LARGEST) -> bytes:
    """The body, read only as far as it may go."""
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > largest:
                raise TooLargeError(f"a request has at most {largest} bytes")
    except ClientDisconnect:  # no answer will reach it, and its going is nothing the log should tell
        raise BrokenOffError("the client went away before its request was complete") from None
    return bytes(body)


async def buffered(scope: Scope, receive: Receive) -> Receive:
    """A way to receive a request whose body is there already: what reads it never meets half of one."""
    body, given = await read_body(Request(scope, receive)), False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()  # waits until the client goes away
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def read_object(request: Request) -> dict[str, Any]:
    """The body as a JSON object."""
    try:
        given = json.loads(await read_body(request))
    except (TooLargeError, BrokenOffError):
        raise
    except (ValueError, RecursionError):
        raise InvalidInputError("the body is not JSON") from None
    if not isinstance(given, dict):
        raise InvalidInputError(f"the body must be a JSON object, got {type(given).__name__}")
    return given
