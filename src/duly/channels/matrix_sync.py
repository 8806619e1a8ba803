"""Read what people write in Matrix rooms: `/sync` waits for it, so that no public URL is needed.

The server's token for the place in its stream is saved after the messages before it were handled: a crash repeats some,
and loses none.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from duly.channels.formats import objects_at, text_at, value_at
from duly.channels.listening import HandOver, Pauses, Take
from duly.channels.matrix import MatrixChannel
from duly.ports.channels import Incoming

WAIT = 30
"""Seconds that the server holds a request open when there is nothing new."""
_DIRECT = 2
"""Members of a room in which two talk to each other."""
_IN_WORDS = ("m.text", "m.emote")
_WORDLESS = ("m.image", "m.audio", "m.video", "m.file", "m.location")
"""What a person sends besides text. A notice is a bot's."""
_log = logging.getLogger("duly")


class MatrixSync:
    """Reads the rooms of an account, and hands each message on at least once, in order."""

    def __init__(
        self,
        channel: MatrixChannel,
        take: Take,
        *,
        load: Callable[[str], Awaitable[str | None]],
        save: Callable[[str, str], Awaitable[None]],
        wait: int = WAIT,
    ) -> None:
        """`save` keeps the token of an account and `load` gives it back; without one, the past is not read."""
        self._channel = channel
        self._hand_over = HandOver("matrix", take)
        self._load = load
        self._save = save
        self._wait = wait
        self._me: str | None = None
        self._unreadable: set[str] = set()
        self._members: dict[str, int] = {}
        """How many members a room has, as far as it is known."""
        self.since: str | None = None

    async def listen(self, pauses: Pauses) -> None:
        """Wait for the next messages, and hand them on."""
        if self._me is None:
            me = await self._channel.check()
            self.since = await self._load(me)
            self._me = me
        news = await self._channel.sync(self.since, self._wait)
        pauses.reset()
        place = text_at(news, "next_batch")
        self._count_members(news)
        if self.since is not None:
            await self._join(news)
            for incoming in self._messages(news):
                await self._hand_over(await self._addressed(incoming))
        if place is not None and place != self.since:
            self.since = place
            await self._save(self._me, place)

    async def _join(self, news: dict[str, Any]) -> None:
        """Enter the rooms that duly was invited to, if it may."""
        invited = value_at(news, "rooms", "invite")
        for room in invited if isinstance(invited, dict) else ():
            if self._channel.joins_invites:
                await self._channel.join(room)
            else:
                _log.info("matrix: duly was invited to %s: set join_invites = true, or enter it by hand", room)

    def _count_members(self, news: dict[str, Any]) -> None:
        """Learn how many members rooms have; the server says so when that changed."""
        rooms = value_at(news, "rooms", "join")
        for room, state in (rooms if isinstance(rooms, dict) else {}).items():
            count = value_at(state, "summary", "m.joined_member_count")
            if isinstance(count, int):
                self._members[room] = count

    async def _addressed(self, incoming: Incoming) -> Incoming:
        """Say of a message that neither mentions us nor replies whether it is meant for us: in a room of two it is."""
        if incoming.to_us:
            return incoming
        if incoming.address not in self._members:
            self._members[incoming.address] = await self._channel.member_count(incoming.address)
        return replace(incoming, to_us=self._members[incoming.address] <= _DIRECT)

    def _messages(self, news: dict[str, Any]) -> list[Incoming]:
        rooms = value_at(news, "rooms", "join")
        found: list[Incoming] = []
        for room, state in (rooms if isinstance(rooms, dict) else {}).items():
            if value_at(state, "timeline", "limited") is True:
                _log.warning("matrix: %s has so many new messages that duly reads only the latest", room)
            for event in objects_at(state, "timeline", "events"):
                self._note_encrypted(room, event)
                if (incoming := from_event(room, event, self._me)) is not None:
                    found.append(incoming)
        return found

    def _note_encrypted(self, room: str, event: dict[str, Any]) -> None:
        if text_at(event, "type") == "m.room.encrypted" and room not in self._unreadable:
            self._unreadable.add(room)
            _log.warning("matrix: %s is encrypted, and duly cannot read answers there: use another room", room)


def from_event(room: str, event: dict[str, Any], me: str | None) -> Incoming | None:
    """Read an event of a room; None when it is no new message and no reaction of a person.

    Whether a message without mention and reply is for us, the event does not say: then `to_us` is False.
    """
    sender = text_at(event, "sender")
    number = text_at(event, "event_id")
    if not (sender and number) or sender == me:
        return None
    content = value_at(event, "content")
    relation = value_at(content, "m.relates_to")
    kind = text_at(event, "type")
    if kind == "m.reaction":
        return _reaction(room, sender, number, relation)
    said = _said(kind, content)
    is_new = text_at(relation, "rel_type") != "m.replace"
    if said is None or not is_new:
        return None
    quoted = text_at(relation, "m.in_reply_to", "event_id")
    return Incoming(
        channel="matrix",
        address=room,
        sender=sender,
        message_id=number,
        text=(_without_quote(said) if quoted else said) or None,
        quoted=quoted,
        to_us=quoted is not None or me in _mentioned(content),
    )


def _said(kind: str | None, content: Any) -> str | None:
    """Give the words of a message, empty for a picture without any; None when it is no message of a person.

    Beside the name of its file, the body of a picture is what the person wrote under it.
    """
    if kind == "m.sticker":
        return ""
    sort = text_at(content, "msgtype")
    body = text_at(content, "body")
    if kind != "m.room.message" or sort not in (*_IN_WORDS, *_WORDLESS):
        return None
    if sort in _IN_WORDS:
        return body or None
    name = text_at(content, "filename")
    return body if body and name and body != name else ""


def _mentioned(content: Any) -> list[Any]:
    found = value_at(content, "m.mentions", "user_ids")
    return found if isinstance(found, list) else []


def _reaction(room: str, sender: str, number: str, relation: Any) -> Incoming | None:
    quoted = text_at(relation, "event_id")
    sign = text_at(relation, "key")
    if text_at(relation, "rel_type") != "m.annotation" or not (quoted and sign):
        return None
    return Incoming(channel="matrix", address=room, sender=sender, message_id=number, reaction=sign, quoted=quoted)


def _without_quote(said: str) -> str:
    """Leave out the lines in which older clients repeat the message that they reply to."""
    lines = said.split("\n")
    if not lines[0].startswith("> "):
        return said
    rest = [line for index, line in enumerate(lines) if not all(each.startswith(">") for each in lines[: index + 1])]
    return "\n".join(rest).strip() or said
