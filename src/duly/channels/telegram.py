"""Telegram: messages out by the Bot API, updates in by polling or webhook.

The token is a part of every URL, so logs and errors show another path than the one that is sent. An update (a message
or a press of a button) is the same object by polling and by webhook.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from duly.channels.formats import (
    load_object,
    objects_at,
    refuse_broken,
    shorten_utf16,
    text_at,
    time_at,
    titled,
    value_at,
)
from duly.channels.listening import HandOver, Pauses, Take, keep_listening
from duly.channels.transport import HttpChannel, VendorResponse, seconds
from duly.clock import Clock
from duly.errors import ChannelError, ChannelNotConfiguredError, ChannelPermanentError, ChannelTemporaryError
from duly.ports.channels import Address, Button, Inbound, Incoming, Outgoing, Receipt

BASE_URL = "https://api.telegram.org"
MAX_TEXT = 4096
MAX_ANSWER = 200
_LINE = 36
_MOST_IN_ROW = 3
_GROUPS = ("group", "supergroup")
_UPDATES = ("message", "callback_query", "message_reaction")
_LOST_MESSAGE = ("message to edit not found", "message can't be edited", "message_id_invalid")
_WORDLESS = (
    "photo",
    "sticker",
    "voice",
    "audio",
    "video",
    "video_note",
    "animation",
    "document",
    "location",
    "contact",
    "poll",
    "dice",
    "story",
)
"""What a person sends besides text. Other messages without text are Telegram's own, as about a new member."""
_START = re.compile(r"^/start(?:@\w+)?\s+")
"""The prefix that `https://t.me/<bot>?start=<code>` puts before its code; in a group, bots see little else."""
_MENTION = re.compile(r"^@\w+[\s,:]*")
"""How a bot is spoken to in a group; it is no part of what is said."""
WAIT = 50
"""Seconds that Telegram holds a request open when there is no update."""


