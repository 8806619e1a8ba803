"""ntfy: push notifications by topic. The phone sends a request for each button, so every button needs a signed link."""

from __future__ import annotations

import re
from typing import Any

from duly.channels.formats import shorten_bytes
from duly.channels.transport import HttpChannel
from duly.errors import ChannelPermanentError
from duly.ports.channels import Address, Outgoing, Receipt

BASE_URL = "https://ntfy.sh"
MAX_TEXT = 4096
MAX_TITLE = 250
MAX_BUTTONS = 3
_TOPIC = re.compile(r"[-_A-Za-z0-9]{1,64}")


class NtfyChannel(HttpChannel):
    """Notifications on a server. An address is a topic; every client that knows its name can read it.

    Nothing is edited: servers before 2.16 show an edit as a new notification, and a second ring is worse.
    """

    name = "ntfy"
    has_buttons = True
    server = BASE_URL

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        if not _TOPIC.fullmatch(address):
            raise ChannelPermanentError(f"ntfy: {address!r} is no topic: use letters, digits, '-' and '_'")
        body: dict[str, Any] = {"topic": address, "message": shorten_bytes(outgoing.text, MAX_TEXT)}
        if outgoing.title:
            body["title"] = shorten_bytes(outgoing.title, MAX_TITLE)
        actions = [
            {"action": "http", "label": button.label, "url": button.url, "method": "POST", "clear": True}
            for button in outgoing.buttons
            if button.url
        ]
        if actions:
            body["actions"] = actions[:MAX_BUTTONS]
        answer = await self._wire.request("POST", "/", json=body)
        if not answer.ok:
            self._wire.refuse(answer, answer.data.get("error"))
        if "id" not in answer.data:
            raise self._wire.unreadable(answer)
        return Receipt(message_id=str(answer.data["id"]))

    async def check(self) -> str:
        answer = await self._wire.request("GET", "/v1/health")
        if not answer.ok or answer.data.get("healthy") is not True:
            self._wire.refuse(answer, answer.data.get("error") or "the server does not say that it is healthy")
        return f"{self._wire.base_url} is healthy"
