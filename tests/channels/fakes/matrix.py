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
        self.news: list[dict[str, Any]] = []
        """What `/sync` gives, one after the other; each is the `rooms` of an answer."""
        self.joined: list[str] = []
        self.members = ["@duly:example.org", "@ann:example.org"]
        self._transactions: dict[str, str] = {}

    async def respond(self, seen: Seen) -> Reply:
        if seen.headers.get("authorization") != f"Bearer {MATRIX_TOKEN}":
            return Reply(401, {"errcode": "M_UNKNOWN_TOKEN", "error": "Invalid access token passed."})
        if seen.path.endswith("/account/whoami"):
            return Reply(200, {"user_id": "@duly:example.org", "device_id": "D"})
        if seen.path.endswith("/sync"):
            return self._sync(seen.query.get("since"))
        if seen.path.endswith("/joined_members"):
            return Reply(200, {"joined": {name: {} for name in self.members}})
        if "/join/" in seen.path:
            self.joined.append(seen.path.rpartition("/")[2])
            return Reply(200, {"room_id": self.joined[-1]})
        _, _, rest = seen.path.partition("/rooms/")
        room, _, transaction = rest.partition("/send/m.room.message/")
        if room != ROOM:
            return Reply(403, {"errcode": "M_FORBIDDEN", "error": f"User not in room {room}"})
        if transaction not in self._transactions:
            self._transactions[transaction] = f"$event{len(self.events)}"
            self.events[self._transactions[transaction]] = seen.json
        return Reply(200, {"event_id": self._transactions[transaction]})

    def _sync(self, since: str | None) -> Reply:
        """Answer as a homeserver does: without a place, from the beginning of what it keeps."""
        place = 0 if since is None else int(since.removeprefix("s"))
        if since is None:
            return Reply(200, {"next_batch": f"s{len(self.news)}", "rooms": self.news[-1] if self.news else {}})
        if place >= len(self.news):
            return Reply(200, {"next_batch": since, "rooms": {}})
        return Reply(200, {"next_batch": f"s{place + 1}", "rooms": self.news[place]})

    def say(self, sender: str, text: str, **more: Any) -> None:
        """Let a person write in the room."""
        self.event(sender, "m.room.message", {"msgtype": "m.text", "body": text, **more})

    def event(self, sender: str, kind: str, content: dict[str, Any]) -> None:
        """Let an event happen in the room."""
        event = {"type": kind, "sender": sender, "event_id": f"$said{len(self.news)}", "content": content}
        self.news.append({"join": {ROOM: {"timeline": {"events": [event], "limited": False}}}})
