"""Telegram: the Bot API. The token is a part of every URL, so the URL that is shown is not the one that is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from duly.channels.text import shorten_utf16, titled
from duly.channels.transport import DEFAULT_TIMEOUT, Answer, Transport, seconds
from duly.errors import ChannelError, ChannelNotConfiguredError, ChannelPermanentError, ChannelTemporaryError
from duly.ports.channels import Address, Button, Incoming, Outgoing, Receipt

BASE_URL = "https://api.telegram.org"
MAX_TEXT = 4096
MAX_ANSWER = 200
_LINE = 36
_UPDATES = ("message", "callback_query")
_LOST_MESSAGE = ("message to edit not found", "message can't be edited", "message_id_invalid")


class TelegramChannel:
    """Messages of a bot. An address is a chat's id; only people who wrote to the bot first can be reached.

    Each group counts its messages for itself, so the id of a message here is `<chat>:<number>`.
    """

    name = "telegram"
    has_buttons = True

    def __init__(
        self,
        token: str,
        *,
        base_url: str = BASE_URL,
        http: httpx.AsyncClient | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        self._token = token
        self._wire = Transport(self.name, base_url, http=http, timeout=timeout, secrets=[token])

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
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
        return Receipt(message_id=f"{chat['id'] if isinstance(chat, dict) else address}:{result['message_id']}")

    async def edit(self, address: Address, message_id: str, text: str) -> bool:
        chat, number = _place(message_id)
        if not number.isdecimal():
            return False
        body = {"chat_id": chat or address, "message_id": int(number), "text": shorten_utf16(text, MAX_TEXT)}
        try:
            await self._call_in_chat("editMessageText", body)
        except ChannelPermanentError as error:
            told = str(error).lower()
            if "message is not modified" in told:
                return True
            if any(phrase in told for phrase in _LOST_MESSAGE):
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
            return  # too old: Telegram has stopped waiting, and so has the person

    async def updates(self, offset: int | None, wait: int) -> list[dict[str, Any]]:
        """What happened since `offset`, waiting `wait` seconds for something to happen."""
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

    async def close(self) -> None:
        await self._wire.close()

    async def _call_in_chat(self, method: str, body: dict[str, Any]) -> Answer:
        """`call`, following a group to the new id it gets when it becomes a supergroup."""
        try:
            return await self.call(method, body)
        except _ChatMovedError as moved:
            return await self.call(method, {**body, "chat_id": moved.chat_id})

    async def call(self, method: str, body: Mapping[str, Any], *, patience: float | None = None) -> Answer:
        """Call a method of the Bot API; gives answers that are `ok`, raises the others."""
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

    def _failure(self, answer: Answer) -> ChannelError:
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
    """The chat of a message, and its number there."""
    chat, _, number = message_id.rpartition(":")
    return chat, number


def _rows(buttons: tuple[Button, ...]) -> list[list[dict[str, str]]]:
    """Side by side, unless a telephone would cut the labels."""
    keys = [{"text": button.label, "callback_data": button.token} for button in buttons]
    return [keys] if sum(len(key["text"]) for key in keys) <= _LINE else [[key] for key in keys]


class _ChatMovedError(ChannelPermanentError):
    """A group became a supergroup and has a new id."""

    def __init__(self, message: str, chat_id: object) -> None:
        super().__init__(message)
        self.chat_id = chat_id
