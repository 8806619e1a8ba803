"""Meta's Cloud API for one number, and the webhook requests it makes."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

from tests.channels.fakes.secrets import WHATSAPP_APP_SECRET, WHATSAPP_TOKEN
from tests.channels.fakes.server import FakeServer, Reply, Seen

PHONE_ID = "106540352242922"


def error(code: int, message: str, status: int = 400) -> Reply:
    told = {
        "message": f"(#{code}) {message}",
        "type": "OAuthException",
        "code": code,
        "error_data": {"messaging_product": "whatsapp", "details": message},
        "fbtrace_id": "x",
    }
    return Reply(status, {"error": told})


class FakeWhatsApp(FakeServer):
    """People in `closed` wrote more than 24 hours ago; those in `unreachable` are not on WhatsApp."""

    def __init__(self) -> None:
        super().__init__()
        self.closed: set[str] = set()
        self.unreachable: set[str] = set()
        self.messages: list[dict[str, Any]] = []

    @property
    def api(self) -> str:
        return f"{self.url}/v26.0"

    async def respond(self, seen: Seen) -> Reply:
        if seen.headers.get("authorization") != f"Bearer {WHATSAPP_TOKEN}":
            return error(190, "Invalid OAuth access token.", 401)
        if seen.path == f"/v26.0/{PHONE_ID}":
            return Reply(200, {"verified_name": "Duly", "display_phone_number": "+1 555 0100", "id": PHONE_ID})
        if seen.path != f"/v26.0/{PHONE_ID}/messages":
            return error(100, "Unsupported post request.")
        body = seen.json
        if body["to"] in self.unreachable:
            return error(131026, "Message undeliverable.")
        if body["to"] in self.closed and body["type"] != "template":
            return error(131047, "More than 24 hours have passed since the recipient last replied.")
        self.messages.append(body)
        known_as = f"wamid.{len(self.messages)}"
        contact = {"input": body["to"], "wa_id": body["to"]}
        return Reply(200, {"messaging_product": "whatsapp", "contacts": [contact], "messages": [{"id": known_as}]})

    @staticmethod
    def sign(body: bytes) -> dict[str, str]:
        return {
            "X-Hub-Signature-256": "sha256=" + hmac.new(WHATSAPP_APP_SECRET.encode(), body, hashlib.sha256).hexdigest()
        }


def webhook(*, messages: list[Any] | None = None, statuses: list[Any] | None = None) -> bytes:
    """The body of a request to our webhook."""
    value: dict[str, Any] = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "15550100", "phone_number_id": PHONE_ID},
    }
    if messages is not None:
        value["contacts"] = [{"profile": {"name": "Ann"}, "wa_id": "491511234567"}]
        value["messages"] = messages
    if statuses is not None:
        value["statuses"] = statuses
    entry = {"id": "102290129340398", "changes": [{"field": "messages", "value": value}]}
    return json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()


SENT = 1_794_830_400
"""The day on which the tests of whole daemons begin."""

PRESS = {
    "context": {"from": "15550100", "id": "wamid.1"},
    "from": "491511234567",
    "id": "wamid.in1",
    "timestamp": str(SENT),
    "type": "interactive",
    "interactive": {"type": "button_reply", "button_reply": {"id": "tok-done", "title": "Done"}},
}
TEMPLATE_PRESS = {
    "context": {"from": "15550100", "id": "wamid.1"},
    "from": "491511234567",
    "id": "wamid.in2",
    "timestamp": str(SENT),
    "type": "button",
    "button": {"payload": "tok-done", "text": "Done"},
}
TEXT = {
    "from": "491511234567",
    "id": "wamid.in3",
    "timestamp": str(SENT),
    "type": "text",
    "text": {"body": "took it"},
}
DELIVERED = {
    "id": "wamid.1",
    "status": "delivered",
    "timestamp": str(SENT),
    "recipient_id": "491511234567",
    "biz_opaque_callback_data": "run_1:telegram:1",
}
WINDOW_CLOSED = {
    "id": "wamid.1",
    "status": "failed",
    "timestamp": str(SENT),
    "recipient_id": "491511234567",
    "errors": [
        {
            "code": 131047,
            "title": "Re-engagement message",
            "message": "Re-engagement message",
            "error_data": {"details": "More than 24 hours have passed since the customer last replied."},
        }
    ],
}
