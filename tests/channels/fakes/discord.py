"""Discord's REST API, as far as messages go, and its signed interactions."""

from __future__ import annotations

import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.channels.fakes.secrets import DISCORD_TOKEN
from tests.channels.fakes.server import FakeServer, Reply, Seen

USER = {"id": "1", "username": "duly", "discriminator": "0", "avatar": None, "global_name": None, "bot": True}


def too_many(after: float) -> Reply:
    """Discord's own limit; without `Via`, it would be the guard at its gate."""
    body = {"message": "You are being rate limited.", "retry_after": after, "global": False}
    return Reply(429, body, {"Retry-After": str(int(after) + 1), "Via": "1.1 google", "X-RateLimit-Scope": "user"})


class FakeDiscord(FakeServer):
    """A bot in some channels. People in `closed` take no direct messages."""

    def __init__(self) -> None:
        super().__init__()
        self.channels = {"500", "501"}
        self.closed: set[str] = set()
        self.messages: dict[str, dict[str, Any]] = {}
        self.commands: list[dict[str, Any]] = []
        self.gateway = ""
        """Where the gateway is."""
        self.responses: list[dict[str, Any]] = []
        self._nonces: dict[str, str] = {}
        self._key = Ed25519PrivateKey.generate()

    @property
    def api(self) -> str:
        return f"{self.url}/api/v10"

    @property
    def public_key(self) -> str:
        return self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, body: bytes, stamp: int) -> dict[str, str]:
        signature = self._key.sign(str(stamp).encode() + body).hex()
        return {"X-Signature-Ed25519": signature, "X-Signature-Timestamp": str(stamp)}

    def press(self, message_id: str, token: str) -> bytes:
        """Make the body of the interaction of a pressed button."""
        message = self.messages[message_id]
        return json.dumps(
            {
                "id": "9001",
                "application_id": "42",
                "type": 3,
                "token": "interaction-token",
                "version": 1,
                "channel_id": message["channel_id"],
                "user": {"id": "7", "username": "ann"},
                "message": message,
                "data": {"component_type": 2, "custom_id": token},
            }
        ).encode()

    async def respond(self, seen: Seen) -> Reply:
        if seen.headers.get("authorization") != f"Bot {DISCORD_TOKEN}":
            return Reply(401, {"message": "401: Unauthorized", "code": 0})
        parts = seen.path.removeprefix("/api/v10/").split("/")
        if seen.path.endswith("/users/@me"):
            return Reply(200, USER)
        if seen.path.endswith("/users/@me/channels"):
            return Reply(200, {"id": "501", "type": 1, "recipients": [{"id": seen.json["recipient_id"]}]})
        if seen.path.endswith("/gateway/bot"):
            limit = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
            return Reply(200, {"url": self.gateway, "shards": 1, "session_start_limit": limit})
        if parts[0] == "interactions":
            self.responses.append(seen.json)
            return Reply(204, "")
        if parts[0] == "applications":
            self.commands.append(seen.json)
            return Reply(201, {"id": "77", "application_id": parts[1], "version": "1", **seen.json})
        if parts[0] == "channels" and parts[2] == "messages":
            return self._message(seen, parts[1], parts[3] if len(parts) > 3 else None)
        return Reply(404, {"message": "404: Not Found", "code": 0})

    def _message(self, seen: Seen, channel: str, known_as: str | None) -> Reply:
        if channel not in self.channels:
            return Reply(404, {"message": "Unknown Channel", "code": 10003})
        if channel in self.closed:
            return Reply(403, {"message": "Cannot send messages to this user", "code": 50007})
        if known_as is None:
            return self._create(seen.json, channel)
        if known_as not in self.messages:
            return Reply(404, {"message": "Unknown Message", "code": 10008})
        self.messages[known_as].update(seen.json)
        return Reply(200, self.messages[known_as])

    def _create(self, body: dict[str, Any], channel: str) -> Reply:
        nonce = body.get("nonce")
        if nonce is not None and len(nonce) > 25:
            return Reply(400, {"message": "Invalid Form Body", "code": 50035})
        if body.get("enforce_nonce") and nonce in self._nonces:
            return Reply(200, self.messages[self._nonces[nonce]])
        known_as = str(7000 + len(self.messages))
        message = {
            "id": known_as,
            "channel_id": channel,
            "author": USER,
            "content": body.get("content", ""),
            "components": body.get("components", []),
            "timestamp": "2026-01-01T00:00:00+00:00",
            "edited_timestamp": None,
            "nonce": nonce,
            "type": 0,
        }
        self.messages[known_as] = message
        if nonce is not None:
            self._nonces[nonce] = known_as
        return Reply(200, message)
