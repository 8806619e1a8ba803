"""Work for a client ends when the client goes away, because its answer would not be read."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request

from duly.errors import InvalidInputError

T = TypeVar("T")


class ClientGoneError(InvalidInputError):
    """The client went away before it had its answer, which would not reach it."""


async def until_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Carry out work, and cancel it when the client goes away. The body must have been read."""
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGoneError("the client went away before it had its answer")
        return await working
    finally:
        for each in (working, leaving):
            each.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
