"""Matrix: events in a room. The only vendor here that guarantees that sending again with the same key is harmless."""

from __future__ import annotations

import json
import secrets
from typing import Any, Unpack
from urllib.parse import quote, urlencode

from duly.channels.formats import linked, refuse_broken, shorten_bytes
from duly.channels.transport import ClientOptions, HttpChannel, VendorResponse, seconds
from duly.errors import ChannelPermanentError
from duly.ports.channels import Address, Button, Outgoing, Receipt

MAX_NEWS = 16 * 1024 * 1024
"""Bytes of an answer to `sync`: that of an account in many rooms is long."""
MAX_TEXT = 32_000
"""Bytes; an event takes 65,536 with everything, and an edit holds its text twice."""
_NO_MENTIONS: dict[str, Any] = {}
_NOTHING: dict[str, Any] = {"types": []}
_NEW_MESSAGES = {
    "presence": _NOTHING,
    "account_data": _NOTHING,
    "room": {
        "account_data": _NOTHING,
        "ephemeral": _NOTHING,
        "state": _NOTHING,
        "timeline": {"limit": 200, "types": ["m.room.message", "m.sticker", "m.reaction", "m.room.encrypted"]},
    },
}
"""The filter of `sync`."""


class MatrixChannel(HttpChannel):
    """Messages of an account that is a member of the room. An address is a room's id, such as `!abc:example.org`."""

    name = "matrix"
    has_buttons = False

    def __init__(
        self,
        homeserver: str,
        token: str,
        *,
        listens: bool = True,
        joins_invites: bool = False,
        **options: Unpack[ClientOptions],
    ) -> None:
        """`listens` says whether what people write in the rooms is read, `joins_invites` whether rooms are entered."""
        super().__init__(token, base_url=homeserver, **options)
        self.listens = listens
        self.joins_invites = joins_invites

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        refuse_broken(self.name, address)
        content: dict[str, Any] = _text(shorten_bytes(linked(outgoing), MAX_TEXT))
        if outgoing.reply_to:
            content["m.relates_to"] = {"m.in_reply_to": {"event_id": outgoing.reply_to}}
        answer = await self._put(address, outgoing.key, content)
        return Receipt(message_id=str(answer.data["event_id"]))

    async def edit(self, address: Address, message_id: str, text: str, buttons: tuple[Button, ...] = ()) -> bool:
        asked = Outgoing(text=text, key=message_id, buttons=buttons)
        new = _text(shorten_bytes(linked(asked) if buttons else text, MAX_TEXT))
        content = {
            **new,
            "body": f"* {new['body']}",
            "m.new_content": new,
            "m.relates_to": {"rel_type": "m.replace", "event_id": message_id},
        }
        # Not made from the text: a message that is edited back and forth has the same text again.
        await self._put(address, secrets.token_hex(16), content)
        return True

    async def check(self) -> str:
        answer = await self._wire.request("GET", "/_matrix/client/v3/account/whoami")
        if not answer.ok:
            self._refuse(answer)
        return str(answer.data.get("user_id"))

    async def sync(self, since: str | None, wait: int) -> dict[str, Any]:
        """Ask for what is new since a place in the server's stream; without one, only for the present place."""
        query = {"filter": json.dumps(_NEW_MESSAGES), "timeout": str(wait * 1000)}
        query |= {"timeout": "0"} if since is None else {"since": since}
        path = f"/_matrix/client/v3/sync?{urlencode(query)}"
        answer = await self._wire.request("GET", path, patience=wait + self._wire.timeout, limit=MAX_NEWS)
        if not answer.ok:
            self._refuse(answer)
        if "next_batch" not in answer.data:
            raise self._wire.unreadable(answer)
        return answer.data

    async def member_count(self, room: Address) -> int:
        """Count the members of a room."""
        answer = await self._wire.request("GET", f"/_matrix/client/v3/rooms/{quote(room, safe='')}/joined_members")
        if not answer.ok:
            self._refuse(answer)
        members = answer.data.get("joined")
        return len(members) if isinstance(members, dict) else 0

    async def join(self, room: Address) -> None:
        """Enter a room that the account was invited to."""
        answer = await self._wire.request("POST", f"/_matrix/client/v3/join/{quote(room, safe='')}", json={})
        if not answer.ok:
            self._refuse(answer)

    async def _put(self, room: Address, key: str, content: dict[str, Any]) -> VendorResponse:
        if not room.startswith("!"):
            raise ChannelPermanentError(f"matrix: {room!r} is no room id: they begin with '!', unlike aliases")
        path = f"/_matrix/client/v3/rooms/{quote(room, safe='')}/send/m.room.message/{quote(key, safe='')}"
        answer = await self._wire.request("PUT", path, json=content)
        if not answer.ok:
            self._refuse(answer)
        if "event_id" not in answer.data:
            raise self._wire.unreadable(answer)
        return answer

    def _refuse(self, answer: VendorResponse) -> None:
        waiting = seconds(answer.data.get("retry_after_ms"))
        reason = f"{answer.data.get('errcode', 'refused')}: {answer.data.get('error', 'no reason given')}"
        self._wire.refuse(answer, reason, retry_after=None if waiting is None else waiting / 1000)


def _text(body: str) -> dict[str, Any]:
    return {"msgtype": "m.text", "body": body, "m.mentions": _NO_MENTIONS}
