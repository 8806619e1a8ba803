"""Discord: a bot's messages out, and its interactions, messages and reactions in.

A nonce makes sending again harmless for the few minutes that Discord remembers it. Interactions are the PING of the
set-up, presses of buttons, and `/duly text:…` in the place of free text; the answer goes out as the response to the
same request, within three seconds. Over the gateway (`discord_gateway`) come messages and reactions as well.
"""

from __future__ import annotations

import re
from typing import Any, Unpack
from urllib.parse import quote

from duly.channels.formats import digest, load_object, objects_at, refuse_broken, shorten, text_at, titled, value_at
from duly.channels.transport import HttpChannel, HttpOptions, VendorResponse, seconds
from duly.errors import ChannelPermanentError
from duly.ports.channels import Address, Button, ButtonKind, Inbound, Incoming, Outgoing, Receipt

BASE_URL = "https://discord.com/api/v10"
MAX_TEXT = 2000
MAX_LABEL = 80
MAX_NONCE = 25
PERSON = "user:"
"""The prefix of addresses that are persons: duly opens a direct message channel for them."""
COMMAND = "duly"
"""The slash command with which people write to the bot, because Discord shows bots no free text by HTTP."""

_GREY = 2
_STYLES = {ButtonKind.DONE: 3, ButtonKind.SNOOZE: 1, ButtonKind.DISMISS: _GREY}
_ROW = 5
_NO_MENTIONS: dict[str, Any] = {"parse": []}
_UNKNOWN_MESSAGE = 10008
_MENTION = re.compile(r"^\s*<@!?[0-9]+>\s*")
"""The bot's name at the beginning of a message to it in a server."""
_WORDLESS = ("attachments", "sticker_items", "message_snapshots", "poll")
"""What a person sends besides text: pictures, files and voice messages; stickers; what was forwarded."""
_STRING_OPTION = 3
_PING = 1
_COMMAND = 2
_COMPONENT = 3
"""Types of an interaction."""
_PONG = 1
_MESSAGE = 4
_UPDATE_MESSAGE = 7
"""Types of the response to one."""
_ONLY_FOR_SENDER = 64


