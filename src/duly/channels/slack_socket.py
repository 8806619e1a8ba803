"""Slack's Socket Mode: events and presses over a connection that duly opens, so that no public URL is needed.

Each envelope has to be acknowledged within three seconds, or Slack sends it again. duly acknowledges when the message
is recorded, and sends its reply afterwards.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from duly.channels.formats import text_at, value_at
from duly.channels.listening import HandOver, Pauses, frames, open_socket, send_object
from duly.channels.slack import SlackChannel, read_event, read_interaction
from duly.ports.channels import Inbound, Incoming

Result = TypeVar("Result")
_VENDOR = "slack"


class SlackSocket(Generic[Result]):
    """Listens to Slack. `handle` records a message, `reply` answers it; between them the envelope is acknowledged."""

    def __init__(
        self,
        channel: SlackChannel,
        handle: Callable[[Incoming], Awaitable[Result]],
        reply: Callable[[Incoming, Result], Awaitable[None]],
    ) -> None:
        self._channel = channel
        self._handle = handle
        self._reply = reply
        self._results: list[tuple[Incoming, Result]] = []
        self._hand_over = HandOver(_VENDOR, self._recorded)

    async def _recorded(self, incoming: Incoming) -> None:
        self._results.append((incoming, await self._handle(incoming)))

    async def listen(self, pauses: Pauses) -> None:
        """Listen over one connection, until Slack closes it or asks for another one."""
        url = await self._channel.socket_url()
        async with open_socket(_VENDOR, url) as socket:
            async for envelope in frames(_VENDOR, socket):
                kind = text_at(envelope, "type")
                if kind == "hello":
                    pauses.reset()
                elif kind == "disconnect":
                    return
                elif (number := text_at(envelope, "envelope_id")) is not None:
                    self._results = []
                    for incoming in read_envelope(envelope).messages:
                        await self._hand_over(incoming)
                    await send_object(socket, {"envelope_id": number})
                    for incoming, result in self._results:
                        await self._reply(incoming, result)


def read_envelope(envelope: dict[str, Any]) -> Inbound:
    """Read the request inside an envelope, which is the same as the one to a URL."""
    payload = value_at(envelope, "payload")
    if not isinstance(payload, dict):
        return Inbound()
    kind = text_at(envelope, "type")
    if kind == "events_api":
        return read_event(payload)
    return read_interaction(payload) if kind == "interactive" else Inbound()
