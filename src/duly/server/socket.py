"""`/ws`: a token first, then frames both ways."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from duly.errors import AccessDeniedError, NotFoundError
from duly.runtime.runtime import Runtime
from duly.server.connections import connection_of
from duly.server.mcp_door import Guard
from duly.service.access.access import Caller, Face
from duly.service.people.people import acts_for
from duly.ws.frames import INVALID_PARAMS, TOO_MANY, UNAUTHORIZED, Conversation, Listeners, Queue, fault

_UNAUTHORIZED = 4401
_TOO_MANY = 4429
_TOO_LARGE = 1009
_LARGEST_FRAME = 256 * 1024
_NO_TOKEN = "send Authorization: Bearer <token>, or ?token=; `duly token create` makes one"  # noqa: S105  advice


def make_socket(runtime: Runtime, guard: Guard, listeners: Listeners) -> APIRouter:
    """The route. Browsers cannot send headers with a WebSocket, so `?token=` is taken as well."""
    router = APIRouter()

    @router.websocket("/ws")
    async def talk(socket: WebSocket) -> None:
        await socket.accept()
        line = _Line(socket, guard)
        try:
            caller = await line.caller()
            person = None if caller.scope.is_admin else await _person(runtime, caller)
            connection = connection_of(socket.scope)
            if connection is not None and connection.token_has_too_many_sockets():
                most = connection.limits.sockets_per_token
                await line.refuse_one_more(f"this token has {most} WebSockets open: close some of them first")
                return
        except AccessDeniedError as error:
            await line.refuse(error)
            return
        queue = listeners.join(person)
        pushing = asyncio.create_task(_push(line, queue))
        try:
            await _converse(line, runtime)
        finally:
            listeners.leave(queue)
            pushing.cancel()
            await asyncio.gather(pushing, return_exceptions=True)

    return router


class _Line:
    """One connection, and who is at the other end."""

    def __init__(self, socket: WebSocket, guard: Guard) -> None:
        self._socket = socket
        self._guard = guard

    async def caller(self) -> Caller:
        """Asked for each frame: a token that was revoked opens nothing, a connection it opened before included."""
        token = self._socket.query_params.get("token")
        caller = await self._guard.caller(self._socket.scope, token, Face.API)
        if caller is None:
            raise AccessDeniedError(_NO_TOKEN)
        return caller

    async def receive(self) -> str | bytes | None:
        """The next frame; None when there will be none."""
        event = await self._socket.receive()
        if event["type"] == "websocket.disconnect":
            return None
        text: str | None = event.get("text")
        return event.get("bytes", b"") if text is None else text

    async def send(self, frame: dict[str, Any]) -> None:
        await self._socket.send_text(json.dumps(frame))  # all ASCII: half a character in an id comes back unharmed

    async def refuse(self, error: AccessDeniedError) -> None:
        await self.send(fault(None, UNAUTHORIZED, str(error)))
        await self._socket.close(_UNAUTHORIZED)

    async def refuse_one_more(self, why: str) -> None:
        await self.send(fault(None, TOO_MANY, why))
        await self._socket.close(_TOO_MANY)

    async def close(self, code: int) -> None:
        await self._socket.close(code)


async def _person(runtime: Runtime, caller: Caller) -> str:
    """The id of the person a token is for, which may say their name."""
    who = acts_for(caller, changes=False)
    try:
        return (await runtime.reminders.people.get(who)).user.id
    except NotFoundError:
        return who  # not there yet: each request will say so


async def _converse(line: _Line, runtime: Runtime) -> None:
    try:
        while (text := await line.receive()) is not None:
            if len(text) > _LARGEST_FRAME:
                await line.send(fault(None, INVALID_PARAMS, f"a frame has at most {_LARGEST_FRAME} bytes"))
                await line.close(_TOO_LARGE)
                return
            caller = await line.caller()
            await line.send(await Conversation(runtime.reminders, caller).answer(text))
    except AccessDeniedError as error:
        await line.refuse(error)
    except (WebSocketDisconnect, RuntimeError):
        pass  # it went away while something was being said


async def _push(line: _Line, queue: Queue) -> None:
    while True:
        frame = await queue.get()
        try:
            await line.caller()
        except AccessDeniedError as error:
            await line.refuse(error)
            return
        await line.send(frame)
