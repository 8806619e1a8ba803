"""Discord: a bot's messages. A nonce makes sending again harmless for the few minutes that Discord remembers it."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx

from duly.channels.text import digest, shorten, titled
from duly.channels.transport import DEFAULT_TIMEOUT, Answer, Transport, seconds
from duly.errors import ChannelPermanentError
from duly.ports.channels import Address, Button, ButtonKind, Outgoing, Receipt

BASE_URL = "https://discord.com/api/v10"
MAX_TEXT = 2000
MAX_LABEL = 80
MAX_NONCE = 25
PERSON = "user:"
"""An address that begins so is a person: a direct message channel is opened for them."""
COMMAND = "duly"
"""The slash command with which people write to the bot, because Discord shows bots no free text by HTTP."""

_STYLES = {ButtonKind.DONE: 3, ButtonKind.SNOOZE: 1, ButtonKind.DISMISS: 2}
_NOBODY: dict[str, Any] = {"parse": []}
_UNKNOWN_MESSAGE = 10008
_STRING_OPTION = 3


class DiscordChannel:
    """Messages of a bot. An address is a channel's id, or `user:<id>` for a direct message."""

    name = "discord"
    has_buttons = True

    def __init__(
        self,
        token: str,
        *,
        application_id: str | None = None,
        base_url: str = BASE_URL,
        http: httpx.AsyncClient | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        self._application_id = application_id
        self._rooms: dict[str, str] = {}
        headers = {"Authorization": f"Bot {token}", "User-Agent": "DiscordBot (https://pypi.org/project/duly, 1)"}
        self._wire = Transport(self.name, base_url, http=http, timeout=timeout, headers=headers, secrets=[token])

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        body: dict[str, Any] = {
            "content": shorten(titled(outgoing), MAX_TEXT),
            "allowed_mentions": _NOBODY,
            "nonce": digest(outgoing.key)[:MAX_NONCE],
            "enforce_nonce": True,
            "components": components(outgoing.buttons),
        }
        if outgoing.reply_to:
            body["message_reference"] = {"message_id": outgoing.reply_to, "fail_if_not_exists": False}
        answer = await self._call("POST", f"/channels/{await self._room(address)}/messages", body)
        if "id" not in answer.data:
            raise self._wire.unreadable(answer)
        return Receipt(message_id=str(answer.data["id"]))

    async def edit(self, address: Address, message_id: str, text: str) -> bool:
        body = {"content": shorten(text, MAX_TEXT), "allowed_mentions": _NOBODY, "components": []}
        path = f"/channels/{await self._room(address)}/messages/{quote(message_id, safe='')}"
        answer = await self._wire.request("PATCH", path, json=body)
        if answer.status == 404 and answer.data.get("code") == _UNKNOWN_MESSAGE:
            return False
        self._approve(answer)
        return True

    async def check(self) -> str:
        """Who the bot is. Makes sure that the command by which people write to it is there."""
        me = (await self._call("GET", "/users/@me")).data
        if self._application_id is not None:
            await self.register_command()
        return f"bot {me.get('username')}"

    async def register_command(self) -> None:
        """Create `/duly text:…`, or leave it as it is."""
        option = {"type": _STRING_OPTION, "name": "text", "description": "What to say", "required": True}
        command = {"name": COMMAND, "type": 1, "description": "Answer duly, or pair this chat", "options": [option]}
        await self._call("POST", f"/applications/{self._application_id}/commands", command)

    async def close(self) -> None:
        await self._wire.close()

    async def _room(self, address: Address) -> str:
        """The channel to write in."""
        if not address.startswith(PERSON):
            return quote(address, safe="")
        if address not in self._rooms:
            body = {"recipient_id": address.removeprefix(PERSON)}
            answer = await self._call("POST", "/users/@me/channels", body)
            if "id" not in answer.data:
                raise ChannelPermanentError(f"discord: no direct message channel for {address}")
            self._rooms[address] = quote(str(answer.data["id"]), safe="")
        return self._rooms[address]

    async def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Answer:
        answer = await self._wire.request(method, path, json=body)
        self._approve(answer)
        return answer

    def _approve(self, answer: Answer) -> None:
        if not answer.ok:
            reason = f"{answer.data.get('message') or 'refused'}, code {answer.data.get('code', 'unknown')}"
            self._wire.refuse(answer, reason, retry_after=seconds(answer.data.get("retry_after")))


def components(buttons: tuple[Button, ...]) -> list[dict[str, Any]]:
    """Buttons in a row, as messages and interaction responses take them."""
    row = [
        {
            "type": 2,
            "style": _STYLES[button.kind],
            "label": shorten(button.label, MAX_LABEL),
            "custom_id": button.token,
        }
        for button in buttons
    ]
    return [{"type": 1, "components": row}] if row else []
