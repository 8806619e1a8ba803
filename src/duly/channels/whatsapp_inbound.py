"""WhatsApp's webhook: messages, presses of buttons, and what became of messages that were sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from duly.channels.payload import dig, each, load, text
from duly.ports.channels import DeliveryStatus, Inbound, Incoming, StatusKind


def parse_whatsapp(body: bytes | str, *, phone_number_id: str | None = None) -> Inbound:
    """Everything in a request; it may hold several. With `phone_number_id`, what is for another number is left out."""
    values = list(_values(load("whatsapp", body), phone_number_id))
    return Inbound(
        messages=tuple(said for value in values for item in each(value, "messages") if (said := _incoming(item))),
        statuses=tuple(news for value in values for item in each(value, "statuses") if (news := _status(item))),
    )


def _values(data: dict[str, Any], phone_number_id: str | None) -> Iterator[dict[str, Any]]:
    for entry in each(data, "entry"):
        for change in each(entry, "changes"):
            value = dig(change, "value")
            number = text(value, "metadata", "phone_number_id")
            if isinstance(value, dict) and (phone_number_id is None or number == phone_number_id):
                yield value


def _incoming(message: dict[str, Any]) -> Incoming | None:
    sender, known_as = text(message, "from"), text(message, "id")
    token = text(message, "interactive", "button_reply", "id") or text(message, "button", "payload")
    said = text(message, "text", "body")
    if not (sender and known_as and (token or said)):
        return None
    return Incoming(
        channel="whatsapp",
        address=sender,
        sender=sender,
        message_id=known_as,
        text=said,
        token=token,
        quoted=text(message, "context", "id"),
    )


def _status(status: dict[str, Any]) -> DeliveryStatus | None:
    known_as, recipient, kind = text(status, "id"), text(status, "recipient_id"), text(status, "status")
    if not (known_as and recipient and kind in list(StatusKind)):
        return None
    error = next(each(status, "errors"), {})
    code = error.get("code")
    return DeliveryStatus(
        channel="whatsapp",
        address=recipient,
        message_id=known_as,
        status=StatusKind(kind),
        key=text(status, "biz_opaque_callback_data"),
        code=code if isinstance(code, int) else None,
        reason=text(error, "error_data", "details") or text(error, "title"),
    )
