"""Telegram's Bot API: messages, edits, presses, polling."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.channels.fakes.secrets import TELEGRAM_TOKEN
from tests.channels.fakes.server import FakeServer, Reply, Seen

BOT = {"id": 12345, "is_bot": True, "first_name": "Duly", "username": "duly_test_bot"}
PERSON = {"id": 7, "is_bot": False, "first_name": "Ann"}


def too_many(after: int) -> Reply:
    description = f"Too Many Requests: retry after {after}"
    return Reply(
        429, {"ok": False, "error_code": 429, "description": description, "parameters": {"retry_after": after}}
    )


class FakeTelegram(FakeServer):
    """One bot. Chats are there unless named in `blocked`, `unknown` or `moved`."""

    def __init__(self) -> None:
        super().__init__()
        self.blocked: set[str] = set()
        self.unknown: set[str] = set()
        self.moved: dict[str, int] = {}
        self.messages: dict[int, dict[str, Any]] = {}
        self.answered: list[dict[str, Any]] = []
        self.updates: list[dict[str, Any]] = []
        self.webhook: dict[str, Any] | None = None
        self._news = asyncio.Event()

    def press(self, message_id: int, token: str, *, query: str = "q1") -> dict[str, Any]:
        """Press a button as a person; give the update."""
        message = self.messages[message_id]
        told = {"id": query, "from": PERSON, "message": message, "chat_instance": "1", "data": token}
        return self._tell("callback_query", told)

    def say(self, chat: int, text: str, *, reply_to: int | None = None, message_id: int = 900) -> dict[str, Any]:
        """Write a message as a person; give the update."""
        told = {"message_id": message_id, "date": 1_794_830_400, "chat": _chat(chat), "from": PERSON, "text": text}
        if reply_to is not None:
            told["reply_to_message"] = self.messages[reply_to]
        return self._tell("message", told)

    def _tell(self, kind: str, told: dict[str, Any]) -> dict[str, Any]:
        update = {"update_id": 1000 + len(self.updates), kind: told}
        self.updates.append(update)
        self._news.set()
        return update

    async def respond(self, seen: Seen) -> Reply:
        bot, _, method = seen.path.removeprefix("/bot").rpartition("/")
        if bot != TELEGRAM_TOKEN:
            return _error(401, "Unauthorized")
        fields = seen.fields
        if method in ("sendMessage", "editMessageText"):
            refused = self._refused(str(fields["chat_id"]))
            if refused is not None:
                return refused
        handler = getattr(self, _snake(method), None)
        if handler is None:
            return _error(404, "Not Found")
        result = await handler(fields)
        return result if isinstance(result, Reply) else Reply(200, {"ok": True, "result": result})

    def _refused(self, chat: str) -> Reply | None:
        if chat in self.blocked:
            return _error(403, "Forbidden: bot was blocked by the user")
        if chat in self.unknown:
            return _error(400, "Bad Request: chat not found")
        if chat in self.moved:
            said = "Bad Request: group chat was upgraded to a supergroup chat"
            return _error(400, said, {"migrate_to_chat_id": self.moved[chat]})
        return None

    async def _get_me(self, _: dict[str, Any]) -> Any:
        return {**BOT, "can_join_groups": True, "can_read_all_group_messages": False, "supports_inline_queries": False}

    async def _send_message(self, fields: dict[str, Any]) -> Any:
        number = 100 + len(self.messages)
        message = {
            "message_id": number,
            "date": 1_794_830_400,
            "chat": _chat(int(fields["chat_id"])),
            "from": BOT,
            "text": fields["text"],
        }
        if "reply_markup" in fields:
            rows = fields["reply_markup"]["inline_keyboard"]
            if any(len(button["callback_data"].encode()) > 64 for row in rows for button in row):
                return _error(400, "Bad Request: BUTTON_DATA_INVALID")
            message["reply_markup"] = fields["reply_markup"]
        self.messages[number] = message
        return message

    async def _edit_message_text(self, fields: dict[str, Any]) -> Any:
        message = self.messages.get(int(fields["message_id"]))
        if message is None:
            return _error(400, "Bad Request: message to edit not found")
        if message["text"] == fields["text"] and message.get("reply_markup") == fields.get("reply_markup"):
            return _error(
                400,
                "Bad Request: message is not modified: specified new message content and reply markup are exactly the "
                "same as a current content and reply markup of the message",
            )
        message.pop("reply_markup", None)
        message |= {name: fields[name] for name in ("text", "reply_markup") if name in fields}
        message["edit_date"] = 1_770_000_001
        return message

    async def _answer_callback_query(self, fields: dict[str, Any]) -> Any:
        if fields["callback_query_id"] == "old":
            return _error(400, "Bad Request: query is too old and response timeout expired or query ID is invalid")
        self.answered.append(fields)
        return True

    async def _set_webhook(self, fields: dict[str, Any]) -> Any:
        self.webhook = fields
        return True

    async def _delete_webhook(self, _: dict[str, Any]) -> Any:
        self.webhook = None
        return True

    async def _get_updates(self, fields: dict[str, Any]) -> Any:
        if self.webhook is not None:
            said = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete it first"
            return _error(409, said)
        offset = int(fields.get("offset", 0))
        waiting = [update for update in self.updates if update["update_id"] >= offset]
        if not waiting and int(fields.get("timeout", 0)):
            self._news.clear()
            await self._news.wait()
            waiting = [update for update in self.updates if update["update_id"] >= offset]
        return waiting


def _snake(method: str) -> str:
    return "_" + "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in method)


def _chat(number: int) -> dict[str, Any]:
    return {"id": number, "type": "private", "first_name": "Ann"}


def _error(status: int, description: str, parameters: dict[str, Any] | None = None) -> Reply:
    body: dict[str, Any] = {"ok": False, "error_code": status, "description": description}
    if parameters is not None:
        body["parameters"] = parameters
    return Reply(status, body)
