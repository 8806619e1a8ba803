"""Discord's gateway: messages, presses and reactions over a connection that duly opens, without a public URL.

A session survives a lost connection: duly resumes it with the number of the last event that was handled, and Discord
sends the later ones again. Only direct messages and mentions of the bot have a text that it may read without a special
permission, and only these are meant for it.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from websockets.asyncio.client import ClientConnection

from duly.channels.discord import DiscordChannel, from_interaction, from_message, from_reaction
from duly.channels.formats import text_at, value_at
from duly.channels.listening import HandOver, Pauses, Take, frames, open_socket, send_object
from duly.clock import Clock
from duly.errors import ChannelNotConfiguredError, ChannelTemporaryError
from duly.ports.channels import Incoming

_VENDOR = "discord"
_DISPATCH = 0
_HEARTBEAT = 1
_IDENTIFY = 2
_RESUME = 6
_RECONNECT = 7
_INVALID_SESSION = 9
_HELLO = 10
_HEARTBEAT_ACK = 11
"""Operations of the gateway."""
_INTENTS = (1 << 9) | (1 << 10) | (1 << 12) | (1 << 13)
"""Messages and reactions, in servers and in direct messages."""
_REFUSED = {
    4004: "it refuses the token: check it on the Bot page of the application",
    4010: "it refuses the shard",
    4011: "the bot is in so many servers that it needs several connections, which duly does not open",
    4012: "it no longer speaks this version",
    4013: "it does not know what duly asks to hear",
    4014: "the bot may not hear what duly asks for: look at its Bot page",
}
"""Codes after which trying again is of no use."""
_SESSION_LOST = {1000, 1001, 4007, 4009}
_ZOMBIE = 4000
_DEFAULT_INTERVAL = 41_250


class DiscordGateway:
    """Listens to Discord and hands each message on at least once."""

    def __init__(self, channel: DiscordChannel, take: Take, clock: Clock) -> None:
        self._channel = channel
        self._hand_over = HandOver(_VENDOR, take)
        self._clock = clock
        self._session: str | None = None
        self._resume_url: str | None = None
        self._last: int | None = None
        """The number of the last event that was handled."""
        self._me: str | None = None
        self._heard = True
        """Whether the last heartbeat was confirmed."""

    async def listen(self, pauses: Pauses) -> None:
        """Listen over one connection; resume the session of the one before if there is one."""
        url = self._resume_url or await self._channel.gateway_url()
        async with open_socket(_VENDOR, f"{url.rstrip('/')}/?v=10&encoding=json") as socket:
            beating: asyncio.Task[None] | None = None
            try:
                async for frame in frames(_VENDOR, socket):
                    if frame.get("op") == _HELLO:
                        beating = asyncio.get_running_loop().create_task(self._beat(socket, _interval(frame)))
                        await self._begin(socket)
                    elif not await self._handled(socket, frame, pauses):
                        return
            finally:
                if beating is not None:
                    beating.cancel()
                    with suppress(asyncio.CancelledError):
                        await beating
        self._judge(socket.close_code)

    def _judge(self, code: int | None) -> None:
        """Decide what follows from the code with which Discord closed the connection."""
        if code in _REFUSED:
            raise ChannelNotConfiguredError(f"discord: {_REFUSED[code]} (code {code})")
        if code in _SESSION_LOST:
            self._forget()
        raise ChannelTemporaryError(f"discord: the connection was closed (code {code})")

    def _forget(self) -> None:
        self._session = None
        self._resume_url = None
        self._last = None

    async def _begin(self, socket: ClientConnection) -> None:
        """Resume the session, or begin one."""
        self._heard = True
        token = self._channel.token
        if self._session is not None:
            state: dict[str, Any] = {"token": token, "session_id": self._session, "seq": self._last}
            await send_object(socket, {"op": _RESUME, "d": state})
            return
        properties = {"os": "linux", "browser": "duly", "device": "duly"}
        state = {"token": token, "intents": _INTENTS, "properties": properties}
        await send_object(socket, {"op": _IDENTIFY, "d": state})

    async def _beat(self, socket: ClientConnection, interval: float) -> None:
        """Send heartbeats; a connection on which one was not confirmed is dead, and is closed."""
        while True:
            await self._clock.sleep(interval)
            if not self._heard:
                await socket.close(_ZOMBIE)
                return
            self._heard = False
            await send_object(socket, {"op": _HEARTBEAT, "d": self._last})

    async def _handled(self, socket: ClientConnection, frame: dict[str, Any], pauses: Pauses) -> bool:
        """Handle a frame; returns False when another connection is to be opened."""
        operation = frame.get("op")
        if operation == _HEARTBEAT:
            await send_object(socket, {"op": _HEARTBEAT, "d": self._last})
        elif operation == _HEARTBEAT_ACK:
            self._heard = True
        elif operation == _RECONNECT:
            return False
        elif operation == _INVALID_SESSION:
            if frame.get("d") is not True:
                self._forget()
            await self._clock.sleep(2)  # Discord asks for one to five seconds
            return False
        elif operation == _DISPATCH:
            await self._dispatch(frame, pauses)
        return True

    async def _dispatch(self, frame: dict[str, Any], pauses: Pauses) -> None:
        """Hand an event on, then count it: one that could not be handled comes again with the resumed session."""
        kind = text_at(frame, "t")
        data = value_at(frame, "d")
        if kind == "READY":
            self._session = text_at(data, "session_id")
            self._resume_url = text_at(data, "resume_gateway_url")
            self._me = text_at(data, "user", "id")
        if kind in ("READY", "RESUMED"):
            pauses.reset()
        incoming = self._read(kind, data)
        if incoming is not None:
            await self._hand_over(incoming)
        number = frame.get("s")
        if isinstance(number, int):
            self._last = number

    def _read(self, kind: str | None, data: Any) -> Incoming | None:
        if kind == "MESSAGE_CREATE":
            return from_message(data, self._me)
        if kind == "INTERACTION_CREATE":
            return from_interaction(data)
        return from_reaction(data, self._me) if kind == "MESSAGE_REACTION_ADD" else None


def _interval(hello: dict[str, Any]) -> float:
    milliseconds = value_at(hello, "d", "heartbeat_interval")
    return (milliseconds if isinstance(milliseconds, int) and milliseconds > 0 else _DEFAULT_INTERVAL) / 1000