class TelegramChannel(HttpChannel):
    """Messages of a bot. An address is a chat's id; only people who wrote to the bot first can be reached.

    Each group counts its messages for itself, so the id of a message here is `<chat>:<number>`.
    """

    name = "telegram"
    has_buttons = True
    server = BASE_URL

    def headers(self, token: str) -> dict[str, str]:  # noqa: ARG002  it is a part of every URL
        return {}

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        refuse_broken(self.name, address)
        body: dict[str, Any] = {"chat_id": address, "text": shorten_utf16(titled(outgoing), MAX_TEXT)}
        if outgoing.buttons:
            body["reply_markup"] = {"inline_keyboard": _rows(outgoing.buttons)}
        _, number = _place(outgoing.reply_to or "")
        if number.isdecimal():
            body["reply_parameters"] = {"message_id": int(number), "allow_sending_without_reply": True}
        answer = await self._call_in_chat("sendMessage", body)
        result = answer.data.get("result")
        if not isinstance(result, dict) or "message_id" not in result:
            raise self._wire.unreadable(answer)
        chat = result.get("chat")
        return Receipt(message_id=_message_id(chat["id"] if isinstance(chat, dict) else address, result["message_id"]))

    async def edit(self, address: Address, message_id: str, text: str, buttons: tuple[Button, ...] = ()) -> bool:
        chat, number = _place(message_id)
        if not number.isdecimal():
            return False
        body: dict[str, Any] = {
            "chat_id": chat or address,
            "message_id": int(number),
            "text": shorten_utf16(text, MAX_TEXT),
        }
        if buttons:
            body["reply_markup"] = {"inline_keyboard": _rows(buttons)}
        try:
            await self._call_in_chat("editMessageText", body)
        except ChannelPermanentError as error:
            reason = str(error).lower()
            if "message is not modified" in reason:
                return True
            if any(phrase in reason for phrase in _LOST_MESSAGE):
                return False
            raise
        return True

    async def check(self) -> str:
        me = (await self.call("getMe", {})).data.get("result") or {}
        return f"bot @{me.get('username')} ({me.get('first_name')})"

    async def answer(self, incoming: Incoming, text: str, *, closes: bool = True) -> None:  # noqa: ARG002  it never does
        if incoming.callback is None:
            return
        body = {"callback_query_id": incoming.callback, "text": shorten_utf16(text, MAX_ANSWER)}
        try:
            await self.call("answerCallbackQuery", body)
        except ChannelNotConfiguredError:
            raise
        except ChannelPermanentError:
            return  # the press is too old: Telegram no longer waits for its answer

    async def updates(self, offset: int | None, wait: int) -> list[dict[str, Any]]:
        """Fetch the updates since `offset`; Telegram waits up to `wait` seconds for the first one."""
        body = {"offset": offset, "timeout": wait, "allowed_updates": list(_UPDATES)}
        answer = await self.call("getUpdates", body, patience=wait + self._wire.timeout)
        result = answer.data.get("result")
        return [update for update in result if isinstance(update, dict)] if isinstance(result, list) else []

    async def set_webhook(self, url: str, secret: str) -> None:
        """Have updates sent to `url`, with `secret` in a header. Ends polling."""
        await self.call("setWebhook", {"url": url, "secret_token": secret, "allowed_updates": list(_UPDATES)})

    async def delete_webhook(self) -> None:
        """Have updates kept until they are asked for."""
        await self.call("deleteWebhook", {})

    async def _call_in_chat(self, method: str, body: dict[str, Any]) -> VendorResponse:
        """`call`, following a group to the new id it gets when it becomes a supergroup."""
        try:
            return await self.call(method, body)
        except _ChatMovedError as moved:
            return await self.call(method, {**body, "chat_id": moved.chat_id})

    async def call(self, method: str, body: Mapping[str, Any], *, patience: float | None = None) -> VendorResponse:
        """Call a method of the Bot API; give a response that is `ok`, raise for any other."""
        answer = await self._wire.request(
            "POST",
            f"/bot***/{method}",
            hidden_path=f"/bot{self._token}/{method}",
            json={name: value for name, value in body.items() if value is not None},
            patience=patience,
        )
        if answer.ok and answer.data.get("ok") is True:
            return answer
        raise self._failure(answer)

    def _failure(self, answer: VendorResponse) -> ChannelError:
        reason = self._wire.clean(str(answer.data.get("description") or "no reason given"))
        hints = answer.data.get("parameters")
        hints = hints if isinstance(hints, dict) else {}
        if "migrate_to_chat_id" in hints:
            return _ChatMovedError(f"telegram: {reason}", hints["migrate_to_chat_id"])
        if answer.ok:
            return self._wire.unreadable(answer)
        if answer.status == 429 or answer.status >= 500:
            floor = seconds(hints.get("retry_after"))
            return ChannelTemporaryError(f"telegram: {reason}", answer.retry_after if floor is None else floor)
        if answer.status == 409:
            return ChannelTemporaryError(f"telegram: {reason}: only one program may poll for a bot")
        if answer.status in (401, 404):
            return ChannelNotConfiguredError(f"telegram: {reason}: check the token that BotFather gave you")
        return ChannelPermanentError(f"telegram: {reason}")


def _place(message_id: str) -> tuple[str, str]:
    """Split the id of a message into its chat and its number there."""
    chat, _, number = message_id.rpartition(":")
    return chat, number


def _rows(buttons: tuple[Button, ...]) -> list[list[dict[str, str]]]:
    """Lay buttons out side by side as far as a telephone shows their labels, and then in the next row."""
    rows: list[list[dict[str, str]]] = []
    for button in buttons:
        key = {"text": button.label, "callback_data": button.token}
        fits = rows and len(rows[-1]) < _MOST_IN_ROW
        if fits and len(button.label) + sum(len(each["text"]) for each in rows[-1]) <= _LINE:
            rows[-1].append(key)
        else:
            rows.append([key])
    return rows


class _ChatMovedError(ChannelPermanentError):
    """A group became a supergroup and has a new id."""

    def __init__(self, message: str, chat_id: object) -> None:
        super().__init__(message)
        self.chat_id = chat_id


# updates


def parse_telegram(body: bytes | str) -> Inbound:
    """Read the update in a webhook's request."""
    found = from_update(load_object("telegram", body))
    return Inbound(messages=(found,) if found else ())


def from_update(update: dict[str, Any]) -> Incoming | None:
    """Read an update; None when it holds no message and no press of a person."""
    if "callback_query" in update:
        return _press(update["callback_query"])
    if "message" in update:
        return _message(update["message"])
    if "message_reaction" in update:
        return _reaction(update["message_reaction"])
    return None


