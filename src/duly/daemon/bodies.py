"""Bodies of requests from strangers: never more of them than fits, and JSON that cannot do harm."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request

from duly.errors import InvalidInputError

LARGEST = 1_000_000


class TooLargeError(InvalidInputError):
    """More than anybody who means well sends."""


async def read_body(request: Request, largest: int = LARGEST) -> bytes:
    """The body, read only as far as it may go."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > largest:
            raise TooLargeError(f"a request has at most {largest} bytes")
    return bytes(body)


async def read_object(request: Request) -> dict[str, Any]:
    """The body as a JSON object."""
    try:
        given = json.loads(await read_body(request))
    except TooLargeError:
        raise
    except (ValueError, RecursionError):
        raise InvalidInputError("the body is not JSON") from None
    if not isinstance(given, dict):
        raise InvalidInputError(f"the body must be a JSON object, got {type(given).__name__}")
    return given
