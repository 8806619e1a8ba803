"""`/ws`: the caller shows a token, then both sides send frames.

The server closes a WebSocket when its token expires, and as soon as it learns that the token was revoked.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from duly.clock import Clock
from duly.errors import AccessDeniedError, NotFoundError, StoreError
from duly.model.events import TOKEN_CHANGED, TOKEN_REVOKED, Event
from duly.ports.records import EventFilter
from duly.ports.store import Store
from duly.rest.rates import Allowance, RateLimits
from duly.server.connections import connection_of
from duly.server.guard import Guard, why_no_caller
from duly.service.access.scopes import Caller, Face
from duly.service.services import Services
from duly.ws.frames import INVALID_PARAMS, TOO_MANY, UNAUTHORIZED, Conversation, Listeners, Queue, fault
from duly.ws.live_line import LiveLine

_UNAUTHORIZED = 4401
_TOO_MANY = 4429
_TOO_LARGE = 1009
_LARGEST_FRAME = 256 * 1024
_LOOK_EVERY = 1.0
_LONGEST_WAIT = 3600.0
_TOKEN_EVENTS = (TOKEN_CHANGED, TOKEN_REVOKED)
_EXPIRED = "the token has expired"
_REVOKED = "the token was revoked or changed"
_WAYS = "Authorization: Bearer <token>, or ?token="


class TokenChanges:
    """Tells open WebSockets that some token was revoked or changed, by this process or by another.

    The store passes on the events of this process. Those of others, such as `duly token revoke`, are in the journal,
    which `follow` reads every second while a WebSocket is open.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._open: set[asyncio.Event] = set()
        self._joined = asyncio.Event()
        """Set as soon as a WebSocket is open; `follow` clears it when none is."""
        self._loop: asyncio.AbstractEventLoop | None = None

    def __len__(self) -> int:
        """Count the open WebSockets."""
        return len(self._open)

    def hear(self, event: Event) -> None:
        """Wake the WebSockets at an event about a token. Events may come from other threads."""
        if event.kind in _TOKEN_EVENTS and self._open and self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake)

    def join(self) -> asyncio.Event:
        """Give an event that is set whenever a token has changed."""
        self._loop = asyncio.get_running_loop()
        changed = asyncio.Event()
        self._open.add(changed)
        self._joined.set()
        return changed

    def leave(self, changed: asyncio.Event) -> None:
        """Forget a WebSocket that was closed."""
        self._open.discard(changed)

    async def follow(self) -> None:
        """Look every second for changes by other processes, until cancelled; without open WebSockets it rests."""
        seen: int | None = None
        while True:
            if not self._open:
                self._joined.clear()
            await self._joined.wait()
            await self._clock.sleep(_LOOK_EVERY)
            try:
                seen = await self._look(seen) if self._open else None
            except StoreError:
                continue  # the engine meets the same error and logs it

    async def _look(self, seen: int | None) -> int:
        """Wake the WebSockets if the journal has a change of a token after entry `seen`; give the newest entry.

        The first look after a pause cannot know what came in it, and wakes them as well.
        """
        newest = await self._store.events(EventFilter(limit=1))
        last = newest[0][0] if newest else 0
        names = tuple(kind.name for kind in _TOKEN_EVENTS)
        if seen is None or (last > seen and await self._store.events(EventFilter(names=names, after=seen, limit=1))):
            self._wake()
        return last

    def _wake(self) -> None:
        for changed in self._open:
            changed.set()


def make_websocket(
    services: Services, guard: Guard, listeners: Listeners, changes: TokenChanges, rates: RateLimits
) -> APIRouter:
    """Make the route. Browsers cannot send headers with a WebSocket, so `?token=` is taken as well."""
    router = APIRouter()

    @router.websocket("/ws")
    async def talk(socket: WebSocket) -> None:
        await socket.accept()
        changed = changes.join()  # before the token is looked up: a change in between is not missed
        try:
            await _serve(_ClientSocket(socket, guard, services.clock), socket, changed)
        finally:
            changes.leave(changed)

    async def _serve(client: _ClientSocket, socket: WebSocket, changed: asyncio.Event) -> None:
        try:
            caller = await client.caller()
            person = None if caller.scope.is_admin else await _person(services, caller)
            connection = connection_of(socket.scope)
            if connection is not None and connection.token_has_too_many_sockets():
                most = connection.limits.sockets_per_token
                await client.refuse_one_more(f"this token has {most} WebSockets open: close some of them first")
                return
        except AccessDeniedError as error:
            await client.refuse(error)
            return
        queue = listeners.join(person)
        line = LiveLine(services.live, client.send)
        shown: dict[str, str] = {}
        tasks = [
            asyncio.create_task(_push(client, queue, shown)),
            asyncio.create_task(_close_when_ended(client, changed, services.clock, caller.until)),
        ]
        try:
            await _converse(client, services, line, shown, lambda: rates.take(caller.name))
        finally:
            listeners.leave(queue)
            await line.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    return router


