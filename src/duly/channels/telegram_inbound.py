"""Telegram's updates: messages, and presses of buttons. The same object comes by polling and by webhook."""

from __future__ import annotations

import re
from typing import Any

from duly.channels.payload import dig, load, text
from duly.ports.channels import Inbound, Incoming

_START = re.compile(r"^/start(?:@\w+)?\s+")
"""What `https://t.me/<bot>?start=<code>` makes of its code; in a group, bots are shown little else."""


def parse_telegram(body: bytes | str) -> Inbound:
    """The update in a webhook's request."""
    found = from_update(load("telegram", body))
    return Inbound(messages=(found,) if found else ())


def from_update(update: dict[str, Any]) -> Incoming | None:
    """What a person did, or None for an update that is none of our business."""
    if "callback_query" in update:
        return _press(update["callback_query"])
    if "message" in update:
        return _message(update["message"])
    return None


def _press(query: Any) -> Incoming | None:
    chat, sender, known_as = text(query, "message", "chat", "id"), text(query, "from", "id"), text(query, "id")
    token = text(query, "data")
    if not (chat and sender and known_as and token):
        return None
    return Incoming(
        channel="telegram",
        address=chat,
        sender=sender,
        message_id=f"callback:{known_as}",
        token=token,
        quoted=_known_as(chat, text(query, "message", "message_id")),
        callback=known_as,
    )


def _message(message: Any) -> Incoming | None:
    chat, known_as = text(message, "chat", "id"), text(message, "message_id")
    sender = text(message, "from", "id")
    said = text(message, "text")
    if not (chat and known_as and sender and said) or dig(message, "from", "is_bot") is True:
        return None
    return Incoming(
        channel="telegram",
        address=chat,
        sender=sender,
        message_id=f"{chat}:{known_as}",
        text=_START.sub("", said) or said,
        quoted=_known_as(chat, text(message, "reply_to_message", "message_id")),
    )


def _known_as(chat: str, number: str | None) -> str | None:
    """The id of a message, as `TelegramChannel` gives it."""
    return None if number is None else f"{chat}:{number}"
