"""Discord's interactions: the PING of the set-up, presses of buttons, and `/duly text:…` in the place of free text.

The answer goes out as the response to the same request, within three seconds.
"""

from __future__ import annotations

from typing import Any

from duly.channels.discord import MAX_TEXT, PERSON
from duly.channels.payload import each, load, text
from duly.channels.text import shorten
from duly.ports.channels import Inbound, Incoming

_PING, _COMMAND, _COMPONENT = 1, 2, 3
_PONG, _MESSAGE, _UPDATE_MESSAGE = 1, 4, 7
_ONLY_FOR_THEM = 64


def parse_discord(body: bytes | str) -> Inbound:
    """What an interaction says."""
    data = load("discord", body)
    kind = data.get("type")
    if kind == _PING:
        return Inbound(response={"type": _PONG})
    found = _incoming(data) if kind in (_COMMAND, _COMPONENT) else None
    return Inbound(messages=(found,) if found else ())


def discord_response(incoming: Incoming, answer: str, *, closes: bool = True) -> dict[str, Any]:
    """The body to respond with: the pressed message changes and loses its buttons; everything else is answered."""
    data: dict[str, Any] = {"content": shorten(answer, MAX_TEXT), "allowed_mentions": {"parse": []}}
    if incoming.token is not None and closes:
        return {"type": _UPDATE_MESSAGE, "data": {**data, "components": []}}
    return {"type": _MESSAGE, "data": {**data, "flags": _ONLY_FOR_THEM}}


def _incoming(data: dict[str, Any]) -> Incoming | None:
    known_as, room = text(data, "id"), text(data, "channel_id")
    sender = text(data, "member", "user", "id") or text(data, "user", "id")  # in a server, in a direct message
    token = text(data, "data", "custom_id")
    said = " ".join(found for option in each(data, "data", "options") if (found := text(option, "value"))) or None
    if not (known_as and room and sender and (token or said)):
        return None
    return Incoming(
        channel="discord",
        address=room,
        sender=sender,
        message_id=known_as,
        text=None if token else said,
        token=token,
        quoted=text(data, "message", "id"),
        callback=text(data, "token"),
        person=f"{PERSON}{sender}",
    )