class DiscordChannel(HttpChannel):
    """Messages of a bot. An address is a channel's id, or `user:<id>` for a direct message."""

    name = "discord"
    has_buttons = True
    server = BASE_URL

    def __init__(
        self, token: str, *, application_id: str | None = None, listens: bool = True, **options: Unpack[HttpOptions]
    ) -> None:
        """`listens` says whether what people write is read over the gateway."""
        super().__init__(token, **options)
        self.token = token
        self.listens = listens
        self._application_id = application_id
        self._rooms: dict[str, str] = {}

    def headers(self, token: str) -> dict[str, str]:
        return {"Authorization": f"Bot {token}", "User-Agent": "DiscordBot (https://pypi.org/project/duly, 1)"}

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        refuse_broken(self.name, address)
        body: dict[str, Any] = {
            "content": shorten(titled(outgoing), MAX_TEXT),
            "allowed_mentions": _NO_MENTIONS,
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

    async def edit(self, address: Address, message_id: str, text: str, buttons: tuple[Button, ...] = ()) -> bool:
        body = {"content": shorten(text, MAX_TEXT), "allowed_mentions": _NO_MENTIONS, "components": components(buttons)}
        path = f"/channels/{await self._room(address)}/messages/{quote(message_id, safe='')}"
        answer = await self._wire.request("PATCH", path, json=body)
        if answer.status == 404 and answer.data.get("code") == _UNKNOWN_MESSAGE:
            return False
        self._approve(answer)
        return True

    async def check(self) -> str:
        """Say who the bot is, and make sure that the command by which people write to it exists."""
        me = (await self._call("GET", "/users/@me")).data
        if self._application_id is not None:
            await self.register_command()
        return f"bot {me.get('username')}"

    async def gateway_url(self) -> str:
        """Ask where the gateway is."""
        answer = await self._call("GET", "/gateway/bot")
        url = answer.data.get("url")
        if not isinstance(url, str):
            raise self._wire.unreadable(answer)
        return url

    async def answer(self, incoming: Incoming, text: str, *, closes: bool = True) -> None:
        """Respond to an interaction that came over the gateway; Discord keeps it open for three seconds."""
        if incoming.callback is None:
            return
        body = discord_response(incoming, text, closes=closes)
        path = f"/interactions/{quote(incoming.message_id, safe='')}/***/callback"
        hidden = f"/interactions/{quote(incoming.message_id, safe='')}/{quote(incoming.callback, safe='')}/callback"
        answer = await self._wire.request("POST", path, hidden_path=hidden, json=body)
        if answer.status != 404:  # too late: Discord no longer waits for it
            self._approve(answer)

    async def register_command(self) -> None:
        """Create `/duly text:…`, or leave it as it is."""
        option = {"type": _STRING_OPTION, "name": "text", "description": "What to say", "required": True}
        command = {
            "name": COMMAND,
            "type": 1,
            "description": "Answer duly, or pair this chat",
            "options": [option],
        }
        await self._call("POST", f"/applications/{self._application_id}/commands", command)

    async def _room(self, address: Address) -> str:
        """Give the id of the channel to write in; open one for a person."""
        if not address.startswith(PERSON):
            return quote(address, safe="")
        if address not in self._rooms:
            body = {"recipient_id": address.removeprefix(PERSON)}
            answer = await self._call("POST", "/users/@me/channels", body)
            if "id" not in answer.data:
                raise ChannelPermanentError(f"discord: no direct message channel for {address}")
            self._rooms[address] = quote(str(answer.data["id"]), safe="")
        return self._rooms[address]

    async def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> VendorResponse:
        answer = await self._wire.request(method, path, json=body)
        self._approve(answer)
        return answer

    def _approve(self, answer: VendorResponse) -> None:
        if not answer.ok:
            reason = f"{answer.data.get('message') or 'refused'}, code {answer.data.get('code', 'unknown')}"
            self._wire.refuse(answer, reason, retry_after=seconds(answer.data.get("retry_after")))


def components(buttons: tuple[Button, ...]) -> list[dict[str, Any]]:
    """Lay buttons out in rows of five, as messages and interaction responses take them."""
    shown = [
        {
            "type": 2,
            "style": _STYLES.get(button.kind, _GREY),
            "label": shorten(button.label, MAX_LABEL),
            "custom_id": button.token,
        }
        for button in buttons
    ]
    return [{"type": 1, "components": shown[at : at + _ROW]} for at in range(0, len(shown), _ROW)]


# interactions


def parse_discord(body: bytes | str) -> Inbound:
    """Read an interaction."""
    data = load_object("discord", body)
    kind = data.get("type")
    if kind == _PING:
        return Inbound(response={"type": _PONG})
    found = from_interaction(data)
    return Inbound(messages=(found,) if found else ())


def discord_response(incoming: Incoming, answer: str, *, closes: bool = True) -> dict[str, Any]:
    """Make the body to respond with: a pressed message changes and loses its buttons; all else gets an answer."""
    data: dict[str, Any] = {"content": shorten(answer, MAX_TEXT), "allowed_mentions": _NO_MENTIONS}
    if incoming.token is not None and closes:
        return {"type": _UPDATE_MESSAGE, "data": {**data, "components": []}}
    return {"type": _MESSAGE, "data": {**data, "flags": _ONLY_FOR_SENDER}}


def from_interaction(data: Any) -> Incoming | None:
    """Read a press of a button, or the command of a person; None for any other interaction."""
    if value_at(data, "type") not in (_COMMAND, _COMPONENT):
        return None
    interaction_id = text_at(data, "id")
    room = text_at(data, "channel_id")
    sender = text_at(data, "member", "user", "id") or text_at(data, "user", "id")  # in a server, in a direct message
    token = text_at(data, "data", "custom_id")
    said = (
        " ".join(found for option in objects_at(data, "data", "options") if (found := text_at(option, "value"))) or None
    )
    if not (interaction_id and room and sender and (token or said)):
        return None
    return Incoming(
        channel="discord",
        address=room,
        sender=sender,
        message_id=interaction_id,
        text=None if token else said,
        token=token,
        quoted=text_at(data, "message", "id"),
        callback=text_at(data, "token"),
        person=f"{PERSON}{sender}",
    )


# over the gateway


def from_message(data: Any, me: str | None) -> Incoming | None:
    """Read a message that is meant for the bot: a direct one, a mention, or a reply to a message of the bot."""
    number = text_at(data, "id")
    room = text_at(data, "channel_id")
    sender = text_at(data, "author", "id")
    typed = text_at(data, "content") or ""
    by_person = value_at(data, "author", "bot") is not True and sender != me
    is_said = bool(typed) or any(value_at(data, field) for field in _WORDLESS)
    if not (number and room and sender and is_said and by_person):
        return None
    in_server = text_at(data, "guild_id") is not None
    mentioned = any(text_at(each, "id") == me for each in objects_at(data, "mentions"))
    if in_server and not mentioned:
        return None
    return Incoming(
        channel="discord",
        address=room,
        sender=sender,
        message_id=number,
        text=_MENTION.sub("", typed).strip() or typed or None,
        quoted=text_at(data, "message_reference", "message_id"),
        person=f"{PERSON}{sender}",
    )


def from_reaction(data: Any, me: str | None) -> Incoming | None:
    """Read a reaction of a person to a message."""
    room = text_at(data, "channel_id")
    sender = text_at(data, "user_id")
    quoted = text_at(data, "message_id")
    sign = text_at(data, "emoji", "name")
    if not (room and sender and quoted and sign) or sender == me:
        return None
    return Incoming(
        channel="discord",
        address=room,
        sender=sender,
        message_id=f"reaction:{quoted}:{sender}:{sign}",
        reaction=sign,
        quoted=quoted,
        person=f"{PERSON}{sender}",
    )
