"""`/ws`: a token first, then frames both ways."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from duly.daemon.house import House
from duly.daemon.mcp_door import Guard
from duly.service.access import Face
from duly.service.acting import acts_for
from duly.ws.conversation import Conversation
from duly.ws.pushing import Listeners

_UNAUTHORIZED = 4401
_LARGEST_FRAME = 256 * 1024


def make_socket(house: House, guard: Guard, listeners: Listeners) -> APIRouter:
    """The route. Browsers cannot send headers with a WebSocket, so `?token=` is taken as well."""
    router = APIRouter()

    @router.websocket("/ws")
    async def talk(socket: WebSocket) -> None:
        caller = await guard.caller(socket.scope, socket.query_params.get("token"), Face.API)
        await socket.accept()
        if caller is None:
            fault = {"code": "UNAUTHORIZED", "message": "send Authorization: Bearer <token>, or ?token="}
            await socket.send_json({"id": None, "ok": False, "error": fault})
            await socket.close(_UNAUTHORIZED)
            return
        person = None if caller.scope.is_admin else acts_for(caller, changes=False)
        queue = listeners.join(person)
        pushing = asyncio.create_task(_push(socket, queue))
        conversation = Conversation(house.reminders, caller)
        try:
            while True:
                text = await socket.receive_text()
                if len(text) > _LARGEST_FRAME:
                    await socket.close(1009)
                    return
                await socket.send_json(await conversation.answer(text))
        except (WebSocketDisconnect, KeyError):  # it went away, or sent bytes where text was due
            pass
        finally:
            listeners.leave(queue)
            pushing.cancel()
            await asyncio.gather(pushing, return_exceptions=True)

    return router


async def _push(socket: WebSocket, queue: asyncio.Queue[dict[str, object]]) -> None:
    while True:
        await socket.send_json(await queue.get())
