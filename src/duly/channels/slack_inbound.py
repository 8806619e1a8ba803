"""Slack's requests: events as JSON, presses of buttons as a form with JSON in it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs

from duly.channels.payload import each, load, text
from duly.errors import InboundRefusedError
from duly.ports.channels import Inbound, Incoming

_MENTION = re.compile(r"^\s*<@[A-Z0-9]+(\|[^>]*)?>\s*")
"""The bot's name at the beginning of what is said to it in a channel."""
_DIRECT = "D"
"""How the ids of direct messages begin."""


def parse_slack(body: bytes) -> Inbound:
    """What a request to either of the two URLs says. Answer it with 200 at once; presses go on by `response_url`."""
    if body.lstrip().startswith(b"{"):
        return _event(load("slack", body))
    try:
        fields = parse_qs(body.decode("utf-8"))
    except ValueError as error:
        raise InboundRefusedError(f"slack: the body is no form ({error})") from None
    if "payload" not in fields:
        raise InboundRefusedError("slack: the body is neither an event nor an interaction")
    return _interaction(load("slack", fields["payload"][0]))


def _event(data: dict[str, Any]) -> Inbound:
    if data.get("type") == "url_verification":
        return Inbound(response={"challenge": text(data, "challenge") or ""})
    found = _message(data) if data.get("type") == "event_callback" else None
    return Inbound(messages=(found,) if found else ())


def _message(data: dict[str, Any]) -> Incoming | None:
    event = data.get("event")
    room, sender, ts = text(event, "channel"), text(event, "user"), text(event, "ts")
    said = text(event, "text")
    by_person = text(event, "bot_id") is None and text(event, "subtype") is None
    kind = text(event, "type")
    if not (kind in ("message", "app_mention") and by_person and room and sender and ts and said):
        return None
    thread = text(event, "thread_ts")
    said_to_us = kind == "app_mention" or room.startswith(_DIRECT)  # what people tell each other is no answer
    return Incoming(
        channel="slack",
        address=room,
        sender=sender,
        # not the event's id: a mention in a channel comes as two events about one message
        message_id=f"{room}:{ts}",
        text=unescape(_MENTION.sub("", said)) or said,
        quoted=f"{room}:{thread}" if thread else None,
        person=sender if said_to_us else None,
    )


def _interaction(data: dict[str, Any]) -> Inbound:
    if data.get("type") != "block_actions":
        return Inbound()
    room = text(data, "container", "channel_id") or text(data, "channel", "id")
    ts = text(data, "container", "message_ts") or text(data, "message", "ts")
    sender = text(data, "user", "id")
    if not (room and ts and sender):
        return Inbound()
    return Inbound(
        messages=tuple(
            Incoming(
                channel="slack",
                address=room,
                sender=sender,
                message_id=f"{room}:{ts}:{text(action, 'action_ts')}",
                token=token,
                quoted=f"{room}:{ts}",
                callback=text(data, "response_url"),
                person=sender,
            )
            for action in each(data, "actions")
            if (token := text(action, "value"))
        )
    )


def unescape(said: str) -> str:
    """What the person typed."""
    return said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
