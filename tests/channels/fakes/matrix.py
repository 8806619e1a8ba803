"""A Matrix homeserver, as synapse behaved when it was measured: same transaction, same event; 429 with both hints."""

from __future__ import annotations

from typing import Any

from tests.channels.fakes.secrets import MATRIX_TOKEN
from tests.channels.fakes.server import FakeServer, Reply, Seen

ROOM = "!room:example.org"

TOO_MANY = Reply(
    429,
    {"errcode": "M_LIMIT_EXCEEDED", "error": "Too Many Requests", "retry_after_ms": 4900},
    {"Retry-After": "5"},
)


class FakeMatrix(FakeServer):
    """One room."""

    def __init__(self) -> None:
        super().__init__()
        self.events: dict[str, dict[str, Any]] = {}
        self._transactions: dict[str, str] = {}

    async def respond(self, seen: Seen) -> Reply:
        if seen.headers.get("authorization") != f"Bearer {MATRIX_TOKEN}":
            return Reply(401, {"errcode": "M_UNKNOWN_TOKEN", "error": "Invalid access token passed."})
        if seen.path.endswith("/account/whoami"):
            return Reply(200, {"user_id": "@duly:example.org", "device_id": "D"})
        _, _, rest = seen.path.partition("/rooms/")
        room, _, transaction = rest.partition("/send/m.room.message/")
        if room != ROOM:
            return Reply(403, {"errcode": "M_FORBIDDEN", "error": f"User not in room {room}"})
        if transaction not in self._transactions:
            self._transactions[transaction] = f"$event{len(self.events)}"
            self.events[self._transactions[transaction]] = seen.json
        return Reply(200, {"event_id": self._transactions[transaction]})
