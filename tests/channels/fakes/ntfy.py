"""An ntfy server: JSON in, an id out."""

from __future__ import annotations

from typing import Any

from tests.channels.fakes.secrets import NTFY_TOKEN
from tests.channels.fakes.server import FakeServer, Reply, Seen


class FakeNtfy(FakeServer):
    """Topics spring into being; `private` needs a token."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[dict[str, Any]] = []

    async def respond(self, seen: Seen) -> Reply:
        if seen.path == "/v1/health":
            return Reply(200, {"healthy": True})
        body = seen.json
        if body["topic"] == "private" and seen.headers.get("authorization") != f"Bearer {NTFY_TOKEN}":
            told = {"code": 40301, "http": 403, "error": "forbidden", "link": "https://ntfy.sh/docs/publish/#auth"}
            return Reply(403, told)
        if len(body.get("actions", [])) > 3:
            return Reply(400, {"code": 40018, "http": 400, "error": "invalid request: actions invalid"})
        self.messages.append(body)
        return Reply(200, {"id": f"n{len(self.messages)}", "time": 1, "event": "message", **body})