def _press(query: Any) -> Incoming | None:
    chat = text_at(query, "message", "chat", "id")
    sender = text_at(query, "from", "id")
    query_id = text_at(query, "id")
    token = text_at(query, "data")
    if not (chat and sender and query_id and token):
        return None
    return Incoming(
        channel="telegram",
        address=chat,
        sender=sender,
        message_id=f"callback:{query_id}",
        token=token,
        quoted=_quoted_id(chat, text_at(query, "message", "message_id")),
        callback=query_id,
        language=text_at(query, "from", "language_code"),
    )


def _message(message: Any) -> Incoming | None:
    chat = text_at(message, "chat", "id")
    number = text_at(message, "message_id")
    sender = text_at(message, "from", "id")
    said = text_at(message, "text") or text_at(message, "caption") or ""
    is_said = bool(said) or any(kind in message for kind in _WORDLESS)
    if not (chat and number and sender and is_said) or value_at(message, "from", "is_bot") is True:
        return None
    quoted = _quoted_id(chat, text_at(message, "reply_to_message", "message_id"))
    in_group = text_at(message, "chat", "type") in _GROUPS
    return Incoming(
        channel="telegram",
        address=chat,
        sender=sender,
        message_id=_message_id(chat, number),
        text=_MENTION.sub("", _START.sub("", said)) or said or None,
        quoted=quoted,
        language=text_at(message, "from", "language_code"),
        to_us=not in_group or quoted is not None or said.startswith(("/", "@")),
        sent_at=time_at(message, "date"),
    )


def _reaction(update: Any) -> Incoming | None:
    """Read the sign that a person added to a message; None when they only took one away."""
    chat = text_at(update, "chat", "id")
    number = text_at(update, "message_id")
    sender = text_at(update, "user", "id")
    before = {text_at(each, "emoji") for each in objects_at(update, "old_reaction")}
    added = [sign for each in objects_at(update, "new_reaction") if (sign := text_at(each, "emoji")) not in before]
    if not (chat and number and sender and added and added[0]):
        return None
    return Incoming(
        channel="telegram",
        address=chat,
        sender=sender,
        message_id=f"reaction:{chat}:{number}:{sender}:{text_at(update, 'date')}:{added[0]}",
        sent_at=time_at(update, "date"),
        reaction=added[0],
        quoted=_message_id(chat, number),
    )


def _quoted_id(chat: str, number: str | None) -> str | None:
    return None if number is None else _message_id(chat, number)


def _message_id(chat: object, number: object) -> str:
    """Name a message: each group counts its messages for itself, so the number alone is not enough."""
    return f"{chat}:{number}"


# polling


class TelegramPoller:
    """Polls for updates, for daemons without a public URL, and hands on each at least once, in order.

    `offset` is the number of the next update, from `save_offset` of the last time. It is saved after an update was
    handled, so that a crash in between repeats the update and loses none. A request with an offset makes Telegram
    forget the updates before it.
    """

    def __init__(
        self,
        client: TelegramChannel,
        on_incoming: Take,
        clock: Clock,
        *,
        offset: int | None = None,
        save_offset: Callable[[int], Awaitable[None]] | None = None,
        wait: int = WAIT,
    ) -> None:
        self._client = client
        self._hand_over = HandOver("telegram", on_incoming)
        self._clock = clock
        self._save_offset = save_offset
        self._wait = wait
        self._switched = False
        self.offset = offset

    async def run(self) -> None:
        """Poll until cancelled, or until Telegram refuses the token."""
        await keep_listening("telegram", self._listen, self._clock)

    async def _listen(self, pauses: Pauses) -> None:
        if not self._switched:
            await self._client.delete_webhook()  # with one set, Telegram refuses to be polled
            self._switched = True
        await self.poll_once()
        pauses.reset()

    async def poll_once(self) -> int:
        """Fetch and hand on one batch; give the number of updates in it."""
        updates = await self._client.updates(self.offset, self._wait)
        for update in updates:
            await self._handle(update)
        return len(updates)

    async def _handle(self, update: dict[str, Any]) -> None:
        number = update.get("update_id")
        if not isinstance(number, int):
            return
        incoming = from_update(update)
        if incoming is not None:
            await self._hand_over(incoming)  # a failure ends the batch, so that the update comes again
        self.offset = number + 1
        if self._save_offset is not None:
            await self._save_offset(self.offset)
