"""WhatsApp: Meta's Cloud API out; messages, presses of buttons and delivery statuses in.

Free text reaches only people who wrote within the last 24 hours; templates reach all. Meta says whether that window is
open with the response or, more often, minutes later with a status. Either way the next message goes out as a template,
if one is configured, until the person writes again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Unpack

from duly.channels.formats import load_object, objects_at, shorten, text_at, time_at, titled, value_at
from duly.channels.transport import HttpChannel, HttpOptions, VendorResponse
from duly.errors import (
    ChannelError,
    ChannelNotConfiguredError,
    ChannelPermanentError,
    ChannelTemporaryError,
)
from duly.language.spoken import words
from duly.ports.channels import Address, Button, DeliveryStatus, Inbound, Incoming, Outgoing, Receipt, StatusKind

BASE_URL = "https://graph.facebook.com/v26.0"
MAX_TEXT = 4096
MAX_BODY = 1024
MAX_BUTTONS = 3
MAX_LABEL = 20
MAX_ROWS = 10
MAX_ROW_TITLE = 24
WINDOW_CLOSED = 131047

_PAIR_RATE = 131056
_PAIR_WAIT = 6.0
_TEMPORARY = {1, 2, 4, 80007, 130429, 131000, 131016, 131048, _PAIR_RATE, 131057, 133004, 135000}
_WRONG_TOKEN = {0, 3, 10, 190, 131005, 131031, 131042, 131045, *range(200, 300)}
_REMEMBERED = 10_000
_WORDLESS = ("image", "sticker", "audio", "video", "document", "location", "contacts", "unsupported")
"""What a person sends besides text."""


@dataclass(frozen=True, slots=True)
class Template:
    """A message that Meta approved beforehand, with our text as its only variable."""

    name: str
    language: str = "en"
    buttons: int = 0
    """How many quick-reply buttons it has."""
    always: bool = False
    """Use it for every message, window or no window."""


class WhatsAppChannel(HttpChannel):
    """Messages of a business number. An address is a telephone number in digits, with the country code."""

    name = "whatsapp"
    has_buttons = True
    server = BASE_URL

    def __init__(
        self, token: str, phone_number_id: str, *, template: Template | None = None, **options: Unpack[HttpOptions]
    ) -> None:
        super().__init__(token, **options)
        self._phone_number_id = phone_number_id
        self._template = template
        self._closed: dict[Address, None] = {}

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        address = _number(address)
        template = self._template
        if template is None:
            return await self._post(address, outgoing, _free_form(outgoing))
        if not template.always and address not in self._closed:
            try:
                return await self._post(address, outgoing, _free_form(outgoing))
            except _WindowClosedError:
                self._remember_closed(address)
        return await self._post(address, outgoing, _from_template(template, outgoing))

    async def check(self) -> str:
        path = f"/{self._phone_number_id}?fields=display_phone_number,verified_name"
        answer = await self._wire.request("GET", path)
        if not answer.ok:
            raise self._failure(answer)
        return f"{answer.data.get('verified_name')} ({answer.data.get('display_phone_number')})"

    def observe(self, inbound: Inbound) -> None:
        """Learn whose window is open: to be called with everything that `parse_whatsapp` gives."""
        for status in inbound.statuses:
            if status.status is StatusKind.FAILED and status.code == WINDOW_CLOSED:
                self._remember_closed(status.address)
        for message in inbound.messages:
            self._closed.pop(message.address, None)

    def can_resend(self, status: DeliveryStatus) -> bool:
        """Whether the message of a status would arrive if it were sent once more."""
        return status.code == WINDOW_CLOSED and self._template is not None and not self._template.always

    async def _post(self, address: Address, outgoing: Outgoing, content: dict[str, Any]) -> Receipt:
        body: dict[str, Any] = {
            "messaging_product": "whatsapp",
            "recipient_type": "individual",
            "to": address,
            "biz_opaque_callback_data": shorten(outgoing.key, 512),
            **content,
        }
        if outgoing.reply_to:
            body["context"] = {"message_id": outgoing.reply_to}
        answer = await self._wire.request("POST", f"/{self._phone_number_id}/messages", json=body)
        if not answer.ok:
            raise self._failure(answer)
        messages = answer.data.get("messages")
        if not isinstance(messages, list) or not messages or "id" not in messages[0]:
            raise self._wire.unreadable(answer)
        return Receipt(message_id=str(messages[0]["id"]))

    def _failure(self, answer: VendorResponse) -> ChannelError:
        error = answer.data.get("error")
        error = error if isinstance(error, dict) else {}
        code = error.get("code")
        detail = error.get("error_data")
        detail = detail.get("details") if isinstance(detail, dict) else None
        reason = self._wire.clean(f"whatsapp: {detail or error.get('message') or 'refused'} (code {code})")
        if code == WINDOW_CLOSED:
            return _WindowClosedError(f"{reason}: set template to reach people outside the 24 hours")
        if code in _TEMPORARY or answer.status == 429 or (answer.status >= 500 and code not in _WRONG_TOKEN):
            return ChannelTemporaryError(reason, _PAIR_WAIT if code == _PAIR_RATE else answer.retry_after)
        if code in _WRONG_TOKEN or answer.status == 401:
            return ChannelNotConfiguredError(f"{reason}: check the token and the number in Meta's developer console")
        return ChannelPermanentError(reason)

    def _remember_closed(self, address: Address) -> None:
        self._closed[address] = None
        if len(self._closed) > _REMEMBERED:
            del self._closed[next(iter(self._closed))]


class _WindowClosedError(ChannelPermanentError):
    """More than 24 hours since the person wrote."""


def _number(address: Address) -> str:
    """Reduce a number to its digits, as statuses and messages have it."""
    digits = "".join(character for character in address if character not in "+ -()/")
    if not (digits.isascii() and digits.isdigit()):
        raise ChannelPermanentError(f"whatsapp: {address!r} is no telephone number such as 4915112345678")
    return digits


def _free_form(outgoing: Outgoing) -> dict[str, Any]:
    text = titled(outgoing)
    if not outgoing.buttons:
        return {"type": "text", "text": {"body": shorten(text, MAX_TEXT), "preview_url": False}}
    if len(outgoing.buttons) > MAX_BUTTONS:
        return _list(outgoing, text)
    buttons = [_reply(button) for button in outgoing.buttons]
    interactive = {"type": "button", "body": {"text": shorten(text, MAX_BODY)}, "action": {"buttons": buttons}}
    return {"type": "interactive", "interactive": interactive}


def _list(outgoing: Outgoing, text: str) -> dict[str, Any]:
    """Show more answers than buttons can as a list, which opens with a press."""
    rows = [
        {"id": button.token, "title": shorten(button.label, MAX_ROW_TITLE)} for button in outgoing.buttons[:MAX_ROWS]
    ]
    label = shorten(words(outgoing.language).answers, MAX_LABEL)
    action = {"button": label, "sections": [{"title": label, "rows": rows}]}
    return {
        "type": "interactive",
        "interactive": {"type": "list", "body": {"text": shorten(text, MAX_BODY)}, "action": action},
    }


def _reply(button: Button) -> dict[str, Any]:
    return {"type": "reply", "reply": {"id": button.token, "title": shorten(button.label, MAX_LABEL)}}


def _from_template(template: Template, outgoing: Outgoing) -> dict[str, Any]:
    line = " ".join(titled(outgoing).split())  # a template's variable takes no line breaks
    parts: list[dict[str, Any]] = [
        {"type": "body", "parameters": [{"type": "text", "text": shorten(line, MAX_BODY)}]},
    ]
    for index, button in enumerate(outgoing.buttons[: template.buttons]):
        payload = {"type": "payload", "payload": button.token}
        parts.append({"type": "button", "sub_type": "quick_reply", "index": str(index), "parameters": [payload]})
    content = {"name": template.name, "language": {"code": template.language}, "components": parts}
    return {"type": "template", "template": content}


# requests


def parse_whatsapp(body: bytes | str, *, phone_number_id: str | None = None) -> Inbound:
    """Read the messages and statuses in a request. With `phone_number_id`, those of another number are left out."""
    values = list(_values(load_object("whatsapp", body), phone_number_id))
    return Inbound(
        messages=tuple(said for value in values for item in objects_at(value, "messages") if (said := _incoming(item))),
        statuses=tuple(news for value in values for item in objects_at(value, "statuses") if (news := _status(item))),
    )


def _values(data: dict[str, Any], phone_number_id: str | None) -> Iterator[dict[str, Any]]:
    for entry in objects_at(data, "entry"):
        for change in objects_at(entry, "changes"):
            value = value_at(change, "value")
            number = text_at(value, "metadata", "phone_number_id")
            if isinstance(value, dict) and (phone_number_id is None or number == phone_number_id):
                yield value


def _incoming(message: dict[str, Any]) -> Incoming | None:
    sender = text_at(message, "from")
    message_id = text_at(message, "id")
    pressed = ("button_reply", "list_reply")
    token = next((found for kind in pressed if (found := text_at(message, "interactive", kind, "id"))), None)
    token = token or text_at(message, "button", "payload")
    kind = text_at(message, "type") or ""
    said = text_at(message, "text", "body") or text_at(message, kind, "caption")
    sign = text_at(message, "reaction", "emoji")  # empty when the person took it away
    if not (sender and message_id and (token or said or sign or kind in _WORDLESS)):
        return None
    return Incoming(
        channel="whatsapp",
        address=sender,
        sender=sender,
        message_id=message_id,
        text=said,
        token=token,
        reaction=sign,
        quoted=text_at(message, "context", "id") or text_at(message, "reaction", "message_id"),
        sent_at=time_at(message, "timestamp"),
    )


def _status(status: dict[str, Any]) -> DeliveryStatus | None:
    message_id = text_at(status, "id")
    recipient = text_at(status, "recipient_id")
    kind = text_at(status, "status")
    if not (message_id and recipient and kind in list(StatusKind)):
        return None
    error = next(objects_at(status, "errors"), {})
    code = error.get("code")
    return DeliveryStatus(
        channel="whatsapp",
        address=recipient,
        message_id=message_id,
        status=StatusKind(kind),
        key=text_at(status, "biz_opaque_callback_data"),
        code=code if isinstance(code, int) else None,
        reason=text_at(error, "error_data", "details") or text_at(error, "title"),
        sent_at=time_at(status, "timestamp"),
    )