class _ClientSocket:
    """One open WebSocket and its caller."""

    def __init__(self, socket: WebSocket, guard: Guard, clock: Clock) -> None:
        self._socket = socket
        self._guard = guard
        self._clock = clock
        self._known: Caller | None = None

    async def caller(self) -> Caller:
        """Look the caller up; called for each frame, so that a revoked token cannot use a connection it opened."""
        token = self._socket.query_params.get("token")
        caller = await self._guard.caller(self._socket.scope, token, Face.API)
        if caller is None:
            raise AccessDeniedError(self._why_not())
        self._known = caller
        return caller

    def _why_not(self) -> str:
        if self._known is None:
            sent = self._socket.query_params.get("token")
            return f"{why_no_caller(self._socket.scope, sent, _WAYS)}; `duly token create` makes one"
        until = self._known.until
        return _EXPIRED if until is not None and until <= self._clock.now() else _REVOKED

    async def receive(self) -> str | bytes | None:
        """Give the next frame; None when the client is gone."""
        event = await self._socket.receive()
        if event["type"] == "websocket.disconnect":
            return None
        text: str | None = event.get("text")
        return event.get("bytes", b"") if text is None else text

    async def send(self, frame: dict[str, Any]) -> None:
        await self._socket.send_text(
            json.dumps(frame)
        )  # ASCII only: a lone surrogate in a request's id survives the way back

    async def refuse(self, error: AccessDeniedError) -> None:
        await self.send(fault(None, UNAUTHORIZED, str(error)))
        await self._socket.close(_UNAUTHORIZED, "no valid token" if self._known is None else str(error))

    async def refuse_one_more(self, why: str) -> None:
        await self.send(fault(None, TOO_MANY, why))
        await self._socket.close(_TOO_MANY, why)

    async def close(self, code: int) -> None:
        await self._socket.close(code)


async def _person(services: Services, caller: Caller) -> str:
    """Give the id of the person a token is for: its scope may have their name."""
    own = services.reminders.to_read(caller)
    try:
        return (await own.person()).user.id
    except NotFoundError:
        return own.who  # there is no such person yet: each request will say so


async def _converse(
    client: _ClientSocket,
    services: Services,
    line: LiveLine,
    shown: dict[str, str],
    take: Callable[[], Allowance],
) -> None:
    try:
        while (text := await client.receive()) is not None:
            if len(text) > _LARGEST_FRAME:
                await client.send(fault(None, INVALID_PARAMS, f"a frame has at most {_LARGEST_FRAME} bytes"))
                await client.close(_TOO_LARGE)
                return
            allowance = take()
            if not allowance.allowed:  # before anything of the frame is read, and before the store is asked
                await client.send(fault(None, TOO_MANY, allowance.refusal))
                continue
            caller = await client.caller()
            conversation = Conversation(services, caller, line, shown)
            await client.send(await conversation.answer(text))
    except AccessDeniedError as error:
        await client.refuse(error)
    except (WebSocketDisconnect, RuntimeError):
        pass  # the client went away while a frame was being sent


async def _push(client: _ClientSocket, queue: Queue, shown: dict[str, str]) -> None:
    """Send the pushed frames, and note for each person the run that the client shows last."""
    while True:
        frame = await queue.get()
        try:
            await client.caller()
        except AccessDeniedError as error:
            await client.refuse(error)
            return
        shown[frame["payload"]["user_id"]] = frame["payload"]["run_id"]  # before an answer to it can come
        await client.send(frame)


async def _close_when_ended(
    client: _ClientSocket, changed: asyncio.Event, clock: Clock, until: datetime | None
) -> None:
    """Look the token up when it should end, and whenever some token has changed; close the WebSocket if it has."""
    while True:
        await _changed_or_over(changed, clock, until)
        try:
            until = (await client.caller()).until
        except AccessDeniedError as error:
            await client.refuse(error)
            return
        except StoreError:
            changed.set()  # unknown while the store is away: ask again
            await clock.sleep(_LOOK_EVERY)


async def _changed_or_over(changed: asyncio.Event, clock: Clock, until: datetime | None) -> None:
    """Wait until some token has changed, or until a moment; at most an hour, for the wall clock may be corrected."""
    cancel = None
    if until is not None:
        left = (until - clock.now()).total_seconds()
        cancel = clock.call_later(min(max(left, 0.0), _LONGEST_WAIT), changed.set)
    try:
        await changed.wait()
    finally:
        if cancel is not None:
            cancel()
    changed.clear()
